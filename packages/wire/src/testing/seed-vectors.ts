import { decodeBase64Url, encodeBase64, encodeBase64Url } from "../base64.ts";
import { type Bytes, concatenate, encodeText } from "../bytes.ts";
import { type HybridVectorKeyName, hybridVectorKeys, type RsaVectorKeyName, vectorKeys } from "./vector-keys.ts";

/** A seed, whose it is, and all that follows from it. */
export interface SeedVector {
  readonly name: string;
  readonly seed: string;
  readonly formId: string;
  readonly version: number;
  /** RFC 8032's private key, and the public half. */
  readonly replyPrivateKey: string;
  readonly replyKey: string;
  readonly seedHash: string;
}

/** The text of a key file, and the seed that a reader who looks at it finds. */
export interface SeededFileVector {
  readonly name: string;
  readonly file: string;
  readonly outcome: "taken" | "refused";
  readonly seed?: string;
}

/** The sheet of a form's key, and of which keys of `keys.json` and `hybrid-keys.json` it is. */
export interface KeySheetVector {
  readonly kind: number;
  readonly key: RsaVectorKeyName;
  readonly hybridKey?: HybridVectorKeyName;
  readonly seed?: string;
  readonly lines: readonly string[];
  readonly code: string;
}

export interface SeedVectors {
  readonly seeds: readonly SeedVector[];
  readonly keyFiles: readonly SeededFileVector[];
  readonly sheets: readonly KeySheetVector[];
}

const form = "form_01hk153x00e5rbcwg8rxcnh8w4";
const otherForm = "form_01hk153x00e5rbcwg8rxcnh8w7";

/** The seed of this name. */
export async function seedOf(name: string): Promise<string> {
  return encodeBase64Url(await sha256(encodeText(`Sealpost vector: form seed: ${name}`)));
}

/** vectors/seeds.json. HKDF and sheets are spelled out here: nothing of them is of the code that the vectors are for. */
export async function seedVectors(): Promise<SeedVectors> {
  return { seeds: await seeds(), keyFiles: await keyFiles(), sheets: await sheets() };
}

async function seeds(): Promise<readonly SeedVector[]> {
  const one = await seedOf("one");
  return Promise.all([
    derive("a first version", one, form, 1),
    derive("the same seed in another form", one, otherForm, 1),
    derive("the same seed as another version", one, form, 2),
    derive("a version of several digits", await seedOf("two"), form, 1024),
    derive("the highest version", await seedOf("three"), form, 2_147_483_647),
    derive("a seed of zeros", encodeBase64Url(new Uint8Array(32)), form, 1),
    derive("a seed of ones", encodeBase64Url(new Uint8Array(32).fill(255)), form, 1),
  ]);
}

async function derive(name: string, seed: string, formId: string, version: number): Promise<SeedVector> {
  const bytes = decode(seed);
  // RFC 5869: extract with 32 zero bytes, expand to one block.
  const extracted = await hmac(new Uint8Array(32), bytes);
  const info = encodeText(`sealpost-reply-signing/1\n${formId}\n${version}`);
  const reply = await hmac(extracted, concatenate(info, Uint8Array.of(1)));
  const pkcs8 = concatenate(decode("MC4CAQAwBQYDK2VwBCIEIA"), reply);
  const { x = "" } = await crypto.subtle.exportKey(
    "jwk",
    await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", true, ["sign"]),
  );
  const hash = await sha256(concatenate(encodeText(`sealpost-seed/1\n${formId}\n${version}\n`), bytes));
  const replyPrivateKey = encodeBase64Url(reply);
  return { name, seed, formId, version, replyPrivateKey, replyKey: x, seedHash: encodeBase64Url(hash) };
}

