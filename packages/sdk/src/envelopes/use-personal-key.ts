import {
  continueKeyLog,
  createListEntry,
  type FormKey,
  findCarriedKeys,
  importSigningKey,
  mayReplace,
  type OpenedEnvelope,
  openEnvelope,
  RefusalError,
  readSigned,
  type SignedEntry,
  type SignedRevision,
  type SigningKeys,
  sealEnvelope,
  signHead,
  toRemembered,
  type VerifiedList,
} from "@sealpost/envelope";
import type { Kem } from "@sealpost/wire";
import { checkList } from "./check-list.ts";
import type {
  EntryToSign,
  EnvelopeFile,
  EnvelopeSeen,
  EnvelopeToOpen,
  EnvelopeToSeal,
  HeadToSign,
  KeyAgent,
  KeyLogEntryToSign,
  RevisionToRead,
  SealedEnvelope,
} from "./key-agent.ts";
import { importEnvelopeKeys } from "./opening-keys.ts";

// All that is done with a personal key, in the thread that holds it: the acts of a `KeyAgent`.

/** An open key, or a recovery key, which has no seed: to read and to sign with. `former`: keys that it has replaced. */
export interface KeyInUse extends SigningKeys {
  readonly former?: readonly SigningKeys[];
}

/** An agent that has the key in its own memory. `kem` is for runtimes that do not know hybrid keys. */
export function createKeyAgent(key: KeyInUse, kem?: Kem): KeyAgent {
  return {
    openEnvelope: (request) => openFormEnvelope(identitiesOf(key), request, kem),
    readSigned: (request) => readSignedRevision(key, request),
    sealEnvelope: (request) => sealFormEnvelope(key, request),
    signKeyLogEntry: (entry) => signKeyLogEntry(key, entry),
    signEntry: (entry) => signEntry(key, entry),
    signHead: (head) => signOwnHead(key, head),
  };
}

/** With the open key, or, where an envelope is not for it yet, with one that it has replaced. */
export function identitiesOf({ identity, former = [] }: KeyInUse): readonly string[] {
  return [identity, ...former.map((key) => key.identity)];
}

export function signEntry(
  key: KeyInUse,
  { organizationId, list, change, signerId, formerSigningKey = key.signingKey }: EntryToSign,
): Promise<SignedEntry | RefusalError> {
  return orRefusal(async () => {
    const known = list && (await checkList(list));
    const signing = [key, ...(key.former ?? [])].find(({ signingKey }) => signingKey === formerSigningKey);
    if (signing === undefined) throw new RefusalError("not_signed");
    const signer = { id: signerId, signingKey: await importSigningKey(signing.signingSeed) };
    return createListEntry(known, organizationId, change, signer);
  });
}

/** For other devices of the same person. */
export async function signOwnHead(key: KeyInUse, head: HeadToSign): Promise<{ readonly signedHead: string }> {
  return { signedHead: await signHead(head, key.signingSeed) };
}

/** Signs with the open key, or with a former one that the log still names, or with the recovery key. */
export function signKeyLogEntry(
  personal: KeyInUse,
  { formId, log, key, signers, signWith }: KeyLogEntryToSign,
): Promise<{ readonly entry: string } | RefusalError> {
  return orRefusal(async () => {
    const keys = [personal, ...(personal.former ?? []), ...(signWith ? [signWith] : [])];
    return { entry: await continueKeyLog(log, { formId, key, signers }, keys) };
  });
}

/** With the first of these identities that is a reader's, or with the recovery key. */
export function openFormEnvelope(
  identities: readonly string[],
  request: EnvelopeToOpen,
  kem: Kem | undefined,
): Promise<EnvelopeSeen | RefusalError> {
  return orRefusal(async () => {
    const { known, content, head, ...standing } = await readEnvelope(identities, request);
    const keys = await importEnvelopeKeys(content, kem);
    const { formName, writtenAt, signedBy } = content;
    const then = known.membersAt(content.list);
    const readers = content.readers.map((reader) => ({ ...reader, name: then?.get(reader.id)?.name }));
    const writtenBy = { id: signedBy, name: then?.get(signedBy)?.name };
    return { head, keys, formName, readers, writtenAt, writtenBy, ...standing };
  });
}

