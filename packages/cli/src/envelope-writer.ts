import type { PersonalKey } from "@sealpost/envelope";
import type { Client } from "@sealpost/sdk";
import type { EnvelopeWriter } from "@sealpost/sdk/envelopes";
import { connect, connectWithSession } from "./connection.ts";
import type { Context } from "./context.ts";
import { findHeads, type IdentityOptions, noteKey, sayGivenBack } from "./envelope-keys.ts";
import { CommandError } from "./exit-code.ts";
import { findPersonalKey, sheetOption, type UnlockOptions, wordsOption } from "./personal-key.ts";

/** The options of commands that write envelopes. */
export type WriterOptions = UnlockOptions & Pick<IdentityOptions, "identity" | "heads" | "list">;

/** A person at work: what opens envelopes and writes the next revisions, and the key that signs. */
export interface Person {
  readonly client: Client;
  readonly writer: EnvelopeWriter;
  readonly key: PersonalKey;
  readonly signal: AbortSignal;
}

const identityOption = [
  "--identity <file>",
  "your personal key, as written by keys unlock --output; without it you are asked for the words",
] as const;

/** For a person, whose own signature in the list is enough at the first use. A program needs the head. */
const listOption = [
  "--list <number-hash>",
  "head of the list of members, needed once if your key has not signed anything in the list yet",
] as const;

const headsOption = [
  "--heads <file>",
  "where the newest list and envelopes are remembered (default: personal.heads.json, next to what login keeps)",
] as const;

export const writerOptions = [identityOption, wordsOption, sheetOption, listOption, headsOption] as const;

/** Whether the options name a personal key. */
export function hasWriterOptions({ identity, passphraseFile, sheetFile, list, heads }: WriterOptions): boolean {
  return [identity, passphraseFile, sheetFile, list, heads].some((one) => one !== undefined);
}

/** A key from a file needs no session: with an API key, a program writes envelopes too. */
export async function openWriter(context: Context, options: WriterOptions, needsSession = false): Promise<Person> {
  const client =
    options.identity === undefined || needsSession
      ? (await connectWithSession(context)).client
      : await connect(context);
  const key = await findPersonalKey(context, client, options);
  const [{ formatPersonalKey }, { createEnvelopeWriter, loadFormerKeys }] = await Promise.all([
    import("@sealpost/envelope"),
    import("@sealpost/sdk/envelopes"),
  ]);
  const identity = formatPersonalKey(key, context.now());
  const heads = await findHeads(context, { text: identity, path: options.identity }, options.heads);
  const { now, signal } = context;
  const onGivenBack = (count: number) => sayGivenBack(context, count);
  const { list } = options;
  // A key from a file is used by programs too, whose credential reads no copies.
  const former = options.identity === undefined ? await loadFormerKeys(client, key, { signal }) : [];
  await noteKey(context, heads, identity, former);
  const writer = await createEnvelopeWriter({ client, identity, heads, list, now, former, onGivenBack }).catch(
    (error: Error) => {
      throw new CommandError("usage", error.message);
    },
  );
  return { client, key, writer, signal };
}
