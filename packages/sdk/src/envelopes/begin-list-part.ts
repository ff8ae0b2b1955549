import {
  entriesMax,
  findListRoom,
  findUnvouchedInPart,
  type ListHead,
  type PublicHalves,
  RefusalError,
  type UnvouchedInPart,
  type VerifiedList,
} from "@sealpost/envelope";
import { toListToCheck } from "./check-list.ts";
import type { SealingList } from "./envelope-client.ts";
import type { KeyAgent, PartSigned } from "./key-agent.ts";
import { untilFirst } from "./whole-form.ts";

/** An owner at work: their key, and the requests about the list. */
export interface PartWriter<List extends SealingList> {
  readonly own: PublicHalves;
  readonly keyAgent: Pick<KeyAgent, "signPart">;
  loadList(): Promise<List>;
  /** All of the part is added after `head`, or nothing; 412 where the list has another head. */
  beginPart(part: PartSigned, head: ListHead): Promise<unknown>;
}

/** Another part that could be begun now. */
export interface PartToBegin extends UnvouchedInPart {
  /** The list that it would follow. */
  readonly head: ListHead;
  /** How many members stay, the owner included. */
  readonly staying: number;
}

/** An owner's consent: the head of the list they saw, and the ids of the members they decided on. */
export interface AgreedPart {
  readonly head: ListHead;
  readonly asked: readonly string[];
}

/** `to_ask`: somebody else has changed the list since then, so there is more to be asked first; nothing was changed. */
export type BegunPart<List> =
  | { readonly kind: "begun"; readonly list: List }
  | { readonly kind: "to_ask"; readonly part: PartToBegin };

/** Previews a new part: its members, and those the owner has to decide on first. Rejects with a `RefusalError` unless the signer is an owner. */
export async function prepareListPart({
  own,
  loadList,
}: Pick<PartWriter<SealingList>, "own" | "loadList">): Promise<PartToBegin> {
  return toPart(await loadList(), own);
}

async function toPart({ list, own: self, confirmed }: SealingList, own: PublicHalves): Promise<PartToBegin> {
  if (self.role !== "owner") throw new RefusalError("not_allowed");
  const unvouched = await findUnvouchedInPart(list, { own, confirmed }, self.id);
  return { ...unvouched, head: list.head, staying: list.members.size };
}

/**
 * Begins another part of the list, in which everybody stays, and gives the list as it was read back. Where a part was begun since the list that the owner
 * agreed to, by somebody else or by a request whose answer was lost, there is room, and no further one is begun.
 */
export async function beginListPart<List extends SealingList>(
  writer: PartWriter<List>,
  { head, asked }: AgreedPart,
): Promise<BegunPart<List>> {
  return untilFirst(async () => {
    const before = await writer.loadList();
    if (firstOf(before.list) > head.number) return { kind: "begun", list: before };
    const part = await toPart(before, writer.own);
    if (part.rows.some(({ member }) => !asked.includes(member.id))) return { kind: "to_ask", part };
    const signed = await writer.keyAgent.signPart({ list: toListToCheck(before), signerId: before.own.id });
    if (signed instanceof RefusalError) throw signed;
    await writer.beginPart(signed, before.list.head);
    return { kind: "begun", list: await writer.loadList() };
  });
}

/** The number of the entry with which the newest part begins. */
function firstOf(list: VerifiedList): number {
  return list.head.number - (entriesMax - findListRoom(list).left) + 1;
}
