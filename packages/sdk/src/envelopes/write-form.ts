import {
  type FormKey,
  findKeyLogHead,
  findNewestEnvelope,
  findNextKey,
  type HeadStore,
  hasPlace,
  keptReaders,
  sealEnvelope,
  toFormKey,
  toLoggedKey,
} from "@sealpost/envelope";
import { encodeBase64Url, type FormId, generateHybridKeyPair, generateKeyPair, type Kem } from "@sealpost/wire";
import { ApiError } from "../client/api-error.ts";
import type { CallOptions } from "../client/call.ts";
import type { FormToCreate, KeyClosing } from "../client/forms-client.ts";
import { orNone } from "../client/or-none.ts";
import { type PublicKeys, provesKey } from "../prove-key.ts";
import { type Attempt, type createAttempts, isRecent, isRecentCreation, type SealedNow } from "./attempts.ts";
import { EnvelopeProblemError } from "./envelope-problem.ts";
import type { OpenedForm } from "./envelope-reader.ts";
import { createFirstEntry, createNextEntry, type KeyLogWriting } from "./form-key-log.ts";
import { requireOwnOrganization } from "./own-organization.ts";
import { findSealing, findSelf, openAgain, openWhole } from "./whole-form.ts";

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

export interface RotationToMake {
  /** Whether the new version has a hybrid key. Unless it is set: as the version before. */
  readonly hybrid?: boolean;
  /** When older versions stop accepting submissions, in milliseconds since the Unix epoch: set in the same step. */
  readonly closeOlderAt?: Exclude<KeyClosing["at"], null>;
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

export interface FormWriting extends KeyLogWriting {
  readonly store: HeadStore;
  readonly attempts: ReturnType<typeof createAttempts>;
  readonly kem: Kem | undefined;
  readonly now: () => number;
}

export async function createForm(
  writing: FormWriting,
  { name, settings, hybrid = false, readers = [], organizationId }: FormToMake,
  options?: CallOptions,
): Promise<WrittenForm> {
  const { client, reader, key, store, attempts, now } = writing;
  const list = await reader.loadList(options);
  await requireOwnOrganization(store, list, organizationId);
  const { standing, signer, sealing } = await findSealing(writing, list);
  const before = await attempts.findCreation(list.organizationId, name);
  const finished = before && (await resume(writing, before, options));
  // One of long ago is finished too, so that its key is in use and not forgotten; yet somebody who creates a form by now means another one.
  if (before && finished && isRecentCreation(before, now())) return finished;
  const formId = (await client.forms.reserve(options)).formId as FormId; // ids of forms, by the API's document
  const { halves, formKey } = await makeKeys(writing, 1, hybrid);
  const readerIds = [...keptReaders(sealing), ...readers];
  const begun = await createFirstEntry(writing, formId, await toLoggedKey(formId, formKey), list);
  const keyLog = await findKeyLogHead(begun.entry, { keyLog: null }, findSelf(list, key));
  const parts = { list, signer, standing, formId, formName: name, keyLog };
  const sealed = await sealEnvelope({ ...parts, readerIds, keys: [formKey] });
  const sent = { envelope: sealed.file, keyLogEntry: begun.entry };
  const body = { name, formId, ...halves, ...sent, ...(settings && { settings }) };
  const attempt = attempts.ofCreation(list.organizationId, name, toSealed(sealed, formKey, now()));
  const written = await send(writing, attempt, halves, () => client.forms.create(body, options), options);
  await begun.remember();
  return written;
}

export async function rotateForm(
  writing: FormWriting,
  formId: string,
  { hybrid, closeOlderAt }: RotationToMake = {},
  options?: CallOptions,
): Promise<WrittenForm> {
  const { client, reader, key, attempts, now } = writing;
  const before = await attempts.findRotation(formId);
  const finished = before && (await resume(writing, before, options));
  const { list, envelopes } = await openWhole(reader, formId, options);
  const newest = findNewestEnvelope(envelopes);
  if (newest === undefined) throw new EnvelopeProblemError("no_envelope");
  const isOtherKind = hybrid !== undefined && hybrid !== finished?.isHybrid;
  if (before && finished && !isOtherKind && isMeant(before, newest, now())) {
    const { keyVersion: below } = finished;
    if (closeOlderAt !== undefined) await client.forms.closeKeys(formId, { below, at: closeOlderAt }, options);
    return finished;
  }
  const { standing, signer, sealing } = await findSealing(writing, list);
  const { version: keyVersion, isHybrid } = findNextKey(await client.forms.keys(formId, options), envelopes);
  const { halves, formKey } = await makeKeys(writing, keyVersion, hybrid ?? isHybrid);
  const opened = await openAgain(writing, list, newest);
  const previous = hasPlace(newest.head, keyVersion) ? opened : undefined;
  const logged = await toLoggedKey(newest.head.formId, formKey);
  const keyLogEntry = await createNextEntry(writing, newest.head.formId, logged, newest.head.keyLog, options);
  const keyLog = await findKeyLogHead(keyLogEntry, newest.head, findSelf(list, key));
  const { formName } = opened.content;
  const parts = { list, signer, standing, formId: newest.head.formId, formName, keyLog };
  const readerIds = [...keptReaders(sealing, newest)];
  const sealed = await sealEnvelope({ ...parts, readerIds, keys: [formKey], ...(previous && { previous }) });
  const rotation = {
    ...{ ...halves, keyVersion, envelope: sealed.file },
    ...(previous && { before: previous.head }),
    ...(keyLogEntry !== undefined && { keyLogEntry }),
    ...(closeOlderAt !== undefined && { closeKeyVersions: { below: keyVersion, at: closeOlderAt } }),
  };
  const attempt = attempts.ofRotation(toSealed(sealed, formKey, now()));
  return send(writing, attempt, halves, () => client.forms.rotateKeys(formId, rotation, options), options);
}

/**
 * Whether a rotation of now may mean the one that was cut off. Not one of long ago; and not where its readers have changed since, which is what people
 * rotate for: anyone who was taken out has its key.
 */
function isMeant(before: Attempt, { file, outdated }: OpenedForm["envelopes"][number], now: number): boolean {
  const isNewest = encodeBase64Url(file) === encodeBase64Url(before.file);
  return isRecent(before, now) && isNewest && outdated.length === 0;
}

/** Sends what is on the disk by then. Where it failed, and yet has arrived, only its answer was lost. */
async function send(
  writing: FormWriting,
  attempt: Attempt,
  halves: PublicKeys,
  work: () => Promise<unknown>,
  options: CallOptions | undefined,
): Promise<WrittenForm> {
  const { attempts } = writing;
  await attempts.begin(attempt);
  try {
    await work();
  } catch (error) {
    const isThere = await hasArrived(writing, attempt, options).catch(() => undefined);
    if (!isThere) {
      // The server itself, not a proxy, has refused, and says that it does not have it. Where it could not be asked nobody knows.
      const isRefused = error instanceof ApiError && error.status < 500 && error.reason !== undefined;
      if (isRefused && isThere === false) await attempts.end(attempt);
      throw error;
    }
  }
  const written = await readBack(writing, attempt, halves, options);
  await attempts.end(attempt);
  return { ...written, isResumed: false };
}

/** Finishes what an earlier call has begun; `undefined` where that never reached the server. */
async function resume(writing: FormWriting, attempt: Attempt, options?: CallOptions): Promise<WrittenForm | undefined> {
  if (!(await hasArrived(writing, attempt, options))) return undefined;
  const written = await readBack(writing, attempt, undefined, options);
  await writing.attempts.end(attempt);
  return { ...written, isResumed: true };
}

async function hasArrived({ client }: FormWriting, { formId, version, fingerprint }: Attempt, options?: CallOptions) {
  const published = (await orNone(client.forms.keys(formId, options))) ?? [];
  return published.some((key) => key.version === version && key.fingerprint === fingerprint);
}

/** Nothing counts before the server has given the envelope back, and its key has opened a test value. */
async function readBack(
  { client, reader, kem }: FormWriting,
  { formId, version, fingerprint, seedHash, file }: Attempt,
  halves: PublicKeys | undefined,
  options: CallOptions | undefined,
): Promise<Omit<WrittenForm, "isResumed">> {
  const withFile = (error: unknown) =>
    error instanceof EnvelopeProblemError ? new EnvelopeProblemError(error.problem, file) : error;
  const { keys, envelopes } = await openWhole(reader, formId, options).catch((error: unknown) => {
    throw withFile(error);
  });
  const held = keys.find((key) => key.keyVersion === version && key.fingerprint === fingerprint);
  // With the seed that was sent: its reply key is in the key log.
  const envelope = envelopes.find(({ head }) =>
    head.keys.some((key) => key.fingerprint === fingerprint && key.seedHash === seedHash),
  );
  if (held === undefined || envelope === undefined) throw new EnvelopeProblemError("lost_envelope", file);
  if (halves !== undefined && !(await provesKey(halves, held, kem))) throw new EnvelopeProblemError("wrong_key", file);
  // Lists of forms warn of keys that nobody has proved: not being able to say it is no reason to fail.
  await client.forms.proveKey(formId, version, options).catch(() => undefined);
  const { readers, head } = envelope;
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

function toSealed(
  { file, head }: Awaited<ReturnType<typeof sealEnvelope>>,
  { version, fingerprint }: FormKey,
  startedAt: number,
): SealedNow {
  const seedHash = head.keys.find((key) => key.version === version)?.seedHash ?? "";
  return { formId: head.formId, version, fingerprint, seedHash, file, startedAt };
}
