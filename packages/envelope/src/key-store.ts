import type { HeadStore, ListStore } from "./seen-heads.ts";
import { hashOf } from "./text.ts";

/**
 * The part of a store in which what was seen with one key is kept, by the key's recipient: a device that several people use, or several programs, remembers
 * for each key apart, and uses what one has seen for no other. A service says who is signed in, and could show one of them a list that another has continued.
 */
export async function ofKey(store: HeadStore, recipient: string): Promise<HeadStore> {
  return ofOwner(store, await ownerOf(recipient));
}

/** By which the key of this recipient is known there. */
export function ownerOf(recipient: string): Promise<string> {
  return hashOf(recipient);
}

/** The owner's names among all in a store, as the owner's part of it knows them. */
export function namesOf(names: readonly string[], owner: string): readonly string[] {
  return names.flatMap((name) => (name.startsWith(`${owner} `) ? [name.slice(owner.length + 1)] : []));
}

/** The same for who is named: no two owners are alike, and none has a space in it. */
export function ofOwner({ isLasting, find, change, lists }: HeadStore, owner: string): HeadStore {
  const nameOf = (name: string) => `${owner} ${name}`;
  return {
    isLasting,
    find: (name) => find(nameOf(name)),
    change: (name, changed) => change(nameOf(name), changed),
    ...(lists && { lists: listsOf(lists, owner) }),
  };
}

function listsOf({ find, keep }: ListStore, owner: string): ListStore {
  const idOf = (organizationId: string) => `${owner}_${organizationId}`;
  return { find: (id) => find(idOf(id)), keep: (id, text) => keep(idOf(id), text) };
}

/** The same store, in which nothing is kept: for what is shown before the key is open. */
export function withoutKeeping({ isLasting, find, lists }: HeadStore): HeadStore {
  return {
    isLasting,
    find,
    async change(name, changed) {
      changed(await find(name));
    },
    ...(lists && { lists: { find: lists.find, keep: async () => {} } }),
  };
}
