import {
  continueKeyLog,
  type FollowedKeyLog,
  findKeyLogSigners,
  followKeyLog,
  type PersonalKey,
  RefusalError,
  type SeenHeads,
  type VerifiedList,
} from "@sealpost/envelope";
import { encodeText, type FormId, type KeyLogHead, type LoggedKey, verifyKeyLog } from "@sealpost/wire";
import type { FormKey as PublishedKey } from "../api-types.ts";
import type { CallOptions } from "../client/call.ts";
import type { Client } from "../client/client.ts";
import { orNone } from "../client/or-none.ts";
import { compareHybrid } from "../compare-hybrid.ts";
import type { OpeningKey } from "../open.ts";
import { EnvelopeProblemError } from "./envelope-problem.ts";
import type { EnvelopeReader } from "./envelope-reader.ts";
import { openWhole, untilFirst } from "./whole-form.ts";

export interface KeyLogWriting {
  readonly client: Pick<Client, "forms">;
  readonly reader: EnvelopeReader;
  readonly key: PersonalKey;
  /** An older log than was seen, or another, gets no entry. */
  readonly heads: SeenHeads;
}

type CheckedLog = Extract<FollowedKeyLog, { kind: "checked" }>;

/** Begins a form's key log with its newest key, which `keys` or the form's envelope has to have: nobody signs a key that the server alone names. */
export function beginKeyLog(
  writing: KeyLogWriting,
  formId: FormId,
  keys: readonly OpeningKey[],
  options?: CallOptions,
): Promise<KeyLogHead> {
  return untilFirst(async () => {
    const list = await findList(writing, formId, options);
    if ((await findLog(writing, formId, options)) !== undefined) throw new EnvelopeProblemError("key_log_exists");
    const held = [...keys, ...(list ? await openKeys(writing.reader, formId, options) : [])];
    const published = await writing.client.forms.keys(formId, options);
    const newest = published.reduce((one, other) => (other.version > one.version ? other : one));
    const own = held.filter(({ fingerprint }) => fingerprint === newest.fingerprint);
    if (own.length === 0 || compareHybrid(newest, held) !== undefined) throw new EnvelopeProblemError("key_not_held");
    const replyKey = own.find((key) => key.replyKey !== undefined)?.replyKey ?? null;
    return addEntry(writing, formId, { ...toLogged(newest), replyKey }, undefined, list, options);
  });
}

/** Adds an owner's entry with the same key to a form's key log, which names who may sign by now. */
export function renewKeyLog(writing: KeyLogWriting, formId: FormId, options?: CallOptions): Promise<KeyLogHead> {
  return untilFirst(async () => {
    const log = await findLog(writing, formId, options);
    if (log === undefined) throw new EnvelopeProblemError("no_key_log");
    if (!log.log.entry.owners.includes(writing.key.signingKey)) throw new EnvelopeProblemError("no_key_log_owner");
    const list = await findList(writing, formId, options);
    return addEntry(writing, formId, log.log.entry.key, log, list, options);
  });
}

/**
 * Adds an owner's entry with the same key where the newest one does not name those who may sign by now: so that somebody who was brought in can rotate, and
 * who left can't continue the log. Nothing where the person is no owner in the log, or something is wrong with it, which every other act on it says.
 */
export async function renewSigners(
  writing: KeyLogWriting,
  formId: FormId,
  followed: FollowedKeyLog,
  list: VerifiedList,
  options?: CallOptions,
): Promise<void> {
  if (followed.kind !== "checked") return;
  const { key, owners, managers } = followed.log.entry;
  const own = writing.key.signingKey;
  const wanted = findKeyLogSigners(list, own);
  const isSame = hasSame(wanted.owners, owners) && hasSame(wanted.managers, managers);
  if (!isSame && owners.includes(own)) await addEntry(writing, formId, key, followed, list, options);
}

function hasSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key) => other.includes(key));
}

/** The first entry of a form that is being made, so that no rotation of it needs a new snippet; and the head that it is, to remember once it was sent. */
export async function createFirstEntry(
  writing: KeyLogWriting,
  formId: FormId,
  key: LoggedKey,
  list: VerifiedList,
): Promise<{ readonly entry: string; readonly remember: () => Promise<unknown> }> {
  const entry = await signEntry(writing, formId, key, undefined, list);
  const log = await verifyKeyLog(encodeText(entry), { formId });
  if (typeof log === "string") throw new EnvelopeProblemError("key_log_refused");
  return { entry, remember: () => writing.heads.advanceKeyLog(formId, undefined, log.head) };
}

