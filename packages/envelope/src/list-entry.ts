import { type Extended, isId, type Unchecked } from "@sealpost/wire";
import { type Member, parseId, parseMember } from "./member.ts";
import { check, RefusalError } from "./refusal.ts";
import { parse32Bytes, parseCount, parseExtensions, parseObject, parseText, parseTime } from "./text.ts";

export const listFormat = "sealpost-list/1";

/** One entry adds a member, puts another in the place of the one with its id, or removes one. */
export type Change =
  | { readonly change: "add" | "replace"; readonly member: Member }
  | { readonly change: "remove"; readonly member: { readonly id: string } };

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
} & Change &
  Extended;

export function parseListEntry(value: Unchecked): ListEntry {
  const { format, organizationId, number, previous, writtenAt, signedBy, change, member } = value;
  check(format === listFormat, "malformed");
  return {
    format,
    organizationId: parseOrganizationId(organizationId),
    number: parseCount(number),
    previous: previous === null ? null : parse32Bytes(previous),
    writtenAt: parseTime(writtenAt),
    signedBy: parseId(signedBy),
    ...parseChange(parseText(change, /^(?:add|replace|remove)$/), member),
    ...parseExtensions(value),
  };
}

function parseChange(change: string, member: unknown): Change {
  if (change === "remove") return { change, member: { id: parseId(parseObject(member).id) } };
  if (change === "add" || change === "replace") return { change, member: parseMember(member) };
  throw new RefusalError("malformed");
}

export function parseOrganizationId(value: unknown): string {
  check(isId("account", value), "malformed");
  return value;
}
