import { decryptGcm } from "./aes-gcm.ts";
import { encodeBase64Url } from "./base64.ts";
import { drawBytes } from "./bytes.ts";
import { decryptCommitted } from "./committed.ts";
import { decryptContentKey, openHybridContentKey } from "./content-key.ts";
import { formatExactly, hasOtherNumbers, readExactly, SealedNumber } from "./exact-json.ts";
import { decodeSeed, type HybridPrivateKey, hybridFingerprint } from "./hybrid-keys.ts";
import { type DecapsulationKey, findNativeKem, type Kem, kemName, requireNativeKem } from "./kem.ts";
import { fingerprint, isPublicKey, type PrivateKey, rsaAlgorithm } from "./keys.ts";
import { decodeSealed } from "./native-base64.ts";
import { isTooDeep } from "./nesting.ts";
import { additionalData, type Binding, type Fields, hybridVersion, sealedVersion } from "./payload.ts";
import { belongTogether } from "./rsa-numbers.ts";

export { type AttachedFile, type NewerFile, openFile, parseFileField } from "./open-file.ts";

/** A sealed submission to open: the unchecked payload, and what it claims to belong to. */
export interface Sealed extends Binding {
  readonly payload: { readonly version: string; readonly data: string; readonly key: string; readonly iv: string };
}

/** The RFC 7638 fingerprint of a private key and, where known, what it belongs to. */
interface KeyLabel {
  readonly fingerprint: string;
  readonly formId?: string;
  readonly keyVersion?: number;
}

/** An RSA private key ready for opening `sp1`, never exportable. */
export interface OpeningKey extends KeyLabel {
  readonly cryptoKey: CryptoKey;
}

/** A hybrid private key ready for opening `sp2`. */
export interface HybridOpeningKey extends KeyLabel {
  readonly decapsulationKey: DecapsulationKey;
}

export type AnyOpeningKey = OpeningKey | HybridOpeningKey;

/** The content of a payload. */
export interface OpenedContent {
  readonly fields: Fields;
  /**
   * The fields as JSON with the digits that were sealed. Only where JavaScript would write one of their numbers
   * otherwise: because it holds another one (`1e400`), or by other digits (`1.0`). `textOf` and `exactFieldsOf` know both cases.
   */
  readonly text?: string;
  /** An object that the page has sealed along, `$sealpost`. As authentic as the fields: who has the public key can write it. */
  readonly sealpost?: Fields;
}

export type Opened =
  | ({ readonly opened: true } & OpenedContent)
  | {
      readonly opened: false;
      readonly reason: "unknown_version" | "no_key" | "could_not_be_opened";
      readonly message: string;
    };

/**
 * Imports a private JWK, non-extractable. Throws a TypeError that never shows the key when it is not a usable RSA private
 * key, or not the one of its own `n`.
 */
export async function importOpeningKey(
  privateKey: PrivateKey,
  label: { formId?: string; keyVersion?: number } = {},
): Promise<OpeningKey> {
  const { kty, n, e, d, p, q, dp, dq, qi } = privateKey;
  const publicKey = { kty, n, e };
  try {
    // First, because WebKit crashes when it encrypts to a modulus that has no room for OAEP.
    if (!isPublicKey(publicKey)) throw new Error("no public half");
    if (!belongTogether(privateKey)) throw new Error("numbers of several keys");
    const cryptoKey = await crypto.subtle.importKey("jwk", { kty, n, e, d, p, q, dp, dq, qi }, rsaAlgorithm, false, [
      "decrypt",
    ]);
    // Nobody has looked whether the primes are some. The owner of a damaged key should hear it now, and not that every submission
    // was changed. OAEP fails with any key but the right one.
    const sealingKey = await crypto.subtle.importKey("jwk", publicKey, rsaAlgorithm, false, ["encrypt"]);
    const text = drawBytes(32);
    const sealed = await crypto.subtle.encrypt(rsaAlgorithm, sealingKey, text);
    const opened = await decryptContentKey(cryptoKey, new Uint8Array(sealed));
    if (opened.some((byte, index) => byte !== text[index])) throw new Error("other text");
    return { cryptoKey, fingerprint: await fingerprint(privateKey), ...label };
  } catch {
    throw new TypeError("Not a usable RSA private key: a JWK with kty, n, e, d, p, q, dp, dq and qi is needed");
  }
}

/**
 * Imports a hybrid private JWK. Rejects with a TypeError that never shows the key when it is malformed, or when its
 * seed is not that of its `pub`. `kem` is for runtimes without one of their own, where the key is the seed.
 */
export async function importHybridOpeningKey(
  privateKey: HybridPrivateKey,
  label: { formId?: string; keyVersion?: number } = {},
  kem: Kem = requireNativeKem(),
): Promise<HybridOpeningKey> {
  const { kty, alg, pub, priv } = privateKey;
  const seed = kty === "AKP" && alg === kemName ? decodeSeed({ priv }) : undefined;
  if (seed === undefined || encodeBase64Url(await kem.publicKeyOf(seed)) !== pub)
    throw new TypeError(`Not a usable hybrid private key: a JWK with kty, alg (${kemName}), pub and priv is needed`);
  return { decapsulationKey: await kem.importSeed(seed), fingerprint: await hybridFingerprint({ pub }), ...label };
}

