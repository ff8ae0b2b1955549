import assert from "node:assert/strict";
import { test } from "node:test";
import vectors from "../vectors/seeds.json" with { type: "json" };
import { importSigningKey } from "./signing-key.ts";
import { createVersionSeed, deriveReplyKey, hashVersionSeed, isVersionSeed } from "./version-seed.ts";

test("the reply key and the hash of a seed are those of the vectors, and its private half signs", async () => {
  for (const { name, seed, formId, version, replyPrivateKey, replyKey, seedHash } of vectors.seeds) {
    const pair = { privateKey: replyPrivateKey, replyKey };
    assert.deepEqual(await deriveReplyKey(seed, { formId, version }), pair, name);
    assert.equal(await hashVersionSeed(seed, { formId, version }), seedHash, name);
    const signed = await crypto.subtle.sign("Ed25519", await importSigningKey(replyPrivateKey), new Uint8Array());
    assert.equal(signed.byteLength, 64);
  }
});

test("nothing but base64url of 32 bytes is a seed, and no two are the same", async () => {
  for (const { name, file, outcome } of vectors.keyFiles) {
    const { seed } = JSON.parse(file);
    if (typeof seed === "string") assert.equal(isVersionSeed(seed), outcome === "taken", name);
  }
  const of = { formId: "form_01hk153x00e5rbcwg8rxcnh8w4", version: 1 };
  await assert.rejects(deriveReplyKey("AAAA", of), TypeError);
  await assert.rejects(hashVersionSeed("AAAA", of), TypeError);
  const drawn = Array.from({ length: 100 }, createVersionSeed);
  assert.ok(drawn.every(isVersionSeed));
  assert.equal(new Set(drawn).size, drawn.length);
});
