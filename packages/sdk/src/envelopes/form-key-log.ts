import { addKeyLogEntry, type FollowedKeyLog, findKeyLogSigners, findObstacle, RefusalError } from "@sealpost/envelope";
import type { FormId, KeyLogEntry, KeyLogHead, LoggedKey, VerifiedKeyLog } from "@sealpost/wire";
import type { FormKey as PublishedKey } from "../api-types.ts";
import { compareHybrid } from "../compare-hybrid.ts";
import type { OpeningKey } from "../open.ts";
import { createNextEntry, followFormKeyLog, requireOwnForm } from "./continue-key-log.ts";
import type { EnvelopeClient, KnownList } from "./envelope-client.ts";
import { EnvelopeProblemError, toKeyLogProblem } from "./envelope-problem.ts";
import { findHeldKeys, isOwnLog } from "./held-key.ts";
import { openForm } from "./open-form.ts";
import { openWhole, untilFirst } from "./whole-form.ts";

/** A person who signs in key logs, whether or not they may write envelopes. */
export interface KeyLogWriting {
  readonly client: EnvelopeClient;
  /** The organization's list. Rejects with `no_list` where it has none, and none was seen. */
  findKnownList(): Promise<KnownList>;
}

type CheckedLog = Extract<FollowedKeyLog, { kind: "checked" }>;

/** Begins a form's key log with its newest key, which `keys` or the form's envelope has to have: nobody signs a key that the server alone names. */
export function beginKeyLog(writing: KeyLogWriting, formId: FormId, keys: readonly OpeningKey[]): Promise<KeyLogHead> {
  const { client } = writing;
  return untilFirst(async () => {
    const known = await findList(writing, formId);
    // Opened first: the envelope may name a log that the server hides.
    const held = [...keys, ...(known ? await openKeys(writing, formId) : [])];
    if ((await findLog(client, formId)) !== undefined) throw new EnvelopeProblemError("key_log_exists");
    const published = await client.api.fetchKeys(formId);
    const newest = published.reduce((one, other) => (other.version > one.version ? other : one));
    const own = held.filter(({ fingerprint }) => fingerprint === newest.fingerprint);
    if (own.length === 0 || compareHybrid(newest, held) !== undefined) throw new EnvelopeProblemError("key_not_held");
    const replyKey = own.find((key) => key.replyKey !== undefined)?.replyKey ?? null;
    return addEntry(client, formId, { ...toLogged(newest), replyKey }, undefined, known);
  });
}

/** Adds an owner's entry with the same key to a form's key log, which names who may sign by now. The key has to be open here, as `isOwnLog` says. */
export function renewKeyLog(writing: KeyLogWriting, formId: FormId, keys: readonly OpeningKey[]): Promise<KeyLogHead> {
  const { client } = writing;
  return untilFirst(async () => {
    const held = [...keys, ...(await openReadable(writing, formId))];
    const log = await findLog(client, formId);
    if (log === undefined) throw new EnvelopeProblemError("no_key_log");
    if (!isOwner(client, log.log.entry)) throw new EnvelopeProblemError("no_key_log_owner");
    if (!(await isOwnLog(client, formId, log.log, held))) throw new EnvelopeProblemError("logged_key_not_held");
    return addEntry(client, formId, log.log.entry.key, log, await findList(writing, formId));
  });
}

/** Whether the person may have a page pin this log, as `isOwnLog` says. */
export async function mayPin(
  writing: KeyLogWriting,
  formId: FormId,
  log: VerifiedKeyLog,
  keys: readonly OpeningKey[],
): Promise<boolean> {
  return isOwnLog(writing.client, formId, log, [...keys, ...(await openReadable(writing, formId))]);
}

/** The entry of a new key of a form without an envelope. */
export function createEntry(writing: KeyLogWriting, formId: FormId, key: LoggedKey): Promise<string | undefined> {
  return createNextEntry(writing.client, () => findList(writing, formId), formId, key);
}

function isOwner({ own: { signingKey, former = [] } }: EnvelopeClient, { owners }: KeyLogEntry): boolean {
  return [signingKey, ...former].some((key) => owners.includes(key));
}

/** Signed by the person's key, if the newest entry names it. An owner's entry names who may sign by now; without a list nothing of that changes. */
async function addEntry(
  { api, heads, keyAgent, own }: EnvelopeClient,
  formId: FormId,
  key: LoggedKey,
  before: CheckedLog | undefined,
  known: KnownList | undefined,
): Promise<KeyLogHead> {
  const isNamed = known !== undefined || before === undefined;
  const signers = isNamed ? findKeyLogSigners(known?.list, own.signingKey, before?.log.entry) : undefined;
  const log = before?.bytes ?? new Uint8Array();
  const signed = await keyAgent.signKeyLogEntry({ formId, log, key, ...(signers && { signers }) });
  if (signed instanceof RefusalError) {
    const isRefused = signed.reason !== "not_allowed" || before === undefined;
    const reason = isRefused ? "malformed" : findObstacle(before.log.entry, key, own.signingKey);
    throw new EnvelopeProblemError(toKeyLogProblem(reason));
  }
  const send = (text: string, last: KeyLogHead | undefined) => api.addKeyLogEntry(formId, text, last);
  return addKeyLogEntry({ formId, heads, before, send }, signed.entry).catch((error: unknown) => {
    throw error instanceof RefusalError ? new EnvelopeProblemError("key_log_refused") : error;
  });
}

async function findLog(client: EnvelopeClient, formId: FormId): Promise<CheckedLog | undefined> {
  const followed = await followFormKeyLog(client, formId);
  if (followed.kind === "refused") throw new EnvelopeProblemError(toKeyLogProblem(followed.reason));
  return followed.kind === "none" ? undefined : followed;
}

/**
 * `undefined` where the organization has none, and none was seen: its forms have key files. A list of another organization than the one in which the form
 * was seen is refused: its owners and managers would sign for the form.
 */
async function findList({ client, findKnownList }: KeyLogWriting, formId: FormId): Promise<KnownList | undefined> {
  const known = await findKnownList().catch((error: unknown) => orNothing(error, "no_list"));
  if (known !== undefined) await requireOwnForm(client, formId, known.list.organizationId);
  return known;
}

async function openKeys({ client, findKnownList }: KeyLogWriting, formId: FormId): Promise<readonly OpeningKey[]> {
  const opened = await openWhole(client, formId, findKnownList).catch((error: unknown) =>
    orNothing(error, "no_envelope"),
  );
  return findHeldKeys(opened?.envelopes ?? []);
}

/** Opens the form's envelopes, as far as it may: the log has to have the entry that they name. An owner need not read them. */
async function openReadable({ client, findKnownList }: KeyLogWriting, formId: FormId): Promise<readonly OpeningKey[]> {
  try {
    const opened = await openForm(client, { formId, loadList: findKnownList });
    return opened.kind === "opened" ? findHeldKeys(opened.envelopes) : [];
  } catch (error) {
    if (!(error instanceof EnvelopeProblemError)) throw error;
    return [];
  }
}

function orNothing(error: unknown, expected: EnvelopeProblemError["problem"]): undefined {
  if (!(error instanceof EnvelopeProblemError && error.problem === expected)) throw error;
}

function toLogged({ version, fingerprint, hybridFingerprint }: PublishedKey) {
  return { version, fingerprint, hybridFingerprint: hybridFingerprint ?? null };
}
