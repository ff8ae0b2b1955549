import { type EnvelopeHead, findBefore, findLast, isBegun, type SeenForm, type SeenReader } from "./envelope-checks.ts";
import type { EnvelopeContent } from "./envelope-content.ts";
import type { ListHead, VerifiedList } from "./list.ts";
import { mayWrite } from "./member.ts";
import { findChangedReaders, isFormerWriter } from "./outdated.ts";
import { findCut } from "./vouching.ts";

// Who put a reader into an envelope is known from revision to revision: SPECIFICATION.md section 15.

/**
 * Each reader with the member who added them; `null` if nobody is known to have. What is known stays, whatever the revision says. A signer who is to be
 * confirmed proves nothing, nor does one who writes no longer, or whose key was replaced, which somebody else may have; at the first sight of a form only an
 * owner speaks for others. Whom a signer who is doubtful brings in is doubtful, too. `isByOwner`: of `isOwners`.
 */
export function findIntroducers(
  content: EnvelopeContent,
  { list, isByOwner }: { readonly list: VerifiedList; readonly isByOwner: boolean },
  form: SeenForm,
): EnvelopeHead["readers"] {
  const { readers, signedBy } = content;
  const before = findBefore(form);
  const isFormer = isFormerWriter(content, list);
  if (before === undefined)
    return readers.map(({ id, by }) => ({ id, by: isByOwner || (by === signedBy && !isFormer) ? by : null }));
  const known = findKnown(list, before, content.list);
  const changed = findChangedReaders(list, before.list.number, content.list.number);
  const isAdjoining = mayAdjoin(content, form);
  const isThere = before.readers.some(({ id }) => id === signedBy);
  const isHeard = !isFormer && (isByOwner || (isThere && !findUnintroduced(list, before).includes(signedBy)));
  const seen = new Map(before.readers.map((reader) => [reader.id, reader]));
  const isSpreading = isFormer || form.isPassed === true || (!isByOwner && seen.get(signedBy)?.isDoubtful === true);
  return readers.map(({ id, by }) => {
    const kept = known.get(id) ?? null;
    if (kept !== null && (isAdjoining || by === kept)) return { id, by: kept };
    if (isHeard && by === signedBy) return { id, by };
    const one = seen.get(id);
    const isNew = one === undefined || changed.has(id);
    const isDoubtful = one?.isDoubtful === true || (isNew && isSpreading);
    return { id, by: null, ...(isDoubtful && { isDoubtful }) };
  });
}

/** Who put the readers of a head there, as far as it still counts by the list up to `to`: neither has anything been taken from them since, nor from the reader. */
export function findKnown(
  list: VerifiedList,
  { list: named, readers }: Pick<EnvelopeHead, "list" | "readers">,
  to: ListHead,
): ReadonlyMap<string, string> {
  const cut = findCut(list, named.number, to.number);
  const outdated = findChangedReaders(list, named.number, to.number);
  return new Map(
    readers.flatMap(({ id, by }) => (by === null || cut.has(by) || outdated.has(id) ? [] : [[id, by] as const])),
  );
}

/** Whether no revision that is not known here lies between this one and what it is compared with. */
function mayAdjoin({ firstVersion, revision }: EnvelopeContent, form: SeenForm): boolean {
  const { newest, isAboveRefused = false } = form;
  if (newest !== undefined) return revision <= newest.revision + 1;
  return revision === 1 && isBegun({ firstVersion }, form) && !isAboveRefused;
}

/**
 * Ids of readers whom nobody is known to have put there, and who read this envelope and not the last one with a lower first version, whose writer may have begun
 * it with the readers of an older revision, or who are doubtful. `others`: the form's other envelopes, as they were seen.
 */
export function findUnknownReaders(
  list: VerifiedList,
  head: Pick<EnvelopeHead, "firstVersion" | "list" | "readers">,
  others: readonly EnvelopeHead[] = [],
): readonly string[] {
  const before = findLast(others.filter(({ firstVersion }) => firstVersion < head.firstVersion));
  const known = before && new Set(before.readers.map(({ id }) => id));
  const isUnknown = ({ id, by, isDoubtful }: SeenReader) =>
    by === null && (isDoubtful === true || (known !== undefined && !known.has(id)));
  const unknown = new Set(head.readers.filter(isUnknown).map(({ id }) => id));
  return findUnintroduced(list, head).filter((id) => unknown.has(id));
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