/**
 * Whether a private key, RSA or hybrid, is that of a fingerprint: every number of it is checked, and of RSA a text opened
 * (SPECIFICATION.md section 2). For whatever holds keys next to their fingerprints.
 */
export async function isPrivateKeyOf(
  expectedFingerprint: string,
  privateKey: PrivateKey | HybridPrivateKey,
  kem?: Kem,
): Promise<boolean> {
  const imported =
    privateKey.kty === "RSA" ? importOpeningKey(privateKey) : importHybridOpeningKey(privateKey, {}, kem);
  const key = await imported.catch(() => undefined);
  return key?.fingerprint === expectedFingerprint;
}

/**
 * The keys that may open a submission of this form and key version. With `expectedFingerprint` (from the form's list of
 * keys) exactly the key with that fingerprint; else the keys labelled with this version; else those without a label.
 */
export function findOpeningKeys<Key extends AnyOpeningKey>(
  keys: readonly Key[],
  { formId, keyVersion }: Pick<Binding, "formId" | "keyVersion">,
  expectedFingerprint?: string,
): readonly Key[] {
  if (expectedFingerprint !== undefined) return keys.filter((key) => key.fingerprint === expectedFingerprint);
  const candidates = keys.filter((key) => key.formId === undefined || key.formId === formId);
  const labelled = candidates.filter((key) => key.keyVersion === keyVersion);
  return labelled.length > 0 ? labelled : candidates.filter((key) => key.keyVersion === undefined);
}

/**
 * Opens a sealed payload with whichever of `keys` fits: `sp1` with RSA keys, `sp2` with hybrid ones. Tells apart, before any
 * cipher runs, a format it does not know and a missing key; every later failure is the one `could_not_be_opened`, so that
 * nobody learns from it which step failed. An opened payload proves that nobody changed it since it was sealed, not who
 * sealed it: the key is public. `expectedFingerprint` is that of the form's key of this version and of the payload's format.
 */
export async function open(
  sealed: Sealed,
  keys: readonly AnyOpeningKey[],
  expectedFingerprint?: string,
  kem?: Kem,
): Promise<Opened> {
  // Without a key encapsulation `sp2` is a format that can't be opened here.
  const hybrid = sealed.payload.version === hybridVersion ? (kem ?? findNativeKem()) : undefined;
  if (sealed.payload.version !== sealedVersion && hybrid === undefined)
    return {
      opened: false,
      reason: "unknown_version",
      message: "This payload has a format that this version cannot open",
    };
  const fitting = keys.filter((key) => "decapsulationKey" in key === (hybrid !== undefined));
  const candidates = findOpeningKeys(fitting, sealed, expectedFingerprint);
  if (candidates.length === 0)
    return {
      opened: false,
      reason: "no_key",
      message: `No private key available for key version ${sealed.keyVersion} of this form`,
    };
  for (const key of candidates) {
    try {
      return { opened: true, ...(await decrypt(sealed, key, hybrid)) };
    } catch {
      // The next key may fit; the last failure is reported below without its cause.
    }
  }
  return {
    opened: false,
    reason: "could_not_be_opened",
    message: "This payload could not be opened: it was changed, or sealed to another key",
  };
}

async function decrypt(sealed: Sealed, privateKey: AnyOpeningKey, kem: Kem | undefined): Promise<OpenedContent> {
  const data = decodeSealed(sealed.payload.data);
  const key = decodeSealed(sealed.payload.key);
  const iv = decodeSealed(sealed.payload.iv);
  if (data === undefined || key === undefined || iv?.length !== 12) throw new Error("malformed");
  const bound = additionalData(sealed, kem === undefined ? sealedVersion : hybridVersion);
  const contentKey = await openContentKey(privateKey, kem, key, bound);
  const decipher = kem === undefined ? decryptGcm : decryptCommitted;
  const plaintext = await decipher(contentKey, iv, data, bound);
  // Neither a wrong byte nor a byte order mark is mended, so that every opener reads the same or nothing.
  const json = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(plaintext);
  if (isTooDeep(json)) throw new Error("malformed");
  return parseContent(json);
}

const ourName = "$sealpost";

function parseContent(json: string): OpenedContent {
  const { fields, sealpost } = takeOurs(JSON.parse(json));
  const ours = sealpost === undefined ? {} : { sealpost };
  if (!hasOtherNumbers(json)) return { fields, ...ours };
  return { fields, text: formatExactly(takeOurs(readExactly(json)).fields), ...ours };
}

/** An answer may have our name; what is ours is an object. Throws where the value is no object. */
function takeOurs(value: unknown): { readonly fields: Fields; readonly sealpost?: Fields } {
  if (!isObject(value)) throw new Error("malformed");
  if (!Object.hasOwn(value, ourName)) return { fields: value };
  const { [ourName]: sealpost, ...fields } = value;
  return isObject(sealpost) ? { fields, sealpost } : { fields: value };
}

/** For what `JSON.parse` gave: its objects are those of JSON. */
function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof SealedNumber);
}

function openContentKey(
  privateKey: AnyOpeningKey,
  kem: Kem | undefined,
  key: Uint8Array<ArrayBuffer>,
  bound: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  if ("cryptoKey" in privateKey) return decryptContentKey(privateKey.cryptoKey, key);
  if (kem === undefined) throw new Error("malformed");
  return openHybridContentKey(kem, privateKey.decapsulationKey, key, bound);
}
