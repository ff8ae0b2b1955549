import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { PersonalKey, SeenHeads } from "@sealpost/envelope";
import type { Client, OpeningKey } from "@sealpost/sdk";
import type { EnvelopeProblem, EnvelopeReader, FormKeys, HeadStore, OpenedForm } from "@sealpost/sdk/envelopes";
import type { HeadFile } from "@sealpost/sdk/head-file";
import { chooseProfile } from "./choose-profile.ts";
import { type Context, say } from "./context.ts";
import { counted } from "./counted.ts";
import { CommandError, type ExitName } from "./exit-code.ts";
import { readIdentityFile } from "./identity-file.ts";
import { readPrivateKeys } from "./private-key-files.ts";
import { configurationFolder } from "./profiles.ts";
import { shownName } from "./shown-name.ts";

/** The options of commands that open envelopes. */
export interface IdentityOptions {
  readonly identity?: string;
  readonly list?: string;
  readonly heads?: string;
  readonly passphraseFile?: string;
}

export const identityOption = [
  "--identity <file>",
  "identity of a reader, which opens the form's envelope; made by keys program",
] as const;

export const listOption = [
  "--list <number-hash>",
  "head of the list of members, as shown when the identity was added; needed only at the first use",
] as const;

export const headsOption = [
  "--heads <file>",
  "where the newest list and envelopes are remembered (default: next to the identity, <file>.heads.json)",
] as const;

/** The private keys to open a form's submissions with. */
export interface FormOpeningKeys {
  /** Those that are there now. */
  current(): readonly OpeningKey[];
  /** The same for a submission of this version: its envelope is fetched once more where the version is not among them. */
  forVersion(keyVersion: number): Promise<readonly OpeningKey[]>;
}

/** Keys from files, and from the form's envelopes where there is an identity. */
export async function findOpeningKeys(
  context: Context,
  client: Client,
  formId: string,
  options: IdentityOptions & { readonly key?: readonly string[] | undefined },
): Promise<FormOpeningKeys> {
  const files = await readPrivateKeys(context, options.key ?? [], options.passphraseFile);
  if (options.identity === undefined) {
    checkAlone(options);
    return { current: () => files, forVersion: async () => files };
  }
  const { identity: path } = options;
  const text = await readIdentityFile(context, path, options.passphraseFile);
  const reader = await createReader(context, client, { text, path }, options);
  const { createFormKeys } = await import("@sealpost/sdk/envelopes");
  const sayOnce = createOnce(context);
  /** By their versions. What was opened once stays, also if the server withholds the envelope later. */
  const held = new Map<number, OpeningKey>();
  const keys: FormKeys = createFormKeys(reader, {
    onOpened: (_, opened) => {
      for (const key of opened.keys) held.set(key.keyVersion ?? 0, key);
      describeOpened(opened).forEach(sayOnce);
    },
  });
  const current = () => [...files, ...held.values()];
  const find = async (keyVersion: number) => {
    try {
      await keys.keysFor(formId, keyVersion);
    } catch (error) {
      // Where some of it could be opened, that is used, and what could not is said.
      if (!isProblem(error) || (held.size === 0 && files.length === 0)) throw toProblemError(error);
      sayOnce(toProblemError(error).message);
    }
    return current();
  };
  // No version has the number 0: this opens what there is.
  if ((await find(0)).length === 0)
    throw new CommandError(
      "notFound",
      "The form has no envelope whose keys --identity could use: give key files with --key",
    );
  return { current, forVersion: find };
}

export function checkAlone({ list, heads }: IdentityOptions): void {
  if (list !== undefined || heads !== undefined)
    throw new CommandError("usage", "--list and --heads go with --identity");
}

/** The content of an identity file, and where it is, if it is in one. */
export interface IdentityText {
  readonly text: string;
  readonly path: string | undefined;
}

/**
 * Opens envelopes with an identity. The newest list and envelopes are remembered next to a program's, and for a person next to what `sealpost login`
 * keeps: a file with a personal key is deleted after a while.
 */
