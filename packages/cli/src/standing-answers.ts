import type { Member, Unvouched } from "@sealpost/envelope";
import { type Context, say } from "./context.ts";
import { toProblemError } from "./envelope-keys.ts";
import type { Person } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { fingerprintOf } from "./known-members.ts";
import { changeListOf } from "./list-members.ts";
import { shownName } from "./shown-name.ts";
import { formatTable } from "./table.ts";

// Unvouched members, and the choice for each: vouch, remove as well, or leave unvouched.

/** An entry vouches for 64 members at most. */
const vouchedMax = 64;

/** The ids in each option. */
export type StandingAnswers = Readonly<Partial<Record<"vouch" | "with" | "leave", readonly string[]>>>;

/** Every one of them is named once, and nobody else. `question`: what is asked, with the options. */
export async function requireAnswers(
  rows: readonly Unvouched[],
  answers: StandingAnswers,
  question: string,
): Promise<void> {
  const named = [answers.vouch, answers.with, answers.leave].flatMap((ids = []) => ids);
  const ids = rows.map(({ member }) => member.id);
  const [other] = named.filter((id, index) => !ids.includes(id) || named.indexOf(id) !== index);
  if (other !== undefined)
    throw new CommandError("usage", `${other} is named twice, or is nobody who would be vouched for by nobody`);
  if (ids.every((id) => named.includes(id))) return;
  throw new CommandError("usage", `${question}; nothing was changed\n${await describeRows(rows)}`);
}

/** Each under the member who let them in, with the fingerprint to compare. */
async function describeRows(rows: readonly Unvouched[]): Promise<string> {
  const cells = await Promise.all(
    rows.map(async ({ member, depth, edges }) => [
      `${"  ".repeat(depth)}${member.id}`,
      shownName(member),
      member.role,
      edges.join(", "),
      await fingerprintOf(member),
    ]),
  );
  return formatTable(["ID", "NAME", "ROLE", "SET BY THEM", "KEY"], cells);
}

/** By entries of the list where the role allows it; on this machine otherwise. */
export async function vouch(context: Context, person: Person, known: readonly Member[]): Promise<void> {
  const { findSealable, mayChange } = await import("@sealpost/envelope");
  const isSame = (now: Member | undefined, { recipient, signingKey, role }: Member) =>
    now?.recipient === recipient && now.signingKey === signingKey && now.role === role;
  let list = await person.writer.loadList().catch(refuse);
  for (let index = 0; index < known.length; index += vouchedMax) {
    const some = known.slice(index, index + vouchedMax);
    list = await changeListOf(person, (now) => {
      const self = person.writer.findSelf(now);
      const isAllowed = (one: Member) => one.id !== self.id && mayChange(self, one, one);
      const members = some.filter((one) => isAllowed(one) && isSame(now.members.get(one.id), one)).map(({ id }) => id);
      return members.length === 0 ? undefined : { change: "vouch", members: members.sort() };
    });
  }
  const sealable = await findSealable(list, await person.writer.findStanding(list));
  const left = known.filter((one) => isSame(list.members.get(one.id), one) && !sealable.has(one.id));
  if (left.length > 0) await person.writer.confirmMembers(list, left);
  for (const { name, id } of known)
    say(
      context,
      `${shownName({ id, name })}: ${left.some((one) => one.id === id) ? "confirmed on this machine" : "vouched for"}`,
    );
}

function refuse(error: unknown): never {
  throw toProblemError(error);
}
