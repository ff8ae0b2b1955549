import type { FormId, KeyLogHead, LoggedKey, VerifiedKeyLog } from "@sealpost/wire";
import { hasKeyLogHead, verifyKeyLog } from "@sealpost/wire";
import type { DeniedKey } from "./denied-keys.ts";
import {
  type EnvelopeHead,
  findLast,
  isBeyond,
  isSameRsaKey,
  type PublishedKey,
  type SeenKey,
} from "./envelope-checks.ts";
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

interface Logged {
  /** The head of this envelope that was seen before. */
  readonly before: EnvelopeHead | undefined;
  /** Result of `findCountingLog`. */
  readonly log: CountingLog;
  /** The keys of the revision, as an entry would name them. */
  readonly asLogged: readonly LoggedKey[];
}

interface Known extends Logged {
  readonly published: readonly PublishedKey[] | undefined;
  /** Its signer is former or doubtful, or the person here: it proves no key. */
  readonly isByFormer?: boolean;
  readonly isOwn?: boolean;
  /** At a first sight by a former signer: keys of older revisions whose signers are not former. */
  readonly older?: readonly SeenKey[];
  /** The signing keys that the owners in the known list have or had. */
  readonly owners?: ReadonlySet<string>;
}

/**
 * The head to remember. Of its keys that the service lists, and that were not seen as published, two kinds do not become that by its word alone: what this
 * very revision had before the service listed it, since the one who wrote it had no published key either; and what the form's key log does not name yet, or names
 * otherwise. What a signer who is former, or doubtful, has put there, and nothing else speaks for, becomes published and *unproven*: visitors may have sealed to it, so that nobody drops it.
 * A hybrid key that the list does not have next to the key is not remembered, unless the log names it.
 */
export function settlePublished(
  head: EnvelopeHead,
  { published, isByFormer = false, isOwn = false, older = [], owners = new Set(), ...logged }: Known,
): EnvelopeHead {
  const { before, log } = logged;
  const ahead = new Set(findAhead(head, published, log));
  const keys = head.keys.map((key): SeenKey => {
    const seen = before?.keys.find((one) => isSameRsaKey(one, key));
    const isProving = before?.revision !== head.revision && !isByFormer && !isOwn;
    const isBacked = isSignedBy(log, key, owners) || older.some((one) => isSameWholeKey(one, key));
    const isUnproven = (seen === undefined ? isByFormer : seen.isUnproven === true && !isProving) && !isBacked;
    if (seen?.isPublished) return { ...key, ...(isUnproven && { isUnproven }) };
    const listed = published?.filter((one) => isListed(key, one)) ?? [];
    const isPublished = (key.isPublished || listed.length > 0) && isLogged(key, log);
    const isHeldBack = seen?.isAhead === true && !isProving && !isBacked;
    if (isHeldBack || ahead.has(key.version) || (isUnproven && !isPublished))
      return { ...key, isPublished: false, isAhead: true };
    const isWhole = listed.length === 0 || listed.some((one) => hasHybridOf(key, one));
    const hybridFingerprint = isWhole ? key.hybridFingerprint : null;
    return { ...key, isPublished, hybridFingerprint, ...(isUnproven && { isUnproven }) };
  });
  return settleLogged({ ...head, keys }, logged);
}

/**
 * The head with the hybrid keys and seeds of its published keys as far as the log has them: it decides, whatever the service lists. Another one, and what the
 * log can't be asked about because nobody shows it, is not remembered, unless it was before.
 */
export function settleLogged(head: EnvelopeHead, { before, log, asLogged }: Logged): EnvelopeHead {
  if (log === "none") return head;
  const keys = head.keys.map((key): SeenKey => {
    const own = asLogged.find(({ version }) => version === key.version);
    const named = findNamed(log, key);
    if (!key.isPublished || own === undefined || (named === undefined && log !== "unshown")) return key;
    const seen = before?.keys.find((one) => one.isPublished && isSameRsaKey(one, key));
    const isLoggedHybrid = named !== undefined && own.hybridFingerprint === named.hybridFingerprint;
    const loggedHybrid = isLoggedHybrid ? own.hybridFingerprint : null;
    return {
      ...key,
      hybridFingerprint: (seen?.hybridFingerprint ?? null) === null ? loggedHybrid : key.hybridFingerprint,
      seedHash: (seen?.seedHash ?? null) !== null || isLoggedSeed(own, named) ? key.seedHash : null,
    };
  });
  return { ...head, keys };
}

/** An entry without a reply key says nothing about the seed. */
function isLoggedSeed({ replyKey }: LoggedKey, named: LoggedKey | undefined): boolean {
  return named !== undefined && (named.replyKey === null || named.replyKey === replyKey);
}

