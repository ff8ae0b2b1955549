import type { VerifiedList } from "@sealpost/envelope";
import type { Bringable, Clearable, Difference, TakenOut } from "@sealpost/sdk/envelopes";
import type { Command } from "commander";
import { type Context, say } from "./context.ts";
import { counted } from "./counted.ts";
import { toProblemError } from "./envelope-keys.ts";
import { openWriter, type Person, type WriterOptions } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { expectKeyOption, findKnownMembers, type KnownOptions } from "./known-members.ts";
import { findMembers } from "./list-members.ts";
import { describeLost, type LoseOptions } from "./lost-keys.ts";
import { collect } from "./option-values.ts";
import { printable } from "./printable.ts";
import { confirm } from "./prompt.ts";
import { shownName } from "./shown-name.ts";
import { confirmName, expectNameOption, type NameOptions } from "./signed-form-name.ts";
import { formatTime } from "./table.ts";
import { addWriterOptions, allRevisions } from "./write-form.ts";

interface BringOptions extends WriterOptions, NameOptions, LoseOptions, KnownOptions {
  /** Readers who come back, and are meant to. */
  readonly letBack?: readonly string[];
  readonly yes?: boolean;
  /** Brings back as a manager although somebody may have taken the person out on purpose. */
  readonly takenOut?: boolean;
  readonly allRevisions?: boolean;
}

export function addBringBackCommand(forms: Command, context: Context): void {
  addWriterOptions(forms.command("bring-back"))
    .summary("bring back the keys of an envelope whose newest revision is refused")
    .description(
      "For an envelope whose newest revision is refused for what its writer has made: it is not for your key, nobody opens it, or it lacks keys that were seen. Looks for the newest revision before it that your key opens and this machine may trust, shows its keys and readers, and writes them again as the next revision, with your personal key. Who was taken out of the readers since then reads again; where the newest revision opens, and leaves readers out, they read again only with --let-back. Where nothing opens, and nothing of it was seen, an owner writes the next revision without keys, so that the envelope can be used again. Asks for confirmation at a terminal; elsewhere it needs --yes, and --lose-keys for that. Only for owners and managers. Where a revision is not for your key, shows nobody's signature or is not shown, you may have been taken out on purpose: then a manager brings back only a form that no owner reads, and --yes needs --taken-out. Needs forms:read, forms:write and submissions:read. Rotate afterwards.",
    )
    .argument("<form-id>", "id of the form, form_…")
    .option("--yes", "do not ask")
    .option(
      "--taken-out",
      "with --yes, for a manager of a form that no owner reads: although you may have been taken out",
    )
    .option(
      "--let-back <members>",
      "who reads again although the newest revision, which opens, leaves them out: names or ids; repeatable, or with commas",
      collect,
    )
    .option(...expectKeyOption, collect)
    .option("--lose-keys", "with --yes: where nothing opens, write the envelope without its keys")
    .option("--all-revisions", allRevisions)
    .option(...expectNameOption, collect)
    .addHelpText("after", "\nExample:\n  $ sealpost forms bring-back form_…\n  $ sealpost forms rotate form_…")
    .action((formId: string, options: BringOptions) => bringBack(context, formId, options));
}

