import goodRsa from "../../vectors/good.json" with { type: "json" };
import { decodeBase64, encodeBase64, encodeBase64Url } from "../base64.ts";
import { concatenate } from "../bytes.ts";
import { type HybridKeyPair, hybridFingerprint } from "../hybrid-keys.ts";
import { encapsulatedBytes, kemName } from "../kem.ts";
import { pad } from "../padding.ts";
import { additionalData, type Binding, type Fields } from "../payload.ts";
import { sealHybridWith } from "../seal-hybrid.ts";
import { drawFor, foreignHybridSeal, type HybridDeviation } from "./foreign-hybrid-seal.ts";
import { createNobleKem, nobleKem } from "./noble-kem.ts";
import {
  binding,
  cut,
  derive,
  extend,
  flipBit,
  type OpeningVector,
  otherForm,
  otherSubmission,
} from "./opening-vectors.ts";
import { twoContentVectors } from "./two-content-vectors.ts";
import { type HybridVectorKeyName, hybridVectorKeys, vectorKeys } from "./vector-keys.ts";

const text = (value: string) => new TextEncoder().encode(value);
const json = (value: string) => pad(text(value));

/** vectors/hybrid-keys.json: each seed is SHA-256 of the key's name. */
export async function hybridKeyVectors(): Promise<Readonly<Record<string, HybridKeyPair & { fingerprint: string }>>> {
  const pairs: Record<string, HybridKeyPair & { fingerprint: string }> = {};
  for (const name of ["hybrid first", "hybrid second"]) {
    const seed = await derive("seed", name, 32);
    const publicKey = { kty: "AKP", alg: kemName, pub: encodeBase64Url(await nobleKem.publicKeyOf(seed)) } as const;
    const privateKey = { ...publicKey, priv: encodeBase64Url(seed) };
    pairs[name] = { fingerprint: await hybridFingerprint(publicKey), publicKey, privateKey };
  }
  return pairs;
}

/** vectors/hybrid.json: what opens, what does not, and what other sealers write. */
export async function hybridVectors(): Promise<readonly OpeningVector[]> {
  const good = await goodHybridVectors();
  return [...good, ...(await changedVectors(good)), ...(await foreignVectors()), ...(await twoContentVectors())];
}

async function goodHybridVectors(): Promise<readonly OpeningVector[]> {
  const { fingerprint } = hybridVectorKeys["hybrid first"];
  const ofVersion = { formId: binding.formId, keyVersion: binding.keyVersion };
  return [
    await good("hybrid: one field", { email: "ada@example.com" }),
    await good("hybrid: no field", {}),
    await good("hybrid: several values, Unicode", { topics: ["forms", "", "日本語 😀"], message: "Zoë\u0301\r\n" }),
    await good("hybrid: key version 12", { a: "b" }, "hybrid second", { ...binding, keyVersion: 12 }),
    await good("hybrid: plaintext of 4097 bytes", { text: "x".repeat(4097 - '{"text":""}'.length) }),
    { ...(await good("hybrid: a key without a label", { a: "b" })), keys: [{ name: "hybrid first" }] },
    {
      ...(await good("hybrid: beside the RSA key of the same version", { a: "b" })),
      keys: [
        { name: "first", ...ofVersion },
        { name: "hybrid first", ...ofVersion },
      ],
    },
    {
      ...(await good("hybrid: an RSA key has the version's label, the hybrid key has none", { a: "b" })),
      keys: [{ name: "first", ...ofVersion }, { name: "hybrid first" }],
    },
    {
      ...(await good("hybrid: several keys without a label, the last one fits", { a: "b" })),
      keys: [{ name: "first" }, { name: "hybrid second" }, { name: "hybrid first" }],
    },
    {
      ...(await good("hybrid: the key is chosen by its fingerprint, against a wrong label", { a: "b" })),
      keys: [
        { name: "hybrid second", keyVersion: 1 },
        { name: "hybrid first", keyVersion: 2 },
      ],
      expectedFingerprint: fingerprint,
    },
  ];
}

