import { findLeftOut, type LeftOut } from "./change-form-readers.ts";
import type { SealingList } from "./envelope-client.ts";
import type { OpenedEnvelope } from "./open-form.ts";
import { findBase, type RotationBase } from "./store-envelope.ts";

/** Who gets the key of a rotation, and who does not, to be shown before it is signed. */
export interface ShownRotation extends RotationBase {
  /** Everybody who gets the new key, recovery keys included, with the name that the list has. */
  readonly readers: readonly { readonly id: string; readonly name: string | undefined }[];
  /** Those who read the revision that is followed, and get no key. */
  readonly leftOut: readonly LeftOut[];
}

/** `previous`: of `findRotatedEnvelope`. */
export function findShown(list: SealingList, previous: OpenedEnvelope): ShownRotation {
  const base = findBase(list, previous);
  const readers = base.readerIds.map((id) => ({ id, name: list.list.members.get(id)?.name }));
  return { ...base, readers, leftOut: findLeftOut(list, previous) };
}
