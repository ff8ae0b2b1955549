import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_MLKEM768_X25519 } from "hpke";
import good from "../vectors/good.json" with { type: "json" };
import hybrid from "../vectors/hybrid.json" with { type: "json" };
import { decodeBase64, encodeBase64 } from "./base64.ts";
import { encryptCommitted } from "./committed.ts";
import { decodePublicKey, decodeSeed } from "./hybrid-keys.ts";
import { open } from "./open.ts";
import { pad } from "./padding.ts";
import { additionalData } from "./payload.ts";
import { sealHybrid } from "./seal-hybrid.ts";
import { binding, derive, type OpeningVector } from "./testing/opening-vectors.ts";
import { hybridVectorKeys, importVectorKey, vectorKeys } from "./testing/vector-keys.ts";

const suite = new CipherSuite(KEM_MLKEM768_X25519, KDF_HKDF_SHA256, AEAD_AES_256_GCM);
const { publicKey, privateKey } = hybridVectorKeys["hybrid first"];

test("a library's HPKE opens the content keys that ours sealed, and ours opens what the library sealed", async () => {
  const seed = decodeSeed(privateKey);
  const recipient = decodePublicKey(publicKey.pub);
  assert.ok(seed && recipient);
  const theirKey = await suite.DeserializePrivateKey(seed);
  // Our own generator wrote this file from this type; JSON only widens the texts.
  const vectors = (hybrid as unknown as readonly OpeningVector[]).filter(
    ({ outcome, plaintext, keyVersion }) => outcome === "opened" && plaintext !== undefined && keyVersion === 1,
  );
  assert.ok(vectors.length > 5);
  for (const vector of vectors) {
    const key = decodeBase64(vector.payload.key);
    assert.ok(key);
    const info = additionalData(vector, "sp2");
    const opened = await suite.Open(theirKey, key.slice(0, 1120), key.slice(1120), { info });
    assert.deepEqual(new Uint8Array(opened), await derive("content key", vector.name, 32), vector.name);
  }

  const [contentKey, iv] = [new Uint8Array(32).fill(7), new Uint8Array(12).fill(9)];
  const info = additionalData(binding, "sp2");
  const theirs = await suite.Seal(await suite.DeserializePublicKey(recipient), contentKey, { info });
  const plaintext = pad(new TextEncoder().encode('{"a":"b"}'));
  const payload = {
    version: "sp2",
    data: encodeBase64(await encryptCommitted(contentKey, iv, plaintext, info)),
    key: encodeBase64(new Uint8Array([...theirs.encapsulatedSecret, ...theirs.ciphertext])),
    iv: encodeBase64(iv),
  };
  const opened = await open({ ...binding, payload }, [await importVectorKey("hybrid first")]);
  assert.deepEqual(opened, { opened: true, fields: { a: "b" } });
});

test("a runtime without the key encapsulation says what it lacks, and takes sp2 for an unknown format", async (t) => {
  const payload = await sealHybrid({ a: "b" }, binding, publicKey);
  const key = await importVectorKey("hybrid first");
  const supports = Object.getOwnPropertyDescriptor(SubtleCrypto, "supports");
  assert.ok(supports);
  Object.defineProperty(SubtleCrypto, "supports", { value: undefined, configurable: true });
  t.after(() => Object.defineProperty(SubtleCrypto, "supports", supports));
  await assert.rejects(sealHybrid({ a: "b" }, binding, publicKey), /This runtime has no MLKEM768-X25519/);
  const opened = await open({ ...binding, payload }, [key]);
  assert.equal(opened.opened === false && opened.reason, "unknown_version");
});

test("opening sp1 alone prints no warning that the runtime has hybrid keys as an experiment", () => {
  const { errors } = runProgram(`
    import { open, importOpeningKey } from "@sealpost/wire/open";
    const [vector] = ${JSON.stringify(good.slice(0, 1))};
    const opened = await open(vector, [await importOpeningKey(${JSON.stringify(vectorKeys.first.privateKey)})]);
    if (!opened.opened) throw new Error(opened.reason);`);
  assert.equal(errors, "");
  assert.match(runProgram("SubtleCrypto.supports('encrypt', 'AES-GCM')").errors, /ExperimentalWarning/, "the control");
});

function runProgram(program: string): { readonly errors: string } {
  const { NODE_OPTIONS: _, ...env } = process.env;
  const options = ["--conditions=@sealpost/source", "--input-type=module", "--eval", program];
  const { status, stderr } = spawnSync(process.execPath, options, { cwd: import.meta.dirname, encoding: "utf8", env });
  assert.equal(status, 0, stderr);
  return { errors: stderr };
}
