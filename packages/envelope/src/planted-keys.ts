import type { FormId, KeyLogHead, VerifiedKeyLog } from "@sealpost/wire";
import { hasKeyLogHead, verifyKeyLog } from "@sealpost/wire";
import type { EnvelopeHead, PublishedKey, SeenKey } from "./envelope-checks.ts";
import { firstVersionOf } from "./envelope-content.ts";
import type { KeyLogToShow } from "./shown-key-log.ts";

// Any writer can put keys into an envelope for versions that nobody has made yet. They are no keys of the form, and the service's word alone does not make
// them that: SPECIFICATION.md section 15, *Published*.

/**
 * Versions of keys that the next revision leaves out: the service's list does not have them, this device has not seen them as published, the form's key log does not
 * name them, and they are above the newest key of which one of these is true. None where the list is not known or empty, which no form's is. `log`: of `findCountingLog`.
 */
export function findAhead(
  { keys }: Pick<EnvelopeHead, "keys">,
  published: readonly PublishedKey[] | undefined,
  log: CountingLog,
): readonly number[] {
  if (published === undefined || published.length === 0) return [];
  const isKnown = (key: SeenKey) => key.isPublished || isListedIn(published, key) || isNamedIn(log, key);
  const newest = keys.filter(isKnown).reduce((highest, { version }) => Math.max(highest, version), 0);
  return keys.filter((key) => !isKnown(key) && key.version > newest).map(({ version }) => version);
}

/** Whether the service lists a key, perhaps without its hybrid one. */
export function isListedIn(published: readonly PublishedKey[], key: SeenKey): boolean {
  return published.some((one) => isListed(key, one));
}

function isListed({ version, fingerprint }: SeenKey, listed: PublishedKey): boolean {
  return listed.version === version && listed.fingerprint === fingerprint;
}

function hasHybridOf({ hybridFingerprint }: SeenKey, listed: PublishedKey): boolean {
  return listed.hybridFingerprint === hybridFingerprint;
}

interface Known {
  /** The head of this envelope that was seen before. */
  readonly before: EnvelopeHead | undefined;
  readonly published: readonly PublishedKey[] | undefined;
  /** Result of `findCountingLog`. */
  readonly log: CountingLog;
}

/**
 * The head to remember. Of its keys that the service lists, and that were not seen as published, two kinds do not become that by its word alone: what this
 * very revision had before the service listed it, since the one who wrote it had no published key either; and what the form's key log does not name yet, or
 * names otherwise. A hybrid key that the list does not have next to the key is not remembered.
 */
export function settlePublished(head: EnvelopeHead, { before, published, log }: Known): EnvelopeHead {
  const ahead = new Set(findAhead(head, published, log));
  const keys = head.keys.map((key): SeenKey => {
    const seen = before?.keys.find((one) => isSame(one, key));
    if (seen?.isPublished) return key;
    const wasAhead = seen?.isAhead === true && before?.revision === head.revision;
    if (wasAhead || ahead.has(key.version)) return { ...key, isPublished: false, isAhead: true };
    const listed = published?.filter((one) => isListed(key, one)) ?? [];
    const isPublished = (key.isPublished || listed.length > 0) && isLogged(key, log);
    const isWhole = listed.length === 0 || listed.some((one) => hasHybridOf(key, one));
    return { ...key, isPublished, hybridFingerprint: isWhole ? key.hybridFingerprint : null };
  });
  return { ...head, keys };
}

function isSame(one: SeenKey, other: SeenKey): boolean {
  return one.version === other.version && one.fingerprint === other.fingerprint && one.seedHash === other.seedHash;
}

/** Whether the log that counts names a key, which the service may deny. */
export function isNamedIn(log: CountingLog, { version, fingerprint }: SeenKey): boolean {
  if (log === "none" || log === "unshown") return false;
  return log.entries.some(({ key }) => key.version === version && key.fingerprint === fingerprint);
}

/** Whether the log may have the key: one that does not count says nothing, and one that nobody shows names none. */
function isLogged({ version, fingerprint }: SeenKey, log: CountingLog): boolean {
  if (log === "none") return true;
  if (log === "unshown" || version > log.entry.key.version) return false;
  return log.entries.every(({ key }) => key.version !== version || key.fingerprint === fingerprint);
}

/**
 * Whether a revision lacks a key of its versions that the log names, which the service may deny: one that its writer has seen in the log, or one below the newest
 * that it has of the log. A rotation asks about any above that.
 */
export function lacksNamed({ firstVersion, keyLog, keys }: EnvelopeHead, log: CountingLog): boolean {
  if (log === "none" || log === "unshown" || keyLog === null) return false;
  const own = log.entries.filter(({ key }) => firstVersionOf(key.version) === firstVersion);
  const isHeld = ({ version, fingerprint }: Pick<SeenKey, "version" | "fingerprint">) =>
    keys.some((key) => key.version === version && key.fingerprint === fingerprint);
  const newest = own.reduce((highest, { key }) => (isHeld(key) ? Math.max(highest, key.version) : highest), 0);
  return own.some(({ number, key }) => (number <= keyLog.number || key.version < newest) && !isHeld(key));
}

/** Whether the service lists a version that has its place in an envelope. Where it lists none, nobody can say which keys that one has to have. */
export function listsAny(published: readonly PublishedKey[] | undefined, firstVersion: number): boolean {
  return published?.some(({ version }) => firstVersionOf(version) === firstVersion) === true;
}

/** `none`: the form has no log that an envelope names. `unshown`: the service does not show the one that is named, in order and with what was seen of it. */
export type CountingLog = VerifiedKeyLog | "none" | "unshown";

/** The log that counts for the versions of a form: an opened revision names an entry of it. The service could have made any other up. */
export async function findCountingLog(
  { heads, fetchKeyLog }: KeyLogToShow,
  formId: FormId,
  named: KeyLogHead | null,
): Promise<CountingLog> {
  if (named === null || (await heads.isGivenUp(formId, named))) return "none";
  const seen = await heads.findKeyLog(formId);
  const bytes = await fetchKeyLog(formId);
  const log = bytes === undefined || bytes.length === 0 ? undefined : await verifyKeyLog(bytes, { formId });
  if (log === undefined || typeof log === "string") return "unshown";
  return [named, seen].every((head) => head === undefined || hasKeyLogHead(log, head)) ? log : "unshown";
}
