/**
 * Writes the vectors of signed lines, drafts, signed lists, names, envelopes, copies of keys, recovery sheets, admissions, devices, signed heads and first sights (packages/wire/vectors), which SPECIFICATION.md section 10 explains. Run it
 * after changing them: `node --conditions=@sealpost/source packages/envelope/generate-vectors.ts`. age draws randomness, so
 * a file with the same content and recipients is kept.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { admissionVectors } from "./src/testing/admission-vectors.ts";
import { deviceVectors } from "./src/testing/device-vectors.ts";
import { draftVectors } from "./src/testing/draft-objects.ts";
import { envelopeVectors } from "./src/testing/envelope-vectors.ts";
import { firstSightVectors } from "./src/testing/first-sight-vectors.ts";
import { headVectors } from "./src/testing/head-vectors.ts";
import { keyCopyVectors } from "./src/testing/key-copy-vectors.ts";
import { placeVectors } from "./src/testing/list-places.ts";
import { rightVectors } from "./src/testing/list-rights.ts";
import { listVectors } from "./src/testing/list-vectors.ts";
import { nameVectors } from "./src/testing/name-vectors.ts";
import { personalKeyVectors } from "./src/testing/people.ts";
import { sheetVectors } from "./src/testing/sheet-vectors.ts";
import { signedLineVectors } from "./src/testing/signed-line-vectors.ts";
import { swapVectors } from "./src/testing/swap-vectors.ts";
import { vouchingVectors } from "./src/testing/vouching-vectors.ts";

const pathOf = (file: string) => join(import.meta.dirname, "../wire/vectors", file);
const read = (file: string) => (existsSync(pathOf(file)) ? JSON.parse(readFileSync(pathOf(file), "utf8")) : []);
const files = {
  "personal-keys.json": await personalKeyVectors(),
  "signed-lines.json": await signedLineVectors(),
  "swaps.json": await swapVectors(),
  "drafts.json": await draftVectors(),
  "signed-lists.json": await listVectors(),
  "names.json": await nameVectors(),
  "list-vouching.json": await vouchingVectors(),
  "list-rights.json": await rightVectors(),
  "list-places.json": await placeVectors(),
  "envelopes.json": await envelopeVectors(read("envelopes.json")),
  "key-copies.json": await keyCopyVectors(read("key-copies.json")),
  "recovery-sheets.json": await sheetVectors(),
  "devices.json": await deviceVectors(),
  "signed-heads.json": await headVectors(),
  "first-sights.json": await firstSightVectors(),
  "admissions.json": await admissionVectors(),
};
for (const [name, content] of Object.entries(files))
  writeFileSync(pathOf(name), `${JSON.stringify(content, null, 2)}\n`);
