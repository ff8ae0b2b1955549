import type {
  DeniedHere,
  FirstSight,
  FirstSightGroup,
  ShownKeys,
  ShownReader,
  SightOutcome,
} from "@sealpost/sdk/envelopes";
import type { Command } from "commander";
import { type Context, say } from "./context.ts";
import { counted } from "./counted.ts";
import { toProblemError } from "./envelope-keys.ts";
import { openWriter, type Person, type WriterOptions } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { findFormName } from "./form-name.ts";
import { printable } from "./printable.ts";
import { ask } from "./prompt.ts";
import { shownName } from "./shown-name.ts";
import { addWriterOptions } from "./write-form.ts";

export function addLookAtCommand(forms: Command, context: Context): void {
  addWriterOptions(forms.command("look-at"))
    .summary("look at envelopes that are seen here for the first time, and say that they are right")
    .description(
      "For envelopes that this machine sees for the first time, signed by somebody who may write them no longer, or with a key of yours that was replaced: they open submissions, and nothing follows them before you have said that they are right. Shows them in groups with the same signer and readers, those that differ from most first, with the keys and the revision of each form, and asks once for each group. An answer counts for what was shown alone: where the server has another revision by then, it is refused, and the command is to be run again. Ask somebody who reads the forms, or an owner, first. Says which forms are seen for the first time although they were opened here before. Where a form's key log names another hybrid key or seed than this machine remembers, asks whether the log decides. Prints the ids of the forms that were accepted. Only at a terminal. Needs forms:read and submissions:read.",
    )
    .argument("[form-id...]", "ids of the forms, form_… (default: all forms)")
    .addHelpText("after", "\nExample:\n  $ sealpost forms look-at\n  $ sealpost forms look-at form_… form_…")
    .action((formIds: readonly string[], options: WriterOptions) => lookAt(context, formIds, options));
}

interface Form {
  readonly id: string;
  readonly name: string;
}

interface FormSight extends FirstSight {
  readonly form: Form;
  readonly shownKeys: ShownKeys;
}

interface FormDenied extends DeniedHere {
  readonly form: Form;
}

async function lookAt(context: Context, formIds: readonly string[], options: WriterOptions): Promise<void> {
  const person = await openWriter(context, options);
  const { groupFirstSights } = await import("@sealpost/sdk/envelopes");
  const forms = formIds.length === 0 ? await listForms(person) : await nameForms(person, formIds);
  const { sights, denied, unopened } = await findSights(context, person, forms);
  const groups = groupFirstSights(sights);
  if (groups.length + denied.length + unopened === 0)
    return say(context, "No form waits for your answer on this machine");
  let left = 0;
  for (const group of groups) {
    for (const sentence of describe(group)) say(context, sentence);
    const { sights } = group;
    const what = sights.length === 1 ? "this is right" : `all ${sights.length} are right`;
    if (!(await isYes(context, what, ", with these readers"))) {
      left += sights.length;
      continue;
    }
    for (const sight of group.sights) {
      const refusal = await accept(person, sight);
      if (refusal === undefined) context.output.write(`${printable(sight.form.id)}\n`);
      else {
        left++;
        say(context, `${label(sight.form)} was not accepted: ${refusal}`);
      }
    }
  }
  for (const one of denied) if (!(await askDenied(context, person, one))) left++;
  if (left + unopened === 0) return;
  throw new CommandError(
    "differs",
    [
      ...(left > 0 ? [`${counted(left, "envelope was", "envelopes were")} not accepted`] : []),
      ...(unopened > 0 ? [`${counted(unopened, "form")} could not be opened`] : []),
    ].join("; "),
  );
}

async function listForms({ client, signal }: Person): Promise<readonly Form[]> {
  const forms: Form[] = [];
  for await (const { id, name } of client.forms.all({ signal, retry: true })) forms.push({ id, name });
  return forms;
}

