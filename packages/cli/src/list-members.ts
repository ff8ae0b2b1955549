import type { Change, Member, NewMember, VerifiedList } from "@sealpost/envelope";
import { toProblemError } from "./envelope-keys.ts";
import type { Person } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
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

const noPlace =
  "An owner has to sign the next change of the list of members: 1,023 were signed since an owner's last one. Ask an owner to make this change; after it, others can make theirs again.";

/** Adds an entry to the list of members, signed by the person, unless there is nothing to change, and gives the list as it was read back. */
export async function changeListOf(
  { writer, signal }: Person,
  toChange: (list: VerifiedList) => Change | undefined,
): Promise<VerifiedList> {
  return writer.changeList(toChange, { signal }).catch((error: unknown) => {
    throw toListProblem(error);
  });
}

function toListProblem(error: unknown): Error {
  if (error instanceof Error && error.name === "NoPlaceError") return new CommandError("differs", noPlace);
  if (!(error instanceof Error && error.name === "RefusalError" && "reason" in error)) return toProblemError(error);
  return new CommandError(
    "usage",
    error.reason === "malformed"
      ? "--program takes a name of 1 to 100 characters, and --recipient the whole line age1pq1… that keys program printed"
      : `The list of members can't take this entry. ${error.message}`,
  );
}