/** Versions of published keys next to which the revision has another hybrid key or seed than the log names. `head`: of `settleLogged`. */
export function findOtherThanLogged(
  { keys }: EnvelopeHead,
  { log, asLogged }: Pick<Logged, "log" | "asLogged">,
): readonly number[] {
  const hasOtherHybrid = (key: SeenKey) =>
    isNamedIn(log, key) &&
    asLogged.some(
      ({ version, hybridFingerprint: own }) => version === key.version && own !== null && own !== key.hybridFingerprint,
    );
  const others = keys.filter((key) => key.isPublished && (key.seedHash === null || hasOtherHybrid(key)));
  return others.map(({ version }) => version);
}

interface Replacing extends Pick<Logged, "asLogged"> {
  readonly head: EnvelopeHead;
  readonly isByOwner: boolean;
  readonly writerKeys: ReadonlySet<string>;
}

/**
 * The parts of published keys that are remembered, that the log which counts denies, and in whose place a revision has the log's own. A log is no reason to replace anything
 * where the signer of the revision alone has written it so, and is no owner.
 */
export function findDenied(
  before: EnvelopeHead,
  log: CountingLog,
  { head, asLogged, isByOwner, writerKeys }: Replacing,
): readonly DeniedKey[] {
  if (log === "none" || log === "unshown") return [];
  const isOwnWord = ({ version }: SeenKey) =>
    !isByOwner && log.entries.every(({ key, signedBy }) => key.version !== version || writerKeys.has(signedBy));
  return before.keys.flatMap((key): readonly DeniedKey[] => {
    const { version, fingerprint, hybridFingerprint, seedHash } = key;
    const [named, own] = [findNamed(log, key), asLogged.find((one) => one.version === version)];
    if (!key.isPublished || named === undefined || own?.fingerprint !== fingerprint || isOwnWord(key)) return [];
    const hash = head.keys.find((one) => one.version === version)?.seedHash;
    const isHybridDenied =
      hybridFingerprint !== null &&
      named.hybridFingerprint !== hybridFingerprint &&
      named.hybridFingerprint === own.hybridFingerprint;
    const isSeedDenied =
      seedHash !== null && hash !== seedHash && named.replyKey !== null && named.replyKey === own.replyKey;
    if (!isHybridDenied && !isSeedDenied) return [];
    return [{ version, fingerprint, ...(isHybridDenied && { hybridFingerprint }), ...(isSeedDenied && { seedHash }) }];
  });
}

/** Whether the log that counts names a key, which the service may deny. */
export function isNamedIn(log: CountingLog, key: SeenKey): boolean {
  return findNamed(log, key) !== undefined;
}

/** Whether an entry of the log that counts names the key, and one of these signing keys has signed it. */
function isSignedBy(log: CountingLog, { version, fingerprint }: SeenKey, signers: ReadonlySet<string>): boolean {
  if (log === "none" || log === "unshown") return false;
  return log.entries.some(
    ({ key, signedBy }) => key.version === version && key.fingerprint === fingerprint && signers.has(signedBy),
  );
}

function isSameWholeKey(one: SeenKey, other: SeenKey): boolean {
  return isSameRsaKey(one, other) && one.hybridFingerprint === other.hybridFingerprint;
}

/** The service's list, the same if nothing is left out: without hybrid keys of keys that the log which counts names with another one, or with none. */
export function withoutOtherHybrids(
  published: readonly PublishedKey[] | undefined,
  log: CountingLog,
): readonly PublishedKey[] | undefined {
  const isOther = (key: PublishedKey) => {
    const named = findNamed(log, key);
    return named !== undefined && named.hybridFingerprint !== (key.hybridFingerprint ?? null);
  };
  if (published?.some(isOther) !== true) return published;
  return published.map((key) => (isOther(key) ? { version: key.version, fingerprint: key.fingerprint } : key));
}

function findNamed(
  log: CountingLog,
  { version, fingerprint }: Pick<SeenKey, "version" | "fingerprint">,
): LoggedKey | undefined {
  if (log === "none" || log === "unshown") return undefined;
  return log.entries.find(({ key }) => key.version === version && key.fingerprint === fingerprint)?.key;
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

/**
 * The newest version that the form's key log names, where the form head names an entry of it. It is asked only about an envelope that would be ahead of its time without
 * it: the service may deny that version.
 */
export async function findLoggedVersion(
  source: KeyLogToShow,
  { formId, firstVersion }: Pick<EnvelopeHead, "formId" | "firstVersion">,
  published: readonly PublishedKey[] | undefined,
  seen: readonly EnvelopeHead[],
): Promise<number | undefined> {
  const isAhead = (one: Pick<EnvelopeHead, "firstVersion">) => isBeyond(one, published, { others: seen });
  if (!isAhead({ firstVersion })) return undefined;
  const last = findLast(seen.filter((one) => !isAhead(one)));
  const log = await findCountingLog(source, formId, last?.keyLog ?? null);
  return log === "none" || log === "unshown" ? undefined : log.entry.key.version;
}

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
