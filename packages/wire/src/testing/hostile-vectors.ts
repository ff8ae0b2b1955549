import { decodeBase64, encodeBase64 } from "../base64.ts";
import { pad } from "../padding.ts";
import { type Deviation, foreignSeal } from "./foreign-seal.ts";
import {
  binding,
  cut,
  derive,
  extend,
  flipBit,
  goodVectors,
  type OpeningVector,
  otherForm,
  otherSubmission,
} from "./opening-vectors.ts";
import { vectorKeys } from "./vector-keys.ts";

type Change = Partial<Omit<OpeningVector, "name" | "payload" | "plaintext">> & {
  readonly payload?: Partial<OpeningVector["payload"]>;
};

const text = (value: string) => new TextEncoder().encode(value);

export async function hostileVectors(): Promise<readonly OpeningVector[]> {
  const [base, other] = await goodVectors();
  if (base === undefined || other === undefined) throw new Error("There are no good vectors to change");
  const { plaintext: _, ...sealed } = base;
  const changes = { ...changedMembers(base, other), ...badBase64(base), ...wrongClaims() };
  const changed = Object.entries(changes).map(
    ([name, { payload, ...rest }]): OpeningVector => ({
      ...sealed,
      outcome: "could_not_be_opened",
      ...rest,
      name,
      payload: { ...base.payload, ...payload },
    }),
  );
  const foreign: OpeningVector[] = [];
  for (const [name, deviation] of Object.entries(deviations())) {
    const contentKey = await derive("content key", name, 32);
    const iv = await derive("iv", name, 12);
    const usual = { plaintext: pad(text('{"a":"b"}')), contentKey, iv };
    const payload = await foreignSeal(binding, vectorKeys.first.publicKey, { ...usual, ...deviation });
    foreign.push({ ...sealed, name, payload, outcome: "could_not_be_opened" });
  }
  return [...changed, ...foreign];
}

function changedMembers({ payload }: OpeningVector, { payload: other }: OpeningVector): Record<string, Change> {
  const { data, key, iv } = payload;
  return {
    "data: first bit flipped": { payload: { data: flipBit(data, 0) } },
    "data: last bit of the ciphertext flipped": { payload: { data: flipBit(data, -129) } },
    "data: first bit of the tag flipped": { payload: { data: flipBit(data, -128) } },
    "data: last bit of the tag flipped": { payload: { data: flipBit(data, -1) } },
    "data: tag truncated by one byte": { payload: { data: cut(data, -1) } },
    "data: tag truncated to 12 bytes": { payload: { data: cut(data, -4) } },
    "data: without its tag": { payload: { data: cut(data, -16) } },
    "data: only the tag": { payload: { data: encodeBase64((decodeBase64(data) ?? new Uint8Array()).slice(-16)) } },
    "data: shorter than a tag": { payload: { data: cut(data, 15) } },
    "data: one byte more": { payload: { data: extend(data) } },
    "data: empty": { payload: { data: "" } },
    "data: of another submission": { payload: { data: other.data } },
    "key: first bit flipped": { payload: { key: flipBit(key, 0) } },
    "key: second bit flipped": { payload: { key: flipBit(key, 1) } },
    "key: last bit flipped": { payload: { key: flipBit(key, -1) } },
    "key: one byte less": { payload: { key: cut(key, -1) } },
    "key: one byte more": { payload: { key: extend(key) } },
    "key: all zero": { payload: { key: encodeBase64(new Uint8Array(384)) } },
    "key: all ones": { payload: { key: encodeBase64(new Uint8Array(384).fill(255)) } },
    "key: empty": { payload: { key: "" } },
    "key: of another submission": { payload: { key: other.key } },
    "iv: first bit flipped": { payload: { iv: flipBit(iv, 0) } },
    "iv: last bit flipped": { payload: { iv: flipBit(iv, -1) } },
    "iv: 11 bytes": { payload: { iv: cut(iv, -1) } },
    "iv: 13 bytes": { payload: { iv: extend(iv) } },
    "iv: 16 bytes": { payload: { iv: encodeBase64(new Uint8Array(16)) } },
    "iv: empty": { payload: { iv: "" } },
    "iv: of another submission": { payload: { iv: other.iv } },
  };
}