async function nameForms({ client, signal }: Person, formIds: readonly string[]): Promise<readonly Form[]> {
  const forms: Form[] = [];
  for (const id of new Set(formIds)) forms.push({ id, name: await findFormName(client, id, signal) });
  return forms;
}

/** Forms that can't be opened are named, and the others shown. */
async function findSights(context: Context, { writer, signal }: Person, forms: readonly Form[]) {
  const { describeFirstSights, describeSightKeys, findDeniedHere, findFirstSights } = await import(
    "@sealpost/sdk/envelopes"
  );
  // If the list of members can't be used, that is so for all of them.
  await writer.loadList({ signal }).catch(refuse);
  const sights: FormSight[] = [];
  const denied: FormDenied[] = [];
  let unopened = 0;
  for (const form of forms)
    try {
      const opened = await writer.open(form.id, { signal, retry: true });
      if (opened.kind === "none") continue;
      if (opened.seenAgain.length > 0) {
        const readers = opened.envelopes.flatMap((envelope) => envelope.readers);
        const names = [...new Set(readers.map(shownName))].join(", ");
        say(
          context,
          `\n${label(form)} is seen for the first time: when it was opened here before, the server did not say which keys it has. Its readers: ${names}. If you expected others, ask an owner, or somebody else who reads it`,
        );
        await writer.noteKnown(form.id);
      }
      denied.push(...findDeniedHere(opened).map((one) => ({ form, ...one })));
      const describeSight = describeFirstSights(opened.list);
      const toSight = (envelope: FirstSight["envelope"]) => ({
        ...{ form, envelope, shown: describeSight(envelope), shownKeys: describeSightKeys(envelope) },
      });
      sights.push(...findFirstSights(opened).map(toSight));
    } catch (error) {
      if (signal.aborted) throw error;
      unopened++;
      say(context, `${label(form)} could not be opened: ${toProblemError(error).message}`);
    }
  return { sights, denied, unopened };
}

async function isYes(context: Context, what: string, more = ""): Promise<boolean> {
  if (!context.input.isTTY)
    throw new CommandError("usage", `Whether ${what} is asked at a terminal. Nothing was accepted`);
  return (await ask(context, `Type yes if ${what}${more}`)).trim() === "yes";
}

/** Whether the person had the form's key log decide, and the envelope opens. */
async function askDenied(context: Context, { writer, signal }: Person, one: FormDenied): Promise<boolean> {
  const { form, denied, envelope } = one;
  const versions = denied.map(({ version }) => version).join(", ");
  say(
    context,
    `\n${label(form)}: this machine remembers another hybrid key or seed for version ${versions} than the form's key log names. The envelope that the server shows, signed by ${shownName(envelope.writtenBy)}, has what the log names. First ask an owner, or somebody else who reads the form, whether they began this log with the form's key. Yes forgets that hybrid key or seed here, and nothing else`,
  );
  if (!(await isYes(context, "the log decides"))) return false;
  try {
    const refusal = await writer.goByKeyLog(form.id, one, { signal });
    if (refusal === undefined) context.output.write(`${printable(form.id)}\n`);
    else say(context, `${label(form)} is refused all the same (${refusal})`);
    return refusal === undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    say(context, `${label(form)} could not be opened: ${toProblemError(error).message}`);
    return false;
  }
}

async function accept({ writer, signal }: Person, { form, ...sight }: FormSight): Promise<string | undefined> {
  try {
    const outcome = await writer.acceptFirstSight(form.id, sight, { signal });
    return outcome === "accepted" ? undefined : describeOutcome(outcome);
  } catch (error) {
    if (signal.aborted) throw error;
    return toProblemError(error).message;
  }
}

