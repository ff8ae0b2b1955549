import { decodeBase64Url, encodeBase64Url } from "../base64.ts";
import type { PrivateKey } from "../keys.ts";
import { hybridVectorKeys, vectorKeys } from "./vector-keys.ts";

/** One entry of vectors/key-files.json: the text of a key file or of a bare JWK. */
export interface KeyFileVector {
  readonly name: string;
  readonly file: string;
  readonly outcome: "taken" | "newer_format" | "refused";
  /** That of the RSA key, where it is taken. */
  readonly fingerprint?: string;
  /** It is about the hybrid key: who opens `sp1` alone looks at no such key. */
  readonly isHybrid?: true;
}

type Numbers = Record<"n" | "d" | "p" | "q" | "dp" | "dq" | "qi", bigint>;

const e = 65537n;
const { fingerprint, privateKey } = vectorKeys.small;
const right = numbersOf(privateKey);
const second = numbersOf(vectorKeys.second.privateKey);

/** vectors/key-files.json */
export function keyFileVectors(): readonly KeyFileVector[] {
  const texts = Object.entries({ ...taken(), ...hybrids() });
  return [
    ...texts.map(([name, file]) => ({ name, file, outcome: "taken", fingerprint }) as const),
    ...Object.entries(newer()).map(([name, file]) => ({ name, file, outcome: "newer_format" }) as const),
    ...Object.entries({ ...doubled(), ...others() }).map(
      ([name, file]) => ({ name, file, outcome: "refused" }) as const,
    ),
    ...Object.entries(wrongHybrids()).map(
      ([name, file]) => ({ name, file, outcome: "refused", isHybrid: true }) as const,
    ),
    ...Object.entries(wrongNumbers()).map(
      ([name, change]) => ({ name, file: JSON.stringify(jwkOf({ ...right, ...change })), outcome: "refused" }) as const,
    ),
  ];
}

function fileOf(members: object = {}): string {
  const known = { sealpost: "private-key", version: 1, keyVersion: 1, fingerprint, createdAt: 1_704_067_200_000 };
  return JSON.stringify({ ...known, privateKey, ...members });
}

function taken(): Record<string, string> {
  const { n, d, p, q, dp, dq } = right;
  const extensions = { "org.example.color": { name: "blue", list: [1, true, null] }, note: "x" };
  return {
    "a bare key": JSON.stringify(privateKey),
    "a key file": fileOf(),
    "a key file without its version": fileOf({ version: undefined }),
    "a member that nobody knows": fileOf({ color: "blue", nested: { fingerprint: "x" } }),
    "the same name in two objects": fileOf({ nested: [{ n: 1 }, { n: 2 }], more: { n: 3 } }),
    "extensions that nobody knows": fileOf({ extensions, critical: [] }),
    "extensions without critical": fileOf({ extensions }),
    "64 levels": fileOf({ nested: nestedIn(63) }),
    "the version written 1.0": fileOf().replace('"version":1', '"version":1.0'),
    "the version written 1e0": fileOf().replace('"version":1', '"version":1e0'),
    "the key's version written 10e-1": fileOf().replace('"keyVersion":1', '"keyVersion":10e-1'),
    "the largest version of a key": fileOf({ keyVersion: 2 ** 53 - 1 }),
    "what may be absent as null": fileOf({ formId: null, formName: null, keyVersion: null, fingerprint: null }),
    "a hybrid key as null": fileOf({ hybridFingerprint: null, hybridPrivateKey: null }),
    "a bare key with members that nobody knows": JSON.stringify({ ...privateKey, critical: ["lock"], version: 2 }),
    "the primes in the other order": JSON.stringify(jwkOf({ n, d, p: q, q: p, dp: dq, dq: dp, qi: invert(p, q) })),
    "d by the product of both primes less one": JSON.stringify(jwkOf({ ...right, d: invert(e, (p - 1n) * (q - 1n)) })),
    "d by their least common multiple": JSON.stringify(jwkOf({ ...right, d: invert(e, leastMultiple()) })),
  };
}

function hybrids(): Record<string, string> {
  const { fingerprint: hybridFingerprint, privateKey: hybridPrivateKey } = hybridVectorKeys["hybrid first"];
  return { "a key file with a hybrid key": fileOf({ hybridFingerprint, hybridPrivateKey }) };
}

