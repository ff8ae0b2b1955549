import {
  type Extended,
  type FormId,
  type HybridPrivateKey,
  isId,
  type KeyLogHead,
  type PrivateKey,
  type Unchecked,
} from "@sealpost/wire";
import type { ListHead } from "./list.ts";
import { parseOrganizationId } from "./list-entry.ts";
import { parseId, parseName } from "./member.ts";
import { check } from "./refusal.ts";
import {
  parse32Bytes,
  parseArray,
  parseCount,
  parseExtensions,
  parseHead,
  parseList,
  parseObject,
  parseText,
  parseTime,
} from "./text.ts";

export const envelopeFormat = "sealpost-envelope/1";
export const envelopeBytesMax = 384 * 1024;
export const readersMax = 64;
/** The other places are for recovery keys, however many readers there are. */
export const othersMax = 56;
/** Each version of a form has its place in one envelope: 1 to 32, 33 to 64, and so on. */
export const keysMax = 32;
export const versionMax = 2 ** 31 - 1;
export const revisionMax = 2 ** 31 - 1;
/** As far as a revision may be above the newest that was seen of its envelope: the 64 a day of one manager take 44 years for as many. */
export const revisionStepsMax = 1_048_576;
/** The last quarter is for owners. */
export const managersRevisionMax = 3 * 2 ** 29 - 1;
export const envelopeExtensionsBytesMax = 8192;

/** The private keys and the seed of one key version of a form; the hybrid members are `null` where the version has no hybrid key. */
export interface FormKey {
  readonly version: number;
  readonly fingerprint: string;
  readonly privateKey: PrivateKey;
  readonly hybridFingerprint: string | null;
  readonly hybridPrivateKey: HybridPrivateKey | null;
  /** Base64url of 32 bytes, from which follows everything else that the form's readers share. SPECIFICATION.md section 2. */
  readonly seed: string;
}

/** Names are in the list alone, so that a deleted person's name is in no envelope. */
export interface Reader {
  readonly id: string;
  /** Base64url of SHA-256 of the recipient's text. */
  readonly fingerprint: string;
  /** The id of the member who last put this reader here, or confirmed them; `null` where its writer could not tell. */
  readonly by: string | null;
}

/** The signed content of an envelope, its members in the order in which they are written. SPECIFICATION.md section 15. */
export interface EnvelopeContent extends Extended {
  readonly format: typeof envelopeFormat;
  readonly organizationId: string;
  readonly formId: FormId;
  /** How its writer calls the form. */
  readonly formName: string;
  /** 1, 33, 65 …: with the form's id it says which envelope this is. */
  readonly firstVersion: number;
  /** From 1: the number under which the service keeps it. */
  readonly revision: number;
  /** The hash of the envelope before, of all of its bytes; `null` in the first. */
  readonly previous: string | null;
  /** The list of members that its writer had. */
  readonly list: ListHead;
  /** The head of the form's key log; `null` where the form has none. */
  readonly keyLog: KeyLogHead | null;
  readonly keys: readonly FormKey[];
  readonly readers: readonly Reader[];
  readonly writtenAt: string;
  readonly signedBy: string;
}

export function parseEnvelopeContent(value: Unchecked): EnvelopeContent {
  const { format, organizationId, formId, formName, revision, previous, list, keyLog } = value;
  const { keys, readers, writtenAt, signedBy } = value;
  check(format === envelopeFormat, "malformed");
  check(isId("form", formId), "malformed");
  const firstVersion = parseFirstVersion(value.firstVersion);
  check((previous === null) === (revision === 1), "malformed");
  return {
    format,
    organizationId: parseOrganizationId(organizationId),
    formId,
    formName: parseName(formName),
    firstVersion,
    revision: parseCount(revision, revisionMax),
    previous: previous === null ? null : parse32Bytes(previous),
    list: parseHead(list),
    keyLog: keyLog === null ? null : parseHead(keyLog),
    keys: parseAscending(
      parseList(keys, keysMax),
      (key) => parseKey(key, firstVersion),
      ({ version }) => version,
    ),
    readers: parseAscending(parseArray(readers, readersMax), parseReader, ({ id }) => id),
    writtenAt: parseTime(writtenAt),
    signedBy: parseId(signedBy),
    ...parseExtensions(value, envelopeExtensionsBytesMax),
  };
}

/** Each once, in one order. */
function parseAscending<Item>(
  values: readonly unknown[],
  parse: (item: unknown) => Item,
  rankOf: (item: Item) => number | string,
): readonly Item[] {
  const items = values.map(parse);
  const ranks = items.map(rankOf);
  check(
    ranks.every((rank, index) => index === 0 || rank > (ranks[index - 1] ?? rank)),
    "malformed",
  );
  return items;
}

function parseFirstVersion(value: unknown): number {
  const version = parseCount(value, versionMax);
  check(firstVersionOf(version) === version, "malformed");
  return version;
}

/** Which envelope of a form a version is in: it is called by the first of its 32 versions. */
export function firstVersionOf(version: number): number {
  return version - ((version - 1) % keysMax);
}

function parseReader(value: unknown): Reader {
  const { id, fingerprint, by } = parseObject(value);
  return { id: parseId(id), fingerprint: parse32Bytes(fingerprint), by: by === null ? null : parseId(by) };
}

/** Whether the keys can be used is found out later; here they only have to be texts. */
function parseKey(value: unknown, firstVersion: number): FormKey {
  const { version, fingerprint, privateKey, hybridFingerprint, hybridPrivateKey, seed } = parseObject(value);
  const hasHybrid = hybridFingerprint !== null || hybridPrivateKey !== null;
  check(firstVersionOf(parseCount(version, versionMax)) === firstVersion, "malformed");
  return {
    version: parseCount(version),
    fingerprint: parse32Bytes(fingerprint),
    privateKey: parsePrivateKey(privateKey),
    hybridFingerprint: hasHybrid ? parse32Bytes(hybridFingerprint) : null,
    hybridPrivateKey: hasHybrid ? parseHybridPrivateKey(hybridPrivateKey) : null,
    seed: parse32Bytes(seed),
  };
}

/** A number of up to 4096 bits. */
const base64Url = /^[A-Za-z0-9_-]{1,683}$/;

function parsePrivateKey(value: unknown): PrivateKey {
  const { kty, n, e, d, p, q, dp, dq, qi } = parseObject(value);
  check(kty === "RSA" && e === "AQAB", "malformed");
  const number = (part: unknown) => parseText(part, base64Url);
  return {
    kty,
    n: number(n),
    e,
    d: number(d),
    p: number(p),
    q: number(q),
    dp: number(dp),
    dq: number(dq),
    qi: number(qi),
  };
}

function parseHybridPrivateKey(value: unknown): HybridPrivateKey {
  const { kty, alg, pub, priv } = parseObject(value);
  check(kty === "AKP" && alg === "MLKEM768-X25519", "malformed");
  return { kty, alg, pub: parseText(pub, /^[A-Za-z0-9_-]{1622}$/), priv: parseText(priv, /^[A-Za-z0-9_-]{43}$/) };
}