export function sealFormEnvelope(
  key: KeyInUse,
  { list, signerId, confirmed, keys, previous, after, earlier, lost, openWith, ...parts }: EnvelopeToSeal,
): Promise<SealedEnvelope | RefusalError> {
  return orRefusal(async () => {
    const known = await checkList(list);
    const signer = { id: signerId, signingKey: await importSigningKey(key.signingSeed) };
    const openAgain = async ({ file, head }: EnvelopeFile) => {
      const again = await openWithAny(identitiesOf(key), known, {
        ...{ file, formId: parts.formId, firstVersion: head.firstVersion, revision: head.revision, newest: head },
        ...(openWith !== undefined && { openWith }),
      });
      return { ...again, head: toRemembered(again.head, head) };
    };
    const opened = previous && (await openAgain(previous));
    const older = lost && (await openAgain(lost));
    const isLost = (one: FormKey) => {
      const held = opened?.head.keys.find(({ version }) => version === one.version);
      const hasSeed = older?.head.keys.some(({ version, seedHash }) => version === one.version && seedHash !== null);
      const isWanted = held === undefined || (held.isPublished && hasSeed === true && mayReplace(one, held));
      return isWanted && !lost?.ahead?.includes(one.version);
    };
    const sealed = await sealEnvelope({
      ...parts,
      list: known,
      signer,
      standing: { own: key, confirmed },
      keys: [...keys, ...(older ? findCarriedKeys(older).filter(isLost) : [])],
      ...(opened && { previous: opened }),
      ...(after && { after }),
      ...(earlier && { earlier: await openAgain(earlier) }),
    });
    return { ...sealed, head: toRemembered(sealed.head, older?.head, opened?.content.keys) };
  });
}

/** With its private keys, which do not leave this thread. */
export async function readEnvelope(
  identities: readonly string[],
  { list, ...request }: EnvelopeToOpen,
): Promise<OpenedEnvelope & { readonly known: VerifiedList }> {
  const known = await checkList(list);
  return { known, ...(await openWithAny(identities, known, request)) };
}

export function readSignedRevision(
  key: KeyInUse,
  { list, file, openWith, ...expected }: RevisionToRead,
): Promise<SignedRevision | RefusalError> {
  return orRefusal(async () => {
    const known = await checkList(list);
    return withAny([...identitiesOf(key), ...(openWith === undefined ? [] : [openWith])], (identity) =>
      readSigned(file, identity, { ...expected, list: known }),
    );
  });
}

function openWithAny(
  identities: readonly string[],
  list: VerifiedList,
  { file, openWith, ...expected }: Omit<EnvelopeToOpen, "list">,
): Promise<OpenedEnvelope> {
  return withAny([...identities, ...(openWith === undefined ? [] : [openWith])], (identity) =>
    openEnvelope(file, identity, { ...expected, list }),
  );
}

/** With the first of these identities that is a reader's. */
async function withAny<Answer>(
  identities: readonly string[],
  open: (identity: string) => Promise<Answer | RefusalError>,
): Promise<Answer> {
  let refusal: RefusalError = new RefusalError("not_a_reader");
  for (const identity of identities) {
    const opened = await open(identity);
    if (!(opened instanceof RefusalError)) return opened;
    refusal = opened;
    if (opened.reason !== "not_a_reader") break;
  }
  throw refusal;
}

export function orThrow<Value>(value: Value | RefusalError): Value {
  if (value instanceof RefusalError) throw value;
  return value;
}

export async function orRefusal<Answer>(work: () => Promise<Answer>): Promise<Answer | RefusalError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RefusalError) return error;
    throw error;
  }
}
