import { type FormId, hasKeyLogHead, type KeyLogHead, verifyKeyLog } from "@sealpost/wire";
import type { Bytes } from "./age-header.ts";
import { type EnvelopeHead, findLast } from "./envelope-checks.ts";
import type { SeenHeads } from "./seen-heads.ts";

export interface KeyLogToShow {
  readonly heads: SeenHeads;
  /** The whole key log of the form; empty or `undefined` if the server says that it has no log. */
  fetchKeyLog(formId: FormId): Promise<Bytes | undefined>;
}

/** A revision that was opened. */
export interface NamingRevision {
  readonly head: EnvelopeHead;
  readonly isByOwner: boolean;
}

/**
 * Step 9 of section 15. `unshown`: the revision names an entry that is in no log which the server shows: its writer has made it up, or the server hides it,
 * and nobody can say which. `given_up`: an owner has left the log that the revision before named.
 */
export type NamedLog = "shown" | "unshown" | "given_up";

/**
 * Whether the entry of a key log that a revision names can be shown. The log is asked for only where the entry was not seen before, or a manager names another one
 * than the form head. A manager's has to be in the same log as that one: an owner alone leaves a log, also for one that was given up before. `before`: the newest
 * revision that was seen; `others`: the heads of the form's other envelopes, of which the last one below counts where nothing was seen of this one.
 */
export async function findNamedLog(
  source: KeyLogToShow,
  revision: NamingRevision,
  before: EnvelopeHead | undefined,
  others: readonly EnvelopeHead[] = [],
): Promise<NamedLog> {
  const { head, isByOwner } = revision;
  const { formId, keyLog, firstVersion } = head;
  const { heads } = source;
  const left = await findCurrent(heads, formId, before?.keyLog);
  if (keyLog === null) return left !== undefined && isByOwner ? "given_up" : "shown";
  if (isSame(keyLog, before?.keyLog)) return "shown";
  const last = before ?? findLast(others.filter((other) => other.firstVersion < firstVersion));
  const kept = isByOwner ? undefined : await findCurrent(heads, formId, last?.keyLog);
  const seen = await heads.findKeyLog(formId);
  if (kept === undefined && (isSame(keyLog, seen) || (await heads.isGivenUp(formId, keyLog)))) return "shown";
  const bytes = await source.fetchKeyLog(formId);
  const log = bytes === undefined || bytes.length === 0 ? undefined : await verifyKeyLog(bytes, { formId });
  if (log === undefined || typeof log === "string" || !hasKeyLogHead(log, keyLog)) return "unshown";
  if ([seen, left, kept].every((one) => one === undefined || hasKeyLogHead(log, one))) return "shown";
  if (!isByOwner) return "unshown";
  return left !== undefined && !hasKeyLogHead(log, left) ? "given_up" : "shown";
}

/** A head as revisions are compared with it: it has no log where somebody has said here that its log was given up. */
export async function withCurrentLog<Head extends EnvelopeHead>(heads: SeenHeads, head: Head): Promise<Head> {
  return (await findCurrent(heads, head.formId, head.keyLog)) === undefined ? { ...head, keyLog: null } : head;
}

/** Unless it is of a log that was given up. */
async function findCurrent(heads: Pick<SeenHeads, "isGivenUp">, formId: FormId, named: KeyLogHead | null | undefined) {
  return !named || (await heads.isGivenUp(formId, named)) ? undefined : named;
}

function isSame(one: KeyLogHead, other: KeyLogHead | null | undefined): boolean {
  return one.number === other?.number && one.hash === other.hash;
}
