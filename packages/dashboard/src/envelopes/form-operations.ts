import {
  type Change,
  type ConfirmedMember,
  continueKeyLog,
  createListEntry,
  type EnvelopeHead,
  type EnvelopeVersion,
  type FormKey,
  importSigningKey,
  type ListHead,
  openEnvelope,
  type Reader,
  RefusalError,
  type SignedEntry,
  type SigningKeys,
  sealEnvelope,
  signHead,
  type VerifiedList,
  verifyList,
} from "@sealpost/envelope";
import type { OpeningKey } from "@sealpost/sdk";
import { importEnvelopeKeys } from "@sealpost/sdk/envelopes";
import { type KeyInUse, loadHybridKem } from "@sealpost/vault";
import type { FormId, KeyLogHead, KeyLogSigners, LoggedKey } from "@sealpost/wire";
import type { Bytes } from "./bytes.ts";

// Operations on the personal key, which never leaves the thread that runs them. Their answers hold only sealed bytes, signatures, public
// halves, and keys of forms that can't be exported.

/** A list that the page has checked up to `head`. It crosses to the other thread as bytes, and is checked there again. */
export interface ListToCheck {
  readonly organizationId: string;
  readonly bytes: Bytes;
  /** The file of names next to it, as it was received. */
  readonly names: Bytes;
  readonly head: ListHead;
}

export interface EntryToSign {
  readonly organizationId: string;
  /** Absent for the first entry. */
  readonly list?: ListToCheck;
  readonly change: Change;
  readonly signerId: string;
  /** Signed with the former key of this signing key, which it replaces in the list. */
  readonly formerSigningKey?: string;
}

export interface HeadToSign {
  readonly organizationId: string;
  /** The head of a list that this browser has verified. */
  readonly list: ListHead;
  readonly signedBy: string;
}

export interface EnvelopeToOpen {
  readonly list: ListToCheck;
  readonly file: Bytes;
  readonly formId: FormId;
  readonly firstVersion: number;
  /** The number under which the service keeps it. */
  readonly revision: number;
  readonly newest?: EnvelopeHead;
  /** The organization's recovery key, where the person's own does not open it. */
  readonly openWith?: string;
}

/** An envelope that was opened and checked, without its private keys. */
export interface EnvelopeSeen {
  readonly head: EnvelopeHead;
  readonly keys: readonly OpeningKey[];
  /** How its writer calls the form. */
  readonly formName: string;
  readonly readers: readonly (Reader & { readonly name: string | undefined })[];
  readonly writtenAt: string;
  /** The member who wrote it. */
  readonly writtenBy: { readonly id: string; readonly name: string | undefined };
  /** Ids of readers and writer who have left, or have other keys or fewer rights by now. */
  readonly outdated: readonly string[];
  /** Whether the writer was an owner then. */
  readonly isByOwner: boolean;
  /** Whether the writer is outdated as well. */
  readonly isByFormer: boolean;
}

export interface EnvelopeToSeal {
  readonly list: ListToCheck;
  readonly signerId: string;
  /** Members whom the person has confirmed on this device. */
  readonly confirmed: readonly ConfirmedMember[];
  readonly formId: FormId;
  readonly readerIds: readonly string[];
  /** Members whose key the person has confirmed now. */
  readonly confirmedIds?: readonly string[];
  /** Added to those of `previous`. */
  readonly keys: readonly FormKey[];
  /** How the form is called; absent: as in `previous`. */
  readonly formName?: string;
  /** The head of the form's key log with the entry of this act; absent: that of `previous`. */
  readonly keyLog?: KeyLogHead | null;
  /** The revision that this one follows, with its head as it was seen. */
  readonly previous?: EnvelopeFile;
  /** The newest revision where that can't be opened: it is followed in the place of `previous`, which gives the keys. */
  readonly after?: EnvelopeVersion;
  /** An older revision, with versions that `previous` has lost. */
  readonly lost?: EnvelopeFile;
  /** The organization's recovery key, where the person's own does not open `previous`. */
  readonly openWith?: string;
}

