import type { ListHead } from "@sealpost/envelope";
import { orNone } from "@sealpost/sdk";
import type { Command } from "commander";
import { connect } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { createReader, findStore, type IdentityOptions, toProblemError } from "./envelope-keys.ts";
import { openWriter, type WriterOptions } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { readIdentityFile } from "./identity-file.ts";
import { collectList } from "./option-values.ts";
import { addWriterOptions } from "./write-form.ts";

interface HeadOptions extends WriterOptions {
  readonly unchecked?: boolean;
}

interface ForgetOptions extends IdentityOptions {
  readonly form?: readonly string[];
  readonly members?: string | true;
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
    .summary("forget which envelopes of a form were seen, and in which organization, or which list of members")
    .description(
      "Forgets what is remembered about forms. Use it after somebody has explained why the server shows other envelopes or another organization than before: because a form was handed over, or the server was restored from a backup, for example. What the server shows next is then accepted as at the first sight: a program needs --list NUMBER-HASH once more for its list of members. Asks no server.",
    )
    .option("--form <form-id>", "id of the form; repeatable, or with commas", collectList)
    .option("--members [organization-id]", "the list of members (default: of the organization that was used last)")
    .option("--identity <file>", "identity of a program (default: what your personal key has seen)")
    .option("--heads <file>", "where it is remembered, if not in the usual file")
    .action((options: ForgetOptions) => forget(context, options));
}

async function printHead(context: Context, options: HeadOptions): Promise<void> {
  const head = options.unchecked ? await findShownHead(context) : await findCheckedHead(context, options);
  const { formatListHead } = await import("@sealpost/sdk/envelopes");
  say(context, options.unchecked ? `Nobody has checked the list that the server shows. ${warning}` : warning);
  context.output.write(`${formatListHead(head)}\n`);
}

async function findCheckedHead(context: Context, options: HeadOptions): Promise<ListHead> {
  const { identity: path, passphraseFile } = options;
  try {
    if (path === undefined) return (await (await openWriter(context, options)).writer.loadList()).head;
    const text = await readIdentityFile(context, path, passphraseFile);
    const reader = await createReader(context, await connect(context), { text, path }, options);
    return (await reader.loadList()).head;
  } catch (error) {
    throw toProblemError(error);
  }
}

async function findShownHead(context: Context): Promise<ListHead> {
  const client = await connect(context);
  const bytes = await orNone(client.memberList.get(undefined, { signal: context.signal, retry: true }));
  if (bytes === undefined) throw new CommandError("notFound", "The organization has no signed list of members");
  const { findClaimedHead } = await import("@sealpost/envelope");
  const head = await findClaimedHead(bytes);
  if (head === undefined) throw new CommandError("differs", "What the server shows is not a list of members");
  return head;
}

async function forget(context: Context, { form = [], members, identity, heads }: ForgetOptions): Promise<void> {
  if (form.length === 0 && members === undefined) throw new CommandError("usage", "--form or --members is needed");
  const { createSeenHeads } = await import("@sealpost/envelope");
  const text = identity === undefined ? "" : await readIdentityFile(context, identity);
  const store = await findStore(context, { text, path: identity }, heads);
  const seen = createSeenHeads(store);
  const organizationId = members === true ? await store.find("organization") : members;
  if (members === true && organizationId === undefined)
    throw new CommandError("usage", "No list of members was used here: --members acc_…");
  if (typeof organizationId === "string") {
    const before = await seen.findList(organizationId);
    await seen.forgetList(organizationId);
    say(
      context,
      `${organizationId}: ${before === undefined ? "nothing was remembered" : `forgotten ${before.number}-${before.hash}`}`,
    );
  }
  for (const formId of form) {
    const before = await seen.findEnvelopes(formId);
    await seen.forgetForm(formId);
    say(context, `${formId}: ${before.heads.length === 0 ? "nothing was remembered" : "forgotten"}`);
  }
}
