import { type EnvelopeHead, findLast, type SeenForm } from "./envelope-checks.ts";
import type { EnvelopeContent } from "./envelope-content.ts";
import type { VerifiedList } from "./list.ts";
import { mayWrite } from "./member.ts";
import { findCut } from "./vouching.ts";

// Who put a reader into an envelope is known from revision to revision: SPECIFICATION.md section 15.

/** Each reader with the member who added them; `null` if the revision does not prove it. When a device sees a form for the first time, it takes the revision's word. */
export function findIntroducers(
  { organizationId, firstVersion, list: named, readers, signedBy }: EnvelopeContent,
  list: VerifiedList,
  { newest, others = [] }: SeenForm,
): EnvelopeHead["readers"] {
  const before = newest ?? findLast(others.filter((other) => other.firstVersion < firstVersion));
  if (before === undefined) return readers.map(({ id, by }) => ({ id, by }));
  // Members of one organization are nobody in another one's list.
  const known = before.organizationId === organizationId ? before.readers : [];
  const cut = findCut(list, before.list.number, named.number);
  return readers.map(({ id, by }) => {
    const isKnown = known.some((reader) => reader.id === id && reader.by === by) && !cut.has(by);
    return { id, by: by === signedBy || isKnown ? by : null };
  });
}

/**
 * Ids of readers whom one of these members put there. They read on after these have left, and are asked about from then on. Owners and recovery keys read
 * whatever they like.
 */
export function findIntroducedBy(
  list: VerifiedList,
  { readers }: Pick<EnvelopeHead, "readers">,
  leaving: readonly string[],
): readonly string[] {
  return readers.flatMap(({ id, by }) => {
    const role = list.members.get(id)?.role;
    const isAsked = role !== undefined && role !== "owner" && role !== "recovery" && !leaving.includes(id);
    return isAsked && by !== null && leaving.includes(by) ? [id] : [];
  });
}

/**
 * Ids of readers added by somebody who has since lost the right to add readers, so somebody has to confirm them. Owners and recovery keys read whatever they like.
 */
export function findUnintroduced(
  list: VerifiedList,
  { list: named, readers }: Pick<EnvelopeHead, "list" | "readers">,
): readonly string[] {
  const cut = findCut(list, named.number);
  const mayIntroduce = (id: string | null) => {
    const member = id === null || cut.has(id) ? undefined : list.members.get(id);
    return member !== undefined && mayWrite(member);
  };
  return readers.flatMap(({ id, by }) => {
    const role = list.members.get(id)?.role;
    return role === undefined || role === "owner" || role === "recovery" || mayIntroduce(by) ? [] : [id];
  });
}
