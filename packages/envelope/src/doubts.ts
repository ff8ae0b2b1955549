import type { VerifiedList } from "./list.ts";
import { areLookAlikes } from "./look-alikes.ts";
import type { Member } from "./member.ts";
import { findEdges, type OwnWord } from "./vouching.ts";

/** Reasons to compare a member's key with them before anything is sealed for it: a name finds a member, and says nothing about who has the key. */
export interface Doubts {
  /** Other present members whose names look the same. */
  readonly alike: readonly Member[];
  /** Values that the member alone has set: the one who let them in knew others. */
  readonly ownWord: readonly OwnWord[];
}

/** The doubts about each member of a list. They flag, and refuse nothing. */
export function findDoubts(list: VerifiedList): (member: Pick<Member, "id" | "name">) => Doubts {
  const edges = findEdges(list);
  const members = [...list.members.values()];
  return ({ id, name }) => ({
    alike: members.filter((one) => one.id !== id && name && one.name && areLookAlikes(name, one.name)),
    ownWord: edges.get(id)?.ownWord ?? [],
  });
}
