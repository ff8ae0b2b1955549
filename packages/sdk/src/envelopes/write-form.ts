import {
  type EnvelopeHead,
  FarVersionError,
  type FollowedKeyLog,
  type FormKey,
  findNewestEnvelope,
  findNextKey,
  findRotatedEnvelope,
  findSignedName,
  type HeadStore,
  KeyLogProblemError,
  toFormKey,
} from "@sealpost/envelope";
import {
  encodeBase64Url,
  type FormId,
  fingerprint,
  generateHybridKeyPair,
  generateKeyPair,
  type HybridPrivateKey,
  hasKeyLogHead,
  type Kem,
  type PrivateKey,
} from "@sealpost/wire";
import type { CallOptions } from "../client/call.ts";
import type { Client } from "../client/client.ts";
import type { FormToCreate, KeyClosing } from "../client/forms-client.ts";
import { type PublicKeys, provesKey, publicKeysOf } from "../prove-key.ts";
import { type Attempt, type createAttempts, isRecent, isRecentCreation, type SealedNow } from "./attempts.ts";
import type { LeftOut } from "./change-form-readers.ts";
import { followFormKeyLog } from "./continue-key-log.ts";
import type { EnvelopeClient } from "./envelope-client.ts";
import { EnvelopeProblemError } from "./envelope-problem.ts";
import type { SealedEnvelope } from "./key-agent.ts";
import { confirmRotation, type LostKeys, type NamedKeys } from "./lost-keys.ts";
import type { OpenedEnvelope } from "./open-form.ts";
import { requireOwnOrganization } from "./own-organization.ts";
import type { SearchOptions } from "./search-revisions.ts";
import type { ShownRotation } from "./shown-rotation.ts";
import {
  createFormWithEnvelope,
  findStored,
  isPublished,
  type Keeper,
  rotateWithEnvelope,
  type StoredEnvelope,
} from "./store-envelope.ts";
import { openToRotate, untilFirst } from "./whole-form.ts";

/** A form to create; its keys are made here. */
export interface FormToMake {
  readonly name: string;
  readonly settings?: FormToCreate["settings"];
  /** Whether it gets a hybrid key too, against quantum computers. */
  readonly hybrid?: boolean;
  /** Ids of members of the list who read it too. The writer and recovery keys always do. */
  readonly readers?: readonly string[];
  /** Id of the organization for which it is. Needed where the last one was for another; else that one, or at first the one that the server shows. */
  readonly organizationId?: string;
}

/** A key that was made before its rotation, so that pages can pin it first: what a key file has. */
export interface PreparedKey {
  /** The rotation is refused unless this is the form's next version. */
  readonly keyVersion: number;
  readonly privateKey: PrivateKey;
  readonly hybridPrivateKey?: HybridPrivateKey;
  readonly seed: string;
}

/** A key was prepared for another version than the form's next one. Nothing was changed. */
export class PreparedKeyError extends Error {
  override readonly name = "PreparedKeyError";
  readonly prepared: number;
  readonly next: number;

  constructor(prepared: number, next: number) {
    super(`The key was prepared for key version ${prepared}, and the form's next is ${next}. Nothing was changed`);
    this.prepared = prepared;
    this.next = next;
  }
}

