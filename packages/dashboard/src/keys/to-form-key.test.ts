import assert from "node:assert/strict";
import { test } from "node:test";
import { generateKeyPair } from "@sealpost/wire";
import { toFormKey } from "./to-form-key.ts";

test("a key file whose seed is null goes into an envelope as one without: with a seed of its own", async () => {
  const { privateKey } = await generateKeyPair();
  const files = [{ privateKey }, { privateKey, seed: null }, privateKey];
  const seeds = await Promise.all(files.map(async (file) => (await toFormKey(file, 1)).seed));
  for (const seed of seeds) assert.match(seed, /^[\w-]{43}$/);
  assert.equal(new Set(seeds).size, files.length);
});
