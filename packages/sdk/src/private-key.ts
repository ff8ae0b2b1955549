import {
  decodeKeyFileText,
  deriveReplyKey,
  findNativeKem,
  type HybridPrivateKey,
  hasDoubledNames,
  isAgeFile,
  isTooDeep,
  isVersionSeed,
  type Kem,
  type PrivateKey,
} from "@sealpost/wire";
import { type HybridOpeningKey, importHybridOpeningKey, importOpeningKey } from "@sealpost/wire/open";
import type { OpeningKey } from "./open.ts";

/**
 * A private key with what it belongs to. Without `formId` it is tried for every form, without `keyVersion` for every version.
 * `hybridPrivateKey` is that of the same key version, where it has one.
 */
export interface LabelledPrivateKey {
  readonly formId?: string;
  readonly keyVersion?: number;
  readonly privateKey: PrivateKey;
  readonly hybridPrivateKey?: HybridPrivateKey;
  /** The version's seed, which opens nothing. */
  readonly seed?: string;
}

/**
 * A bare JWK, or one with its labels. A key file (README, "Key files") is of the second kind; its bytes are read in UTF-8, or in UTF-16
 * where they begin with a byte order mark.
 */
export type PrivateKeyInput = PrivateKey | LabelledPrivateKey | Uint8Array;

type Label = Pick<OpeningKey, "formId" | "keyVersion">;

const members = ["n", "e", "d", "p", "q", "dp", "dq", "qi"] as const;

/** The reasons why something is not the private key of a form. */
export type PrivateKeyReason = keyof typeof messages;

const messages = {
  text: (name: string) => `${name} is a string: pass the object, JSON.parse(text)`,
  not_a_key: (name: string) => `${name} is not a private key: a JWK or { formId, keyVersion, privateKey }`,
  newer_format: (name: string) => `${name} is a key file of a newer format than this version knows`,
  other_file: (name: string) => `${name} is a file of Sealpost, but not one with a private key`,
  half: (name: string) => `${name} is half a key file: it lacks privateKey, the RSA key of the same version`,
  other_fingerprint: (name: string) => `${name} holds another key than its fingerprint says`,
  passphrase: (name: string) =>
    `${name} has a passphrase: open it with the command line of Sealpost or with age, and keep the result safe`,
  doubled: (name: string) => `${name} has a member twice: programs would read different keys of it`,
  too_deep: (name: string) => `${name} is not a key file: it is nested more than 64 levels deep`,
  not_json: (name: string) => `${name} is not a key file: it is not JSON`,
  hybrid_alone: (name: string) =>
    `${name} is a hybrid key without the RSA key of the same version: give the whole key file`,
  not_rsa: (name: string) => `${name} is not an RSA private key as JWK (kty: "RSA")`,
  public_key: (name: string) => `${name} is a public key: opening needs the private key of the form`,
  incomplete: (name: string, missing: string) => `${name} is an incomplete private key: it lacks ${missing}`,
  unusable: (name: string) => `${name} is not a usable RSA private key: its members do not fit each other`,
  half_hybrid: (name: string) =>
    `${name} is half a key file: it lacks hybridPrivateKey, the key of its hybridFingerprint`,
  not_hybrid: (name: string) => `${name}.hybridPrivateKey is not a hybrid private key as JWK (kty: "AKP")`,
  unusable_hybrid: (name: string) => `${name} is not a usable hybrid private key: its members do not fit each other`,
  other_hybrid_fingerprint: (name: string) => `${name} holds another hybrid key than its hybridFingerprint says`,
  fingerprint: (name: string) => `${name}: a fingerprint in it is not a text`,
  seed: (name: string) => `${name}.seed is not the seed of a key version: base64url of 32 bytes`,
  form_id: (name: string) => `${name}.formId is not the id of a form`,
  key_version: (name: string) => `${name}.keyVersion is not a whole number from 1`,
} as const satisfies Record<string, (name: string, missing: string) => string>;

/** Something is not the private key of a form. Neither the message, which begins with the name that it was given, nor the reason shows the key. */
export class PrivateKeyError extends TypeError {
  readonly reason: PrivateKeyReason;

  constructor(reason: PrivateKeyReason, name: string, missing: readonly string[] = []) {
    super(messages[reason](name, missing.join(", ")));
    this.reason = reason;
  }
}

/**
 * Imports a private key in either form, non-extractable. Throws a `PrivateKeyError`, whose message begins with `name`:
 * the key is configuration, and a receiver that cannot use it should not start. Where neither the runtime nor `kem` knows
 * hybrid keys, that of a key file is left out, and what is sealed to it is an `unknown_version`.
 */
export async function parseOpeningKey(input: unknown, name: string, kem?: Kem): Promise<OpeningKey> {
  if (input instanceof Uint8Array) return parseOpeningKey(parseFile(input, name), name, kem);
  if (typeof input === "string") throw new PrivateKeyError("text", name);
  if (!isObject(input)) throw new PrivateKeyError("not_a_key", name);
  return fileMembers.some((member) => member in input) ? importFile(input, name, kem) : importRsa(input, {}, name);
}

/** Members that only a key file has, and no bare JWK. */
const fileMembers = ["sealpost", "privateKey", "hybridPrivateKey", "hybridFingerprint"];

