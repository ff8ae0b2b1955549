import type { Member, VerifiedList } from "@sealpost/envelope";
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

/** Adds a program to the list of members, unless one with this recipient is there. */
export async function addProgram(
  { client, writer, key, signal }: Person,
  name: string,
  recipient: string,
): Promise<Member> {
  const { untilFirst } = await import("@sealpost/sdk/envelopes");
  return untilFirst(async () => {
    const [{ createListEntry, importSigningKey, RefusalError }, { createId }] = await Promise.all([
      import("@sealpost/envelope"),
      import("@sealpost/wire"),
    ]);
    const list = await writer.loadList();
    const known = [...list.members.values()].find((one) => one.recipient === recipient);
    if (known?.role === "program") return known;
    const { id } = writer.findSelf(list);
    const member: Member = { id: createId("account"), name, role: "program", recipient, signingKey: null };
    const signer = { id, signingKey: await importSigningKey(key.signingSeed) };
    const change = { change: "add", member } as const;
    const entry = await createListEntry(list, list.organizationId, change, signer).catch(async (error: unknown) => {
      if (!(error instanceof RefusalError)) throw error;
      const room = error.reason === "not_allowed" ? await describeListRoom(list.head) : undefined;
      if (room !== undefined) throw new CommandError("differs", room);
      throw new CommandError(
        "usage",
        error.reason === "malformed"
          ? "--program takes a name of 1 to 100 characters, and --recipient the whole line age1pq1… that keys program printed"
          : `The list of members can't take this entry. ${error.message}`,
      );
    });
    await client.memberList.add(entry, list.head, { signal });
    await writer.loadList();
    return member;
  }).catch((error: unknown) => {
    throw toProblemError(error);
  });
}
