import type { Member, PersonalKey, VerifiedList } from "@sealpost/envelope";
import { ApiError, type Client } from "@sealpost/sdk";
import type { EnvelopeReader, OpenedForm } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import { toProblemError } from "./envelope-keys.ts";
import { CommandError } from "./exit-code.ts";
import { printable } from "./table.ts";

/** A person at work: what opens envelopes, and the key that signs the next revisions. */
export interface Writer {
  readonly client: Client;
  readonly reader: EnvelopeReader;
  readonly key: PersonalKey;
  readonly signal: AbortSignal;
}

/** Ids of members. */
export interface ReaderChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** Somebody else may write at the same time. */
const triesMax = 8;

/** Runs `work` again where somebody else was faster (412); it begins with what is there then. */
export async function untilFirst<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412) || attempt === triesMax) throw toProblemError(error);
    }
  }
}

/**
 * Writes the next revision of each of a form's envelopes whose readers are not those that they should be. Members who have left, or have keys that
 * nobody has accepted, are left out; recovery keys are always in; the writer stays a reader. Whether anything was changed.
 */
export function changeReaders(writer: Writer, formId: string, change: ReaderChange): Promise<boolean> {
  return untilFirst(async () => {
    const opened = await openWhole(writer.reader, formId);
    let isChanged = false;
    for (const envelope of opened.envelopes)
      isChanged = (await rewrite(writer, opened.list, envelope, change)) || isChanged;
    // Read back: a server that took the revisions and shows others is refused here.
    if (isChanged) await openWhole(writer.reader, formId);
    return isChanged;
  });
}

/** The envelopes of a form, where nothing of them is refused or doubtful: otherwise no revision may follow. */
export async function openWhole(reader: EnvelopeReader, formId: string): Promise<OpenedForm> {
  const opened = await reader.open(formId).catch((error: unknown) => {
    throw toProblemError(error);
  });
  if (opened.kind === "none") throw new CommandError("notFound", `${formId} has no envelope`);
  const [refused] = opened.refused;
  if (refused !== undefined) {
    const { EnvelopeProblemError } = await import("@sealpost/sdk/envelopes");
    throw toProblemError(new EnvelopeProblemError(refused.reason));
  }
  if (opened.otherKeys.length > 0)
    throw new CommandError(
      "differs",
      `The server publishes another key for version ${opened.otherKeys.join(", ")} than the envelope has: nothing was changed. Ask who runs the server`,
    );
  return opened;
}

async function rewrite(
  { client, key, signal }: Writer,
  list: VerifiedList,
  { file, head, firstVersion, readers, outdated, isByFormer }: OpenedForm["envelopes"][number],
  { add, remove }: ReaderChange,
): Promise<boolean> {
  if (isByFormer)
    throw new CommandError(
      "differs",
      "The envelope was written by somebody who may not write it any longer. Compare its keys in the dashboard before you carry them on; nothing was changed",
    );
  const { importSigningKey, openEnvelope, RefusalError, sealEnvelope } = await import("@sealpost/envelope");
  const { id } = findSigner(list, key);
  const kept = readers.map((one) => one.id).filter((one) => !outdated.includes(one));
  const wanted = new Set([...kept, ...add].filter((one) => !remove.includes(one))).add(id);
  for (const member of list.members.values()) if (member.role === "recovery") wanted.add(member.id);
  const isSame = outdated.length === 0 && wanted.size === readers.length && readers.every((one) => wanted.has(one.id));
  if (isSame) return false;
  const formId: FormId = head.formId;
  const previous = await openEnvelope(file, key.identity, { list, formId, firstVersion, newest: head });
  if (previous instanceof RefusalError) throw new CommandError("differs", previous.message);
  const signer = { id, signingKey: await importSigningKey(key.signingSeed) };
  const sealed = await sealEnvelope({ list, signer, formId, readerIds: [...wanted], keys: [], previous });
  await client.envelopes.put(formId, firstVersion, sealed.file, head, { signal });
  return true;
}

/** The person whose key it is, as a member who signs. */
export function findSigner(list: VerifiedList, { signingKey }: PersonalKey): Member {
  const member = [...list.members.values()].find((one) => one.signingKey === signingKey);
  if (member?.role === "owner" || member?.role === "manager") return member;
  throw new CommandError(
    "unauthorized",
    "Only owners and managers write envelopes and the list of members, and in this list you are neither",
  );
}

/** The ids of members that are given by name or id. */
export function findMembers(list: VerifiedList, names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const found = [...list.members.values()].filter((member) => member.id === name || member.name === name);
    const [first, second] = found;
    if (first === undefined)
      throw new CommandError("notFound", `Nobody in the list of members is called ${printable(name)}`);
    if (second !== undefined)
      throw new CommandError(
        "usage",
        `Several members are called ${printable(name)}: ${found.map(({ id }) => id).join(", ")}`,
      );
    return first.id;
  });
}

/** Adds a program to the list of members, unless one with this recipient is there. */
export function addProgram({ client, reader, key, signal }: Writer, name: string, recipient: string): Promise<Member> {
  return untilFirst(async () => {
    const [{ createListEntry, importSigningKey, RefusalError }, { createId }] = await Promise.all([
      import("@sealpost/envelope"),
      import("@sealpost/wire"),
    ]);
    const list = await reader.loadList();
    const known = [...list.members.values()].find((one) => one.recipient === recipient);
    if (known?.role === "program") return known;
    const { id } = findSigner(list, key);
    const member: Member = { id: createId("account"), name, role: "program", recipient, signingKey: null };
    const signer = { id, signingKey: await importSigningKey(key.signingSeed) };
    const change = { change: "add", member } as const;
    const entry = await createListEntry(list, list.organizationId, change, signer).catch((error: unknown) => {
      if (!(error instanceof RefusalError)) throw error;
      throw new CommandError(
        "usage",
        error.reason === "malformed"
          ? "--program takes a name of 1 to 100 characters, and --recipient the whole line age1pq1… that keys program printed"
          : `The list of members can't take this entry. ${error.message}`,
      );
    });
    await client.memberList.add(entry, list.head, { signal });
    await reader.loadList();
    return member;
  });
}
