import assert from "node:assert/strict";
import { test } from "node:test";
import vectors from "../vectors/public-keys.json" with { type: "json" };
import { decodeBase64Url } from "./base64.ts";
import { fingerprint, generateKeyPair, isPublicKey, modulusBytes, type PublicKey, parsePublicKey } from "./keys.ts";
import { importOpeningKey, open } from "./open.ts";
import { seal } from "./seal.ts";
import { binding } from "./testing/opening-vectors.ts";
import { vectorKeys } from "./testing/vector-keys.ts";

test("a fresh pair has 3072 bits, e = 65537, exactly the members promised, and opens what it sealed", async () => {
  const { publicKey, privateKey } = await generateKeyPair();
  assert.deepEqual(Object.keys(publicKey).sort(), ["e", "kty", "n"]);
  assert.deepEqual(Object.keys(privateKey).sort(), ["d", "dp", "dq", "e", "kty", "n", "p", "q", "qi"]);
  assert.equal(publicKey.e, "AQAB");
  assert.equal(decodeBase64Url(publicKey.n)?.length, 384);
  assert.equal((decodeBase64Url(publicKey.n)?.[0] ?? 0) >> 7, 1);
  assert.deepEqual(parsePublicKey(publicKey), publicKey);
  const payload = await seal({ name: "Ada" }, binding, publicKey);
  const opened = await open({ ...binding, payload }, [await importOpeningKey(privateKey)]);
  assert.deepEqual(opened, { opened: true, fields: { name: "Ada" } });
});

test("two fresh pairs differ", async () => {
  const [one, other] = await Promise.all([generateKeyPair(), generateKeyPair()]);
  assert.notEqual(one.publicKey.n, other.publicKey.n);
  assert.notEqual(one.privateKey.d, other.privateKey.d);
});

test("a fingerprint is the thumbprint of RFC 7638, for its own example too", async () => {
  for (const { name, publicKey, fingerprint: expected } of vectors.accepted)
    assert.equal(await fingerprint(publicKey), expected, name);
});

test("accepted public keys come back with kty, n and e and nothing else", () => {
  for (const { name, publicKey } of vectors.accepted) {
    const parsed = parsePublicKey(publicKey);
    assert.deepEqual(parsed, { kty: "RSA", n: publicKey.n, e: "AQAB" }, name);
    assert.notEqual(parsed, publicKey, "a copy, so that a later change of the input changes nothing");
  }
});

test("keys of the wrong size or shape, with private or other members are refused with a sentence", () => {
  for (const { name, publicKey } of vectors.refused) {
    const parsed = parsePublicKey(publicKey);
    assert.equal(typeof parsed, "string", name);
    assert.match(String(parsed), /^Must .{10,}$/, name);
    assert.equal(isPublicKey(publicKey), false, name);
  }
  for (const { name, publicKey } of vectors.accepted) assert.equal(isPublicKey(publicKey), true, name);
  assert.equal(typeof parsePublicKey(undefined), "string");
});

test("the sentence says what is wrong", () => {
  const refused = (wanted: string) => parsePublicKey(vectors.refused.find(({ name }) => name === wanted)?.publicKey);
  assert.equal(refused("1024 bits"), "Must have 2048 to 4096 bits, this one has 1024");
  assert.equal(refused("2047 bits"), "Must have 2048 to 4096 bits, this one has 2047");
  assert.equal(refused("4097 bits"), "Must have 2048 to 4096 bits, this one has 4097");
  assert.equal(refused("8192 bits"), "Must have 2048 to 4096 bits, this one has 8192");
  assert.equal(refused("even n"), "Must have an odd modulus n");
  assert.equal(refused("e 3"), "Must have the public exponent 65537 (e: AQAB)");
  assert.equal(refused("the member alg"), "Must have exactly the members kty, n and e");
  assert.match(String(refused("the private key")), /private members/);
});

test("no sentence about a refused private key shows any of it", () => {
  const { privateKey } = vectorKeys.first;
  const sentence = String(parsePublicKey(privateKey));
  for (const member of Object.values(privateKey)) {
    if (member.length > 4) assert.ok(!sentence.includes(member));
  }
});

test("every size from 2048 to 4096 bits is accepted, and its modulus measured", () => {
  for (let bits = 2048; bits <= 4096; bits += 64) {
    const bytes = new Uint8Array(bits / 8).fill(0xff);
    const n = btoa(String.fromCharCode(...bytes))
      .replaceAll("/", "_")
      .replace(/=+$/, "");
    const parsed = parsePublicKey({ kty: "RSA", n, e: "AQAB" });
    assert.ok(typeof parsed !== "string", String(parsed));
    assert.equal(modulusBytes(parsed), bits / 8);
  }
});

test("an invalid private key is refused with a TypeError that shows nothing of it", async () => {
  const { privateKey, publicKey } = vectorKeys.first;
  const broken = [
    publicKey,
    { ...privateKey, d: undefined },
    { ...privateKey, qi: undefined },
    { ...privateKey, kty: "EC" },
    { ...privateKey, p: vectorKeys.second.privateKey.p, n: "AQAB" },
    { ...vectorKeys.second.privateKey, n: privateKey.n },
  ];
  for (const key of broken) {
    // Values that callers without types may pass.
    const refused = importOpeningKey(key as unknown as typeof privateKey);
    await assert.rejects(refused, TypeError);
    const message = await refused.then(String, (error: Error) => `${error.message} ${String(error.cause)}`);
    assert.ok(!message.includes(privateKey.d.slice(0, 8)));
  }
});

test("an imported private key can't be exported again", async () => {
  const { cryptoKey, fingerprint: label } = await importOpeningKey(vectorKeys.first.privateKey);
  assert.equal(cryptoKey.extractable, false);
  assert.deepEqual(cryptoKey.usages, ["decrypt"]);
  assert.equal(label, vectorKeys.first.fingerprint);
  const exported = await crypto.subtle.exportKey("jwk", cryptoKey).then(
    () => true,
    () => false,
  );
  assert.equal(exported, false);
});

test("what a sealed content key takes is as long as the modulus", async () => {
  for (const { publicKey, bits } of Object.values(vectorKeys)) {
    const { key } = await seal({}, binding, publicKey satisfies PublicKey);
    assert.equal(atob(key).length, bits / 8);
    assert.equal(modulusBytes(publicKey), bits / 8);
  }
});
