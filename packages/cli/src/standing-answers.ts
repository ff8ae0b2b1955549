import type { Member, Unvouched, VerifiedList } from "@sealpost/envelope";
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

/** Vouches in the list where the role allows it, otherwise on this machine alone. The members are those that the list had at `head`; one that has changed since is skipped. */
export async function vouch(
  context: Context,
  person: Person,
  known: readonly Member[],
  { head: shown }: Pick<VerifiedList, "head">,
): Promise<void> {
  const { findSealable, mayChange, wasChangedSince } = await import("@sealpost/envelope");
  const isAsShown = (now: VerifiedList, { id }: Member) => now.members.has(id) && !wasChangedSince(now, shown, id);
  let list = await person.writer.loadList().catch(refuse);
  for (let index = 0; index < known.length; index += vouchedMax) {
    const some = known.slice(index, index + vouchedMax);
    list = await changeListOf(person, (now) => {
      const self = person.writer.findSelf(now);
      const isAllowed = (one: Member) => one.id !== self.id && mayChange(self, one, one);
      const members = some.filter((one) => isAllowed(one) && isAsShown(now, one)).map(({ id }) => id);
      return members.length === 0 ? undefined : { change: "vouch", members: members.sort(), shown: shown.number };
    });
  }
  const sealable = await findSealable(list, await person.writer.findStanding(list));
  const left = known.filter((one) => isAsShown(list, one) && !sealable.has(one.id));
  if (left.length > 0) await person.writer.confirmMembers(list, left);
  const outdated = known.filter((one) => !isAsShown(list, one)).map((one) => shownName(one));
  for (const { name, id } of known.filter((one) => isAsShown(list, one)))
    say(
      context,
      `${shownName({ id, name })}: ${left.some((one) => one.id === id) ? "confirmed on this machine" : "vouched for"}`,
    );
  if (outdated.length > 0)
    throw new CommandError(
      "differs",
      `The list was changed meanwhile: ${outdated.join(", ")}. Nobody was vouched for in their place: look at \`sealpost keys listed list\` and begin again`,
    );
}

function refuse(error: unknown): never {
  throw toProblemError(error);
}
