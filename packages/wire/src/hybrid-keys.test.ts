import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeBase64Url } from "./base64.ts";
import { generateHybridKeyPair, hybridFingerprint, isHybridPublicKey, parseHybridPublicKey } from "./hybrid-keys.ts";
import { importHybridOpeningKey } from "./open.ts";
import { nobleKem } from "./testing/noble-kem.ts";
import { anyKem, hybridVectorKeys, vectorKeys } from "./testing/vector-keys.ts";

const { publicKey, privateKey } = hybridVectorKeys["hybrid first"];

test("a fresh hybrid pair has the sizes of the specification, is another each time, and its halves belong together", async () => {
  const [one, other] = [await generateHybridKeyPair(anyKem), await generateHybridKeyPair(nobleKem)];
  assert.notEqual(one.privateKey.priv, other.privateKey.priv);
  for (const pair of [one, other]) {
    assert.deepEqual(Object.keys(pair.publicKey), ["kty", "alg", "pub"]);
    assert.deepEqual(Object.keys(pair.privateKey), ["kty", "alg", "pub", "priv"]);
    assert.deepEqual([pair.publicKey.pub.length, pair.privateKey.priv.length], [1622, 43]);
    for (const kem of [anyKem, nobleKem]) {
      const key = await importHybridOpeningKey(pair.privateKey, { keyVersion: 3 }, kem);
      assert.equal(key.fingerprint, await hybridFingerprint(pair.publicKey));
      assert.equal(key.keyVersion, 3);
    }
  }
});

test("a hybrid public key is accepted and copied; anything else gets a sentence", () => {
  const copy = parseHybridPublicKey(publicKey);
  assert.deepEqual(copy, publicKey);
  assert.notEqual(copy, publicKey);
  const sentences: readonly (readonly [unknown, RegExp])[] = [
    [undefined, /^Must be a hybrid public key as JWK$/],
    ["AKP", /^Must be a hybrid public key as JWK$/],
    [privateKey, /private member, keep it to yourself$/],
    [{ ...publicKey, ext: true }, /^Must have exactly the members kty, alg and pub$/],
    [vectorKeys.first.publicKey, /^Must have exactly the members/],
    [{ ...publicKey, kty: "OKP" }, /^Must be a key for MLKEM768-X25519/],
    [{ ...publicKey, alg: "ML-KEM-768" }, /^Must be a key for MLKEM768-X25519/],
    [{ ...publicKey, pub: undefined }, /^Must have 1216 bytes/],
    [{ ...publicKey, pub: null }, /^Must have 1216 bytes/],
    [{ ...publicKey, pub: publicKey.pub.replace(/.$/, " ") }, /^Must have 1216 bytes/],
    [{ ...publicKey, pub: publicKey.pub.slice(0, -2) }, /^Must have 1216 bytes/],
    [{ ...publicKey, pub: `${publicKey.pub}=` }, /^Must have 1216 bytes/],
    [{ ...publicKey, pub: encodeBase64Url(new Uint8Array(1217)) }, /^Must have 1216 bytes/],
  ];
  assert.ok(isHybridPublicKey(publicKey));
  for (const [value, sentence] of sentences) {
    assert.match(String(parseHybridPublicKey(value)), sentence);
    assert.equal(isHybridPublicKey(value), false, String(sentence));
  }
});

test("a malformed private key, or one whose halves don't belong together, is refused without being shown", async () => {
  const other = hybridVectorKeys["hybrid second"].privateKey;
  const wrong = [
    { ...privateKey, priv: other.priv },
    { ...privateKey, pub: other.pub },
    { ...privateKey, priv: privateKey.priv.slice(0, -1) },
    { ...privateKey, priv: `${privateKey.priv}A` },
    { ...privateKey, alg: "ML-KEM-768" },
    { ...privateKey, kty: "RSA" },
  ];
  for (const kem of [anyKem, nobleKem]) {
    for (const value of wrong) {
      const refused = await importHybridOpeningKey(value as typeof privateKey, {}, kem).catch(
        (error: unknown) => error,
      );
      assert.ok(refused instanceof TypeError);
      assert.ok(!refused.message.includes(value.priv.slice(0, 8)));
    }
  }
});
