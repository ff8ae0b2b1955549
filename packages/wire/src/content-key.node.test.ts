import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeBase64 } from "./base64.ts";
import { rsaAlgorithm } from "./keys.ts";
import { open } from "./open.ts";
import { sealWith } from "./seal.ts";
import { binding } from "./testing/opening-vectors.ts";
import { importVectorKey, vectorKeys } from "./testing/vector-keys.ts";

// Not in browsers: one that drops zero bytes itself cannot tell the two apart.
test("a content key that somebody shortened by its zero byte does not open", async () => {
  const { kty, n, e } = vectorKeys.small.publicKey;
  const randomBytes = (length: number) => new Uint8Array(length).fill(7).fill(0, 0, 1);
  const payload = await sealWith(randomBytes, { a: "1" }, binding, vectorKeys.small.publicKey);
  const sealingKey = await crypto.subtle.importKey("jwk", { kty, n, e }, rsaAlgorithm, false, ["encrypt"]);
  const keys = [await importVectorKey("small")];
  for (const [length, opened] of [
    [31, false],
    [32, true],
    [33, false],
  ] as const) {
    const contentKey = new Uint8Array(length).fill(7).fill(0, 0, length - 31);
    const key = encodeBase64(new Uint8Array(await crypto.subtle.encrypt(rsaAlgorithm, sealingKey, contentKey)));
    assert.equal((await open({ ...binding, payload: { ...payload, key } }, keys)).opened, opened, `${length} bytes`);
  }
});
