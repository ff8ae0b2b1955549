import type { Client } from "@sealpost/sdk";
import type {
  EnvelopeProblemError,
  FormToMake,
  LeftOut,
  LostKeys,
  RotatedForm,
  RotationToMake,
  ShownRotation,
  WrittenForm,
} from "@sealpost/sdk/envelopes";
import type { Command } from "commander";
import { type Context, say } from "./context.ts";
import { toProblemError } from "./envelope-keys.ts";
import { openWriter, type WriterOptions, writerOptions } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { writeSecretFile } from "./identity-file.ts";
import { findKnownMembers, type KnownOptions } from "./known-members.ts";
import { confirmLoss, type LoseOptions } from "./lost-keys.ts";
import { confirmOrganization } from "./organization-name.ts";
import { printable } from "./printable.ts";
import { confirm } from "./prompt.ts";
import { shownName } from "./shown-name.ts";
import { confirmName, type NameOptions } from "./signed-form-name.ts";

/** Help text of commands that write the key into an envelope. */
export const envelopeNote =
  "The private key is sealed on this machine in an envelope, for you, the organization's recovery keys and the readers, and sent together with the public key. " +
  "What is sent is also kept on this machine, sealed, until it has been read back: if the command is cut off at any moment, run it again.";

/** Help text of commands that look for a revision that opens. */
export const allRevisions = "try all revisions of an envelope that is refused, and not only 512 that don't open";

export function addWriterOptions(command: Command): Command {
  for (const [flags, description] of writerOptions) command.option(flags, description);
  return command;
}

/** A form with an envelope: the client is for what follows, with the same credential. */
export async function createWithEnvelope(
  context: Context,
  options: WriterOptions & KnownOptions,
  { readers = [], ...form }: FormToMake,
): Promise<{ readonly client: Client; readonly written: WrittenForm }> {
  const { signal } = context;
  const { client, writer } = await openWriter(context, options);
  const written = await keepLost(context, form.name, async () => {
    await confirmOrganization(context, { client, writer }, form.organizationId);
    const ids =
      readers.length === 0 ? [] : await findKnownMembers(context, await writer.loadList({ signal }), readers, options);
    return writer.createForm({ ...form, readers: ids }, { signal });
  });
  if (written.isResumed)
    say(
      context,
      "An earlier run that was cut off has created it, with the settings that it was given. Nothing was sent.",
    );
  sayReaders(context, written);
  return { client, written };
}

export async function rotateWithEnvelope(
  context: Context,
  options: WriterOptions & NameOptions & LoseOptions & AskOptions,
  formId: string,
  rotation: RotationToMake,
): Promise<RotatedForm> {
  const person = await openWriter(context, options);
  const toMake = {
    ...rotation,
    confirmName: (name: string | undefined) => confirmName(context, person, formId, name, options),
    confirmReaders: (shown: ShownRotation) => confirmReaders(context, formId, shown, options),
    confirmLoss: async (lost: LostKeys) => {
      sayLeftOut(context, formId, lost.leftOut, "will no longer be");
      await confirmLoss(context, person, lost, options);
    },
  };
  const written = await keepLost(context, formId, () =>
    person.writer.rotateForm(formId, toMake, { signal: context.signal }),
  );
  if (written.isResumed)
    say(context, "An earlier run that was cut off has rotated the form within the last hour. No other key was made.");
  sayReaders(context, written);
  return written;
}

interface AskOptions {
  readonly yes?: boolean;
}

/** Names everybody who gets the new key, and who is left out, before it is made, and asks at a terminal: the server may hide that somebody was taken out. */
async function confirmReaders(
  context: Context,
  formId: string,
  { readers, leftOut }: ShownRotation,
  { yes }: AskOptions,
): Promise<void> {
  say(context, `The new key is for ${readers.map(shownName).join(", ")}.`);
  sayLeftOut(context, formId, leftOut, "will no longer be");
  if (!context.input.isTTY || yes) return;
  say(
    context,
    "The server may show the envelope from before somebody was taken out. If somebody named here should not read, answer no, and take them out with `sealpost keys readers remove` first.",
  );
  await confirm(context, "rotate for them", "Nothing was changed");
}

const whyLeftOut = {
  gone: "has left, or was not allowed to read any longer: if they are back, `sealpost keys readers add` lets them read on",
  other_key: "got another key, which nobody has accepted: `sealpost keys readers add` does",
  unknown:
    "nobody is known to have put them into the envelope that was begun last: `sealpost keys readers add` confirms them",
  below:
    "reads what was sealed to earlier keys, and is no reader of the newer ones: `sealpost keys readers add` lets them read those, too",
  unvouched: "nobody vouches for them: `sealpost keys listed vouch` does, then `sealpost keys readers add`",
} as const satisfies Readonly<Record<LeftOut["reason"], string>>;

/** Says who read the form before, and does no longer although nobody took them out. */
export function sayLeftOut(
  context: Context,
  formId: string,
  leftOut: readonly LeftOut[],
  verb: "is no longer" | "will no longer be" = "is no longer",
): void {
  for (const one of leftOut)
    say(context, `${printable(formId)} ${verb} sealed for ${shownName(one)}: ${whyLeftOut[one.reason]}.`);
}

function sayReaders(context: Context, { readers }: WrittenForm): void {
  say(context, `Its private key is in the form's envelope, for ${readers.map(shownName).join(", ")}.`);
}

/** An envelope that the server took the key of, and does not show, is written to a file: it is the only one with that key. */
async function keepLost<Result>(context: Context, name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const shown = toProblemError(error);
    const { file } = error instanceof Error && "file" in error ? (error as EnvelopeProblemError) : {};
    if (file === undefined) throw shown;
    const label = /^form_\w+$/.test(name) ? name : "sealpost-form";
    const path = await writeSecretFile(context, `${label}.${context.now()}.age`, file);
    throw new CommandError(
      "differs",
      `${shown.message}\nThe server has a new public key of the form, whose private key is in no envelope that it shows. It is in ${path}, sealed for you: keep that file, and take the form off its page until this is explained`,
    );
  }
}
