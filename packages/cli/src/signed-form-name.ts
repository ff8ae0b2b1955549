import type { OpenedForm } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import { connect } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { findSeenHeads, toProblemError } from "./envelope-keys.ts";
import { hasWriterOptions, openWriter, type Person, type WriterOptions } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { findFormName } from "./form-name.ts";
import { printable } from "./printable.ts";
import { ask } from "./prompt.ts";

// A form is found by an id, next to which the server puts a name: by that word alone somebody would seal another form's keys.

export interface NameOptions {
  /** Names that the envelopes of all forms that are meant give them. */
  readonly expectName?: readonly string[] | undefined;
}

export const expectNameOption = [
  "--expect-name <name>",
  "name that the form's envelope gives it, signed; the command ends unless it does. Needed where nobody can be asked and the server calls the form something else",
] as const;

export const unsignedNameOption = [
  "--unsigned-name",
  "take the server's word for the form's name, if you can't open its envelope",
] as const;

export interface FormNames {
  readonly signed: string;
  readonly served: string;
  readonly isSame: boolean;
}

export async function compareNames(signed: string, formId: string, served: string): Promise<FormNames> {
  const { asFormName } = await import("@sealpost/envelope");
  return { signed, served, isSame: asFormName(formId as FormId, served) === signed }; // an opened envelope is of no other form
}

/** Says what the form is called by its envelope. Where the server calls it something else, the person confirms it, or has said which one is meant. */
export async function confirmName(
  context: Context,
  { client }: Pick<Person, "client">,
  formId: string,
  signed: string | undefined,
  { expectName }: NameOptions,
): Promise<void> {
  if (signed === undefined) return sayUnsigned(context, { client }, formId, { expectName });
  const served = await findFormName(client, formId, context.signal);
  // A credential that may not read forms is given no name for it.
  const names = await compareNames(signed, formId, served === formId ? signed : served);
  say(context, describeNames(formId, names));
  if (expectName !== undefined) {
    if (expectName.includes(signed)) return;
    throw new CommandError(
      "differs",
      `The envelope of ${printable(formId)} calls it ${printable(signed)}, which is not among the names that were expected. Nothing was changed`,
    );
  }
  if (names.isSame) return;
  if (!context.input.isTTY)
    throw new CommandError(
      "usage",
      `${describeNames(formId, names)}. If you mean ${printable(signed)}, say so by --expect-name; \`sealpost forms name\` makes both names the same. Nothing was changed`,
    );
  const typed = await ask(context, `Type yes if you mean ${printable(signed)}`);
  if (typed.trim() !== "yes") throw new CommandError("usage", "Nothing was changed");
}

export function describeNames(formId: string, { signed, served, isSame }: FormNames): string {
  const known = `${printable(formId)} is called ${printable(signed)} in its envelope`;
  return isSame ? known : `${known}, and ${printable(served)} by the server`;
}

/** The same for forms that are opened for it; one without an envelope has no signed name. */
export async function confirmNames(
  context: Context,
  person: Pick<Person, "client" | "writer">,
  formIds: readonly string[],
  options: NameOptions,
): Promise<void> {
  for (const formId of formIds) {
    const opened = await person.writer.open(formId, { signal: context.signal }).catch((error: unknown) => {
      throw toProblemError(error);
    });
    await confirmName(context, person, formId, opened.kind === "none" ? undefined : await findName(opened), options);
  }
}

export async function findName({ envelopes, forReading }: OpenedForm): Promise<string | undefined> {
  const { findSignedName } = await import("@sealpost/envelope");
  return findSignedName(envelopes.length > 0 ? envelopes : forReading);
}

/**
 * For commands of a session that need no personal key: where the form has an envelope, they do, unless the person takes the server's word. Gives the person
 * whose key it is.
 */
export async function confirmUnopened(
  context: Context,
  formId: string,
  { expectName, unsignedName, ...options }: WriterOptions & NameOptions & { readonly unsignedName?: boolean },
): Promise<Person | undefined> {
  const client = await connect(context);
  const takeServed = () => sayUnsigned(context, { client }, formId, { expectName });
  if (unsignedName) {
    await takeServed();
    return undefined;
  }
  const { heads: _, ...key } = options;
  if (!hasWriterOptions(key)) {
    if (!(await hasEnvelope(context, formId, options))) {
      await takeServed();
      return undefined;
    }
    if (!context.input.isTTY)
      throw new CommandError(
        "usage",
        `The name of ${printable(formId)} is signed in its envelope: add --identity, so that it is shown, or --unsigned-name. Nothing was changed`,
      );
  }
  const person = await openWriter(context, options, true);
  await confirmNames(context, person, [formId], { expectName });
  return person;
}

/** By the server's word, and by what was seen here. */
async function hasEnvelope(context: Context, formId: string, options: WriterOptions): Promise<boolean> {
  const { heads, isRemoved } = await (await findSeenHeads(context, options)).findEnvelopes(formId);
  if (heads.length > 0 && !isRemoved) return true;
  const client = await connect(context);
  return (await client.envelopes.list(formId, { signal: context.signal })).length > 0;
}

async function sayUnsigned(
  context: Context,
  { client }: Pick<Person, "client">,
  formId: string,
  { expectName }: NameOptions,
): Promise<void> {
  if (expectName !== undefined)
    throw new CommandError("differs", `No envelope of ${printable(formId)} says its name. Nothing was changed`);
  const served = await findFormName(client, formId, context.signal);
  say(context, `${printable(formId)} is called ${printable(served)} by the server; no signature says so.`);
}