function describeOutcome(outcome: Exclude<SightOutcome, "accepted">): string {
  if (outcome === "other")
    return "the server shows another revision by now, or its signer or readers are not as you were shown them. Run the command again";
  if (outcome === "overtaken") return "somebody who may write it has written it since, so there is nothing to accept";
  if (outcome === "unknown_key_log")
    return "it waits, since it names an entry of a key log that the server does not show. Ask who runs the server to show it. If that does not help, ask an owner to give the log up (`sealpost forms key-log give-up`), or to bring back what was before it (`sealpost forms bring-back`): with what the owner writes nothing waits any longer. If an owner says that they gave the log up, `sealpost forms key-log forget` takes note of that; then run the command again";
  return `it is refused (${outcome}). \`sealpost forms bring-back\` may bring back what was before it`;
}

const ended = {
  removed: "was removed from the list of members",
  role: "got a role that writes no envelopes",
  key: "got another key",
} as const;

function describe({ sights, shown, differs }: FirstSightGroup<FormSight>): readonly string[] {
  const { signer, end, readers } = shown;
  const name = shownName(signer);
  return [
    `\n${counted(sights.length, "envelope")}, signed by ${name}, who writes them no longer${end === undefined ? "" : `: ${name} ${ended[end.how]}, ${end.writtenAt}`}.`,
    ...(differs ? ["Not like most of the others:"] : []),
    ...(differs?.isOtherSigner ? ["  The others were signed by somebody else, or with another key."] : []),
    ...(differs && differs.missing.length > 0
      ? [`  Not readers here, and readers of the others: ${differs.missing.map(shownName).join(", ")}.`]
      : []),
    "Who reads:",
    ...readers.map((reader) => `  ${describeReader(reader, differs?.more.includes(reader.id) === true)}`),
    "Forms:",
    ...sights.flatMap(({ form, envelope: { head, formName, writtenAt }, shownKeys }) => {
      const versions = head.keys.map(({ version }) => version).join(", ");
      const signed = formName === form.name ? "" : `, called ${printable(formName)} in its envelope`;
      return [
        `  ${label(form)}${signed}: key version ${versions}, revision ${head.revision}, written ${writtenAt}`,
        ...describeKeys(shownKeys).map((sentence) => `    ${sentence}`),
      ];
    }),
    ...(sights.some(({ shownKeys }) => shownKeys.keys.some(({ isUnproven }) => isUnproven)) ? [unprovenHint] : []),
  ];
}

const unprovenHint =
  "Compare the fingerprint of each key that nobody else vouches for with the snippet in your page, with a saved key file, or with a colleague's device that has opened the form before. If nobody knows it, do not say that it is right: ask them, or an owner, to rotate the form's keys. Your answer does not prove it, either.";

const logged = {
  none: "names no key log",
  shown: "the server shows the key log that it names",
  missing: "the server does not show the key log that it names",
} as const;

function describeKeys({ keys, keyLog }: ShownKeys): readonly string[] {
  const toHybrid = (hybrid: string | null) => (hybrid === null ? "" : `, hybrid ${hybrid}`);
  return [
    ...keys.map(
      ({ version, fingerprint, hybridFingerprint, isUnproven }) =>
        `version ${version}: ${fingerprint}${toHybrid(hybridFingerprint)}${isUnproven ? " (nobody else vouches for it)" : ""}`,
    ),
    logged[keyLog],
  ];
}

function describeReader({ role, isOutdated, isUnproven, alike, ownWord, ...reader }: ShownReader, isMore: boolean) {
  const marks = [
    ...(role === undefined ? ["has left, or may not read any longer"] : [role]),
    ...(role !== undefined && isOutdated ? ["another key, role or membership since"] : []),
    ...(isUnproven ? ["nobody who may add readers now is known to have put them there"] : []),
    ...(alike.length > 0 ? [`looks like ${alike.map(shownName).join(", ")}`] : []),
    ...(ownWord.length > 0 ? [`their own word alone: ${ownWord.join(", ")}`] : []),
    ...(isMore ? ["not like this in the others"] : []),
  ];
  return `${shownName(reader)} (${marks.join("; ")})`;
}

const label = ({ id, name }: Form) => (id === name ? printable(id) : `${printable(name)} (${printable(id)})`);

function refuse(error: unknown): never {
  throw toProblemError(error);
}
