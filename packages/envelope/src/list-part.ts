import { formatTime, noExtensions } from "@sealpost/wire";
import { type Signer, type VerifiedList, verifyNextPart } from "./list.ts";
import { type ListEntry, listFormat, parseListEntry, type WrittenChange } from "./list-entry.ts";
import type { ListedMember, Member, NewMember } from "./member.ts";
import { commitName, type NameText, toNamesFile } from "./names.ts";
import { commitMember } from "./next-entry.ts";
import { RefusalError } from "./refusal.ts";
import { signLine } from "./signature.ts";
import { hashOf } from "./text.ts";
import { findEdgesOfPart } from "./vouching.ts";

/** A part that continues a list: all of its lines, with the lines for the file of names that it makes. */
export interface SignedPart {
  readonly part: string;
  readonly names: readonly NameText[];
  /** The list with it. */
  readonly list: VerifiedList;
}

/** The organization's recovery key, which begins a part with somebody else: the signer, with the keys that are open. */
export interface RecoverySigner {
  readonly signer: Signer;
  readonly member: NewMember;
}

export interface PartOptions {
  readonly now?: number;
  /** Where nobody has an owner's key any more. */
  readonly recovery?: RecoverySigner | undefined;
}

/**
 * Begins another part of a list, in which everybody stays, with the edges that they have, and the organization's name, where it is signed. For an owner, or
 * for the recovery key, which makes the signer one. Rejects with a `RefusalError` where neither is so.
 */
export async function createListPart(
  list: VerifiedList,
  signer: Signer,
  { now = Date.now(), recovery }: PartOptions = {},
): Promise<SignedPart> {
  const { member: self, lines } = await findBeginner(list, signer, recovery?.member);
  const edges = findEdgesOfPart(list);
  const changes: WrittenChange[] = [{ change: "begin", admission: null, member: self }];
  for (const [id, member] of list.members) {
    const own = edges.get(id);
    if (id !== self.id && own !== undefined)
      changes.push({ change: "carry", admission: null, member: toListed(member), edges: own });
  }
  const { organizationId, organizationName } = list;
  const line =
    organizationName === undefined
      ? undefined
      : await commitName({ use: "organization", organizationId }, organizationName);
  if (line !== undefined) changes.push({ change: "name", admission: null, name: line.commitment });
  const made = line === undefined ? lines : [...lines, line];
  const names = made.map((one) => ({ ...one, commitment: String(one.commitment) }));
  const part = await signAll(list, changes, [recovery?.signer ?? signer, signer], now);
  const verified = await verifyNextPart(list, new TextEncoder().encode(part), toNamesFile(names));
  if (verified instanceof RefusalError) throw verified;
  return { part, names, list: verified.list };
}

/** The owner named by `begin`, plus a line for the file of names if a recovery key gives that owner a name the list lacks. */
async function findBeginner(list: VerifiedList, signer: Signer, recovered: NewMember | undefined) {
  if (recovered !== undefined)
    return commitMember(commitName, list, list.organizationId, { change: "begin", member: recovered });
  const self = list.members.get(signer.id);
  if (self?.role !== "owner") throw new RefusalError("not_allowed");
  return { member: toListed(self), lines: [] };
}

/** Each after the one before: the first is signed by the one who begins the part, the others by the owner in it. */
async function signAll(
  { organizationId, head }: VerifiedList,
  changes: readonly WrittenChange[],
  [beginning, carrying]: readonly [Signer, Signer],
  now: number,
): Promise<string> {
  const lines: string[] = [];
  let { number, hash: previous } = head;
  for (const change of changes) {
    number += 1;
    const signer = lines.length === 0 ? beginning : carrying;
    const entry: ListEntry = parseListEntry({
      ...{ format: listFormat, organizationId, number, previous, writtenAt: formatTime(now), signedBy: signer.id },
      ...change,
      ...noExtensions,
    });
    const line = JSON.stringify(entry);
    lines.push(await signLine(listFormat, line, signer.signingKey));
    previous = await hashOf(line);
  }
  return lines.join("");
}

/** As the list has them: the commitment is kept, also to a name that is missing here. */
function toListed({ id, commitment: name, role, recipient, signingKey }: Member): ListedMember {
  return { id, name, role, recipient, signingKey };
}
