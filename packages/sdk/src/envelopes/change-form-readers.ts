import { asFormName, type FollowedKeyLog, findLeft, findUnintroduced, keptReaders, mayRead } from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import type { OpeningKey } from "../open.ts";
import { followFormKeyLog, renewSigners } from "./continue-key-log.ts";
import type { EnvelopeClient, SealingList } from "./envelope-client.ts";
import { findHeldKeys, nameFollowedLog } from "./held-key.ts";
import type { FormToWrite, OpenedEnvelope } from "./open-form.ts";
import { sealRevision, storeRevision, toSealing } from "./store-envelope.ts";

/**
 * Ids of members. Those to add get the envelopes with the keys that the list has for them now, even if an envelope has older ones; of a reader whom nobody put
 * there who may do so now, it is the person's word that they read on.
 */
export interface ReaderChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  /** Members whose replaced keys somebody has accepted: they read with them what they read before, and nothing else. Of members who had left it is no word. */
  readonly accept?: readonly string[];
  /** Readers of whom the person says that they read on: where they read, and nowhere else. */
  readonly confirm?: readonly string[];
  /** The form's name in the envelopes from now on; absent: as before. */
  readonly formName?: string;
}

export interface ChangedReaders {
  readonly isChanged: boolean;
  /** Ids of the members who were readers before this change, and are not any more. */
  readonly left: readonly string[];
  /** The readers dropped for another reason than the requested change. */
  readonly leftOut: readonly LeftOut[];
}

/**
 * Writes the next revision of each of these envelopes whose readers are not those that it should have. Members who have left, have keys that nobody has
 * accepted, or are vouched for by nobody, are left out of it, and recovery keys are always in. The person stays a reader. Done again, it finds nothing to do.
 * An owner's names in the form's key log who may sign by now, unless an envelope was refused. Rejects with an `UnreadRevisionError` where the server took a
 * revision and does not give it back.
 */
export async function changeFormReaders(
  client: EnvelopeClient,
  { envelopes, refused, list }: FormToWrite<SealingList>,
  formId: FormId,
  change: ReaderChange,
): Promise<ChangedReaders> {
  const followed = await followFormKeyLog(client, formId);
  const held = findHeldKeys(envelopes);
  const left = new Set<string>();
  let isChanged = false;
  // Downwards, so that the last envelope never has older readers than one before it, wherever this stops.
  for (const envelope of envelopes.toReversed()) {
    const gone = await changeEnvelope(client, list, { followed, held, envelope, change });
    isChanged ||= gone !== undefined;
    for (const id of gone ?? []) left.add(id);
  }
  if (refused.length === 0) await renewSigners(client, list, formId, followed, held);
  const leftOut = envelopes.flatMap((envelope) => findLeftOut(list, envelope)).filter(({ id }) => left.has(id));
  const isOther = ({ id }: LeftOut, index: number) =>
    !change.remove.includes(id) && leftOut.findIndex((one) => one.id === id) === index;
  return { isChanged, left: [...left], leftOut: leftOut.filter(isOther) };
}

/** A current reader that the next revision leaves out. */
export interface LeftOut {
  readonly id: string;
  /** As the list has it; absent where it has nobody with this id, or no name. */
  readonly name: string | undefined;
  /**
   * `gone`: they have left the list since, or had a role that reads nothing, also if they are back. `other_key`: they got another key since, which nobody has
   * accepted. `unknown`: in this envelope alone, and nobody is known to have put them there, or nobody but somebody who writes no longer. `below`: they read
   * the envelope of the versions before, and not this one.
   */
  readonly reason: "gone" | "other_key" | "unknown" | "unvouched" | "below";
}

/** Readers of an envelope for whom the next revision is not unless somebody says something about them. */
export function findLeftOut(
  list: Pick<SealingList, "list" | "own" | "sealable">,
  envelope: Pick<OpenedEnvelope, "head" | "readers" | "outdated" | "unknown">,
): readonly LeftOut[] {
  const kept = keptReaders(toSealing(list), envelope);
  const left = findLeft(list.list, envelope.head.list);
  return envelope.readers
    .filter(({ id }) => !kept.has(id))
    .map(({ id, name }) => {
      return { id, name: list.list.members.get(id)?.name ?? name, reason: findReason(envelope, id, left) };
    });
}

