import { findNewestEnvelope, keptReaders } from "@sealpost/envelope";
import { findLeftOut, type LeftOut } from "./change-form-readers.ts";
import type { SealingList } from "./envelope-client.ts";
import type { OpenedEnvelope } from "./open-form.ts";
import { findBase, type RotationBase, toSealing } from "./store-envelope.ts";

/** Who gets the key of a rotation, and who does not, to be shown before it is signed. */
export interface ShownRotation extends RotationBase {
  /** Everybody who gets the new key, recovery keys included, with the name that the list has. */
  readonly readers: readonly { readonly id: string; readonly name: string | undefined }[];
  /** Readers of the previous revision, or of the envelope below it, who get no new key. */
  readonly leftOut: readonly LeftOut[];
}

/** `previous`: of `findRotatedEnvelope`, one of `envelopes`, which are all that opened. */
export function findShown(
  list: SealingList,
  previous: OpenedEnvelope,
  envelopes: readonly OpenedEnvelope[],
): ShownRotation {
  const base = findBase(list, previous);
  const readers = base.readerIds.map((id) => ({ id, name: list.list.members.get(id)?.name }));
  const leftOut = findLeftOut(list, previous);
  const named = new Set([...base.readerIds, ...leftOut.map(({ id }) => id)]);
  const others = findBelow(list, previous, envelopes).filter(({ id }) => !named.has(id));
  return { ...base, readers, leftOut: [...leftOut, ...others] };
}

/** Who reads the envelope below: one that was begun for fewer people is continued for these, and nobody else would hear of it. */
function findBelow(
  list: SealingList,
  { firstVersion }: OpenedEnvelope,
  envelopes: readonly OpenedEnvelope[],
): readonly LeftOut[] {
  const below = findNewestEnvelope(envelopes.filter((one) => one.firstVersion < firstVersion));
  if (below === undefined) return [];
  const kept = keptReaders(toSealing(list), below);
  return below.readers
    .filter(({ id }) => kept.has(id))
    .map(({ id, name }) => ({ id, name: list.list.members.get(id)?.name ?? name, reason: "below" }));
}
