import type { Commitment } from "./commitment.ts";
import { type ListEntry, memberIn } from "./list-entry.ts";
import type { NameOwner, NamesFile } from "./names.ts";

/** Names that commitments of a list were shown to be to, by owner and commitment. */
export type KnownNames = ReadonlyMap<string, string>;

const keyOf = (id: string, commitment: Commitment) => `${id} ${String(commitment)}`;

export function knownName(names: KnownNames, id: string, commitment: Commitment): string | undefined {
  return names.get(keyOf(id, commitment));
}

/** The commitment that an entry has, and whose name it is to; `undefined` in entries without a name. */
export function committedIn(
  entry: ListEntry,
): { readonly owner: NameOwner; readonly commitment: Commitment } | undefined {
  const { organizationId } = entry;
  if (entry.change === "name") return { owner: { use: "organization", organizationId }, commitment: entry.name };
  const member = memberIn(entry);
  if (member === undefined) return undefined;
  const { id, name: commitment } = member;
  return { owner: { use: "member", organizationId, id }, commitment };
}

/** Looks up whether the file proves the name that an entry commits to. Members' are kept by their ids; the organization's, which has one alone, is given. */
export async function learnName(
  { file, names }: { readonly file: NamesFile; readonly names: Map<string, string> },
  entry: ListEntry,
): Promise<string | undefined> {
  const committed = committedIn(entry);
  if (committed === undefined) return undefined;
  const { owner, commitment } = committed;
  if (owner.use === "organization") return file.find(owner, commitment);
  const known = knownName(names, owner.id, commitment);
  const name = known ?? (await file.find(owner, commitment));
  if (name !== undefined) names.set(keyOf(owner.id, commitment), name);
  return undefined;
}