/** Texts that a lenient decoder reads as the very bytes of the good vector. */
function badBase64({ payload }: OpeningVector): Record<string, Change> {
  const changes: Record<string, Change> = {};
  for (const member of ["data", "key", "iv"] as const) {
    const value = payload[member];
    const set = (name: string, changed: string) => {
      if (changed !== value) changes[`${member}: base64 ${name}`] = { payload: { [member]: changed } };
    };
    set("after a space", ` ${value}`);
    set("before a line break", `${value}\n`);
    set("with a line break inside", `${value.slice(0, 8)}\r\n${value.slice(8)}`);
    set("in the url alphabet", value.replaceAll("+", "-").replaceAll("/", "_"));
    set("without its padding", value.replace(/=+$/, ""));
    set("with padding too much", `${value}====`);
    set(
      "with stray bits in its last character",
      value.replace(/(.)(=+)$/, (_, last, padding) => after(last) + padding),
    );
    set("with a zero character", `${value.slice(0, 8)}\0${value.slice(8)}`);
  }
  return changes;
}

function wrongClaims(): Record<string, Change> {
  const keys = [{ name: "first" }] as const;
  return {
    "claims another form": { formId: otherForm, keys },
    "claims another key version": { keyVersion: 2, keys },
    "claims another submission": { submissionId: otherSubmission },
    "claims the submission in upper case": { submissionId: `sub_${binding.submissionId.slice(4).toUpperCase()}` },
    "another key under the same label": { keys: [{ name: "second", keyVersion: 1 }] },
    "another key of another size": { keys: [{ name: "small", keyVersion: 1 }] },
    "several keys, none fits": { keys: [{ name: "second" }, { name: "small" }, { name: "large" }] },
    "a format from the future": { payload: { version: "sp3" }, outcome: "unknown_version" },
    "version in upper case": { payload: { version: "SP1" }, outcome: "unknown_version" },
    "version before a space": { payload: { version: "sp1 " }, outcome: "unknown_version" },
    "version of a plain payload": { payload: { version: "plain1" }, outcome: "unknown_version" },
    "empty version": { payload: { version: "" }, outcome: "unknown_version" },
    "unknown version, and no key at hand": { payload: { version: "sp3" }, keys: [], outcome: "unknown_version" },
    "no key at hand": { keys: [], outcome: "no_key" },
    "only the key of another version": { keys: [{ name: "first", keyVersion: 2 }], outcome: "no_key" },
    "only the key of another form": { keys: [{ name: "first", formId: otherForm }], outcome: "no_key" },
    "no key with the expected fingerprint": {
      keys: [{ name: "second" }],
      expectedFingerprint: vectorKeys.first.fingerprint,
      outcome: "no_key",
    },
    "no key at hand, and nothing else is right": {
      payload: { data: "?", key: "?", iv: "?" },
      keys: [],
      outcome: "no_key",
    },
  };
}

/** Payloads of a sealer who knows the public key: everything here is encrypted well enough to be looked at. */
function deviations(): Record<string, Partial<Deviation>> {
  return {
    "content key of 16 bytes": { contentKey: new Uint8Array(16).fill(1) },
    "additional data missing": { additionalData: new Uint8Array() },
    "additional data ends with a line break": {
      additionalData: text(`sealpost/sp1\n${binding.formId}\n${binding.keyVersion}\n${binding.submissionId}\n`),
    },
    "tag of 12 bytes": { tagBits: 96 },
    "iv of 16 bytes, used as such": { iv: new Uint8Array(16).fill(2) },
    "OAEP with SHA-1": { hash: "SHA-1" },
    "OAEP with SHA-512": { hash: "SHA-512" },
    "OAEP with a label": { label: text("sealpost") },
    "PKCS #1 v1.5 in place of OAEP": { padding: "pkcs1" },
    "plaintext empty": { plaintext: new Uint8Array() },
    "plaintext all padding": { plaintext: pad(new Uint8Array()) },
    "plaintext no JSON": { plaintext: pad(text("email=ada@example.com")) },
    "plaintext JSON cut short": { plaintext: pad(text('{"a":"b"')) },
    "plaintext JSON and more": { plaintext: pad(text('{"a":"b"}{}')) },
    "plaintext padded with zeros": { plaintext: text('{"a":"b"}'.padEnd(1024, "\0")) },
    "plaintext an array": { plaintext: pad(text('[{"a":"b"}]')) },
    "plaintext a string": { plaintext: pad(text('"a"')) },
    "plaintext a number": { plaintext: pad(text("1")) },
    "plaintext null": { plaintext: pad(text("null")) },
    "plaintext with a byte order mark": { plaintext: pad(text('\ufeff{"a":"b"}')) },
    "plaintext not UTF-8": { plaintext: pad(new Uint8Array([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])) },
    "plaintext UTF-16": { plaintext: pad(new Uint8Array([...'{"a":"b"}'].flatMap((c) => [c.charCodeAt(0), 0]))) },
  };
}

/** The next character of the base64 alphabet, which differs in the lowest bit of those that end before padding. */
function after(character: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return alphabet[alphabet.indexOf(character) + 1] ?? "";
}
