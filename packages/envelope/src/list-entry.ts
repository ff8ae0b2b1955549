import { type Extended, isId, type Unchecked } from "@sealpost/wire";
import { type Member, parseAdmissionId, parseId, parseMember } from "./member.ts";
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

/** An entry adds a member, puts another in the place of the one with its id, removes one, or changes nobody: what it says is in its extensions. */
export type Change =
  | { readonly change: "add" | "replace"; readonly admission?: UsedAdmission | null; readonly member: Member }
  | { readonly change: "remove"; readonly member: { readonly id: string } }
  | { readonly change: "note" };

/** The change that is in an entry: `admission` is always there. */
export type WrittenChange =
  | { readonly change: "add" | "replace"; readonly admission: UsedAdmission | null; readonly member: Member }
  | { readonly change: "remove"; readonly admission: null; readonly member: { readonly id: string } }
  | { readonly change: "note"; readonly admission: null };

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
    ...parseChange(value),
    ...parseExtensions(value),
  };
}

function parseChange({ change, admission, member }: Unchecked): WrittenChange {
  if (change === "add" || change === "replace")
    return { change, admission: parseUsedAdmission(admission), member: parseMember(member) };
  check(admission === null, "malformed");
  if (change === "remove") return { change, admission, member: { id: parseId(parseObject(member).id) } };
  if (change === "note") return { change, admission };
  throw new RefusalError("malformed");
}

function parseUsedAdmission(value: unknown): UsedAdmission | null {
  if (value === null) return null;
  const { id, maker } = parseObject(value);
  return { id: parseAdmissionId(id), maker: parseId(maker) };
}

/** The id of the member whom an entry is about; `undefined` for one that is about nobody. */
export function subjectOf(entry: WrittenChange): string | undefined {
  return "member" in entry ? entry.member.id : undefined;
}

export function parseOrganizationId(value: unknown): string {
  check(isId("account", value), "malformed");
  return value;
}