/** The entry of a new key in the form's key log, for its rotation; `undefined` where it has none. A manager's leaves its signers unchanged. */
export async function createNextEntry(
  writing: KeyLogWriting,
  formId: FormId,
  key: LoggedKey,
  options?: CallOptions,
): Promise<string | undefined> {
  const log = await findLog(writing, formId, options);
  return log && signEntry(writing, formId, key, log, await findList(writing, formId, options));
}

async function addEntry(
  writing: KeyLogWriting,
  formId: FormId,
  key: LoggedKey,
  before: CheckedLog | undefined,
  list: VerifiedList | undefined,
  options: CallOptions | undefined,
): Promise<KeyLogHead> {
  const entry = await signEntry(writing, formId, key, before, list);
  await writing.client.forms.addKeyLogEntry(formId, entry, before?.log.head, options);
  // The head is of what was signed here, not what the server says that it is.
  const bytes = new Uint8Array(await new Blob([before?.bytes ?? new Uint8Array(), entry]).arrayBuffer());
  const after = await verifyKeyLog(bytes, { formId });
  if (typeof after === "string") throw new EnvelopeProblemError("key_log_refused");
  await writing.heads.advanceKeyLog(formId, before?.log.head, after.head);
  return after.head;
}

/** Signed by the person's key, if the newest entry names it. An owner's entry names who may sign by now; without a list nothing of that changes. */
function signEntry(
  { key: own }: KeyLogWriting,
  formId: FormId,
  key: LoggedKey,
  before: CheckedLog | undefined,
  list: VerifiedList | undefined,
): Promise<string> {
  const signers = list || before === undefined ? findKeyLogSigners(list, own.signingKey) : undefined;
  return continueKeyLog(before?.bytes ?? new Uint8Array(), { formId, key, signers }, [own]).catch((error: unknown) => {
    if (!(error instanceof RefusalError)) throw error;
    throw new EnvelopeProblemError(error.reason === "not_allowed" ? "no_key_log_signer" : "key_log_refused");
  });
}

/** The form's key log, compared with what was seen of it. */
export function followFormKeyLog(
  { client, heads }: KeyLogWriting,
  formId: FormId,
  options?: CallOptions,
): Promise<FollowedKeyLog> {
  return followKeyLog({ formId, heads, fetchKeyLog: () => orNone(client.forms.keyLog(formId, 1, options)) });
}

async function findLog(
  writing: KeyLogWriting,
  formId: FormId,
  options: CallOptions | undefined,
): Promise<CheckedLog | undefined> {
  const followed = await followFormKeyLog(writing, formId, options);
  if (followed.kind === "refused") throw new EnvelopeProblemError("key_log_refused");
  return followed.kind === "none" ? undefined : followed;
}

/**
 * `undefined` where the organization has none, and none was seen: its forms have key files. A list of another organization than the one in which the form
 * was seen is refused: its owners and managers would sign for the form.
 */
async function findList(
  { reader, heads }: KeyLogWriting,
  formId: FormId,
  options: CallOptions | undefined,
): Promise<VerifiedList | undefined> {
  const list = await reader.loadList(options).catch((error: unknown) => orNothing(error, "no_list"));
  if (list !== undefined && !(await heads.claimForm(formId, list.organizationId)))
    throw new EnvelopeProblemError("moved_form");
  return list;
}

async function openKeys(reader: EnvelopeReader, formId: FormId, options: CallOptions | undefined) {
  const opened = await openWhole(reader, formId, options).catch((error: unknown) => orNothing(error, "no_envelope"));
  return opened?.keys ?? [];
}

function orNothing(error: unknown, expected: EnvelopeProblemError["problem"]): undefined {
  if (!(error instanceof EnvelopeProblemError && error.problem === expected)) throw error;
}

function toLogged({ version, fingerprint, hybridFingerprint }: PublishedKey) {
  return { version, fingerprint, hybridFingerprint: hybridFingerprint ?? null };
}