async function good(
  name: string,
  fields: Fields,
  keyName: HybridVectorKeyName = "hybrid first",
  bound: Binding = binding,
): Promise<OpeningVector> {
  const { contentKey, iv, drawn } = await drawFor(name);
  const randomBytes = (length: number) => (length === 32 ? contentKey : iv);
  const { publicKey } = hybridVectorKeys[keyName];
  return {
    name,
    ...bound,
    keys: [{ name: keyName, formId: bound.formId, keyVersion: bound.keyVersion }],
    payload: await sealHybridWith(randomBytes, fields, bound, publicKey, createNobleKem(drawn)),
    outcome: "opened",
    plaintext: JSON.stringify(fields),
  };
}

type Change = Partial<Omit<OpeningVector, "name" | "payload" | "plaintext">> & {
  readonly payload?: Partial<OpeningVector["payload"]>;
};

async function changedVectors([base, other]: readonly OpeningVector[]): Promise<readonly OpeningVector[]> {
  // From the file, because OAEP would draw another key each time.
  const [rsa] = goodRsa as unknown as readonly OpeningVector[]; // our own file; JSON only widens the texts
  if (base === undefined || other === undefined || rsa === undefined) throw new Error("There are no good vectors");
  const { plaintext: _, ...sealed } = base;
  const { key, data, iv } = base.payload;
  const bytes = decodeBase64(key) ?? new Uint8Array();
  const swapped = new Uint8Array([
    ...bytes.slice(0, encapsulatedBytes),
    ...(decodeBase64(other.payload.key) ?? []).slice(encapsulatedBytes),
  ]);
  const x25519Zero = bytes.slice().fill(0, encapsulatedBytes - 32, encapsulatedBytes);
  const hybridKeys = [{ name: "hybrid first" }] as const;
  const changes: Record<string, Change> = {
    "hybrid: data: first bit of the commitment flipped": { payload: { data: flipBit(data, 0) } },
    "hybrid: data: last bit of the commitment flipped": { payload: { data: flipBit(data, 32 * 8 - 1) } },
    "hybrid: data: first bit of the ciphertext flipped": { payload: { data: flipBit(data, 32 * 8) } },
    "hybrid: data: last bit of the tag flipped": { payload: { data: flipBit(data, -1) } },
    "hybrid: data: without its commitment": { payload: { data: from(data, 32) } },
    "hybrid: data: the commitment twice": { payload: { data: joined(cut(data, 32), data) } },
    "hybrid: data: the commitment of another submission": {
      payload: { data: joined(cut(other.payload.data, 32), from(data, 32)) },
    },
    "hybrid: data: one byte less": { payload: { data: cut(data, -1) } },
    "hybrid: data: one byte more": { payload: { data: extend(data) } },
    "hybrid: data: 49 bytes": { payload: { data: cut(data, 49) } },
    "hybrid: data: 48 bytes": { payload: { data: cut(data, 48) } },
    "hybrid: data: only the commitment": { payload: { data: cut(data, 32) } },
    "hybrid: data: the beginning of the commitment": { payload: { data: cut(data, 31) } },
    "hybrid: data: empty": { payload: { data: "" } },
    "hybrid: data: of another submission": { payload: { data: other.payload.data } },
    "hybrid: data: of sp1": { payload: { data: rsa.payload.data } },
    "hybrid: iv: of another submission": { payload: { iv: other.payload.iv } },
    "hybrid: iv: first bit flipped": { payload: { iv: flipBit(iv, 0) } },
    "hybrid: key: first bit of ML-KEM's part flipped": { payload: { key: flipBit(key, 0) } },
    "hybrid: key: last bit of ML-KEM's part flipped": {
      payload: { key: flipBit(key, (encapsulatedBytes - 32) * 8 - 1) },
    },
    "hybrid: key: first bit of X25519's part flipped": { payload: { key: flipBit(key, (encapsulatedBytes - 32) * 8) } },
    "hybrid: key: highest bit of X25519's part flipped": {
      payload: { key: flipBit(key, (encapsulatedBytes - 1) * 8) },
    },
    "hybrid: key: X25519's part zero": { payload: { key: encodeBase64(x25519Zero) } },
    "hybrid: key: first bit of the content key flipped": { payload: { key: flipBit(key, encapsulatedBytes * 8) } },
    "hybrid: key: last bit of the tag flipped": { payload: { key: flipBit(key, -1) } },
    "hybrid: key: one byte less": { payload: { key: cut(key, -1) } },
    "hybrid: key: one byte more": { payload: { key: extend(key) } },
    "hybrid: key: only what was encapsulated": { payload: { key: cut(key, encapsulatedBytes) } },
    "hybrid: key: empty": { payload: { key: "" } },
    "hybrid: key: of another submission": { payload: { key: other.payload.key } },
    "hybrid: key: encapsulated here, content key of another submission": { payload: { key: encodeBase64(swapped) } },
    "hybrid: key: of RSA": { payload: { key: rsa.payload.key } },
    "hybrid: iv: 16 bytes": { payload: { iv: encodeBase64(new Uint8Array(16)) } },
    "hybrid: claims another form": { formId: otherForm, keys: hybridKeys },
    "hybrid: claims another key version": { keyVersion: 2, keys: hybridKeys },
    "hybrid: claims another submission": { submissionId: otherSubmission },
    "hybrid: another key under the same label": { keys: [{ name: "hybrid second", keyVersion: 1 }] },
    "hybrid: called sp1, with both keys": {
      payload: { version: "sp1" },
      keys: [{ name: "first" }, { name: "hybrid first" }],
    },
    "hybrid: called sp1, without an RSA key": { payload: { version: "sp1" }, keys: hybridKeys, outcome: "no_key" },
    "sp1, called sp2, with both keys": {
      payload: { ...rsa.payload, version: "sp2" },
      keys: [{ name: "first" }, { name: "hybrid first" }],
    },
    "sp1, called sp2, without a hybrid key": {
      payload: { ...rsa.payload, version: "sp2" },
      keys: [{ name: "first" }],
      outcome: "no_key",
    },
    "hybrid: only the RSA key of this version": {
      keys: [{ name: "first", formId: binding.formId, keyVersion: 1 }],
      outcome: "no_key",
    },
    "hybrid: the RSA key is the expected one": {
      keys: [{ name: "first" }, { name: "hybrid first" }],
      expectedFingerprint: vectorKeys.first.fingerprint,
      outcome: "no_key",
    },
    "hybrid: only the key of another version": { keys: [{ name: "hybrid first", keyVersion: 2 }], outcome: "no_key" },
    "hybrid: only the key of another form": { keys: [{ name: "hybrid first", formId: otherForm }], outcome: "no_key" },
    "hybrid: version in upper case": { payload: { version: "SP2" }, outcome: "unknown_version" },
  };
  return Object.entries(changes).map(([name, { payload, ...rest }]) => ({
    ...sealed,
    outcome: "could_not_be_opened",
    ...rest,
    name,
    payload: { ...base.payload, ...payload },
  }));
}