export interface KeyLogEntryToSign {
  readonly formId: FormId;
  /** All of the form's key log, which is checked here. */
  readonly log: Bytes;
  /** The key that the entry adds. */
  readonly key: LoggedKey;
  /** Who may sign the entry after, where an owner signs this one. Absent: as before. */
  readonly signers?: KeyLogSigners;
  /** The organization's recovery key, where the log names none of the person's own. */
  readonly signWith?: Pick<SigningKeys, "signingKey" | "signingSeed">;
}

export interface EnvelopeFile {
  readonly file: Bytes;
  /** As it was seen. */
  readonly head: EnvelopeHead;
}

export interface SealedEnvelope {
  readonly file: Bytes;
  readonly head: EnvelopeHead;
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

export function openFormEnvelope(key: KeyInUse, request: EnvelopeToOpen): Promise<EnvelopeSeen | RefusalError> {
  return orRefusal(async () => {
    const { known, content, head, outdated, isByOwner } = await readEnvelope(key, request);
    const kem = await loadHybridKem();
    const keys = await importEnvelopeKeys(content, kem);
    const { formName, writtenAt, signedBy } = content;
    const then = known.membersAt(content.list);
    const readers = content.readers.map((reader) => ({ ...reader, name: then?.get(reader.id)?.name }));
    const writtenBy = { id: signedBy, name: then?.get(signedBy)?.name };
    const isByFormer = outdated.includes(signedBy);
    return { head, keys, formName, readers, writtenAt, writtenBy, outdated, isByOwner, isByFormer };
  });
}

export function sealFormEnvelope(
  key: KeyInUse,
  { list, signerId, confirmed, keys, previous, after, lost, openWith, ...parts }: EnvelopeToSeal,
): Promise<SealedEnvelope | RefusalError> {
  return orRefusal(async () => {
    const known = await checkList(list);
    const signer = { id: signerId, signingKey: await importSigningKey(key.signingSeed) };
    const openAgain = ({ file, head }: EnvelopeFile) =>
      open(key, known, {
        ...{ file, formId: parts.formId, firstVersion: head.firstVersion, revision: head.revision, newest: head },
        ...(openWith !== undefined && { openWith }),
      });
    const opened = previous && (await openAgain(previous));
    const held = new Set(opened?.content.keys.map(({ version }) => version));
    const lostKeys = lost === undefined ? [] : (await openAgain(lost)).content.keys;
    return sealEnvelope({
      ...parts,
      list: known,
      signer,
      standing: { own: key, confirmed },
      keys: [...keys, ...lostKeys.filter(({ version }) => !held.has(version))],
      ...(opened && { previous: opened }),
      ...(after && { after }),
    });
  });
}

/** With its private keys, which do not leave this thread. */
export async function readEnvelope(key: KeyInUse, { list, ...request }: EnvelopeToOpen) {
  const known = await checkList(list);
  return { known, ...(await open(key, known, request)) };
}

/** The last list that was checked here. A head fixes all that a list ending with it says, so its bytes need no second look; names come and go. */
let lastChecked: { readonly list: VerifiedList; readonly names: Bytes } | undefined;

export async function checkList({ organizationId, bytes, names, head }: ListToCheck): Promise<VerifiedList> {
  const last = lastChecked?.list.organizationId === organizationId ? lastChecked : undefined;
  if (last !== undefined && last.list.head.hash === head.hash && isSameBytes(last.names, names)) return last.list;
  const list = orThrow(await verifyList(bytes, { organizationId, trust: { head }, names }));
  lastChecked = { list, names };
  return list;
}

function isSameBytes(one: Bytes, other: Bytes): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** With the open key, or, where the envelope is not for it yet, with one that it has replaced, or with the recovery key. */
async function open(
  { identity, former = [] }: KeyInUse,
  list: VerifiedList,
  { file, openWith, ...expected }: Omit<EnvelopeToOpen, "list">,
) {
  const request = { ...expected, list };
  const others = [...former.map((key) => key.identity), ...(openWith === undefined ? [] : [openWith])];
  let opened = await openEnvelope(file, identity, request);
  for (const other of others)
    if (opened instanceof RefusalError && opened.reason === "not_a_reader")
      opened = await openEnvelope(file, other, request);
  return orThrow(opened);
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