export async function createReader(
  context: Context,
  client: Client,
  { text, path }: IdentityText,
  { list, heads }: Omit<IdentityOptions, "identity">,
): Promise<EnvelopeReader> {
  // Loaded when it is needed: every command starts sooner without.
  const { createEnvelopeReader } = await import("@sealpost/sdk/envelopes");
  const { signal } = context;
  const store = await findHeads(context, { text, path }, heads);
  await noteKey(context, store, text).catch((error) => {
    throw toProblemError(error);
  });
  const onGivenBack = (count: number) => sayGivenBack(context, count);
  const reader = await createEnvelopeReader({ client, identity: text, heads: store, list, onGivenBack }).catch(
    (error: Error) => {
      throw new CommandError("usage", error instanceof TypeError && path ? `${path}: ${error.message}` : error.message);
    },
  );
  const options = { signal, retry: true };
  return { loadList: () => reader.loadList(options), open: (formId) => reader.open(formId, options) };
}

/** A server that was restored from a backup has got the end of the list of members back. */
export function sayGivenBack(context: Context, count: number): void {
  say(
    context,
    `The server had lost the last ${count === 1 ? "entry" : counted(count, "entry", "entries")} of the list of members, after a restored backup say, and has got ${count === 1 ? "it" : "them"} back from here. Look at the members, and at your forms' readers and keys: what else was done since the backup is lost.`,
  );
}

/** The file in which what was seen is kept, for each identity apart. */
export async function findHeads(context: Context, { text, path }: IdentityText, named?: string): Promise<HeadFile> {
  const isPersonal = path === undefined || /^# \{"format":"sealpost-personal-key/.test(text);
  if (named === undefined && isPersonal) return findPersonalHeads(context);
  const { createHeadFile } = await import("@sealpost/sdk/head-file");
  return createHeadFile(resolve(context.folder, named ?? `${path}.heads.json`));
}

/** The heads that the person who is signed in here has seen. Nothing is written before it is changed. */
export async function findPersonalHeads({ environment }: Pick<Context, "environment">): Promise<HeadFile> {
  const { createHeadFile } = await import("@sealpost/sdk/head-file");
  const folder = configurationFolder(environment);
  const store = createHeadFile(join(folder, "personal.heads.json"));
  return {
    ...store,
    async change(name, change) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await store.change(name, change);
    },
  };
}

/**
 * Notes which key was used here last, for commands that need none: they look at what was seen with it. Where that was a key that this one has replaced, of which
 * it has opened the copy, this one has seen what that had. The copy alone says nothing: anybody can seal a key of theirs for another.
 */
export async function noteKey(
  context: Context,
  store: HeadFile,
  identity: string,
  former: readonly Pick<PersonalKey, "recipient">[] = [],
): Promise<void> {
  const owner = await findOwner(identity);
  const name = await lastKeyName(context);
  const before = await store.find(name);
  if (owner === undefined || before === owner) return;
  const { namesOf, ofOwner, ownerOf } = await import("@sealpost/envelope");
  const owners = await Promise.all(former.map(({ recipient }) => ownerOf(recipient)));
  if (typeof before === "string" && owners.includes(before)) {
    const [from, to] = [ofOwner(store, before), ofOwner(store, owner)];
    for (const kept of namesOf(await store.names(), before)) {
      const value = await from.find(kept);
      await to.change(kept, () => value);
    }
  }
  await store.change(name, () => owner);
}

/** Finds what was seen with this identity; without one, with the key that was used here last. Empty where none was. */
export async function findStore(context: Context, identity: IdentityText, named?: string): Promise<HeadStore> {
  const store = await findHeads(context, identity, named);
  const { ofOwner, withoutKeeping } = await import("@sealpost/envelope");
  const owner = (await findOwner(identity.text)) ?? (await store.find(await lastKeyName(context)));
  return typeof owner === "string" ? ofOwner(store, owner) : withoutKeeping(ofOwner(store, "nobody"));
}