async function keyFiles(): Promise<readonly SeededFileVector[]> {
  const { fingerprint, privateKey } = vectorKeys.small;
  const { fingerprint: hybridFingerprint, privateKey: hybridPrivateKey } = hybridVectorKeys["hybrid first"];
  const known = { sealpost: "private-key", version: 1, formId: form, keyVersion: 1, fingerprint, createdAt: 0 };
  const fileOf = (members: object = {}) => JSON.stringify({ ...known, privateKey, ...members });
  const seed = await seedOf("one");
  const taken = (name: string, file: string, found?: string) =>
    ({ name, file, outcome: "taken", ...(found !== undefined && { seed: found }) }) as const;
  const refused = (name: string, value: unknown) =>
    ({ name, file: fileOf({ seed: value }), outcome: "refused" }) as const;
  return [
    taken("an RSA key without a seed", fileOf()),
    taken("an RSA key and a seed", fileOf({ seed }), seed),
    taken("both keys without a seed", fileOf({ hybridFingerprint, hybridPrivateKey })),
    taken("both keys and a seed", fileOf({ hybridFingerprint, hybridPrivateKey, seed }), seed),
    taken("null is as if it were absent", fileOf({ seed: null })),
    taken("a bare key has none", JSON.stringify(privateKey)),
    refused("31 bytes", encodeBase64Url(new Uint8Array(31))),
    refused("33 bytes", encodeBase64Url(new Uint8Array(33))),
    refused("with padding", `${seed}=`),
    refused(
      "a bit in the last character that belongs to no byte",
      `${encodeBase64Url(new Uint8Array(32)).slice(0, -1)}B`,
    ),
    refused("the other alphabet", encodeBase64(new Uint8Array(32).fill(255)).replace("=", "")),
    refused("a number", 1),
    refused("an empty text", ""),
  ];
}

async function sheets(): Promise<readonly KeySheetVector[]> {
  const seed = await seedOf("one");
  const [key, hybridKey] = ["small", "hybrid first"] as const;
  return Promise.all([
    toSheet({ kind: 1, key }),
    toSheet({ kind: 2, key, hybridKey }),
    toSheet({ kind: 3, key, seed }),
    toSheet({ kind: 4, key, hybridKey, seed }),
  ]);
}

async function toSheet(of: Omit<KeySheetVector, "lines" | "code">): Promise<KeySheetVector> {
  const { p, q } = vectorKeys[of.key].privateKey;
  const primes = [decode(p), decode(q)];
  const size = Math.max(...primes.map(({ length }) => length));
  const bytes = concatenate(
    Uint8Array.of(of.kind, size >> 8, size & 255),
    ...primes.flatMap((prime) => [new Uint8Array(size - prime.length), prime]),
    decode(of.hybridKey === undefined ? "" : hybridVectorKeys[of.hybridKey].privateKey.priv),
    decode(of.seed ?? ""),
  );
  const lines: string[] = [];
  for (let start = 0; start < bytes.length; start += 20) {
    const [part, number] = [bytes.subarray(start, start + 20), lines.length + 1];
    const text = `${toLetters(part)}${await checkOf(number, part)}`.match(/.{1,4}/g) ?? [];
    lines.push(`${String(number).padStart(2, "0")} ${text.join(" ")}`);
  }
  return { ...of, lines, code: `SEALPOST:KEY1:${toLetters(bytes)}${await checkOf(0, bytes)}` };
}

async function checkOf(number: number, bytes: Bytes): Promise<string> {
  return toLetters(await sha256(concatenate(Uint8Array.of(number), bytes))).slice(0, 4);
}

/** Five bits a letter, the highest first, zero bits at the end. */
function toLetters(bytes: Bytes): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.padEnd(Math.ceil(bits.length / 5) * 5, "0").match(/.{5}/g) ?? [];
  return groups.map((group) => "0123456789ABCDEFGHJKMNPQRSTVWXYZ"[Number.parseInt(group, 2)]).join("");
}

function decode(text: string): Bytes {
  return decodeBase64Url(text) ?? new Uint8Array();
}

async function hmac(key: Bytes, data: Bytes): Promise<Bytes> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, algorithm, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, data));
}

async function sha256(data: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", data));
}