/** In the order of SPECIFICATION.md section 2, so that each language refuses a file for the same reason. */
async function importFile(file: Record<string, unknown>, name: string, kem?: Kem): Promise<OpeningKey> {
  if (file.sealpost !== undefined && file.sealpost !== "private-key") throw new PrivateKeyError("other_file", name);
  if (!isKnownFormat(file)) throw new PrivateKeyError("newer_format", name);
  if (file.privateKey === undefined) throw new PrivateKeyError("half", name);
  const label = parseLabel(file, name);
  const { seed } = file;
  if (!isAbsent(seed) && !isVersionSeed(seed)) throw new PrivateKeyError("seed", name);
  const key = await importRsa(file.privateKey, label, name);
  if (!isFingerprint(file.fingerprint, key, name)) throw new PrivateKeyError("other_fingerprint", name);
  const hasHybrid = !(isAbsent(file.hybridPrivateKey) && isAbsent(file.hybridFingerprint));
  const hybrid = hasHybrid && (await importHybrid(file, label, name, kem));
  const replyKey = isAbsent(seed) ? undefined : await findReplyKey(seed, label);
  return { ...key, ...(hybrid && { hybrid }), ...(replyKey !== undefined && { replyKey }) };
}

/** It is another one in each form and version, so both have to be known. */
async function findReplyKey(seed: string, { formId, keyVersion: version }: Label) {
  if (formId === undefined || version === undefined) return undefined;
  return (await deriveReplyKey(seed, { formId, version })).replyKey;
}

/** `critical` has the names that must be understood, of what a newer program wrote. There is none yet; other extensions are ignored. */
function isKnownFormat({ version = 1, critical = [] }: Record<string, unknown>): boolean {
  return version === 1 && Array.isArray(critical) && critical.length === 0;
}

/** Programs of other languages write `null` for what is not known. */
function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

function isFingerprint(expected: unknown, key: { readonly fingerprint: string }, name: string): boolean {
  if (!isAbsent(expected) && typeof expected !== "string") throw new PrivateKeyError("fingerprint", name);
  return isAbsent(expected) || expected === key.fingerprint;
}

function parseFile(bytes: Uint8Array, name: string): object {
  if (isAgeFile(bytes)) throw new PrivateKeyError("passphrase", name);
  return Object(parseKeyJson(decodeKeyFileText(bytes), name));
}

/**
 * The value of the JSON of a key file or bare JWK, for `parseOpeningKey`. White space may be anywhere in it: it never belongs to a key, and
 * what was typed or scanned has line breaks. Throws a `PrivateKeyError` for what is no JSON, or has a member twice.
 */
export function parseKeyJson(text: string, name: string): unknown {
  const json = [text, text.replace(/\s+/g, "")].find(isJson);
  // The message of the parser would quote the file.
  if (json === undefined) throw new PrivateKeyError("not_json", name);
  if (isTooDeep(json)) throw new PrivateKeyError("too_deep", name);
  if (hasDoubledNames(json)) throw new PrivateKeyError("doubled", name);
  return JSON.parse(json);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function importRsa(key: unknown, label: Label, name: string): Promise<OpeningKey> {
  if (isObject(key) && key.kty === "AKP") throw new PrivateKeyError("hybrid_alone", name);
  if (!isObject(key) || key.kty !== "RSA") throw new PrivateKeyError("not_rsa", name);
  const missing = members.filter((member) => typeof key[member] !== "string");
  if (missing.includes("d")) throw new PrivateKeyError("public_key", name);
  if (missing.length > 0) throw new PrivateKeyError("incomplete", name, missing);
  try {
    return await importOpeningKey(key as unknown as PrivateKey, label); // kty and all members are checked above
  } catch {
    throw new PrivateKeyError("unusable", name);
  }
}

async function importHybrid(
  { hybridPrivateKey: key, hybridFingerprint }: Record<string, unknown>,
  label: Label,
  name: string,
  kem = findNativeKem(),
): Promise<HybridOpeningKey | undefined> {
  if (isAbsent(key)) throw new PrivateKeyError("half_hybrid", name);
  const isComplete =
    isObject(key) && [key.kty, key.alg, key.pub, key.priv].every((member) => typeof member === "string");
  if (!isComplete) throw new PrivateKeyError("not_hybrid", name);
  if (kem === undefined) return undefined;
  let imported: HybridOpeningKey;
  try {
    imported = await importHybridOpeningKey(key as unknown as HybridPrivateKey, label, kem); // all members are texts
  } catch {
    throw new PrivateKeyError("unusable_hybrid", name);
  }
  if (!isFingerprint(hybridFingerprint, imported, name)) throw new PrivateKeyError("other_hybrid_fingerprint", name);
  return imported;
}

function parseLabel({ formId, keyVersion }: Record<string, unknown>, name: string): Label {
  if (!isAbsent(formId) && (typeof formId !== "string" || formId === "")) throw new PrivateKeyError("form_id", name);
  if (!isAbsent(keyVersion) && !(typeof keyVersion === "number" && Number.isSafeInteger(keyVersion) && keyVersion > 0))
    throw new PrivateKeyError("key_version", name);
  return { ...(isAbsent(formId) ? {} : { formId }), ...(isAbsent(keyVersion) ? {} : { keyVersion }) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
