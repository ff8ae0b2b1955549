import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { importOpeningKey } from "../../wire/src/open.ts";
import { expectedOf, openVector, ours } from "../../wire/src/testing/conformance.ts";
import { createNobleKem } from "../../wire/src/testing/noble-kem.ts";
import type { OpeningVector } from "../../wire/src/testing/opening-vectors.ts";
import { hybridVectorKeys, importVectorKey } from "../../wire/src/testing/vector-keys.ts";
import hybrid from "../../wire/vectors/hybrid.json" with { type: "json" };
import { createHybridKem } from "./hybrid-kem.ts";
import { libraryMlKem } from "./library-ml-kem.ts";
import { libraryX25519 } from "./library-x25519.ts";
import { findNativeMlKem } from "./ml-kem.ts";
import { isSealedKey, sealedPartOf } from "./sealed-key.ts";
import { findNativeX25519 } from "./x25519.ts";

const vectors = hybrid as unknown as readonly OpeningVector[]; // our own generator wrote them
const native = findNativeMlKem();
assert.ok(native, "Node.js 26 has ML-KEM-768");
const nativeX25519 = await findNativeX25519();
assert.ok(nativeX25519, "and X25519");

for (const [name, mlKem, x25519] of [
  ["the runtime's halves", native, nativeX25519],
  ["the library's ML-KEM", libraryMlKem, nativeX25519],
  ["the library's X25519", native, libraryX25519],
  ["both halves of the library", libraryMlKem, libraryX25519],
] as const)
  describe(`hybrid keys out of their halves, with ${name}`, () => {
    const kem = createHybridKem(mlKem, x25519);

    test("every test vector of sp2 has its outcome", async () => {
      for (const vector of vectors)
        assert.deepEqual(await openVector(ours, vector, kem), expectedOf(vector), vector.name);
    });

    test("what one implementation encapsulates, each of the others decapsulates", async () => {
      const seed = crypto.getRandomValues(new Uint8Array(32));
      const others = [
        createHybridKem(native, nativeX25519),
        createHybridKem(libraryMlKem, libraryX25519),
        createNobleKem(),
      ];
      const publicKey = await kem.publicKeyOf(seed);
      const { sharedSecret, encapsulated } = await kem.encapsulate(publicKey);
      for (const other of others) {
        assert.deepEqual(await other.publicKeyOf(seed), publicKey);
        assert.deepEqual(await other.decapsulate(await other.importSeed(seed), encapsulated), sharedSecret);
      }
    });

    test("a clone opens, and a key of another implementation is refused", async () => {
      const { privateKey } = hybridVectorKeys["hybrid first"];
      const seed = new Uint8Array(Buffer.from(privateKey.priv, "base64url"));
      const key = await kem.importSeed(seed);
      const { sharedSecret, encapsulated } = await kem.encapsulate(await kem.publicKeyOf(seed));
      assert.deepEqual(await kem.decapsulate(structuredClone(key), encapsulated), sharedSecret);
      await assert.rejects(kem.decapsulate(seed, encapsulated), TypeError);
      assert.ok("decapsulationKey" in (await importVectorKey("hybrid first", {}, kem)));
    });
  });

test("a key that was imported with the library, and remembered, opens in a browser that has learned ML-KEM since", async () => {
  const [before, since] = [createHybridKem(libraryMlKem, nativeX25519), createHybridKem(native, nativeX25519)];
  const seed = crypto.getRandomValues(new Uint8Array(32));
  const remembered = structuredClone(await before.importSeed(seed));
  assert.ok("mlKem" in remembered && remembered.mlKem instanceof Uint8Array);
  const { sharedSecret, encapsulated } = await since.encapsulate(await since.publicKeyOf(seed));
  assert.deepEqual(await since.decapsulate(remembered, encapsulated), sharedSecret);
  // The other way round there is nothing that could open.
  await assert.rejects(before.decapsulate(await since.importSeed(seed), encapsulated), TypeError);
});

test("the runtime's X25519 half can't be read out; a key with the library's is neither remembered nor sent to another tab", async () => {
  const sealed = await importVectorKey("hybrid first", {}, createHybridKem(libraryMlKem, nativeX25519));
  assert.ok("decapsulationKey" in sealed && "x25519" in sealed.decapsulationKey);
  const { x25519 } = sealed.decapsulationKey;
  assert.ok(x25519 instanceof CryptoKey);
  await assert.rejects(crypto.subtle.exportKey("pkcs8", x25519), /extractable/);
  const { privateKey } = takeKeyPair();
  const rsa = await importOpeningKey(privateKey);
  assert.equal(isSealedKey({ ...rsa, hybrid: sealed }), true);
  assert.deepEqual(sealedPartOf({ ...rsa, hybrid: sealed }), { ...rsa, hybrid: sealed });
  const open = await importVectorKey("hybrid first", {}, createHybridKem(native, libraryX25519));
  assert.ok("decapsulationKey" in open);
  assert.equal(isSealedKey({ ...rsa, hybrid: open }), false);
  assert.deepEqual(sealedPartOf({ ...rsa, hybrid: open }), rsa);
});