export interface RotationToMake extends SearchOptions {
  /** Takes this key in the place of a new one. It says itself whether the version has a hybrid key. Rejects with a `PreparedKeyError` where it is for another version. */
  readonly prepared?: PreparedKey;
  /** Whether the new version has a hybrid key. Unless it is set: as the version before. */
  readonly hybrid?: boolean;
  /** When older versions stop accepting submissions, in milliseconds since the Unix epoch: set in the same step. */
  readonly closeOlderAt?: Exclude<KeyClosing["at"], null>;
  /** Gets the form's name, if its envelope has one, before a key is made. What it throws ends the call. */
  readonly confirmName?: (formName: string | undefined) => Promise<void>;
  /**
   * Of a form without a key log that its envelopes name whose newest version the server puts more than 32 above `known`, the newest in its envelopes: gets both, before a key is made.
   * What it throws ends the call; without it that is a `FarVersionError`.
   */
  readonly confirmVersion?: (newest: number, known: number) => Promise<void>;
  /**
   * Gets everybody who gets the new key, recovery keys included, and those who read the form until now and get none, before the key is made: the server may have shown the
   * envelope from before somebody was taken out. What it throws ends the call. Without it nobody is asked; the result names both. Where keys would be lost as well,
   * `confirmLoss` is called instead.
   */
  readonly confirmReaders?: (shown: ShownRotation) => Promise<void>;
  /**
   * Gets the same, with the keys that the rotation leaves behind: where nothing opens of the envelope in which the new version
   * has its place, and nothing can be brought back; or where the form has newer versions than those whose keys open here, so that its newest revision may be hidden.
   * What it throws ends the call; without it that is a `LostKeysError`.
   */
  readonly confirmLoss?: (lost: LostKeys) => Promise<void>;
}

/** A key that is in use, in an envelope that was read back and has opened a test value. */
export interface WrittenForm {
  readonly formId: FormId;
  readonly keyVersion: number;
  /** To be pinned by pages: of the hybrid key where there is one. */
  readonly fingerprint: string;
  readonly isHybrid: boolean;
  readonly readers: readonly { readonly id: string; readonly name: string | undefined }[];
  /** An earlier call that was cut off had sent it; no key was made now. */
  readonly isResumed: boolean;
}

export interface RotatedForm extends WrittenForm {
  /** Those who read the form before, and for whom the new key is not. Empty where an earlier call had sent it. */
  readonly leftOut: readonly LeftOut[];
}

export interface FormWriting {
  readonly client: EnvelopeClient;
  /** For what a new form needs besides. */
  readonly forms: Client["forms"];
  readonly store: HeadStore;
  readonly attempts: ReturnType<typeof createAttempts>;
  readonly kem: Kem | undefined;
  readonly now: () => number;
  readonly options: CallOptions | undefined;
}

export async function createForm(
  writing: FormWriting,
  { name, settings, hybrid = false, readers = [], organizationId }: FormToMake,
): Promise<WrittenForm> {
  const { client, forms, store, attempts, now, options } = writing;
  const list = await client.loadList();
  const owner = list.list.organizationId;
  await requireOwnOrganization(store, list.list, organizationId);
  const before = await attempts.findCreation(owner, name);
  const finished = before && (await resume(writing, before));
  // One of long ago is finished too, so that its key is in use and not forgotten; yet somebody who creates a form by now means another one.
  if (before && finished && isRecentCreation(before, now())) return finished;
  const formId = (await forms.reserve(options)).formId as FormId; // ids of forms, by the API's document
  const { halves, formKey } = await makeKeys(writing, 1, hybrid);
  const form = { formId, name, readers, ...halves, ...(settings && { settings }) };
  return write(
    writing,
    formKey,
    halves,
    (sealed) => attempts.ofCreation(owner, name, sealed),
    (keeper) => createFormWithEnvelope(client, list, form, formKey, keeper),
  );
}

