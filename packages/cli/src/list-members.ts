import type { Change, Member, NewMember, VerifiedList } from "@sealpost/envelope";
import { toProblemError } from "./envelope-keys.ts";
import type { Person } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { describeListRoom } from "./list-room.ts";
import { printable } from "./printable.ts";

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

export async function toProgram(name: string, recipient: string): Promise<NewMember> {
  const { createId } = await import("@sealpost/wire");
  return { id: createId("account"), name, role: "program", recipient, signingKey: null };
}

export function findProgram(list: VerifiedList, { recipient }: Pick<Member, "recipient">): Member | undefined {
  return [...list.members.values()].find((one) => one.recipient === recipient && one.role === "program");
}

/** Adds a program to the list of members, unless one with this recipient is there. */
export async function addProgram(person: Person, member: NewMember): Promise<Pick<Member, "id">> {
  const list = await changeListOf(person, (now) =>
    findProgram(now, member) === undefined ? { change: "add", member } : undefined,
  );
  return findProgram(list, member) ?? member;
}

/** Adds an entry to the list of members, signed by the person, unless there is nothing to change, and gives the list as it was read back. */
export async function changeListOf(
  { client, writer, key, signal }: Person,
  toChange: (list: VerifiedList) => Change | undefined,
): Promise<VerifiedList> {
  const { untilFirst } = await import("@sealpost/sdk/envelopes");
  return untilFirst(async () => {
    const { createListEntry, entriesMax, findListRoom, importSigningKey, RefusalError } = await import(
      "@sealpost/envelope"
    );
    const list = await writer.loadList();
    const change = toChange(list);
    if (change === undefined) return list;
    const signer = { id: writer.findSelf(list).id, signingKey: await importSigningKey(key.signingSeed) };
    const entry = await createListEntry(list, list.organizationId, change, signer).catch(async (error: unknown) => {
      if (!(error instanceof RefusalError)) throw error;
      const room =
        error.reason === "not_allowed" ? await describeListRoom(entriesMax - findListRoom(list).left) : undefined;
      if (room !== undefined) throw new CommandError("differs", room);
      throw new CommandError(
        "usage",
        error.reason === "malformed"
          ? "--program takes a name of 1 to 100 characters, and --recipient the whole line age1pq1… that keys program printed"
          : `The list of members can't take this entry. ${error.message}`,
      );
    });
    await client.memberList.add(entry, list.head, { signal });
    return writer.loadList();
  }).catch((error: unknown) => {
    throw toProblemError(error);
  });
}
