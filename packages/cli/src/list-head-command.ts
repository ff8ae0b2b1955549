import type { ListHead, VerifiedList } from "@sealpost/envelope";
import { orNone } from "@sealpost/sdk";
import type { Command } from "commander";
import { connect } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { createReader, findHeads, type IdentityOptions, toProblemError } from "./envelope-keys.ts";
import { openWriter, type WriterOptions } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { readIdentityFile } from "./identity-file.ts";
import { describeListRoom } from "./list-room.ts";
import { collectList } from "./option-values.ts";
import { addWriterOptions } from "./write-form.ts";

interface HeadOptions extends WriterOptions {
  readonly unchecked?: boolean;
}

interface ForgetOptions extends IdentityOptions {
  readonly form: readonly string[];
}

const warning =
  "Pass it on by another way than this service, such as in person or by phone, and have it compared there: a service that shows two people different lists is found out by nothing else.";

export function addListHeadCommands(keys: Command, context: Context): void {
  addWriterOptions(keys.command("list-head"))
    .summary("print the head of the list of members, to pass on or to compare")
    .description(
      "Prints the head of the organization's signed list of members, NUMBER-HASH, for --list, after checking the list with your personal key or a program's identity.",
    )
    .option("--unchecked", "print the head that the server shows, unchecked, to compare it with somebody else's")
    .addHelpText(
      "after",
      `\n${warning}\n\nExample:\n  $ sealpost keys list-head --identity sealpost-reports.identity.txt`,
    )
    .action((options: HeadOptions) => printHead(context, options));

  keys
    .command("forget")
    .summary("forget which envelopes of a form were seen, and in which organization")
    .description(
      "Forgets what is remembered about forms. Use it after somebody has explained why the server shows other envelopes or another organization than before: because a form was handed over, for example. What the server shows next is then accepted. Asks no server.",
    )
    .requiredOption("--form <form-id>", "id of the form; repeatable, or with commas", collectList)
    .option("--identity <file>", "identity of a program (default: what your personal key has seen)")
    .option("--heads <file>", "where it is remembered, if not in the usual file")
    .action((options: ForgetOptions) => forgetForms(context, options));
}

async function printHead(context: Context, options: HeadOptions): Promise<void> {
  const { head, count } = options.unchecked ? await findShownHead(context) : await findCheckedHead(context, options);
  const { formatListHead } = await import("@sealpost/sdk/envelopes");
  const room = await describeListRoom(count);
  if (room !== undefined) say(context, room);
  say(context, options.unchecked ? `Nobody has checked the list that the server shows. ${warning}` : warning);
  context.output.write(`${formatListHead(head)}\n`);
}

interface ShownHead {
  readonly head: ListHead;
  /** The entries of the newest part. */
  readonly count: number;
}

async function findCheckedHead(context: Context, options: HeadOptions): Promise<ShownHead> {
  const { identity: path, passphraseFile } = options;
  try {
    if (path === undefined) return await measure(await (await openWriter(context, options)).writer.loadList());
    const text = await readIdentityFile(context, path, passphraseFile);
    const reader = await createReader(context, await connect(context), { text, path }, options);
    return await measure(await reader.loadList());
  } catch (error) {
    throw toProblemError(error);
  }
}

async function measure(list: VerifiedList): Promise<ShownHead> {
  const { entriesMax, findListRoom } = await import("@sealpost/envelope");
  return { head: list.head, count: entriesMax - findListRoom(list).left };
}

async function findShownHead(context: Context): Promise<ShownHead> {
  const client = await connect(context);
  const bytes = await orNone(client.memberList.get(undefined, { signal: context.signal, retry: true }));
  if (bytes === undefined) throw new CommandError("notFound", "The organization has no signed list of members");
  const { findClaimedPart } = await import("@sealpost/envelope");
  const part = await findClaimedPart(bytes);
  if (part === undefined) throw new CommandError("differs", "What the server shows is not a list of members");
  return part;
}

async function forgetForms(context: Context, { form, identity, heads }: ForgetOptions): Promise<void> {
  const { createSeenHeads } = await import("@sealpost/envelope");
  const text = identity === undefined ? "" : await readIdentityFile(context, identity);
  const seen = createSeenHeads(await findHeads(context, { text, path: identity }, heads));
  for (const formId of form) {
    const before = await seen.findEnvelopes(formId);
    await seen.forgetForm(formId);
    say(context, `${formId}: ${before.heads.length === 0 ? "nothing was remembered" : "forgotten"}`);
  }
}
