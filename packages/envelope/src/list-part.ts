import { formatTime, noExtensions } from "@sealpost/wire";
import { type Signer, type VerifiedList, verifyNextPart } from "./list.ts";
import { type ListEntry, listFormat, parseListEntry, type WrittenChange } from "./list-entry.ts";
import type { ListedMember, Member } from "./member.ts";
import { commitName, type NameText, toNamesFile } from "./names.ts";
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

/**
 * Begins another part of a list, in which everybody stays, with the edges that they have, and the organization's name, where it is signed. For an owner.
 * Rejects with a `RefusalError` where the signer is not one.
 */
export async function createListPart(
  list: VerifiedList,
  signer: Signer,
  now: number = Date.now(),
): Promise<SignedPart> {
  const self = list.members.get(signer.id);
  if (self?.role !== "owner") throw new RefusalError("not_allowed");
  const edges = findEdgesOfPart(list);
  const changes: WrittenChange[] = [{ change: "begin", admission: null, member: toListed(self) }];
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
  const names = line === undefined ? [] : [{ ...line, commitment: String(line.commitment) }];
  const part = await signAll(list, changes, signer, now);
  const verified = await verifyNextPart(list, new TextEncoder().encode(part), toNamesFile(names));
  if (verified instanceof RefusalError) throw verified;
  return { part, names, list: verified.list };
}

/** Each after the one before. */
async function signAll(
  { organizationId, head }: VerifiedList,
  changes: readonly WrittenChange[],
  signer: Signer,
  now: number,
): Promise<string> {
  const lines: string[] = [];
  let { number, hash: previous } = head;
  for (const change of changes) {
    number += 1;
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