async function bringBack(
  context: Context,
  formId: string,
  { yes = false, loseKeys, takenOut = false, allRevisions: isThorough, ...options }: BringOptions,
): Promise<void> {
  const person = await openWriter(context, options);
  const { writer, signal } = person;
  const { bringable, EnvelopeProblemError, findDisplaced, isReplaceable, toRefusal } = await import(
    "@sealpost/sdk/envelopes"
  );
  const opened = await writer.open(formId, { signal }).catch(refuse);
  const refused = opened.kind === "none" ? [] : opened.refused;
  const displaced = opened.kind === "none" ? [] : findDisplaced(opened);
  for (const firstVersion of displaced) {
    const found = await writer.findBringable(formId, firstVersion, { signal, isThorough }).catch(refuse);
    if (found === undefined) throw toProblemError(new EnvelopeProblemError("other_published_key"));
    const returningIds = await confirmFound(context, person, formId, found, options, { yes, takenOut });
    await writer.bringBack(found, { signal, returningIds }).catch(refuse);
    say(context, `The envelope from key version ${firstVersion} on has the form's own keys again.`);
  }
  if (refused.length === 0 && displaced.length === 0)
    return say(context, `${printable(formId)}: no envelope is refused, nothing to bring back`);
  for (const one of refused) {
    const { firstVersion, reason } = one;
    if (!bringable.includes(reason)) throw toProblemError(toRefusal(one));
    const found = await writer.findBringable(formId, firstVersion, { signal, isThorough }).catch(refuse);
    // It may be in order, and not for this key: a script says that it means it.
    const mayClear = found === undefined && (!yes || loseKeys === true);
    const clearable = mayClear
      ? await writer.findClearable(formId, firstVersion, { signal, isThorough }).catch(refuse)
      : undefined;
    if (clearable !== undefined) {
      await confirmClearing(context, person, formId, clearable, options, yes);
      await writer.clearEnvelope(clearable, { signal }).catch(refuse);
      say(context, `The envelope from key version ${firstVersion} on opens again, without keys.`);
      continue;
    }
    if (found === undefined)
      throw new CommandError(
        "notFound",
        `The server has no revision of the envelope from key version ${firstVersion} on that your key opens and this machine may trust. ${
          isReplaceable(one)
            ? "Others may have a device on which it opens. Otherwise a rotation takes its place, and loses its keys (`sealpost forms rotate --lose-keys`)"
            : "A key file of the form opens what it has, and so may the organization's recovery key. If the form's key log was given up, `sealpost forms key-log forget` says so first. If the server was restored from a backup, `sealpost keys forget --form` accepts what it shows. An owner may write it without keys, with --lose-keys, if nobody reads by it"
        }`,
      );
    const returningIds = await confirmFound(context, person, formId, found, options, { yes, takenOut });
    await writer.bringBack(found, { signal, returningIds }).catch(refuse);
    say(context, `Your key opens the envelope from key version ${firstVersion} on again.`);
  }
  say(
    context,
    "Anyone who could open a revision between may have kept its keys: `sealpost forms rotate` keeps later submissions from them.",
  );
  context.output.write(`${printable(formId)}\n`);
}

/** Gives the ids of the readers who come back and are meant to. */
async function confirmFound(
  context: Context,
  person: Person,
  formId: string,
  found: Bringable,
  options: Pick<BringOptions, "expectName" | "letBack" | "expectKey">,
  { yes: isSure, takenOut: isMeant }: { readonly yes: boolean; readonly takenOut: boolean },
): Promise<readonly string[]> {
  const { findSignedName } = await import("@sealpost/envelope");
  const list = await person.writer.loadList({ signal: person.signal }).catch(refuse);
  const isManager = person.writer.findSelf(list).role !== "owner";
  const takenOut = isManager ? found.takenOut : undefined;
  if (found.takenOut) for (const sentence of describeTakenOut(found.takenOut, list)) say(context, sentence);
  if (takenOut && takenOut.ownerIds.length > 0) {
    const { EnvelopeProblemError } = await import("@sealpost/sdk/envelopes");
    throw toProblemError(new EnvelopeProblemError("owner_needed"));
  }
  await confirmName(context, person, formId, findSignedName([found.older]), options);
  const { difference, newest } = found;
  if (difference) for (const sentence of describeDifference(difference, newest, list)) say(context, sentence);
  const returningIds = await findReturning(context, list, difference, options);
  for (const sentence of describe(found, list, returningIds)) say(context, sentence);
  if (takenOut && isSure && !isMeant)
    throw new CommandError(
      "usage",
      "Add --taken-out to bring back although you may have been taken out of the readers on purpose. Nothing was changed",
    );
  if (isSure) return returningIds;
  if (!takenOut) {
    await confirm(context, "write the next revision of the envelope for them", "Nothing was changed");
    return returningIds;
  }
  if (!context.input.isTTY) throw new CommandError("usage", "Add --yes and --taken-out, once you have asked an owner");
  await confirm(context, "write the next revision for them, and for you", "Nothing was changed", "taken out");
  return returningIds;
}

/** Each is shown with the key, and asked about, as any reader who is added. */
async function findReturning(
  context: Context,
  list: VerifiedList,
  difference: Difference | undefined,
  { letBack = [], expectKey }: Pick<BringOptions, "letBack" | "expectKey">,
): Promise<readonly string[]> {
  const ids = findMembers(list, letBack);
  if (ids.some((id) => !difference?.returningIds.includes(id)))
    throw new CommandError("usage", "--let-back names somebody who does not come back by this. Nothing was changed");
  return ids.length === 0 ? [] : findKnownMembers(context, list, ids, { expectKey });
}

