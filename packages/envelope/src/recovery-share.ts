import { identityToRecipient } from "age-encryption";
import { combine, split } from "shamir-secret-sharing";
import type { Bytes } from "./age-header.ts";
import { hybridIdentityOf, hybridSeedOf } from "./recipient.ts";
import { formatLines, lineBytes, type ParsedLines, parseCode, parseLines, type SheetKind } from "./sheet-lines.ts";

/** One of several sheets that make a recovery key together. Fewer than `needed` of them say nothing about it. */
export interface RecoveryShare {
  /** The place of this sheet among all, from 1. */
  readonly place: number;
  readonly needed: number;
  readonly of: number;
  /** The set that it belongs to, ten hexadecimal digits: the first of SHA-256 over the recipient. */
  readonly set: string;
  /** 32 bytes. */
  readonly value: Bytes;
}

/** A share on paper, and nowhere else. */
export interface ShareSheet extends RecoveryShare {
  /** To write down and to type, as those of a whole sheet. */
  readonly lines: readonly string[];
  /** To scan: the text of a QR code. */
  readonly code: string;
}

export type ParsedShare =
  | { readonly share: RecoveryShare }
  | { readonly wrongLines: readonly number[] }
  | { readonly otherKind: SheetKind };

/** The key of several shares; or how many more it takes; or why they make none together. */
export type JoinedShares =
  | { readonly identity: string }
  | { readonly missing: number }
  /** `other_set`: one is of another set. `differing`: two are called the same, and differ. `damaged`: their key is not that of the set. */
  | { readonly refused: "other_set" | "differing" | "damaged" };

export const shareLines = 5;
export const sharesMax = 16;
const seedBytes = 32;
const setBytes = 5;

/**
 * Splits a recovery key (`AGE-SECRET-KEY-PQ-1…`) into sheets of which `needed` make it. Once: the sheets of two splittings of one key are called
 * the same, and make none together.
 */
export async function splitIdentity(identity: string, needed: number, of: number): Promise<readonly ShareSheet[]> {
  const seed = hybridSeedOf(identity);
  if (seed === undefined) throw new TypeError("Not a hybrid identity");
  if (!isThreshold(needed, of)) throw new TypeError(`Of 2 to ${sharesMax} sheets, at least 2 and at most all open`);
  const set = await findSet(identity);
  // The library deals its places at random among 255, so all of them are made: those from 1 on are what people count with.
  const shares = await split(seed, 255, needed);
  const places = Array.from({ length: of }, (_, index) => index + 1);
  return Promise.all(
    places.map((place) => {
      const share = shares.find((candidate) => candidate[seedBytes] === place);
      if (share === undefined) throw new Error("The library gives each place once");
      return toShareSheet({ place, needed, of, set, value: share.slice(0, seedBytes) });
    }),
  );
}

/** The sheet of a share. SPECIFICATION.md section 17. */
export async function toShareSheet(share: RecoveryShare): Promise<ShareSheet> {
  const { place, needed, of, set, value } = share;
  const last = [place, needed, of, ...(set.match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16))];
  return { ...share, ...(await formatLines("share", new Uint8Array([...value, ...last]))) };
}

/** Reads the lines of a share that somebody typed from paper. */
export async function parseShare(lines: readonly string[]): Promise<ParsedShare> {
  return toParsed(await parseLines("share", lines));
}

/** Reads the text of a scanned code; `undefined` for a code that is no recovery sheet, or a damaged one. */
export async function parseShareCode(code: string): Promise<ParsedShare | undefined> {
  const parsed = await parseCode("share", code);
  const share = parsed && toParsed(parsed);
  return share && "wrongLines" in share ? undefined : share;
}

/** The key of shares that were brought, in any order; one that was brought twice counts once. */
export async function joinShares(shares: readonly RecoveryShare[]): Promise<JoinedShares> {
  const [first] = shares;
  if (first === undefined) return { missing: 2 };
  const { set, needed, of } = first;
  const isOneSet = shares.every((other) => other.set === set && other.needed === needed && other.of === of);
  if (!isOneSet) return { refused: "other_set" };
  const byPlace = new Map(shares.map((share) => [share.place, share]));
  if (shares.some(({ place, value }) => !isSame(value, byPlace.get(place)?.value))) return { refused: "differing" };
  if (byPlace.size < needed) return { missing: needed - byPlace.size };
  const taken = [...byPlace.values()].slice(0, needed);
  const seed = await combine(taken.map(({ place, value }) => new Uint8Array([...value, place])));
  const identity = hybridIdentityOf(new Uint8Array(seed));
  return (await findSet(identity)) === set ? { identity } : { refused: "damaged" };
}

/** The name of the set of shares that a key has. */
export async function findSet(identity: string): Promise<string> {
  return setOf(await identityToRecipient(identity));
}

/** The name of the set of shares that make the key of a recipient. */
export async function setOf(recipient: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(recipient));
  return toHex(new Uint8Array(hash, 0, setBytes));
}

function toParsed(parsed: ParsedLines): ParsedShare {
  if (!("bytes" in parsed)) return parsed;
  const [place = 0, needed = 0, of = 0, ...set] = parsed.bytes.subarray(seedBytes);
  if (!isThreshold(needed, of) || place < 1 || place > of) return { wrongLines: [seedBytes / lineBytes] };
  return { share: { place, needed, of, set: toHex(set), value: parsed.bytes.slice(0, seedBytes) } };
}

function isThreshold(needed: number, of: number): boolean {
  return needed >= 2 && needed <= of && of <= sharesMax;
}

function isSame(one: Bytes, other: Bytes | undefined): boolean {
  return one.every((byte, index) => byte === other?.[index]);
}

function toHex(bytes: Iterable<number>): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
