import namesJson from "../../../wire/vectors/names.json" with { type: "json" };
import { parseCommitment } from "../commitment.ts";
import type { verifyList } from "../list.ts";
import type { NameOwner, readNames } from "../names.ts";
import { bytesOfFile, type NamedListVector, type NameVectors } from "./name-vectors.ts";

// Our own generator wrote the file from this type; JSON only widens the texts.
export const nameVectorFile = namesJson as unknown as NameVectors;

export function ownerOf({ use, organizationId, id }: { use: string; organizationId: string; id: string }): NameOwner {
  return use === "member" ? { use, organizationId, id } : { use: "organization", organizationId };
}

type FileVector = NameVectors["files"][number];

/** The names that a file proves to those who are asked about. */
export async function tryFile(read: typeof readNames, vector: FileVector): Promise<unknown> {
  const { organizationId, asked } = vector;
  const file = read(bytesOfFile(vector), organizationId);
  const find = async ({ use, id, commitment }: FileVector["asked"][number]) =>
    (await file.find(ownerOf({ use, organizationId, id }), parseCommitment(commitment))) ?? null;
  return Promise.all(asked.map(find));
}

export const expectedOfFile = ({ asked }: FileVector): unknown => asked.map(({ name }) => name);

/** The names of a list by its file of names. */
export async function tryNamedList(verify: typeof verifyList, vector: NamedListVector): Promise<unknown> {
  const [bytes, names] = [vector.list, vector.names].map((text) => new TextEncoder().encode(text));
  const list = await verify(bytes ?? new Uint8Array(), { ...vector, names });
  if ("reason" in list) return list.reason;
  const members = [...list.members.values()].map(({ id, name = null }) => [id, name] as const);
  return { organizationName: list.organizationName ?? null, members: Object.fromEntries(members) };
}

export const expectedOfNamedList = ({ organizationName, members }: NamedListVector): unknown => ({
  organizationName,
  members,
});