function findReason(
  { outdated, unknown }: Pick<OpenedEnvelope, "outdated" | "unknown">,
  id: string,
  left: ReadonlySet<string>,
): LeftOut["reason"] {
  if (left.has(id)) return "gone";
  if (outdated.includes(id)) return "other_key";
  return unknown.includes(id) ? "unknown" : "unvouched";
}

interface EnvelopeChange {
  readonly followed: FollowedKeyLog;
  /** The form's keys that are open here. */
  readonly held: readonly OpeningKey[];
  readonly envelope: OpenedEnvelope;
  readonly change: ReaderChange;
}

/** Who has lost it, or `undefined` where nothing had to be changed. It counts as changed once the new revision could be read back. */
async function changeEnvelope(
  client: EnvelopeClient,
  list: SealingList,
  { followed, held, envelope, change }: EnvelopeChange,
): Promise<readonly string[] | undefined> {
  const { readers, confirmedIds, isDone } = findReaders(list, envelope, change);
  const { keyLog, isOther } = nameFollowedLog(envelope.head, followed, list, held);
  // Who waits for somebody to accept their key would be forgotten.
  const { formId } = envelope.head;
  const { formName = envelope.formName } = change;
  const isCalledSo = asFormName(formId, formName) === envelope.formName;
  if (isDone && isCalledSo && (!isOther || envelope.outdated.length > 0)) return undefined;
  const sealed = await sealRevision(client, list, formId, [], envelope, { readers, keyLog, formName, confirmedIds });
  await storeRevision(client, list, sealed, envelope.head);
  return envelope.readers.map(({ id }) => id).filter((id) => !readers.has(id));
}

/**
 * Who is to read the next revision, and whether this one is for them already. That somebody has another key by now, which nobody has accepted yet, or that
 * nobody vouches for them, is no reason for a revision by itself: it would leave them out, and who reads by then would be forgotten. That somebody has left is
 * one, also if they are in the list again.
 */
function findReaders(
  list: SealingList,
  envelope: OpenedEnvelope,
  { add, remove, accept = [], confirm = [] }: ReaderChange,
): { readonly readers: ReadonlySet<string>; readonly confirmedIds: readonly string[]; readonly isDone: boolean } {
  const { members } = list.list;
  const before = envelope.readers.map(({ id }) => id);
  const left = findLeft(list.list, envelope.head.list);
  const isReader = (id: string) => {
    const member = members.get(id);
    return member !== undefined && mayRead(member) && !left.has(id);
  };
  const recovery = [...members.values()].filter(({ role }) => role === "recovery").map(({ id }) => id);
  const renewed = before.filter((id) => accept.includes(id) && isReader(id) && list.sealable.has(id));
  const kept = [...keptReaders(toSealing(list), envelope), ...renewed].filter((id) => !remove.includes(id));
  const readers = new Set([list.own.id, ...kept, ...add, ...recovery]);
  const waiting = before.filter(
    (id) =>
      (envelope.outdated.includes(id) || !list.sealable.has(id)) &&
      isReader(id) &&
      !readers.has(id) &&
      !remove.includes(id),
  );
  const confirmedIds = findUnintroduced(list.list, envelope.head).filter(
    (id) => add.includes(id) || (confirm.includes(id) && kept.includes(id)),
  );
  const isDone =
    confirmedIds.length === 0 &&
    [...readers].every((id) => before.includes(id)) &&
    before.every((id) => readers.has(id) || waiting.includes(id)) &&
    envelope.outdated.every((id) => waiting.includes(id)) &&
    (!envelope.isByFormer || waiting.includes(envelope.writtenBy.id));
  return { readers, confirmedIds, isDone };
}