function from(base64: string, start: number): string {
  return encodeBase64((decodeBase64(base64) ?? new Uint8Array()).slice(start));
}

function joined(...texts: readonly string[]): string {
  return encodeBase64(concatenate(...texts.map((base64) => decodeBase64(base64) ?? new Uint8Array())));
}

/** Payloads of a sealer who knows the public key: everything here is encrypted well enough to be looked at. */
async function foreignVectors(): Promise<readonly OpeningVector[]> {
  const vectors: OpeningVector[] = [];
  for (const [name, { fields, ...deviation }] of Object.entries(foreigners())) {
    const usual = { plaintext: json('{"a":"b"}'), ...(await drawFor(name)) };
    const { publicKey } = hybridVectorKeys["hybrid first"];
    vectors.push({
      name,
      ...binding,
      keys: [{ name: "hybrid first", formId: binding.formId, keyVersion: binding.keyVersion }],
      payload: await foreignHybridSeal(binding, publicKey, { ...usual, ...deviation }),
      ...(fields === undefined ? { outcome: "could_not_be_opened" } : { outcome: "opened", fields }),
    });
  }
  return vectors;
}

function foreigners(): Record<string, Partial<HybridDeviation> & { readonly fields?: Fields }> {
  const older = additionalData(binding);
  const zeros = new Uint8Array(32);
  const bindings = {
    form: { ...binding, formId: otherForm },
    "key version": { ...binding, keyVersion: 2 },
    submission: { ...binding, submissionId: otherSubmission },
  };
  const elsewhere = Object.entries(bindings).flatMap(([what, whole]) => {
    const bound = { bound: additionalData(whole, "sp2") };
    return [
      [`hybrid: commitment to another ${what}`, { committed: bound }],
      [`hybrid: cipher key of another ${what}`, { ciphered: bound }],
      [`hybrid: commitment to another ${what}, and its cipher key`, { committed: bound, ciphered: bound }],
    ] as const;
  });
  return {
    ...Object.fromEntries(elsewhere),
    "hybrid: commitment to another iv": { committed: { iv: new Uint8Array(12) } },
    "hybrid: commitment to no iv": { committed: { iv: new Uint8Array() } },
    "hybrid: commitment and cipher key without the iv": {
      committed: { iv: new Uint8Array() },
      ciphered: { iv: new Uint8Array() },
    },
    "hybrid: commitment to another content key": { committed: { contentKey: zeros } },
    "hybrid: commitment and cipher key of sp1": { committed: { bound: older }, ciphered: { bound: older } },
    "hybrid: commitment to nothing": { join: (_, ciphertext) => [zeros, ciphertext] },
    "hybrid: commitment at the end": { join: (commitment, ciphertext) => [ciphertext, commitment] },
    "hybrid: commitment of 16 bytes": { join: (commitment, ciphertext) => [commitment.slice(0, 16), ciphertext] },
    "hybrid: commitment with 16 bytes of another": {
      join: (commitment, ciphertext) => [commitment.slice(0, 16), zeros.slice(0, 16), ciphertext],
    },
    "hybrid: commitment with a last byte of another": {
      join: (commitment, ciphertext) => [commitment.slice(0, 31), zeros.slice(0, 1), ciphertext],
    },
    "hybrid: without a commitment": { join: (_, ciphertext) => [ciphertext] },
    "hybrid: without a commitment, under the content key": { isUncommitted: true },
    "hybrid: empty plaintext": { plaintext: new Uint8Array() },
    "hybrid: plaintext of one byte": { plaintext: text("1") },
    "hybrid: plaintext of two bytes": { plaintext: text("{}"), fields: {} },
    "hybrid: of another sealer": { fields: { a: "b" } },
    "hybrid: plaintext without padding": { plaintext: text('{"a":"b"}'), fields: { a: "b" } },
    "hybrid: content key of 16 bytes": { contentKey: new Uint8Array(16).fill(1) },
    "hybrid: plaintext an array": { plaintext: json('[{"a":"b"}]') },
    "hybrid: plaintext with a byte order mark": { plaintext: json('\ufeff{"a":"b"}') },
    "hybrid: data bound as sp1": { additionalData: older },
    "hybrid: data not bound": { additionalData: new Uint8Array() },
    "hybrid: content key bound as sp1": { info: older },
    "hybrid: content key not bound": { info: new Uint8Array() },
    "hybrid: content key bound by aad instead of info": {
      info: new Uint8Array(),
      aad: additionalData(binding, "sp2"),
    },
    "hybrid: content key bound by aad too": { aad: additionalData(binding, "sp2") },
    "hybrid: mode of a shared key": { mode: 1 },
    "hybrid: suite with X25519 alone": { suite: [0x20, 1, 2] },
    "hybrid: suite with HKDF-SHA512": { suite: [0x647a, 3, 2] },
    "hybrid: suite with AES-128": { suite: [0x647a, 1, 1] },
    "hybrid: second message": { sequence: 1 },
    "hybrid: the shared secret without HPKE": { isRaw: true },
  };
}