function wrongHybrids(): Record<string, string> {
  const { fingerprint: hybridFingerprint, privateKey: hybridPrivateKey } = hybridVectorKeys["hybrid first"];
  const other = hybridVectorKeys["hybrid second"];
  const { priv } = other.privateKey;
  return {
    "pub of another priv": fileOf({ hybridFingerprint, hybridPrivateKey: { ...hybridPrivateKey, priv } }),
    "another hybrid key than its fingerprint": fileOf({ hybridFingerprint, hybridPrivateKey: other.privateKey }),
    "a hybrid key without its fingerprint's key": fileOf({ hybridFingerprint }),
  };
}

function newer(): Record<string, string> {
  return {
    "version 2": fileOf({ version: 2 }),
    "the version as a text": fileOf({ version: "1" }),
    "a critical extension": fileOf({ extensions: { lock: "x" }, critical: ["lock"] }),
    "a critical extension that is not there": fileOf({ critical: ["lock"] }),
    "critical as a text": fileOf({ critical: "lock" }),
    "critical as null": fileOf({ critical: null }),
    "critical as an object": fileOf({ critical: {} }),
    "critical as an object, spaced": fileOf({ critical: {} }).replace("{}", " {\n } "),
    "critical as false": fileOf({ critical: false }),
    "critical without the key": fileOf({ critical: ["lock"], privateKey: undefined }),
    "critical next to a bare key": JSON.stringify({ sealpost: "private-key", ...privateKey, critical: ["lock"] }),
    "version 2 without the key": fileOf({ version: 2, privateKey: undefined }),
    "version 2 next to a bare key": JSON.stringify({ sealpost: "private-key", version: 2, ...privateKey }),
    "version 2 of what does not say that it is a key file": fileOf({ version: 2, sealpost: undefined }),
    "version 2 of a hybrid key alone": JSON.stringify({ version: 2, hybridPrivateKey: {} }),
    "version 2 of a damaged key": fileOf({ version: 2, privateKey: { ...privateKey, d: "x" } }),
    "the version as null": fileOf({ version: null }),
    "the version as true": fileOf({ version: true }),
    "the version as a list": fileOf({ version: [1] }),
    "version 0": fileOf({ version: 0 }),
    "version 1.5": fileOf({ version: 1.5 }),
  };
}

function doubled(): Record<string, string> {
  const twice = (text: string, member: string) => `${text.slice(0, -1)},${member}}`;
  return {
    "a member twice": twice(fileOf(), '"keyVersion":1'),
    "the key twice": twice(fileOf(), `"privateKey":${JSON.stringify(privateKey)}`),
    "a number of the key twice": fileOf().replace('"d":', `"d":"${vectorKeys.second.privateKey.d}","d":`),
    "a number twice, once with an escape": twice(JSON.stringify(privateKey), `"\\u0064":"${privateKey.d}"`),
    "an unknown member twice": fileOf({ color: "x" }).replace('"color":', '"color":"y","color":'),
    "a member of an extension twice": fileOf({ extensions: { a: [{ b: 1 }] } }).replace('"b":1', '"b":1,"b":2'),
  };
}

function others(): Record<string, string> {
  return {
    "another fingerprint": fileOf({ fingerprint: vectorKeys.second.fingerprint }),
    "the public key": JSON.stringify(vectorKeys.small.publicKey),
    "a key without qi": JSON.stringify({ ...privateKey, qi: undefined }),
    "another public exponent": JSON.stringify({ ...privateKey, e: "Aw" }),
    "a key file without the key": fileOf({ privateKey: undefined }),
    "a key file with null as the key": fileOf({ privateKey: null }),
    "a bare key that says it is a key file": JSON.stringify({ sealpost: "private-key", ...privateKey }),
    "null as the key, next to a bare one": JSON.stringify({ ...privateKey, privateKey: null }),
    "another kind of file": fileOf({ sealpost: "public-key" }),
    "no kind of file": fileOf({ sealpost: null }),
    "an empty id of the form": fileOf({ formId: "" }),
    "a number as the id of the form": fileOf({ formId: 1 }),
    "version 0 of the key": fileOf({ keyVersion: 0 }),
    "version 1.5 of the key": fileOf({ keyVersion: 1.5 }),
    "true as the key's version": fileOf({ keyVersion: true }),
    "the key's version as a text": fileOf({ keyVersion: "1" }),
    "a version of a key that is too large": fileOf().replace('"keyVersion":1', '"keyVersion":9007199254740993'),
    "a number as the fingerprint": fileOf({ fingerprint: 1 }),
    ...Object.fromEntries(
      (["n", "d", "p", "q", "dp", "dq", "qi"] as const).map((name) => [
        `a zero byte before ${name}`,
        JSON.stringify({ ...privateKey, [name]: withZero(privateKey[name]) }),
      ]),
    ),
    "65 levels": fileOf({ nested: nestedIn(64) }),
    "65 levels of a newer format": fileOf({ version: 2, nested: nestedIn(64) }),
    "no JSON": fileOf().slice(0, -1),
    "a list": `[${fileOf()}]`,
  };
}

