import {
  addKeyLogEntry,
  continueFormLog,
  continueKeyLog,
  type FollowedKeyLog,
  findKeyLogSigners,
  findObstacle,
  followKeyLog,
  KeyLogProblemError,
  type KeyLogSource,
  type PersonalKey,
  RefusalError,
  renewSigners as renewLogSigners,
  type SeenHeads,
  type SigningKeys,
  type VerifiedList,
} from "@sealpost/envelope";
import {
  encodeText,
  type FormId,
  type KeyLogEntry,
  type KeyLogHead,
  type LoggedKey,
  verifyKeyLog,
} from "@sealpost/wire";
import type { FormKey as PublishedKey } from "../api-types.ts";
import type { CallOptions } from "../client/call.ts";
import type { Client } from "../client/client.ts";
import { orNone } from "../client/or-none.ts";
import { compareHybrid } from "../compare-hybrid.ts";
import type { OpeningKey } from "../open.ts";
import { EnvelopeProblemError, toKeyLogProblem } from "./envelope-problem.ts";
import type { EnvelopeReader } from "./envelope-reader.ts";
import { openWhole, untilFirst } from "./whole-form.ts";

export interface KeyLogWriting {
  readonly client: Pick<Client, "forms">;
  readonly reader: EnvelopeReader;
  readonly key: PersonalKey;
  /** Keys that it has replaced, which a log may still name. */
  readonly former: readonly SigningKeys[];
  /** An older log than was seen, or another, gets no entry. */
  readonly heads: SeenHeads;
}

type Bytes = Uint8Array<ArrayBuffer>;
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
    // Opened first: the envelope may name a log that the server hides.
    const held = [...keys, ...(list ? await openKeys(writing.reader, formId, options) : [])];
    if ((await findLog(writing, formId, options)) !== undefined) throw new EnvelopeProblemError("key_log_exists");
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
    await rememberEnvelopes(writing.reader, formId, options);
    const log = await findLog(writing, formId, options);
    if (log === undefined) throw new EnvelopeProblemError("no_key_log");
    if (!isOwner(writing, log.log.entry)) throw new EnvelopeProblemError("no_key_log_owner");
    const list = await findList(writing, formId, options);
    return addEntry(writing, formId, log.log.entry.key, log, list, options);
  });
}

/** As `renewSigners` of the envelopes' package, with the person's keys. */
export async function renewSigners(
  writing: KeyLogWriting,
  formId: FormId,
  followed: FollowedKeyLog,
  list: VerifiedList,
  options?: CallOptions,
): Promise<void> {
  const { key: own, former, client, heads } = writing;
  await renewLogSigners({
    ...{ formId, heads, followed, list, own: own.signingKey },
    sign: (log, key, signers) => orRefusal(continueKeyLog(log, { formId, key, signers }, [own, ...former])),
    send: (entry, before) => client.forms.addKeyLogEntry(formId, entry, before, options),
  });
}

function isOwner({ key, former }: KeyLogWriting, { owners }: KeyLogEntry): boolean {
  return [key, ...former].some(({ signingKey }) => owners.includes(signingKey));
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

/**
 * The entry of a new key in the form's key log, for its rotation; `undefined` where it has none. A manager's leaves its signers unchanged. `named`: the entry
 * that the form's newest envelope names, which the log has to have, too.
 */
export async function createNextEntry(
  writing: KeyLogWriting,
  formId: FormId,
  key: LoggedKey,
  named: KeyLogHead | null,
  options?: CallOptions,
): Promise<string | undefined> {
  const source = { ...toSource(writing, formId, options), named, own: writing.key.signingKey };
  const sign = async (log: Bytes, added: LoggedKey, before: KeyLogEntry) => {
    const list = await findList(writing, formId, options);
    return orRefusal(signAt(writing, formId, added, log, list, before));
  };
  return continueFormLog({ ...source, sign }, key).catch(rethrow);
}

async function orRefusal<Value>(work: Promise<Value>): Promise<Value | RefusalError> {
  return work.catch((error: unknown) => {
    if (error instanceof RefusalError) return error;
    throw error;
  });
}

function rethrow(error: unknown): never {
  throw error instanceof KeyLogProblemError ? new EnvelopeProblemError(toKeyLogProblem(error.reason)) : error;
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
  const { client, heads } = writing;
  const send = (text: string, last: KeyLogHead | undefined) => client.forms.addKeyLogEntry(formId, text, last, options);
  return addKeyLogEntry({ formId, heads, before, send }, entry).catch((error: unknown) => {
    throw error instanceof RefusalError ? new EnvelopeProblemError("key_log_refused") : error;
  });
}

/** Signed by the person's key, if the newest entry names it. */
async function signEntry(
  writing: KeyLogWriting,
  formId: FormId,
  key: LoggedKey,
  before: CheckedLog | undefined,
  list: VerifiedList | undefined,
): Promise<string> {
  const signed = await orRefusal(
    signAt(writing, formId, key, before?.bytes ?? new Uint8Array(), list, before?.log.entry),
  );
  if (!(signed instanceof RefusalError)) return signed;
  const isRefused = signed.reason !== "not_allowed" || before === undefined;
  const reason = isRefused ? "malformed" : findObstacle(before.log.entry, key, writing.key.signingKey);
  throw new EnvelopeProblemError(toKeyLogProblem(reason));
}

/** An owner's entry names who may sign by now; without a list nothing of that changes. */
function signAt(
  { key: own, former }: KeyLogWriting,
  formId: FormId,
  key: LoggedKey,
  log: Bytes,
  list: VerifiedList | undefined,
  before: KeyLogEntry | undefined,
): Promise<string> {
  const isNamed = list !== undefined || log.length === 0;
  const signers = isNamed ? findKeyLogSigners(list, own.signingKey, before) : undefined;
  return continueKeyLog(log, { formId, key, signers }, [own, ...former]);
}

function toSource({ client, heads }: KeyLogWriting, formId: FormId, options: CallOptions | undefined): KeyLogSource {
  return { formId, heads, fetchKeyLog: () => orNone(client.forms.keyLog(formId, 1, options)) };
}

/** The form's key log, compared with what was seen of it. */
export function followFormKeyLog(
  writing: KeyLogWriting,
  formId: FormId,
  options?: CallOptions,
): Promise<FollowedKeyLog> {
  return followKeyLog(toSource(writing, formId, options));
}

async function findLog(
  writing: KeyLogWriting,
  formId: FormId,
  options: CallOptions | undefined,
): Promise<CheckedLog | undefined> {
  const followed = await followFormKeyLog(writing, formId, options);
  if (followed.kind === "refused") throw new EnvelopeProblemError(toKeyLogProblem(followed.reason));
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

/** Opens the form's envelopes, as far as it may: the log has to have the entry that they name. An owner need not read them. */
async function rememberEnvelopes(reader: EnvelopeReader, formId: FormId, options: CallOptions | undefined) {
  await reader.open(formId, options).catch((error: unknown) => {
    if (!(error instanceof EnvelopeProblemError)) throw error;
  });
}

function orNothing(error: unknown, expected: EnvelopeProblemError["problem"]): undefined {
  if (!(error instanceof EnvelopeProblemError && error.problem === expected)) throw error;
}

function toLogged({ version, fingerprint, hybridFingerprint }: PublishedKey) {
  return { version, fingerprint, hybridFingerprint: hybridFingerprint ?? null };
}
