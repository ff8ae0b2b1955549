/**
 * Writes the vectors of signed lists and envelopes (packages/wire/vectors), which SPECIFICATION.md section 10 explains. Run it
 * after changing them: `node --conditions=@sealpost/source packages/envelope/generate-vectors.ts`. age draws randomness, so
 * an envelope with the same content and recipients is kept from the file.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { envelopeVectors } from "./src/testing/envelope-vectors.ts";
import { listVectors } from "./src/testing/list-vectors.ts";
import { personalKeyVectors } from "./src/testing/people.ts";

const pathOf = (file: string) => join(import.meta.dirname, "../wire/vectors", file);
const envelopes = pathOf("envelopes.json");
const files = {
  "personal-keys.json": await personalKeyVectors(),
  "signed-lists.json": await listVectors(),
  "envelopes.json": await envelopeVectors(existsSync(envelopes) ? JSON.parse(readFileSync(envelopes, "utf8")) : []),
};
for (const [name, content] of Object.entries(files))
  writeFileSync(pathOf(name), `${JSON.stringify(content, null, 2)}\n`);