export async function rotateForm(
  writing: FormWriting,
  formId: string,
  { prepared, hybrid, closeOlderAt, confirmName, confirmVersion, isThorough, ...confirm }: RotationToMake = {},
): Promise<RotatedForm> {
  const { client, forms, attempts, now, options } = writing;
  const before = await attempts.findRotation(formId);
  const finished = before && (await resume(writing, before));
  const isOther =
    prepared === undefined
      ? hybrid !== undefined && hybrid !== finished?.isHybrid
      : (await fingerprint(prepared.privateKey)) !== before?.fingerprint;
  const plan = await untilFirst(async () => {
    const opened = await openToRotate(client, formId, { isThorough });
    const newest = findNewestEnvelope(opened.envelopes);
    if (newest === undefined) throw new EnvelopeProblemError("no_envelope");
    if (before && finished && !isOther && isMeant(before, newest, now())) return finished;
    await confirmName?.(findSignedName(opened.envelopes));
    const next = await findVersion(client, newest.head.formId, opened.envelopes, confirmVersion);
    if (prepared !== undefined && prepared.keyVersion !== next.version)
      throw new PreparedKeyError(prepared.keyVersion, next.version);
    const shown = await confirmRotation(client, opened, newest.head.formId, { ...next, isThorough }, confirm);
    return { ...opened, newest, ...next, shown };
  });
  if ("isResumed" in plan) {
    const { keyVersion: below } = plan;
    if (closeOlderAt !== undefined) await forms.closeKeys(formId, { below, at: closeOlderAt }, options);
    return { ...plan, leftOut: [] };
  }
  const { list, envelopes, refused, newest, version: keyVersion, isHybrid, shown } = plan;
  const id = newest.head.formId;
  const { halves, formKey } =
    prepared === undefined
      ? await makeKeys(writing, keyVersion, hybrid ?? isHybrid)
      : await takeKeys(writing, prepared);
  const closing = closeOlderAt !== undefined && { closeKeyVersions: { below: keyVersion, at: closeOlderAt } };
  const previous = findRotatedEnvelope(envelopes, keyVersion) ?? newest;
  const parts = { key: formKey, previous, refused, shown };
  const written = await write(writing, formKey, halves, attempts.ofRotation, (keeper) =>
    rotateWithEnvelope(client, list, id, { ...halves, keyVersion, ...closing }, parts, keeper),
  );
  return { ...written, leftOut: shown.leftOut };
}

export interface VersionToMake extends ReturnType<typeof findNextKey> {
  readonly named: NamedKeys;
}

/** The version to which a form is rotated. Rejects with a `KeyLogProblemError`, and a `FarVersionError` that nobody has settled. */
export async function findVersion(
  client: Pick<EnvelopeClient, "heads"> & { readonly api: Pick<EnvelopeClient["api"], "fetchKeyLog" | "fetchKeys"> },
  formId: FormId,
  envelopes: readonly Pick<OpenedEnvelope, "head">[],
  confirmVersion?: RotationToMake["confirmVersion"],
): Promise<VersionToMake> {
  const followed = await followFormKeyLog(client, formId, findNewestEnvelope(envelopes)?.head.keyLog);
  if (followed.kind === "refused") throw new KeyLogProblemError(followed.reason);
  const seen = [...(await client.heads.findEnvelopes(formId)).heads, ...envelopes.map(({ head }) => head)];
  const log = findCounting(followed, seen);
  const logged = log?.entry.key;
  const published = await client.api.fetchKeys(formId);
  const named = { listed: published, logged: (log?.entries ?? []).map(({ key }) => key) };
  try {
    return { ...findNextKey(published, envelopes, { logged }), named };
  } catch (error) {
    if (!(error instanceof FarVersionError) || error.isLogged || confirmVersion === undefined) throw error;
    await confirmVersion(error.newest, error.known);
    return { ...findNextKey(published, envelopes, { confirmed: error.newest }), named };
  }
}

/** A log that nothing but the server says to be the form's counts no versions: the server could have made it up. */
function findCounting(followed: FollowedKeyLog, seen: readonly Pick<EnvelopeHead, "keyLog">[]) {
  if (followed.kind !== "checked") return undefined;
  const { log } = followed;
  return seen.some(({ keyLog }) => keyLog !== null && hasKeyLogHead(log, keyLog)) ? log : undefined;
}

/**
 * Whether a rotation of now may mean the one that was cut off. Not one of long ago; and not where its readers have changed since, which is what people
 * rotate for: anyone who was taken out has its key.
 */
function isMeant(before: Attempt, { file, outdated, isByFormer }: OpenedEnvelope, now: number): boolean {
  const isNewest = encodeBase64Url(file) === encodeBase64Url(before.file);
  return isRecent(before, now) && isNewest && outdated.length === 0 && !isByFormer;
}

