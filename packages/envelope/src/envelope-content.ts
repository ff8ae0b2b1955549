import {
  type Extended,
  type FormId,
  type HybridPrivateKey,
  isId,
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
  parseObject,
  parseText,
  parseTime,
} from "./text.ts";

export const envelopeFormat = "sealpost-envelope/1";
export const envelopeBytesMax = 256 * 1024;
export const readersMax = 64;
export const keysMax = 32;
export const envelopeExtensionsBytesMax = 8192;

/** The private keys of one key version of a form; the hybrid members are `null` where the version has no hybrid key. */
export interface FormKey {
  readonly version: number;
  readonly fingerprint: string;
  readonly privateKey: PrivateKey;
  readonly hybridFingerprint: string | null;
  readonly hybridPrivateKey: HybridPrivateKey | null;
}

export interface Reader {
  readonly id: string;
  readonly name: string;
  /** Base64url of SHA-256 of the recipient's text. */
  readonly fingerprint: string;
}

/** The signed content of an envelope, its members in the order in which they are written. SPECIFICATION.md section 15. */
export interface EnvelopeContent extends Extended {
  readonly format: typeof envelopeFormat;
  readonly organizationId: string;
  readonly formId: FormId;
  /** From 1. */
  readonly revision: number;
  /** The hash of the envelope before, of all of its bytes; `null` in the first. */
  readonly previous: string | null;
  /** The list of members that its writer had. */
  readonly list: ListHead;
  readonly keys: readonly FormKey[];
  readonly readers: readonly Reader[];
  readonly writtenAt: string;
  readonly signedBy: string;
}

export function parseEnvelopeContent(value: Unchecked): EnvelopeContent {
  const { format, organizationId, formId, revision, previous, list, keys, readers, writtenAt, signedBy } = value;
  check(format === envelopeFormat, "malformed");
  check(isId("form", formId), "malformed");
  return {
    format,
    organizationId: parseOrganizationId(organizationId),
    formId,
    revision: parseCount(revision),
    previous: previous === null ? null : parse32Bytes(previous),
    list: parseHead(list),
    keys: parseAscending(keys, keysMax, parseKey, ({ version }) => version),
    readers: parseAscending(readers, readersMax, parseReader, ({ id }) => id),
    writtenAt: parseTime(writtenAt),
    signedBy: parseId(signedBy),
    ...parseExtensions(value, envelopeExtensionsBytesMax),
  };
}

/** Each once, in one order. */
function parseAscending<Item>(
  value: unknown,
  lengthMax: number,
  parse: (item: unknown) => Item,
  rankOf: (item: Item) => number | string,
): readonly Item[] {
  const items = parseArray(value, lengthMax).map(parse);
  const ranks = items.map(rankOf);
  check(
    ranks.every((rank, index) => index === 0 || rank > (ranks[index - 1] ?? rank)),
    "malformed",
  );
  return items;
}

function parseReader(value: unknown): Reader {
  const { id, name, fingerprint } = parseObject(value);
  return { id: parseId(id), name: parseName(name), fingerprint: parse32Bytes(fingerprint) };
}

/** Whether the keys can be used is found out when they are imported; here they only have to be texts. */
function parseKey(value: unknown): FormKey {
  const { version, fingerprint, privateKey, hybridFingerprint, hybridPrivateKey } = parseObject(value);
  const hasHybrid = hybridFingerprint !== null || hybridPrivateKey !== null;
  return {
    version: parseCount(version),
    fingerprint: parse32Bytes(fingerprint),
    privateKey: parsePrivateKey(privateKey),
    hybridFingerprint: hasHybrid ? parse32Bytes(hybridFingerprint) : null,
    hybridPrivateKey: hasHybrid ? parseHybridPrivateKey(hybridPrivateKey) : null,
  };
}

const base64Url = /^[A-Za-z0-9_-]{1,2731}$/;

function parsePrivateKey(value: unknown): PrivateKey {
  const { kty, n, e, d, p, q, dp, dq, qi } = parseObject(value);
  check(kty === "RSA", "malformed");
  const number = (part: unknown) => parseText(part, base64Url);
  return {
    kty,
    n: number(n),
    e: number(e),
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
  return { kty, alg, pub: parseText(pub, base64Url), priv: parseText(priv, base64Url) };
}
