import type { Command } from "commander";
import { type Context, say } from "./context.ts";
import { toProblemError } from "./envelope-keys.ts";
import { openWriter, type Person, type WriterOptions } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { fingerprintOf } from "./known-members.ts";
import { shownName } from "./shown-name.ts";
import { formatTable } from "./table.ts";
import { addWriterOptions } from "./write-form.ts";

export function addBeginPartCommand(listed: Command, context: Context): void {
  addWriterOptions(listed.command("begin-part"))
    .summary("make room in a list that is nearly full, by another part with the same members")
    .description(
      "A part of the list has room for 4,096 entries, the last quarter of them for owners. This begins another one, in which everybody stays, in one request that lands as a whole or not at all. Links that nobody has completed end. For owners.",
    )
    .action((options: WriterOptions) => beginPart(context, options));
}

async function beginPart(context: Context, options: WriterOptions): Promise<void> {
  const person = await openWriter(context, options, true);
  const { untilFirst } = await import("@sealpost/sdk/envelopes");
  const list = await untilFirst(() => begin(person)).catch((error: unknown) => {
    throw toProblemError(error);
  });
  say(context, `Begun, with ${list.members.size.toLocaleString("en")} members`);
  const { findUnvouched } = await import("@sealpost/envelope");
  const unvouched = await findUnvouched(list, await person.writer.findStanding(list));
  if (unvouched.length === 0) return;
  say(context, "Nobody vouches for these members. Have them read their key to you, and use keys listed vouch:");
  const rows = unvouched.map(async ({ member }) => [
    ...[member.id, shownName(member), member.role, await fingerprintOf(member)],
  ]);
  context.output.write(formatTable(["ID", "NAME", "ROLE", "KEY"], await Promise.all(rows)));
}

async function begin({ client, writer, key, signal }: Person) {
  const { createListPart, importSigningKey, RefusalError } = await import("@sealpost/envelope");
  const before = await writer.loadList();
  const signer = { id: writer.findSelf(before).id, signingKey: await importSigningKey(key.signingSeed) };
  const part = await createListPart(before, signer).catch((error: unknown) => {
    if (error instanceof RefusalError && error.reason === "not_allowed")
      throw new CommandError("refused", "Only an owner begins another part of the list");
    throw error;
  });
  await client.memberList.begin(part, before.head, { signal });
  return writer.loadList();
}
