import type { Command } from "commander";
import { type Context, say } from "./context.ts";
import { toProblemError } from "./envelope-keys.ts";
import { openWriter, type WriterOptions } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { sayIntroduced } from "./introduced-readers.ts";
import { describeDoubts, fingerprintOf } from "./known-members.ts";
import { changeListOf, findMembers } from "./list-members.ts";
import { collectList } from "./option-values.ts";
import { shownName } from "./shown-name.ts";
import { requireAnswers, vouch } from "./standing-answers.ts";
import { formatJson, formatTable } from "./table.ts";
import { addWriterOptions } from "./write-form.ts";

interface RemoveOptions extends WriterOptions {
  readonly vouch?: readonly string[];
  readonly with?: readonly string[];
  readonly leave?: readonly string[];
}

interface VouchOptions extends WriterOptions {
  readonly expectKey: string;
}

export function addListedCommands(keys: Command, context: Context): void {
  const listed = keys
    .command("listed")
    .summary("show who is in the signed list of members, vouch for them, remove them")
    .description(
      "Shows the organization's signed list of members with the fingerprints of their keys, and changes it, signed with your personal key. Nothing is sealed for members whom nobody in good standing vouches for: those who were brought in, or given their key, by somebody who has left. Changes need a session that began within the last hour.",
    );

  addWriterOptions(listed.command("list"))
    .summary("list the members, their keys, and for whom something may be sealed")
    .option("--json", "print the members as JSON")
    .action((options: WriterOptions & { readonly json?: boolean }) => listListed(context, options));

  addWriterOptions(listed.command("vouch"))
    .summary("say that you know a member and this key")
    .description(
      "Vouches for the present key, role and name of a member, after the fingerprint that they have read to you, in person or by phone. Where your role signs no such entry, it is remembered on this machine.",
    )
    .argument("<member>", "name or id of the member")
    .requiredOption("--expect-key <fingerprint>", "fingerprint of their key, as listed list prints it")
    .action((member: string, options: VouchOptions) => vouchFor(context, member, options));

  addWriterOptions(listed.command("remove"))
    .summary("remove a member from the signed list, with what they brought in")
    .description(
      "Removes a member from the signed list. First it names the readers that the member put into forms, who keep reading until somebody takes them out, and shows all members whom nobody would vouch for any longer, as a tree, and changes nothing until each of them is named: in --vouch, because you know them and this key; in --with, to be removed as well; or in --leave, to stay without anything being sealed for them. Then take them out of the forms with keys readers remove, and rotate.",
    )
    .argument("<member>", "name or id of the member who has left")
    .option("--vouch <members>", "ids of members whom you know with this key; repeatable, or with commas", collectList)
    .option("--with <members>", "ids of members to remove as well; repeatable, or with commas", collectList)
    .option(
      "--leave <members>",
      "ids of members who stay, and get nothing more; repeatable, or with commas",
      collectList,
    )
    .addHelpText("after", "\nExample:\n  $ sealpost keys listed remove acc_… --with acc_… --vouch acc_…")
    .action((member: string, options: RemoveOptions) => removeListed(context, member, options));
}

async function listListed(
  context: Context,
  { json, ...options }: WriterOptions & { readonly json?: boolean },
): Promise<void> {
  const { writer } = await openWriter(context, options);
  const { findDoubts, findSealable } = await import("@sealpost/envelope");
  const list = await writer.loadList().catch(refuse);
  const sealable = await findSealable(list, await writer.findStanding(list));
  const doubtsOf = findDoubts(list);
  const rows = await Promise.all(
    [...list.members.values()].map(async (member) => ({
      id: member.id,
      name: member.name ?? null,
      role: member.role,
      fingerprint: await fingerprintOf(member),
      isVouchedFor: sealable.has(member.id),
      doubts: describeDoubts(doubtsOf(member)),
    })),
  );
  const cells = rows.map(({ id, name, role, fingerprint, isVouchedFor, doubts }) => [
    ...[id, shownName({ id, name: name ?? undefined }), role, fingerprint],
    [isVouchedFor ? "vouched for" : "nobody vouches for them", ...doubts].join("; "),
  ]);
  const text = formatTable(["ID", "NAME", "ROLE", "KEY", "STATE"], cells);
  context.output.write(json ? `${formatJson(rows, 2)}\n` : text);
}

async function vouchFor(context: Context, name: string, options: VouchOptions): Promise<void> {
  const person = await openWriter(context, options, true);
  const list = await person.writer.loadList().catch(refuse);
  const [id = ""] = findMembers(list, [name]);
  const member = list.members.get(id);
  if (member === undefined) throw new CommandError("notFound", `Nobody in the list of members is called ${name}`);
  if ((await fingerprintOf(member)) !== options.expectKey.trim())
    throw new CommandError(
      "differs",
      `The list has another key for ${shownName(member)}: ${await fingerprintOf(member)}. Nothing was changed: ask them`,
    );
  await vouch(context, person, [member], list);
}

async function removeListed(context: Context, name: string, options: RemoveOptions): Promise<void> {
  const person = await openWriter(context, options, true);
  const list = await person.writer.loadList().catch(refuse);
  const [id = ""] = findMembers(list, [name]);
  if (list.members.get(id)?.signingKey === person.key.signingKey)
    throw new CommandError("refused", "You can't remove yourself: another owner or manager can");
  const { findUnvouched } = await import("@sealpost/envelope");
  const rows = await findUnvouched(list, await person.writer.findStanding(list), [
    { change: "remove", member: { id } },
  ]);
  const { vouch: known = [], with: also = [] } = options;
  await sayIntroduced(context, person, [id, ...also]);
  const question = "Nobody would vouch for these members any longer. Name each in --vouch, --with or --leave";
  await requireAnswers(rows, options, question);
  for (const one of [id, ...also])
    await changeListOf(person, ({ members }) =>
      members.has(one) ? { change: "remove", member: { id: one } } : undefined,
    );
  say(context, `Removed from the list: ${1 + also.length}`);
  const members = rows.map(({ member }) => member).filter((member) => known.includes(member.id));
  if (members.length > 0) await vouch(context, person, members, list);
  say(context, "They may have kept the keys: `sealpost forms rotate` keeps later submissions from them.");
}

function refuse(error: unknown): never {
  throw toProblemError(error);
}