/** One machine can have several people, each with their own profile. A credential from the environment has no profile. */
async function lastKeyName({ environment }: Pick<Context, "environment">): Promise<string> {
  if (environment.SEALPOST_TOKEN) return "last key";
  const profile = await chooseProfile({ environment }).catch(() => undefined);
  return profile === undefined ? "last key" : `last key of ${profile.name}`;
}

async function findOwner(identity: string): Promise<string | undefined> {
  const { ownerOf, parseIdentities, recipientOf } = await import("@sealpost/envelope");
  const [first] = parseIdentities(identity) ?? [];
  return first === undefined ? undefined : ownerOf(await recipientOf(first));
}

/** The same of the person's heads, or of the file that `--heads` names: which list, envelopes and key logs were seen here with the key that was used last. */
export async function findSeenHeads(context: Context, { heads }: Pick<IdentityOptions, "heads">): Promise<SeenHeads> {
  const { createSeenHeads } = await import("@sealpost/envelope");
  return createSeenHeads(await findStore(context, { text: "", path: undefined }, heads));
}

/** Sentences about the envelopes that were opened, for the person at the terminal. */
function describeOpened({
  envelopes,
  refused,
  otherKeys,
  otherThanLogged,
  missing,
  seenAgain,
}: OpenedForm): readonly string[] {
  const gone = envelopes.flatMap(({ readers, outdated }) =>
    readers.filter(({ id }) => outdated.includes(id)).map(shownName),
  );
  const versions = (numbers: readonly number[]) => numbers.join(", ");
  return [
    ...(seenAgain.length > 0
      ? [
          "This machine has opened the form before, when the server did not say which keys it has: that is not remembered, and the form is seen for the first time now. `sealpost forms look-at` shows who reads it, and takes note that you know",
        ]
      : []),
    ...(gone.length > 0
      ? [
          `The envelope still names readers who have left since, or got another key: ${[...new Set(gone)].join(", ")}. An owner or manager can finish that, and rotate`,
        ]
      : []),
    ...(otherKeys.length > 0
      ? [
          `The server publishes another key than the envelope has, or none, for version ${versions(otherKeys)}: that key is not used. Ask who runs the server`,
        ]
      : []),
    ...(otherThanLogged.length > 0
      ? [
          `The envelope has another hybrid key or seed for version ${versions(otherThanLogged)} than the form's key log names: it is not used as the form's. Put the key in again in the dashboard, from its key file, or rotate`,
        ]
      : []),
    ...(missing.length > 0 && refused.length === 0 ? [`No envelope has the key of version ${versions(missing)}`] : []),
  ];
}

const exits: Partial<Readonly<Record<EnvelopeProblem, ExitName>>> = {
  not_trusted: "usage",
  no_hybrid: "usage",
  key_log_exists: "usage",
  key_not_held: "usage",
  logged_key_not_held: "usage",
  no_key_log: "notFound",
  not_listed: "unauthorized",
  not_a_reader: "unauthorized",
  not_a_writer: "unauthorized",
  owner_needed: "unauthorized",
  no_key_log_signer: "unauthorized",
  no_key_log_owner: "unauthorized",
  key_log_overtaken: "refused",
  key_log_places_used: "unauthorized",
  key_log_version_gap: "unauthorized",
  key_log_hybrid_needed: "usage",
  key_log_seed_needed: "usage",
  no_list: "notFound",
  no_envelope: "notFound",
};

/** For the list and for envelopes, of which the refusals have the same names. */
const restored =
  "A list that the server has lost it gets back from the next device of an owner that has it, after a new sign-in: use the one that was used last. If you know that the server was restored from a backup, `sealpost keys forget` takes note of that: --members for the list, --form for a form";

const lookHint =
  "`sealpost forms look-at` shows its keys and readers, and takes your word that they are right: ask the person named there first";

