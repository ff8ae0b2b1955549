import { formatTime, noExtensions } from "@sealpost/wire";
import type { Commitment } from "./commitment.ts";
import { findUsage, type Signer, type VerifiedList } from "./list.ts";
import { type Change, listFormat, parseListEntry } from "./list-entry.ts";
import { findSigner, isAllowed } from "./list-rules.ts";
import type { ListedMember, NewMember } from "./member.ts";
import { commitName, type NameLine, type NameText } from "./names.ts";
import { check, RefusalError } from "./refusal.ts";
import { parseSignature, signLine, verifyLine } from "./signature.ts";

/** An entry for the end of a list: its two lines, and the lines for the file of names that it makes. */
export interface SignedEntry {
  readonly entry: string;
  readonly names: readonly NameText[];
}

/**
 * One more entry, signed, for the end of the list; without `list` the first one. Names that the list does not have yet are committed to, with a salt that is
 * drawn for each. Rejects with a `RefusalError` where the rules do not allow the entry, or the signer's key is not the one in the list.
 */
export function createListEntry(
  list: VerifiedList | undefined,
  organizationId: string,
  change: Change,
  signer: Signer,
  now: number = Date.now(),
): Promise<SignedEntry> {
  return createListEntryWith(commitName, list, organizationId, change, signer, now);
}

type Commit = typeof commitName;

/** The same with salts that are not drawn; for vectors. */
export async function createListEntryWith(
  commit: Commit,
  list: VerifiedList | undefined,
  organizationId: string,
  change: Change,
  signer: Signer,
  now: number,
): Promise<SignedEntry> {
  const { committed, lines } = await commitNames(commit, list, organizationId, change);
  const entry = parseListEntry({
    format: listFormat,
    organizationId,
    number: (list?.head.number ?? 0) + 1,
    previous: list?.head.hash ?? null,
    writtenAt: formatTime(now),
    signedBy: signer.id,
    admission: null,
    ...committed,
    ...noExtensions,
  });
  const line = JSON.stringify(entry);
  check(list === undefined || list.organizationId === organizationId, "other_organization");
  const before = { members: list?.members ?? new Map(), ...findUsage(list) };
  const member = findSigner(before, entry);
  check(member !== undefined && isAllowed(before, member, entry), "not_allowed");
  const signed = await signLine(listFormat, line, signer.signingKey);
  await verifyLine(listFormat, line, parseSignature(signed.split("\n")[1] ?? ""), member.signingKey ?? "");
  return { entry: signed, names: lines.map((one) => ({ ...one, commitment: String(one.commitment) })) };
}

async function commitNames(
  commit: Commit,
  list: VerifiedList | undefined,
  organizationId: string,
  change: Change,
): Promise<{ readonly committed: object; readonly lines: readonly NameLine[] }> {
  if (change.change === "name") {
    const line = await commit({ use: "organization", organizationId }, change.name);
    return { committed: { ...change, name: line.commitment }, lines: [line] };
  }
  if (change.change === "vouch")
    return { committed: { ...change, shown: change.shown ?? list?.head.number ?? 0 }, lines: [] };
  if (!("member" in change) || change.change === "remove") return { committed: change, lines: [] };
  const { member, lines } = await commitMember(commit, list, organizationId, change.member);
  return { committed: { ...change, member }, lines };
}

/** The member as an entry has them, with the line for the file of names where the list does not have the name yet. */
async function commitMember(
  commit: Commit,
  list: VerifiedList | undefined,
  organizationId: string,
  member: NewMember,
): Promise<{ readonly member: ListedMember; readonly lines: readonly NameLine[] }> {
  const kept = list && keptCommitment(list, member);
  const { id, role, recipient, signingKey } = member;
  const toListed = (name: Commitment) => ({ id, name, role, recipient, signingKey });
  if (kept !== undefined) return { member: toListed(kept), lines: [] };
  const line = await commitTo(commit, organizationId, member);
  return { member: toListed(line.commitment), lines: [line] };
}

function commitTo(commit: Commit, organizationId: string, { id, name }: NewMember): Promise<NameLine> {
  if (name === undefined) throw new RefusalError("malformed");
  return commit({ use: "member", organizationId, id }, name);
}

/** An entry that changes something else repeats the commitment. */
function keptCommitment(list: VerifiedList, { id, name }: NewMember): Commitment | undefined {
  const known = list.members.get(id);
  return name === undefined || name === known?.name ? known?.commitment : undefined;
}
