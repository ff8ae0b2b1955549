import type { Command } from "commander";
import { type Context, say } from "./context.ts";
import { toProblemError } from "./envelope-keys.ts";
import { openWriter, type WriterOptions } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { collectList } from "./option-values.ts";
import { requireAnswers, vouch } from "./standing-answers.ts";
import { addWriterOptions } from "./write-form.ts";

interface BeginOptions extends WriterOptions {
  readonly vouch?: readonly string[];
  readonly leave?: readonly string[];
}

export function addBeginPartCommand(listed: Command, context: Context): void {
  addWriterOptions(listed.command("begin-part"))
    .summary("make room in a list that is nearly full, by another part with the same members")
    .description(
      "A part of the list has room for 4,096 entries, the last quarter of them for owners. This begins another one, in which everybody stays, in one request that lands as a whole or not at all. It begins with you: members for whom nobody but the owner of the part before vouches are shown first, and nothing is changed until each of them is named: in --vouch, because you know them and this key; or in --leave, to stay without devices that are new sealing anything for them. Links that nobody has completed end. For owners.",
    )
    .option("--vouch <members>", "ids of members whom you know with this key; repeatable, or with commas", collectList)
    .option(
      "--leave <members>",
      "ids of members who stay, and for whom devices that are new seal nothing; repeatable, or with commas",
      collectList,
    )
    .addHelpText("after", "\nExample:\n  $ sealpost keys listed begin-part --vouch acc_…")
    .action((options: BeginOptions) => beginPart(context, options));
}

const question = "On devices that are new nobody would vouch for these members. Name each in --vouch or --leave";

async function beginPart(context: Context, options: BeginOptions): Promise<void> {
  const person = await openWriter(context, options, true);
  const { rows, following, head } = await person.writer.preparePart().catch(refuse);
  await requireAnswers(rows, options, question);
  const asked = rows.map(({ member }) => member.id);
  const begun = await person.writer.beginPart({ head, asked }, { signal: person.signal }).catch(refuse);
  // Somebody else has changed the list since then: the same question again, about more members.
  if (begun.kind === "to_ask") return requireAnswers(begun.part.rows, options, question);
  say(context, `Begun, with ${begun.list.list.members.size.toLocaleString("en")} members`);
  const known = rows.map(({ member }) => member).filter(({ id }) => options.vouch?.includes(id));
  if (known.length > 0) await vouch(context, person, known);
  if (known.length === asked.length && following > 0)
    say(context, `By them, somebody vouches for ${following.toLocaleString("en")} more`);
}

async function refuse(error: unknown): Promise<never> {
  const { RefusalError } = await import("@sealpost/envelope");
  if (error instanceof RefusalError && error.reason === "not_allowed")
    throw new CommandError("refused", "Only an owner begins another part of the list");
  throw toProblemError(error);
}
