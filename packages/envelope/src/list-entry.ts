import { type Extended, isId, type Unchecked } from "@sealpost/wire";
import { type Commitment, parseCommitment } from "./commitment.ts";
import { type ListedMember, type NewMember, parseAdmissionId, parseId, parseMember } from "./member.ts";
import { check, RefusalError } from "./refusal.ts";
import { parse32Bytes, parseCount, parseExtensions, parseObject, parseTime } from "./text.ts";

export const listFormat = "sealpost-list/1";
/** PostgreSQL's largest integer: every program can count so far. */
export const entryNumberMax = 2_147_483_647;

/** The admission that an entry uses up: its id, and the member who signed its terms. So it is known who lets somebody in, even if another one completes it. */
export interface UsedAdmission {
  readonly id: string;
  readonly maker: string;
}

/** Whom one entry vouches for, at most. */
export const vouchedMax = 64;

/** A change that is about nobody's admission, of members and names in the form of an entry, or of one to be written. */
type Unadmitted<Name> =
  | { readonly change: "remove"; readonly member: { readonly id: string } }
  /** The signer vouches for the present keys, role and name of these members, as they were when entry `shown` was the last one, by which the person was asked. */
  | { readonly change: "vouch"; readonly members: readonly string[]; readonly shown: number }
  /** The organization is called so. */
  | { readonly change: "name"; readonly name: Name }
  /** Nobody is changed: what it says is in its extensions. */
  | { readonly change: "note" };

/**
 * An entry adds a member, or puts another in the place of the one with its id; or it is another change. `shown` of a `vouch` is the entry before where it is
 * `undefined`: for those who ask nobody, or has just asked.
 */
export type Change =
  | { readonly change: "add" | "replace"; readonly admission?: UsedAdmission | null; readonly member: NewMember }
  | (Omit<Extract<Unadmitted<string>, { readonly change: "vouch" }>, "shown"> & { readonly shown?: number | undefined })
  | Exclude<Unadmitted<string>, { readonly change: "vouch" }>;

/** The change that is in an entry: `admission` is always there, and names are commitments. */
export type WrittenChange =
  | { readonly change: "add" | "replace"; readonly admission: UsedAdmission | null; readonly member: ListedMember }
  | (Unadmitted<Commitment> & { readonly admission: null });

/** The content of an entry, its members in the order in which they are written. SPECIFICATION.md section 14. */
export type ListEntry = {
  readonly format: typeof listFormat;
  readonly organizationId: string;
  /** From 1. */
  readonly number: number;
  /** The hash of the entry before; `null` in the first. */
  readonly previous: string | null;
  readonly writtenAt: string;
  /** The member who signs, with the key that the entries before give. */
  readonly signedBy: string;
} & WrittenChange &
  Extended;

export function parseListEntry(value: Unchecked): ListEntry {
  const { format, organizationId, previous, writtenAt, signedBy } = value;
  check(format === listFormat, "malformed");
  const number = parseCount(value.number);
  check(number <= entryNumberMax && (number === 1) === (previous === null), "malformed");
  return {
    format,
    organizationId: parseOrganizationId(organizationId),
    number,
    previous: previous === null ? null : parse32Bytes(previous),
    writtenAt: parseTime(writtenAt),
    signedBy: parseId(signedBy),
    ...parseChange(value, number),
    ...parseExtensions(value),
  };
}

function parseChange({ change, admission, member, members, shown, name }: Unchecked, number: number): WrittenChange {
  if (change === "add" || change === "replace")
    return { change, admission: parseUsedAdmission(admission), member: parseMember(member) };
  check(admission === null, "malformed");
  if (change === "remove") return { change, admission, member: { id: parseId(parseObject(member).id) } };
  if (change === "vouch") {
    const last = parseCount(shown);
    check(last < number, "malformed");
    return { change, admission, members: parseIds(members), shown: last };
  }
  if (change === "name") return { change, admission, name: parseCommitment(name) };
  if (change === "note") return { change, admission };
  throw new RefusalError("malformed");
}

/** Ascending, each once. */
function parseIds(value: unknown): readonly string[] {
  check(Array.isArray(value) && value.length > 0 && value.length <= vouchedMax, "malformed");
  const ids = value.map(parseId);
  check(
    ids.every((id, index) => index === 0 || String(ids[index - 1]) < id),
    "malformed",
  );
  return ids;
}

function parseUsedAdmission(value: unknown): UsedAdmission | null {
  if (value === null) return null;
  const { id, maker } = parseObject(value);
  return { id: parseAdmissionId(id), maker: parseId(maker) };
}

/** The id of the member that an entry changes; `undefined` if it changes nobody. */
export function subjectOf(entry: Change | WrittenChange): string | undefined {
  return "member" in entry ? entry.member.id : undefined;
}

/** The member as an entry makes it. */
export function memberIn(entry: ListEntry): ListedMember | undefined {
  return "member" in entry && entry.change !== "remove" ? entry.member : undefined;
}

export function parseOrganizationId(value: unknown): string {
  check(isId("account", value), "malformed");
  return value;
}
