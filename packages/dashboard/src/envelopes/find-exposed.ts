import { RefusalError } from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "./context.ts";
import type { CheckedList } from "./load-list.ts";
import { type OpenedFormEnvelope, openRevision } from "./open-form.ts";

/** The service keeps the newest 20 revisions, however old they are. */
const revisionsMax = 20;

/**
 * Ids of members who are no longer in the list, or for whom nothing may be sealed any longer, and have read the newest key of a form: what visitors send now, they could open. Found in the revisions that
 * the envelope had since that key was made, so that it is found again by a browser that was closed before the form was rotated.
 */
export async function findExposed(
  context: EnvelopeContext,
  list: CheckedList,
  formId: FormId,
  envelopes: readonly OpenedFormEnvelope[],
): Promise<readonly string[]> {
  const exposed = new Set<string>();
  const note = (readers: readonly { readonly id: string }[]) => {
    for (const { id } of readers) if (!list.list.members.has(id) || !list.sealable.has(id)) exposed.add(id);
  };
  const [first] = envelopes;
  if (first === undefined) return [];
  const newest = envelopes.reduce((best, one) => (one.firstVersion > best.firstVersion ? one : best), first);
  note(newest.readers);
  const { firstVersion, head } = newest;
  const version = head.keys.reduce((highest, key) => (key.version > highest ? key.version : highest), 0);
  for (let revision = head.revision - 1; revision > Math.max(0, head.revision - revisionsMax); revision--) {
    const fetched = await context.api.fetchEnvelope(formId, firstVersion, revision);
    if (fetched === undefined) break;
    const older = await openRevision(context, list, { ...fetched, formId, firstVersion });
    if (older instanceof RefusalError || !older.head.keys.some((key) => key.version === version)) break;
    note(older.readers);
  }
  return [...exposed];
}
