/**
 * Writes vectors/*.json: `node --conditions=@sealpost/source packages/wire/generate-vectors.ts`.
 * vectors/keys.json is an input. What is random in `sp1` is derived from each vector's name, so `data` and `iv` come out
 * the same each time; `key` does not, because OAEP draws its own randomness: a vector that is there and has not changed
 * otherwise keeps its own.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { auditVectors } from "./src/testing/audit-vectors.ts";
import { ed25519Vectors } from "./src/testing/ed25519-vectors.ts";
import { fileVectors } from "./src/testing/file-vectors.ts";
import { foreignVectors } from "./src/testing/foreign-vectors.ts";
import { hostileVectors } from "./src/testing/hostile-vectors.ts";
import { hybridKeyVectors, hybridVectors } from "./src/testing/hybrid-vectors.ts";
import { idVectors } from "./src/testing/id-vectors.ts";
import { keyFileVectors } from "./src/testing/key-file-vectors.ts";
import { keyLogVectors } from "./src/testing/key-log-vectors.ts";
import { goodVectors, type OpeningVector } from "./src/testing/opening-vectors.ts";
import { paddingVectors } from "./src/testing/padding-vectors.ts";
import { publicKeyVectors } from "./src/testing/public-key-vectors.ts";
import { receiverVectors } from "./src/testing/receiver-vectors.ts";
import { seedVectors } from "./src/testing/seed-vectors.ts";
import { verificationVectors } from "./src/testing/verification-vectors.ts";
import { webhookVectors } from "./src/testing/webhook-vectors.ts";

const pathOf = (file: string) => join(import.meta.dirname, "vectors", file);

function keep(file: string, made: readonly OpeningVector[]): readonly OpeningVector[] {
  const path = pathOf(file);
  const there: OpeningVector[] = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : [];
  const withoutKey = ({ payload: { key: _, ...payload }, ...rest }: OpeningVector) =>
    JSON.stringify({ ...rest, payload });
  return made.map((vector) => {
    const same = there.find(({ name }) => name === vector.name);
    // Where the key itself is what was changed, it is derived from that of another vector, which was kept as well.
    return same !== undefined && withoutKey(same) === withoutKey(vector) ? same : vector;
  });
}

const files = {
  "good.json": keep("good.json", await goodVectors()),
  "hostile.json": keep("hostile.json", await hostileVectors()),
  "foreign.json": keep("foreign.json", await foreignVectors()),
  "audit-log.json": await auditVectors(),
  "ed25519.json": await ed25519Vectors(),
  "key-files.json": keyFileVectors(),
  "key-logs.json": await keyLogVectors(),
  "files.json": await fileVectors(),
  "hybrid-keys.json": await hybridKeyVectors(),
  "hybrid.json": await hybridVectors(),
  "ids.json": idVectors(),
  "padding.json": paddingVectors(),
  "public-keys.json": publicKeyVectors(),
  "seeds.json": await seedVectors(),
  "webhook-receivers.json": await receiverVectors(),
  "webhook-signatures.json": webhookVectors(),
  "webhook-verification.json": await verificationVectors(),
};
for (const [name, content] of Object.entries(files))
  writeFileSync(pathOf(name), `${JSON.stringify(content, null, 2)}\n`);