function nestedIn(levels: number): unknown {
  return levels === 0 ? 1 : [nestedIn(levels - 1)];
}

function withZero(number: string): string {
  return encodeBase64Url(Uint8Array.from([0, ...(decodeBase64Url(number) ?? [])]));
}

function wrongNumbers(): Record<string, Partial<Numbers>> {
  const { n, d, p, q, dp, dq, qi } = right;
  return {
    "n of another key": { n: second.n },
    "d of another key": { d: second.d % n },
    "d one more": { d: d + 1n },
    "d not below n": { d: d + leastMultiple() * (n / leastMultiple() + 1n) },
    "d right for p alone": { d: invert(e, p - 1n) },
    "d right for q alone": { d: invert(e, q - 1n) },
    "p of another key": { p: second.p },
    "q of another key": { q: second.q },
    "p and q in the other order": { p: q, q: p },
    "p is 1": { p: 1n, q: n },
    "dp of another key": { dp: second.dp },
    "dp one more": { dp: dp + 1n },
    "dp not below p - 1": { dp: dp + p - 1n },
    "dq one more": { dq: dq + 1n },
    "dq not below q - 1": { dq: dq + q - 1n },
    "dp and dq in the other order": { dp: dq, dq: dp },
    "qi of another key": { qi: second.qi % p },
    "qi one more": { qi: qi + 1n },
    "qi not below p": { qi: qi + p },
    "qi for the other order": { qi: invert(p, q) % p },
    "p no prime: all numbers fit, and nothing opens": primesOf(n, second.q),
  };
}

/** All numbers of a key, from two as if they were primes. */
function primesOf(p: bigint, q: bigint): Numbers {
  const d = invert(e, (p - 1n) * (q - 1n));
  return { n: p * q, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: invert(q, p) };
}

function leastMultiple(): bigint {
  const [p, q] = [right.p - 1n, right.q - 1n];
  let [a, b] = [p, q];
  while (b > 0n) [a, b] = [b, a % b];
  return (p * q) / a;
}

/** By Euclid's algorithm; there is an inverse. */
function invert(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [modulus, value % modulus, 0n, 1n];
  while (b > 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y];
  return ((x % modulus) + modulus) % modulus;
}

function numbersOf(key: Omit<PrivateKey, "kty" | "e">): Numbers {
  const number = (name: keyof Numbers) =>
    (decodeBase64Url(key[name]) ?? new Uint8Array()).reduce((value, byte) => value * 256n + BigInt(byte), 0n);
  const [n, d, p, q] = [number("n"), number("d"), number("p"), number("q")];
  return { n, d, p, q, dp: number("dp"), dq: number("dq"), qi: number("qi") };
}

function jwkOf({ n, d, p, q, dp, dq, qi }: Numbers): PrivateKey {
  const text = (value: bigint) => {
    const hex = value.toString(16);
    const pairs = hex.padStart(hex.length + (hex.length % 2), "0").match(/../g) ?? [];
    return encodeBase64Url(Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)));
  };
  const numbers = {
    n: text(n),
    e: "AQAB",
    d: text(d),
    p: text(p),
    q: text(q),
    dp: text(dp),
    dq: text(dq),
    qi: text(qi),
  };
  return { kty: "RSA", ...numbers };
}