const hints: Partial<Readonly<Record<EnvelopeProblem, string>>> = {
  key_log_exists: ": `sealpost forms key-log show` shows it, and `renew` adds an entry",
  no_key_log: ": `sealpost forms key-log begin` begins one",
  key_not_held: ": --key FILE",
  logged_key_not_held: ": --key FILE, `sealpost forms rotate` or `sealpost forms key-log give-up`",
  key_log_refused: ": `sealpost forms key-log forget`. `show` says what is wrong",
  key_log_hidden: ": `sealpost forms key-log forget`",
  key_log_old: ": `sealpost forms key-log forget`",
  key_log_places_used: ": `sealpost forms key-log renew`",
  key_log_hybrid_needed: ": --hybrid",
  hidden_list: `. ${restored}`,
  old_list: `. ${restored}`,
  forked: `. ${restored}`,
  not_trusted: ": --list NUMBER-HASH",
  not_vouched: ". Somebody who is in the list can give you its head: --list NUMBER-HASH",
  unconfirmed: ": `sealpost keys listed vouch`, once they have read their key to you",
  former_writer: `. Nothing was changed. ${lookHint}`,
  lost_keys: ". If nobody can open them, --lose-keys says that these keys may be lost, and that these people read",
  moved_form:
    ". If you know that it was handed over, `sealpost keys forget` takes note of that; otherwise ask who runs the server",
  unexpected_organization: ". If it is meant, name it: --organization acc_… (`sealpost organizations list`)",
  not_a_reader: ": an owner or manager of the organization has to add it to the form's readers, or has removed it",
};

/** An envelope's newest revision is refused for what its writer has made. */
const bringBackHint =
  "An owner or manager who could open what was before it brings that back with `sealpost forms bring-back`";

const bringingHints: Partial<Readonly<Record<EnvelopeProblem, string>>> = {
  key_missing: `. ${bringBackHint}. Where the form's key log denies what is remembered here, \`sealpost forms look-at\` asks first whether the log decides`,
  former_writer: `. Nothing was changed. ${lookHint}. If they are wrong, and an owner says so: ${bringBackHint}`,
  unknown_key_log: ": `sealpost forms bring-back`. `sealpost forms key-log forget` forgets the log",
};

function isProblem(
  error: unknown,
): error is Error & { readonly problem: EnvelopeProblem; readonly isBringable?: boolean } {
  return error instanceof Error && error.name === "EnvelopeProblemError" && "problem" in error;
}

/** The end that a problem with a list or an envelope means; any other error unchanged. */
export function toProblemError(error: unknown): Error {
  if (error instanceof Error && error.name === "HeadFileError") return new CommandError("usage", error.message);
  if (error instanceof Error && error.name === "FarVersionError") return new CommandError("differs", error.message);
  if (error instanceof Error && error.name === "UnfinishedSearchError")
    return new CommandError("differs", `${error.message}: --all-revisions`);
  if (isFileError(error))
    return new CommandError("usage", `What was seen can't be remembered: ${error.message}. --heads names another file`);
  if (!isProblem(error)) return error instanceof Error ? error : new Error(String(error));
  const { problem, message, isBringable } = error;
  const hint = isBringable ? (bringingHints[problem] ?? `${hints[problem] ?? ""}. ${bringBackHint}`) : hints[problem];
  return new CommandError(exits[problem] ?? "differs", `${message}${hint ?? ""}`);
}

/** An error of the file with heads: its folder can't be written to, for example, like that of a container's secrets. */
function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return (
    error instanceof Error &&
    "code" in error &&
    ["EACCES", "EROFS", "EPERM", "ENOENT", "ENOSPC"].includes(String(error.code))
  );
}

function createOnce(context: Context): (sentence: string) => void {
  const said = new Set<string>();
  return (sentence) => {
    if (said.has(sentence)) return;
    said.add(sentence);
    say(context, sentence);
  };
}
