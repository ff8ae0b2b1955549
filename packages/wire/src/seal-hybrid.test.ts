import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBase64 } from "./base64.ts";
import { importHybridOpeningKey, open } from "./open.ts";
import type { Fields } from "./payload.ts";
import { sealHybrid } from "./seal-hybrid.ts";
import { nobleKem } from "./testing/noble-kem.ts";
import { binding } from "./testing/opening-vectors.ts";
import { anyKem, hybridVectorKeys } from "./testing/vector-keys.ts";

const { publicKey, privateKey } = hybridVectorKeys["hybrid first"];
const fields: Fields = { email: "ada@example.com", topics: ["forms", "privacy"] };

test("what is sealed to a hybrid key opens, whichever implementation of the key encapsulation seals and opens", async () => {
  for (const sealing of [anyKem, nobleKem]) {
    const payload = await sealHybrid(fields, binding, publicKey, sealing);
    assert.deepEqual(Object.keys(payload), ["encrypted", "version", "data", "key", "iv"]);
    assert.equal(payload.version, "sp2");
    assert.equal(decodeBase64(payload.key)?.length, 1168);
    for (const opening of [anyKem, nobleKem]) {
      const key = await importHybridOpeningKey(privateKey, {}, opening);
      assert.deepEqual(await open({ ...binding, payload }, [key], key.fingerprint, opening), { opened: true, fields });
    }
  }
});

test("sealing the same fields twice to a hybrid key differs throughout", async () => {
  const [one, other] = await Promise.all([1, 2].map(() => sealHybrid(fields, binding, publicKey, anyKem)));
  for (const member of ["data", "key", "iv"] as const) {
    assert.ok(one !== undefined && other !== undefined);
    assert.notEqual(one[member], other[member], member);
    assert.notEqual(one[member].slice(0, 8), other[member].slice(0, 8), `${member} begins alike`);
  }
});

test("sealing to what is no hybrid key is refused, and so are fields that are nested too deep", async () => {
  for (const pub of ["", "AAAA", `${publicKey.pub}AAAA`, `${publicKey.pub}=`, publicKey.pub.slice(0, -4)])
    await assert.rejects(sealHybrid(fields, binding, { ...publicKey, pub }, anyKem), TypeError);
  // Numbers of ML-KEM that are too large are found by the key encapsulation (FIPS 203, section 7.2).
  const outOfRange = `${"_".repeat(1579)}${publicKey.pub.slice(1579)}`;
  await assert.rejects(sealHybrid(fields, binding, { ...publicKey, pub: outOfRange }, anyKem), Error);
  await assert.rejects(sealHybrid(fields, binding, { ...publicKey, pub: outOfRange }, nobleKem), Error);
  let nested: Fields = {};
  for (let level = 0; level < 64; level++) nested = { nested };
  await assert.rejects(sealHybrid(nested, binding, publicKey, anyKem), TypeError);
});