function describeDifference(
  { returningIds, leavingIds, returningVersions, leavingVersions }: Difference,
  { revision }: Bringable["newest"],
  { members }: VerifiedList,
): readonly string[] {
  const nameOf = (id: string) => shownName(members.get(id) ?? { id, name: undefined });
  const named = (ids: readonly string[]) => ids.map(nameOf).join(", ");
  return [
    ...(returningIds.length > 0
      ? [
          `Left out by revision ${revision}, and may have been taken out on purpose: ${named(returningIds)}. They are left out of the next one as well, but for those whom --let-back names.`,
        ]
      : []),
    ...(leavingIds.length > 0 ? [`They read revision ${revision}, and not the next one: ${named(leavingIds)}.`] : []),
    ...(leavingVersions.length > 0
      ? [`The key of version ${leavingVersions.join(", ")} in revision ${revision} will not be in the next one.`]
      : []),
    ...(returningVersions.length > 0
      ? [`The key of version ${returningVersions.join(", ")}, which revision ${revision} lacks, comes back.`]
      : []),
  ];
}

const reasons: Readonly<Record<TakenOut["why"], string>> = {
  not_for_them: "is not for your key",
  unsigned: "has nobody's signature as the server shows it",
  by_others:
    "is signed, as the server shows it, by somebody who may not write it by now, or did not read the form before",
  not_shown: "is not shown by the server, or was not tried",
};

function describeTakenOut(
  { revision, why, createdAt, writerId, ownerIds }: TakenOut,
  { members }: VerifiedList,
): readonly string[] {
  const nameOf = (id: string) => shownName(members.get(id) ?? { id, name: undefined });
  const by = writerId === undefined ? "" : ` by ${nameOf(writerId)}`;
  const at = createdAt === undefined ? "" : ` ${formatTime(createdAt)}`;
  const stored = by + at === "" ? "" : ` It was stored${by}${at}, by the server's word.`;
  return [
    `Revision ${revision} ${reasons[why]}: somebody may have taken you out of the readers on purpose.${stored}`,
    `Ask an owner first${ownerIds.length === 0 ? "" : ` (${ownerIds.map(nameOf).join(", ")})`}. Others who have opened that revision will refuse the one that you bring back, and on a device that sees the form for the first time you would read again.`,
  ];
}

async function confirmClearing(
  context: Context,
  person: Person,
  formId: string,
  found: Clearable,
  options: NameOptions,
  isSure: boolean | undefined,
): Promise<void> {
  const { findSignedName } = await import("@sealpost/envelope");
  const { earlier, readerIds } = found;
  if (earlier !== undefined) await confirmName(context, person, formId, findSignedName([earlier]), options);
  const { members } = await person.writer.loadList({ signal: person.signal }).catch(refuse);
  const readers = [...members.values()].filter(({ id, role }) => readerIds.includes(id) || role === "recovery");
  for (const sentence of await describeLost(person, found).catch(refuse)) say(context, sentence);
  say(context, `The next revision has no key, and is for ${readers.map(shownName).join(", ")}.`);
  if (!isSure) await confirm(context, "write the next revision of the envelope without keys", "Nothing was changed");
}

function describe(
  { newest, older, kept, readerIds, missing, difference }: Bringable,
  { members }: VerifiedList,
  returningIds: readonly string[],
): string[] {
  const ids = new Set([...readerIds, ...returningIds]);
  const between = newest.revision - older.head.revision;
  const readers = [...members.values()].filter(({ id, role }) => ids.has(id) || role === "recovery");
  const { ahead = [] } = older;
  const versions = older.head.keys.map(({ version }) => version).filter((version) => !ahead.includes(version));
  return [
    kept
      ? `Revision ${newest.revision} opens, and lacks keys that were seen here: it is continued with them.`
      : `${counted(between, "newer revision does", "newer revisions do")} not count: who wrote them has made them so, or the server; the last, ${newest.revision}, was stored ${formatTime(newest.createdAt)}, by the server's word.`,
    `Revision ${older.head.revision} opens, with key version ${versions.join(", ")}, written by ${shownName(older.writtenBy)}, ${older.writtenAt}.`,
    `The next revision is for ${readers.map(shownName).join(", ")}.${difference ? "" : " Somebody who was taken out of the readers since then reads again."}`,
    ...(ahead.length > 0
      ? [`Its keys of version ${ahead.join(", ")} are left out: the server publishes none of these versions with them.`]
      : []),
    ...(missing.length > 0
      ? [
          `Key version ${missing.join(", ")} will not be in it: what visitors send to the newest of them you can't read before a rotation.`,
        ]
      : []),
  ];
}

function refuse(error: unknown): never {
  throw toProblemError(error);
}
