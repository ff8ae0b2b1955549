import { decodeBase64, encodeBase64 } from "../base64.ts";
import type { Bytes } from "../bytes.ts";
import type { FormId, SubmissionId } from "../ids.ts";
import type { Opened } from "../open.ts";
import { pad } from "../padding.ts";
import type { Binding, Fields } from "../payload.ts";
import { sealWith } from "../seal.ts";
import { foreignSeal } from "./foreign-seal.ts";
import { type RsaVectorKeyName, type VectorKeyName, vectorKeys } from "./vector-keys.ts";

/** One entry of vectors/good.json, hostile.json, foreign.json and hybrid.json; SPECIFICATION.md section 10 says how to use it. */
export interface OpeningVector extends Binding {
  readonly name: string;
  /** The available keys, by their names in keys.json, with what they are known to belong to. */
  readonly keys: readonly { readonly name: VectorKeyName; readonly formId?: FormId; readonly keyVersion?: number }[];
  readonly expectedFingerprint?: string;
  readonly payload: { readonly encrypted: true; readonly version: string } & Record<"data" | "key" | "iv", string>;
  readonly outcome: "opened" | Extract<Opened, { opened: false }>["reason"];
  /** The JSON text before padding; only of what our own sealer made. */
  readonly plaintext?: string;
  /** The visitor's answers, where another sealer made what opens. */
  readonly fields?: Fields;
  /** In the place of `fields`: their JSON with the digits that were sealed, where languages have no such numbers or write them otherwise. */
  readonly text?: string;
  /** Sealed along with the fields: `$sealpost`. */
  readonly sealpost?: Fields;
  /** The answers of a page's visitor, where a page's sealer seals other names: `plaintext` has those. A program's sealer refuses them. */
  readonly typed?: Fields;
}

export const binding = {
  formId: "form_01hk153x00e5rbcwg8rxcnh8w4",
  keyVersion: 1,
  submissionId: "sub_01hk153x00e5rbcwg8rxcnh8w5",
} as const satisfies Binding;

export const otherForm: FormId = "form_01hk153x00e5rbcwg8rxcnh8w7";
export const otherSubmission: SubmissionId = "sub_01hk153x00e5rbcwg8rxcnh8w8";

/** The fixed bytes in place of randomness in the vector of this name: SHA-256 of the purpose and the name, cut to `length` bytes. */
export async function derive(
  purpose:
    | "content key"
    | "iv"
    | "ML-KEM message"
    | "X25519 key"
    | "seed"
    | "file key"
    | "identity"
    | "key log"
    | "key log fingerprint"
    | "salt"
    | "signing seed"
    | "person seed"
    | "sheet",
  name: string,
  length: number,
): Promise<Bytes> {
  const text = new TextEncoder().encode(`Sealpost vector: ${purpose}: ${name}`);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", text)).slice(0, length);
}

export async function goodVectors(): Promise<readonly OpeningVector[]> {
  const ordinary: Record<string, Fields> = {
    "one field": { email: "ada@example.com" },
    "no field": {},
    "several values under one name": { topics: ["forms", "privacy", ""], message: "" },
    Unicode: { "Straße 😀": 'Zoë\u0301 שלום 日本語 👩‍👩‍👧‍👦 \u0000\u0001\u007f\u2028\r\n\t"\\/' },
    "names that objects already have": JSON.parse(
      '{"__proto__":"a","constructor":"b","toString":"c","length":"d","hasOwnProperty":"e","":"f","0":"g"}',
    ),
    "other JSON values": {
      number: -1.5e-7,
      large: 9007199254740991,
      yes: true,
      nothing: null,
      nested: { list: [[], {}] },
    },
    "names that begin with a dollar sign": {
      $price: "1",
      $file: "a",
      $: "b",
      $$: "c",
      $Sealpost: "d",
      a$sealpost: "e",
    },
  };
  const typed = { $sealpost: "typed", $$sealpost2: ["a", "b"], "$sealpost-x": "c", sealpost: "d", $price: "e" };
  const sealedAs = { $$sealpost: "typed", $$$sealpost2: ["a", "b"], "$$sealpost-x": "c", sealpost: "d", $price: "e" };
  const vectors: OpeningVector[] = [];
  for (const [name, fields] of Object.entries(ordinary)) {
    vectors.push(await good(name, fields));
    if (name === "Unicode")
      vectors.push(await older("lone surrogates", { "\ud800": "before \udfff after", pair: "\ud83d\ude00" }));
  }
  vectors.push(
    { ...(await good("names of ours that a visitor typed", sealedAs)), typed },
    await good("key of 2048 bits", { a: "b" }, "small"),
    await good("key of 4096 bits", { a: "b" }, "large"),
    await good("key version 12", { a: "b" }, "second", { ...binding, keyVersion: 12 }),
    { ...(await good("a key without a label", { a: "b" })), keys: [{ name: "first" }] },
    {
      ...(await good("several keys without a label, the last one fits", { a: "b" })),
      keys: [{ name: "small" }, { name: "second" }, { name: "first" }],
    },
    {
      ...(await good("the key is chosen by its fingerprint, against a wrong label", { a: "b" })),
      keys: [
        { name: "second", keyVersion: 1 },
        { name: "first", keyVersion: 2 },
      ],
      expectedFingerprint: vectorKeys.first.fingerprint,
    },
  );
  for (const boundary of [1024, 2048, 4096, 4352, 8192]) {
    for (const size of [boundary - 1, boundary, boundary + 1])
      vectors.push(await good(`plaintext of ${size} bytes`, { text: "x".repeat(size - '{"text":""}'.length) }));
  }
  return vectors;
}

async function good(
  name: string,
  fields: Fields,
  keyName: RsaVectorKeyName = "first",
  bound: Binding = binding,
): Promise<OpeningVector> {
  const contentKey = await derive("content key", name, 32);
  const iv = await derive("iv", name, 12);
  const randomBytes = (length: number) => (length === 32 ? contentKey : iv);
  return {
    name,
    ...bound,
    keys: [{ name: keyName, formId: bound.formId, keyVersion: bound.keyVersion }],
    payload: await sealWith(randomBytes, fields, bound, vectorKeys[keyName].publicKey),
    outcome: "opened",
    plaintext: JSON.stringify(fields),
  };
}

/** As sealers wrote it before the text's version 2: halves of surrogate pairs as JSON's escapes. */
async function older(name: string, fields: Fields): Promise<OpeningVector> {
  const plaintext = JSON.stringify(fields);
  const contentKey = await derive("content key", name, 32);
  const iv = await derive("iv", name, 12);
  const deviation = { plaintext: pad(new TextEncoder().encode(plaintext)), contentKey, iv };
  return {
    ...(await good(name, {})),
    payload: await foreignSeal(binding, vectorKeys.first.publicKey, deviation),
    plaintext,
  };
}

/** The base64 text with one bit of its bytes turned over; `bit` counts from the end when it is negative. */
export function flipBit(base64: string, bit: number): string {
  const bytes = decodeBase64(base64);
  if (bytes === undefined) throw new TypeError("Not base64");
  const position = bit < 0 ? bytes.length * 8 + bit : bit;
  bytes[position >> 3] = (bytes[position >> 3] ?? 0) ^ (0x80 >> (position & 7));
  return encodeBase64(bytes);
}

export function cut(base64: string, end: number): string {
  return encodeBase64((decodeBase64(base64) ?? new Uint8Array()).slice(0, end));
}

export function extend(base64: string): string {
  return encodeBase64(new Uint8Array([...(decodeBase64(base64) ?? []), 0]));
}
