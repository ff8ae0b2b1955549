import { findLeft, RefusalError } from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "./context.ts";
import type { CheckedList } from "./load-list.ts";
import { type OpenedFormEnvelope, openRevision } from "./open-form.ts";

/** The service keeps the newest 20 revisions, however old they are. */
const revisionsMax = 20;

/**
 * Ids of those who have read the newest key of a form, and by the list have left since, or are members for whom nothing may be sealed any longer: what visitors
 * send now, they could open. Also of those who are in the list again, unless they read the form again. Found in the revisions that the envelope had since that
 * key was made, so that it is found again by a browser that was closed before the form was rotated.
 */
export async function findExposed(
  context: EnvelopeContext,
  list: CheckedList,
  formId: FormId,
  envelopes: readonly OpenedFormEnvelope[],
): Promise<readonly string[]> {
  const [first] = envelopes;
  if (first === undefined) return [];
  const newest = envelopes.reduce((best, one) => (one.firstVersion > best.firstVersion ? one : best), first);
  const exposed = new Set<string>();
  const reading = new Set(newest.readers.map(({ id }) => id).filter((id) => !newest.outdated.includes(id)));
  const note = ({ readers, head }: Pick<OpenedFormEnvelope, "readers" | "head">) => {
    const left = findLeft(list.list, head.list);
    const isExposed = (id: string) => !list.sealable.has(id) || (left.has(id) && !reading.has(id));
    for (const { id } of readers) if (isExposed(id)) exposed.add(id);
  };
  note(newest);
  const { firstVersion, head } = newest;
  const version = head.keys.reduce((highest, key) => (key.version > highest ? key.version : highest), 0);
  for (let revision = head.revision - 1; revision > Math.max(0, head.revision - revisionsMax); revision--) {
    const fetched = await context.api.fetchEnvelope(formId, firstVersion, revision);
    if (fetched === undefined) break;
    const older = await openRevision(context, list, { ...fetched, formId, firstVersion });
    if (older instanceof RefusalError || !older.head.keys.some((key) => key.version === version)) break;
    note(older);
  }
  return [...exposed];
}
