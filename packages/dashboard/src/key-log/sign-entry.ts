import {
  addKeyLogEntry,
  compareKeyLogSigners,
  findKeyLogSigners,
  RefusalError,
  type VerifiedList,
} from "@sealpost/envelope";
import type { OpeningKey } from "@sealpost/sdk";
import { findHeldKeys, followFormKeyLog, isHeld, isOwnLog } from "@sealpost/sdk/envelopes";
import type { FormId, KeyLogHead, LoggedKey, VerifiedKeyLog } from "@sealpost/wire";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { describeKeyLogProblem, KeyLogError, requireOwnForm } from "../envelopes/continue-key-log.ts";
import { isReadable, ListUnusable, loadList, type ReadableList } from "../envelopes/load-list.ts";
import { writeKeyLogHead } from "../envelopes/name-key-log.ts";
import { openFormBy } from "../envelopes/open-form.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";

const { keyLog: texts } = text;

/** The organization's list, where it is in order and has the person: it says who signs. By one that is for reading nobody does. */
export async function findSigningList(context: EnvelopeContext): Promise<ReadableList | { readonly kind: "none" }> {
  const loaded = await loadList(context);
  return isReadable(loaded) ? loaded : { kind: "none" };
}

/**
 * Begins the form's key log with `key`, its newest, or adds an entry with the same key that names who may sign now, if it is open here: in the form's
 * envelopes, or among `keys`. Gives the new head.
 */
export async function signCurrentKey(
  context: EnvelopeContext,
  formId: FormId,
  key: LoggedKey,
  keys: readonly OpeningKey[] = [],
): Promise<KeyLogHead> {
  const loaded = await findSigningList(context);
  if (loaded.kind === "for_reading") throw new ListUnusable(loaded);
  // The log has to have the entry that the envelopes name.
  const opened = loaded.kind === "checked" ? await openFormBy(context, formId, loaded) : undefined;
  const followed = await followFormKeyLog(context, formId);
  if (followed.kind === "refused") throw new KeyLogError(describeKeyLogProblem(followed.reason, key.version));
  await requireOwnForm(context, formId);
  const own = context.own.signingKey;
  const before = followed.kind === "none" ? undefined : followed;
  const held = [...keys, ...(opened?.kind === "opened" ? findHeldKeys(opened.envelopes) : [])];
  const isOwn = before ? await isOwnLog(context, formId, before.log, held) : isHeld(key, held);
  if (!isOwn) throw new KeyLogError(texts.notHeld);
  const signed = await context.keyAgent.signKeyLogEntry({
    formId,
    log: before?.bytes ?? new Uint8Array(),
    key,
    signers: findKeyLogSigners(loaded.kind === "checked" ? loaded.list : undefined, own, before?.log.entry),
  });
  if (signed instanceof RefusalError) throw new KeyLogError(texts.notSigner);
  const { api, heads } = context;
  const send = (entry: string, last: KeyLogHead | undefined) => api.addKeyLogEntry(formId, entry, last);
  const head = await addKeyLogEntry({ formId, heads, before, send }, signed.entry);
  // The log has begun, whatever becomes of the envelope: an owner's next change of its readers names it too.
  if (before === undefined) await writeKeyLogHead(context, formId, head).catch(() => undefined);
  return head;
}

export interface Signers {
  /** Names of the list, and how many keys are not in it. */
  readonly owners: readonly string[];
  readonly managers: readonly string[];
  readonly unknown: number;
  /** People who can sign, although the list says that they should not, or not as what the log has them. */
  readonly outdated: readonly string[];
  readonly outdatedUnknown: number;
  /** Owners, and recovery keys that sign, who should, and may not. Until they may, no snippet names the log. */
  readonly missing: readonly string[];
  /** Managers who should, and may not. */
  readonly missingManagers: readonly string[];
}

/** Who may sign the next entry, compared with the owners and managers of the list; without one with one's own key alone. */
export function compareSigners(log: VerifiedKeyLog, list: VerifiedList | undefined, own: string): Signers {
  const { owners, managers } = log.entry;
  const members = [...(list?.members.values() ?? [])];
  const namesOf = (keys: readonly string[]) =>
    keys.flatMap((key) => members.filter(({ signingKey }) => signingKey === key).map(shownName));
  const { wrong, missing, missingManagers } = compareKeyLogSigners(log, list, own);
  const named = [...owners, ...managers];
  return {
    owners: namesOf(owners),
    managers: namesOf(managers),
    unknown: named.length - namesOf(named).length,
    outdated: namesOf(wrong),
    outdatedUnknown: wrong.length - namesOf(wrong).length,
    missing: namesOf(missing),
    missingManagers: namesOf(missingManagers),
  };
}