/** Sends what is on the disk by then, and takes it from there once it was read back. */
async function write(
  writing: FormWriting,
  formKey: FormKey,
  halves: PublicKeys,
  toAttempt: (sealed: SealedNow) => Attempt,
  work: (keeper: Keeper) => Promise<StoredEnvelope>,
): Promise<WrittenForm> {
  const { attempts, now } = writing;
  let attempt: Attempt | undefined;
  const end = async () => {
    if (attempt !== undefined) await attempts.end(attempt);
  };
  const keeper: Keeper = {
    begin(sealed) {
      attempt = toAttempt(toSealed(sealed, formKey, now()));
      return attempts.begin(attempt);
    },
    drop: end,
  };
  const stored = await work(keeper).catch((error: unknown) => {
    throw withFile(error, attempt?.file);
  });
  if (attempt === undefined) throw new Error("An envelope was sent that was not kept"); // the keeper is asked first
  const written = await toWritten(writing, attempt, stored, halves);
  await end();
  return { ...written, isResumed: false };
}

/** Finishes what an earlier call has begun; `undefined` where that never reached the server. */
async function resume(writing: FormWriting, attempt: Attempt): Promise<WrittenForm | undefined> {
  const { client, attempts } = writing;
  const { formId, version, fingerprint, seedHash, file } = attempt;
  if (!(await isPublished(client, formId, attempt))) return undefined;
  const find = async () =>
    findStored(client, await client.loadList(), { formId, keys: [{ version, fingerprint, seedHash }] });
  const stored = await find().catch((error: unknown) => {
    throw withFile(error, file);
  });
  const written = await toWritten(writing, attempt, stored, undefined);
  await attempts.end(attempt);
  return { ...written, isResumed: true };
}

function withFile(error: unknown, file: Attempt["file"] | undefined): unknown {
  return error instanceof EnvelopeProblemError
    ? new EnvelopeProblemError(error.problem, { file, isBringable: error.isBringable })
    : error;
}

/** Nothing counts before the server has given the envelope back, and its key has opened a test value. */
async function toWritten(
  { forms, kem, options }: FormWriting,
  { formId, version, fingerprint, file }: Attempt,
  stored: StoredEnvelope,
  halves: PublicKeys | undefined,
): Promise<Omit<WrittenForm, "isResumed">> {
  if (stored.kind === "unread") throw new EnvelopeProblemError(stored.reason, { file });
  const held = stored.keys.find((key) => key.keyVersion === version && key.fingerprint === fingerprint);
  if (held === undefined) throw new EnvelopeProblemError("lost_envelope", { file });
  if (halves !== undefined && !(await provesKey(halves, held, kem)))
    throw new EnvelopeProblemError("wrong_key", { file });
  // Lists of forms warn of keys that nobody has proved: not being able to say it is no reason to fail.
  await forms.proveKey(formId, version, options).catch(() => undefined);
  const { readers, head } = stored.envelope;
  const hybrid = head.keys.find((key) => key.version === version)?.hybridFingerprint ?? undefined;
  return { formId, keyVersion: version, fingerprint: hybrid ?? fingerprint, isHybrid: hybrid !== undefined, readers };
}

async function makeKeys({ kem }: FormWriting, version: number, isHybrid: boolean) {
  if (isHybrid && kem === undefined) throw new EnvelopeProblemError("no_hybrid");
  const rsa = await generateKeyPair();
  const hybrid = isHybrid ? await generateHybridKeyPair(kem) : undefined;
  const halves: PublicKeys = { publicKey: rsa.publicKey, ...(hybrid && { hybridPublicKey: hybrid.publicKey }) };
  return { halves, formKey: await toFormKey(version, rsa.privateKey, hybrid?.privateKey) };
}

async function takeKeys({ kem }: FormWriting, { keyVersion, privateKey, hybridPrivateKey, seed }: PreparedKey) {
  if (hybridPrivateKey !== undefined && kem === undefined) throw new EnvelopeProblemError("no_hybrid");
  const halves = publicKeysOf(privateKey, hybridPrivateKey);
  return { halves, formKey: await toFormKey(keyVersion, privateKey, hybridPrivateKey, seed) };
}

function toSealed({ file, head }: SealedEnvelope, { version, fingerprint }: FormKey, startedAt: number): SealedNow {
  const seedHash = head.keys.find((key) => key.version === version)?.seedHash ?? "";
  return { formId: head.formId, version, fingerprint, seedHash, file, startedAt };
}
