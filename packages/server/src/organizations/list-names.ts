import { committedIn, isNameLineOf, type ListEntry, type NameText, type VerifiedList } from "@sealpost/envelope/form";
import { Type } from "typebox";
import { closed } from "../http/schemas.ts";
import { refuseInvalid } from "../problems/problem.ts";

const NameLine = closed({
  commitment: Type.String({ maxLength: 43 }),
  salt: Type.String({ maxLength: 43 }),
  name: Type.String({ maxLength: 200 }),
});

/** Entries that are given back in one request: some 60 KB with their names, at most. */
export const givenBackMax = 12;

export const GivenBackNames = Type.Array(NameLine, {
  maxItems: givenBackMax,
  description:
    "The lines of the file of names for the commitments in the entries, of which some may be missing. Those that do not fit are not kept.",
});

/** For the names that the entries of one request commit to. */
export const NewNames = Type.Array(NameLine, {
  maxItems: 2,
  description:
    "The lines of the file of names for the commitments in the entries that the list does not have yet: each with the salt and the name that it is to.",
});

/**
 * The line of the name that an entry commits to; `undefined` where it commits to none, or repeats what the list has for this member. Refused where it is not
 * among the lines of the request: nobody would be sealed for by others.
 */
export async function requireName(
  entry: ListEntry,
  before: VerifiedList | undefined,
  lines: readonly NameText[],
): Promise<NameText | undefined> {
  const committed = findCommitted(entry, before);
  if (committed === undefined) return undefined;
  const line = await findName(entry, before, lines);
  refuseInvalid({
    names: line === undefined ? "Must have the salt and the name of each new commitment" : undefined,
  });
  return line;
}

/** The same where the name may be missing: an entry that was in a list before holds without it. */
export async function findName(
  entry: ListEntry,
  before: VerifiedList | undefined,
  lines: readonly NameText[],
): Promise<NameText | undefined> {
  const committed = findCommitted(entry, before);
  if (committed === undefined) return undefined;
  const line = lines.find((one) => one.commitment === String(committed.commitment));
  return line !== undefined && (await isNameLineOf(committed.owner, line)) ? line : undefined;
}

/** The commitment of an entry which the list does not have yet. */
function findCommitted(entry: ListEntry, before: VerifiedList | undefined): ReturnType<typeof committedIn> {
  const committed = committedIn(entry);
  if (committed === undefined) return undefined;
  const { owner, commitment } = committed;
  const known = owner.use === "member" ? before?.members.get(owner.id) : undefined;
  // A member who is added again has another one: the name may be gone.
  return entry.change !== "add" && known?.commitment === commitment ? undefined : committed;
}

/** Nobody stores what no entry commits to. */
export function requireNoOther(lines: readonly NameText[], used: readonly (NameText | undefined)[]): void {
  const isUsed = lines.every((line) => used.includes(line)) && new Set(lines).size === lines.length;
  refuseInvalid({ names: isUsed ? undefined : "Must be names that the entries commit to" });
}
