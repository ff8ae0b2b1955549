/**
 * Writes vectors/*.json: `node --conditions=@sealpost/source packages/wire/generate-vectors.ts`.
 * vectors/keys.json is an input. What is random in `sp1` is derived from each vector's name, so `data` and `iv` come out
 * the same each time; `key` does not, because OAEP draws its own randomness.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostileVectors } from "./src/testing/hostile-vectors.ts";
import { idVectors } from "./src/testing/id-vectors.ts";
import { goodVectors } from "./src/testing/opening-vectors.ts";
import { paddingVectors } from "./src/testing/padding-vectors.ts";
import { publicKeyVectors } from "./src/testing/public-key-vectors.ts";
import { webhookVectors } from "./src/testing/webhook-vectors.ts";

const files = {
  "good.json": await goodVectors(),
  "hostile.json": await hostileVectors(),
  "ids.json": idVectors(),
  "padding.json": paddingVectors(),
  "public-keys.json": publicKeyVectors(),
  "webhook-signatures.json": webhookVectors(),
};
for (const [name, content] of Object.entries(files))
  writeFileSync(join(import.meta.dirname, "vectors", name), `${JSON.stringify(content, null, 2)}\n`);
