import type { FormId } from "@sealpost/wire";
import type { EnvelopeContent, FormKey, Reader } from "./envelope-content.ts";
import type { ListHead, VerifiedList } from "./list.ts";
import { type Member, mayRead, mayWrite } from "./member.ts";
import { isRightKey } from "./private-keys.ts";
import { check, RefusalError } from "./refusal.ts";
import { hashOf } from "./text.ts";

/** A revision of an envelope by its number and bytes, which need not be opened for it. */
export interface EnvelopeVersion {
  readonly revision: number;
  /** The hash of the file's bytes. */
  readonly hash: string;
}

/** The newest revision of an envelope that was seen, to be remembered: JSON, without anything secret. */
export interface EnvelopeHead extends EnvelopeVersion {
  readonly formId: FormId;
  readonly list: ListHead;
  readonly keys: readonly Pick<FormKey, "version" | "fingerprint" | "hybridFingerprint">[];
}

export async function toReader({ id, name, recipient }: Member): Promise<Reader> {
  return { id, name, fingerprint: await hashOf(recipient) };
}

/** The members that the writer had; refused where this is not in the list, or the writer was not in it. */
export function findWriter(
  { list: head, signedBy }: EnvelopeContent,
  list: VerifiedList,
): { readonly members: ReadonlyMap<string, Member>; readonly writer: Member & { signingKey: string } } {
  const members = list.membersAt(head);
  if (members === undefined) throw new RefusalError("unknown_list");
  const writer = members.get(signedBy);
  if (!writer?.signingKey) throw new RefusalError("not_signed");
  return { members, writer: { ...writer, signingKey: writer.signingKey } };
}

/** The readers have to be members who may read, with the names and keys of the list, and every recovery key among them. */
export async function checkReaders(
  { readers }: EnvelopeContent,
  members: ReadonlyMap<string, Member>,
  stanzas: number,
): Promise<void> {
  check(stanzas === readers.length, "wrong_readers");
  for (const reader of readers) {
    const member = members.get(reader.id);
    check(member !== undefined && mayRead(member), "wrong_readers");
    const known = await toReader(member);
    check(known.name === reader.name && known.fingerprint === reader.fingerprint, "wrong_readers");
  }
  const ids = new Set(readers.map(({ id }) => id));
  const recovery = [...members.values()].filter(({ role }) => role === "recovery");
  check(
    recovery.every(({ id }) => ids.has(id)),
    "wrong_readers",
  );
}

/** An envelope may follow the newest that was seen, or be that one. Keys that were seen have to be in it, unchanged. */
export function checkContinues(content: EnvelopeContent, hash: string, newest: EnvelopeHead): void {
  check(content.formId === newest.formId && firstVersionOf(content) === firstVersionOf(newest), "other_form");
  const steps = content.revision - newest.revision;
  check(steps >= 0, "old_revision");
  if (steps === 0) check(hash === newest.hash, "forked");
  if (steps === 1) check(content.previous === newest.hash, "forked");
  check(content.list.number >= newest.list.number, "old_list");
  const isKept = newest.keys.every((key) =>
    content.keys.some(
      (other) =>
        other.version === key.version &&
        other.fingerprint === key.fingerprint &&
        (key.hybridFingerprint === null || other.hybridFingerprint === key.hybridFingerprint),
    ),
  );
  check(isKept, "key_missing");
}

/** The lowest key version of an envelope, which says which of a form's envelopes it is: it stays the same over the revisions. */
export function firstVersionOf({ keys }: Pick<EnvelopeHead, "keys">): number {
  return keys[0]?.version ?? 0;
}

/** Each private key has to be the one of its fingerprint, with every number of it. */
export async function checkKeys({ keys }: EnvelopeContent): Promise<void> {
  for (const key of keys) check(await isRightKey(key), "wrong_key");
}

/** Ids of readers and of the writer who are no longer what they were when the envelope was written. */
export function findOutdated(
  { readers, signedBy }: EnvelopeContent,
  then: ReadonlyMap<string, Member>,
  now: ReadonlyMap<string, Member>,
): readonly string[] {
  const gone = readers
    .map(({ id }) => id)
    .filter((id) => {
      const member = now.get(id);
      return member === undefined || !mayRead(member) || member.recipient !== then.get(id)?.recipient;
    });
  const writer = now.get(signedBy);
  const isWriter = writer && mayWrite(writer) && writer.signingKey === then.get(signedBy)?.signingKey;
  return isWriter || gone.includes(signedBy) ? gone : [...gone, signedBy];
}

export function toHead(content: EnvelopeContent, hash: string): EnvelopeHead {
  const { formId, revision, list, keys } = content;
  return {
    formId,
    revision,
    hash,
    list,
    keys: keys.map(({ version, fingerprint, hybridFingerprint }) => ({ version, fingerprint, hybridFingerprint })),
  };
}
