import { relative } from "node:path";
import type { EnvelopeHead } from "@sealpost/envelope";
import {
  ApiError,
  type CallOptions,
  type Client,
  type FormKey,
  findNewestKey,
  keyFileName,
  orNone,
  pinOf,
} from "@sealpost/sdk";
import { fingerprint, hybridFingerprint } from "@sealpost/wire";
import type { Command } from "commander";
import { connect } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { findSeenHeads, toProblemError } from "./envelope-keys.ts";
import { hasWriterOptions, openWriter, type Person, type WriterOptions } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import type { LoseOptions } from "./lost-keys.ts";
import {
  checkKeyTaken,
  completeKeyFile,
  findMadeKey,
  fingerprintToPin,
  hybridOption,
  keepUnlessRefused,
  keyFileNote,
  makeKeys,
  proveKeyFile,
  publicHalves,
} from "./new-key-file.ts";
import { collect, parseCount, parseTime } from "./option-values.ts";
import { howToPin, pinSnippet } from "./pin-snippet.ts";
import { type PreparedKeys, prepareKeys, readPreparedKeys, refuseOtherVersion, sayAlready } from "./prepared-key.ts";
import { printable } from "./printable.ts";
import { type NewKeys, reserveKeyFile } from "./private-key-files.ts";
import { ask, confirm } from "./prompt.ts";
import { confirmNames, expectNameOption, type NameOptions } from "./signed-form-name.ts";
import { formatJson } from "./table.ts";
import { addWriterOptions, allRevisions, envelopeNote, rotateWithEnvelope } from "./write-form.ts";

interface RotateOptions extends WriterOptions, NameOptions, LoseOptions {
  readonly prepare?: boolean;
  readonly prepared?: string;
  readonly yes?: boolean;
  readonly keyFile?: string;
  readonly hybrid?: boolean;
  readonly endOlder?: number;
  readonly expectVersion?: number;
  readonly allRevisions?: boolean;
  readonly json?: boolean;
}

export function addRotateCommand(forms: Command, context: Context): void {
  addWriterOptions(forms.command("rotate"))
    .summary("give a form a new key pair made here")
    .description(
      `Gives a form a new key pair. Needs forms:write and forms:read.\n\n${keyFileNote}\n\n` +
        "Keep the older key files as well: they open what was sealed before, and what visitors seal whose page is still open.\n\n" +
        `A form with an envelope gets no key file: the new key is added to the envelope, for its current readers, with your personal key. ${envelopeNote} Needs submissions:read.\n\n` +
        "If the form has a key log, its next entry is sent too, signed with your personal key, even if the form has key files.\n\n" +
        "A page that pins the form's key by its fingerprint, and not its key log, takes no answers after the rotation until it names the new key. To change such a page first: --prepare makes the key, " +
        "writes it to a file and prints its fingerprint, with a snippet that names the present key and the new one, and changes nothing. Publish that, then rotate with --prepared. " +
        "At a terminal a rotation of a form without a key log is asked about first. " +
        "A rotation of a form with an envelope first names everybody who will read with the new key, and who is left out; at a terminal it asks.",
    )
    .argument("<form-id>", "id of the form, form_…")
    .option(
      "--prepare",
      "only make the key: write it to a file, also for a form with an envelope, and print what pages pin",
    )
    .option("--prepared <path>", "rotate to the key in this file, which --prepare wrote for the form's next version")
    .option("--yes", "do not ask")
    .option("--key-file <path>", "where to write the private key (default: sealpost-<name>-v<version>.key.json)")
    .option(...hybridOption)
    .option(
      "--end-older <time>",
      "when older versions stop accepting submissions: 2027-01-31, 2027-01-31T12:00Z or milliseconds (default: never)",
      parseTime,
    )
    .option(...expectNameOption, collect)
    .option(
      "--expect-version <number>",
      "the form's newest key version, if the server names one that is far above those in its envelope, which names no key log, or above 32 for a form with key files, and you know that it is right",
      parseCount,
    )
    .option(
      "--lose-keys",
      "if nothing opens of the envelope in which the next version has its place, or no envelope that opens has the form's newest version: rotate without these keys, for the people that are named",
    )
    .option("--all-revisions", allRevisions)
    .option("--json", "print the answer as JSON, as the API shows it, with keyFile added")
    .addHelpText(
      "after",
      `
Examples:
  $ sealpost forms rotate form_…
  $ sealpost forms rotate form_… --prepare
  $ sealpost forms rotate form_… --prepared sealpost-contact-v2.key.json`,
    )
    .action((formId: string, options: RotateOptions) => rotateKeys(context, formId, options));
}

async function rotateKeys(context: Context, formId: string, options: RotateOptions): Promise<void> {
  if (options.prepare) return prepare(context, formId, options);
  const { prepared: path } = options;
  if (path !== undefined && (options.hybrid || options.keyFile !== undefined))
    throw new CommandError("usage", "--hybrid and --key-file go with --prepare: the prepared key is what it is");
  const prepared = path === undefined ? undefined : await readPreparedKeys(context, path, formId);
  const kind = await findKind(context, formId, options);
  if (kind === "sealed") return rotateSealed(context, formId, options, prepared);
  const { output, signal } = context;
  const person = kind === "logged" ? await openWriter(context, options) : undefined;
  if (person !== undefined) await confirmNames(context, person, [formId], options);
  const client = person?.client ?? (await connect(context));
  const [{ name, settings }, keys] = await Promise.all([
    client.forms.get(formId, { signal }),
    client.forms.keys(formId, { signal }),
  ]);
  if (prepared !== undefined && (await isTaken(prepared, keys))) return endTaken(context, prepared, options);
  const next = await findNextVersion(context, keys, options.expectVersion);
  if (prepared !== undefined && prepared.keyVersion !== next) refuseOtherVersion(prepared, next);
  const made = prepared?.made ?? (await makeKeys(options));
  const keyLogEntry = person && (await signKeyLogEntry(person, formId, next, made));
  if (keyLogEntry === undefined && settings.encryption && prepared === undefined) await warnBefore(context, options);
  const file = prepared?.file ?? (await reserveKeyFile(context, options.keyFile ?? keyFileName(name, next), made));
  const rotated = await keepUnlessRefused(
    context,
    file,
    () =>
      client.forms.rotateKeys(
        formId,
        { ...publicHalves(made), ...(keyLogEntry !== undefined && { keyLogEntry }), ...closingOf(next, options) },
        { signal },
      ),
    () => findRotated(client, formId, made, { signal }),
  ).catch(explainRefusal);
  checkKeyTaken(made, rotated, file);
  const { keyVersion, rotatedAt: createdAt } = rotated;
  if (prepared === undefined) await completeKeyFile(file, made, { formId, formName: name, keyVersion, createdAt });
  await proveKeyFile(client, file, made, { formId, keyVersion }, { signal });
  if (options.json) return void output.write(`${formatJson({ ...rotated, keyFile: file.path }, 2)}\n`);
  say(context, `Rotated ${printable(name)} from key version ${rotated.previousKeyVersion} to ${keyVersion}.`);
  say(context, `Its new private key is in ${file.path}: keep a copy, and keep the older ones.`);
  if (keyLogEntry !== undefined) sayLogged(context);
  else if (settings.encryption) sayPin(context, await fingerprintToPin(made));
  const hadHybrid = keys.find(({ version }) => version === rotated.previousKeyVersion)?.hybridPublicKey !== undefined;
  if (hadHybrid && made.hybrid === undefined)
    say(context, "The previous version had a hybrid key, this one has none: --hybrid makes one.");
  output.write(`${printable(String(keyVersion))}\n`);
}

async function rotateSealed(
  context: Context,
  formId: string,
  options: RotateOptions,
  prepared?: PreparedKeys,
): Promise<void> {
  const { keyFile, hybrid, endOlder, expectVersion, allRevisions: isThorough, json, ...key } = options;
  if (keyFile !== undefined)
    throw new CommandError("usage", "The form's keys are in an envelope: --key-file is for forms without one");
  const seen = await findSeenHeads(context, options);
  const isLogged =
    (await seen.findKeyLog(formId)) !== undefined || (await hasKeyLog(await connect(context), formId, context));
  // The question about the readers comes after it.
  if (!isLogged && prepared === undefined) sayPinned(context);
  const { PreparedKeyError } = await import("@sealpost/sdk/envelopes");
  const written = await rotateWithEnvelope(context, key, formId, {
    ...(prepared && { prepared: toPreparedKey(prepared) }),
    ...(hybrid && { hybrid }),
    ...(endOlder !== undefined && { closeOlderAt: endOlder }),
    ...(isThorough && { isThorough }),
    confirmVersion: (newest, known) => confirmVersion(context, newest, known, expectVersion),
  }).catch(async (error: unknown) => {
    if (prepared === undefined || !(error instanceof PreparedKeyError)) throw error;
    const keys = await (await connect(context)).forms.keys(formId, { signal: context.signal });
    if (!(await isTaken(prepared, keys))) refuseOtherVersion(prepared, error.next);
    return undefined;
  });
  if (written === undefined) return prepared && endTaken(context, prepared, options);
  const { keyVersion, fingerprint } = written;
  if (json) return void context.output.write(`${formatJson(written, 2)}\n`);
  say(context, `Rotated to key version ${keyVersion}.`);
  if (prepared !== undefined)
    say(context, `The envelope has the key of ${prepared.file.path} now: delete that file, or keep it as a copy.`);
  // The rotation has followed the log that it continued.
  if ((await (await findSeenHeads(context, options)).findKeyLog(formId)) === undefined) sayPin(context, fingerprint);
  else sayLogged(context);
  context.output.write(`${printable(String(keyVersion))}\n`);
}

/** Makes the next version's key and says what a page pins, so that the page is changed before the form is. */
async function prepare(context: Context, formId: string, options: RotateOptions): Promise<void> {
  const { prepared, endOlder, loseKeys, allRevisions: isThorough, expectName, keyFile, expectVersion } = options;
  const { identity, passphraseFile, sheetFile, list } = options;
  const others = [
    ...[prepared, endOlder, loseKeys, isThorough, expectName],
    ...[identity, passphraseFile, sheetFile, list],
  ];
  if (others.some((other) => other !== undefined))
    throw new CommandError(
      "usage",
      "--prepare changes nothing: options other than --key-file, --hybrid, --expect-version, --heads and --json go with --prepared",
    );
  const { output, signal } = context;
  const client = await connect(context);
  const [{ name, settings, embedCode }, keys, kind, seen] = await Promise.all([
    client.forms.get(formId, { signal }),
    client.forms.keys(formId, { signal }),
    findKind(context, formId, options),
    findSeenHeads(context, options),
  ]);
  const heads = kind === "sealed" ? (await seen.findEnvelopes(formId)).heads : [];
  const { version: keyVersion, isHybrid } = await findNext(context, keys, heads, expectVersion);
  // As the rotation itself would choose.
  const hybrid = options.hybrid ?? (kind === "sealed" && isHybrid);
  const { made, file } = await prepareKeys(context, { formId, formName: name, keyVersion, hybrid, keyFile });
  const pin = await fingerprintToPin(made);
  const newest = findNewestKey(keys);
  const pins = newest === undefined ? [pin] : [pinOf(newest, []), pin];
  const snippet = pinSnippet(embedCode, formId, pins) ?? null;
  if (options.json)
    return void output.write(
      `${formatJson({ id: formId, keyVersion, keyFile: file.path, keyFingerprint: pins, snippet }, 2)}\n`,
    );
  say(context, `Prepared key version ${keyVersion} of ${printable(name)}. Nothing was changed.`);
  say(context, `Its private key is in ${file.path}: keep it, and use it for nothing else.`);
  if (kind === "logged" || (await hasKeyLog(client, formId, context)))
    say(context, "The form has a key log: pages that pin the log need nothing, only those that pin a key need this.");
  if (settings.encryption) sayPrepared(context, pins, snippet);
  say(
    context,
    `\nThen rotate: sealpost forms rotate ${printable(formId)} --prepared ${relative(context.folder, file.path)}`,
  );
  output.write(`${pin}\n`);
}

function sayPrepared(context: Context, pins: readonly string[], snippet: string | null): void {
  say(
    context,
    `\nA page that pins its key accepts the present one and the new one ${snippet === null ? `if it names both ${howToPin}` : "with this snippet"}. Publish it before you rotate:\n\n${snippet ?? JSON.stringify({ keyFingerprint: pins })}`,
  );
  if (pins.length > 1)
    say(
      context,
      `\nThe server names the first of the two, ${pins[0]}: compare it with what your page names now, or with your key file, before you publish it.`,
    );
}

function toPreparedKey({ keyVersion, made: { rsa, hybrid, seed } }: PreparedKeys) {
  const { privateKey } = rsa;
  return { keyVersion, privateKey, ...(hybrid && { hybridPrivateKey: hybrid.privateKey }), seed };
}

/** Whether the prepared key is the form's newest already: the answer to the rotation was lost, say. */
async function isTaken({ keyVersion, made }: PreparedKeys, keys: readonly FormKey[]): Promise<boolean> {
  const own = await fingerprint(made.rsa.publicKey);
  const newest = findNewestKey(keys);
  return newest?.version === keyVersion && newest.fingerprint === own;
}

function endTaken(context: Context, { keyVersion, file }: PreparedKeys, { json }: RotateOptions): void {
  if (json) return void context.output.write(`${formatJson({ keyVersion, keyFile: file.path }, 2)}\n`);
  sayAlready(context, keyVersion);
  context.output.write(`${keyVersion}\n`);
}

/** Stops for a form with key files: nothing here says which versions it has. */
async function findNextVersion(context: Context, keys: readonly FormKey[], expected?: number): Promise<number> {
  return (await findNext(context, keys, [], expected)).version;
}

async function findNext(context: Context, keys: readonly FormKey[], heads: readonly EnvelopeHead[], expected?: number) {
  const { FarVersionError, findNextKey } = await import("@sealpost/envelope");
  const envelopes = heads.map((head) => ({ head }));
  try {
    return findNextKey(keys, envelopes);
  } catch (error) {
    if (!(error instanceof FarVersionError)) throw error;
    await confirmVersion(context, error.newest, error.known, expected);
    return findNextKey(keys, envelopes, { confirmed: error.newest });
  }
}

/** A server could make a version up, and versions never fall. */
async function confirmVersion(context: Context, newest: number, known: number, expected?: number): Promise<void> {
  const said = `The server says that the form is at key version ${newest}, and the newest that is known here is ${known}`;
  if (expected === newest) return;
  if (expected !== undefined) throw new CommandError("differs", `${said}, not ${expected}. Nothing was changed`);
  if (!context.input.isTTY)
    throw new CommandError(
      "usage",
      `${said}. Ask the person who runs the server, or those who rotate this form; if it is right, say so by --expect-version. Nothing was changed`,
    );
  say(context, `${said}. Versions never fall: ask the person who runs the server, or those who rotate this form.`);
  const typed = await ask(context, `Type ${newest} if that is right`);
  if (typed.trim() !== String(newest)) throw new CommandError("usage", "Nothing was changed");
}

/**
 * `sealed`: the form has an envelope, by the server's word and by what was seen here with a personal key. A credential that may not ask leaves it to the
 * service, which refuses a rotation without the envelope. `logged`: its keys are in key files, and it has a key log, whose next entry a personal key signs.
 */
async function findKind(
  context: Context,
  formId: string,
  options: RotateOptions,
): Promise<"sealed" | "logged" | "files"> {
  const { signal } = context;
  const client = await connect(context);
  const seen = await findSeenHeads(context, options);
  const { heads, isRemoved } = await seen.findEnvelopes(formId);
  if (heads.length > 0 && !isRemoved) return "sealed";
  try {
    if ((await client.envelopes.list(formId, { signal })).length > 0) return "sealed";
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 403)) throw error;
  }
  if ((await seen.findKeyLog(formId)) !== undefined) return "logged";
  if (await hasKeyLog(client, formId, context)) return "logged";
  return hasWriterOptions(options) ? "sealed" : "files";
}

async function hasKeyLog(client: Client, formId: string, { signal }: Context): Promise<boolean> {
  const log = await orNone(client.forms.keyLog(formId, 1, { signal }));
  return log !== undefined && log.length > 0;
}

/** The answer to the rotation to the key that was made, where that was lost. */
async function findRotated(client: Client, formId: string, made: NewKeys, options: CallOptions) {
  const key = await findMadeKey(client, formId, made, options);
  if (key === undefined) return undefined;
  const { version: keyVersion, createdAt: rotatedAt, publicKey, hybridPublicKey } = key;
  const halves = { publicKey, ...(hybridPublicKey && { hybridPublicKey }) };
  return { id: formId, ...halves, keyVersion, previousKeyVersion: keyVersion - 1, rotatedAt };
}

/** The entry of the key that was made, which the personal key signs if the form's log is the one that was seen here. */
async function signKeyLogEntry(
  { writer, signal }: Person,
  formId: string,
  version: number,
  { rsa, hybrid, seed }: NewKeys,
) {
  const { toLoggedKey } = await import("@sealpost/envelope");
  const key = await toLoggedKey(formId, {
    version,
    fingerprint: await fingerprint(rsa.publicKey),
    hybridFingerprint: hybrid ? await hybridFingerprint(hybrid.publicKey) : null,
    seed,
  });
  return writer.createKeyLogEntry(formId, key, { signal }).catch((error: unknown) => {
    throw toProblemError(error);
  });
}

function explainRefusal(error: unknown): never {
  if (error instanceof ApiError && error.reason === "envelope_needed")
    throw new CommandError(
      "refused",
      "The form's keys are in an envelope: sign in as somebody with a personal key, or give one with --identity",
    );
  if (error instanceof ApiError && error.reason === "key_log_needed")
    throw new CommandError("refused", "Somebody has just begun a key log for the form: run the command again");
  throw error;
}

function closingOf(newest: number, { endOlder }: RotateOptions) {
  return endOlder === undefined ? {} : { closeKeyVersions: { below: newest, at: endOlder } };
}

function sayLogged(context: Context): void {
  say(context, "Its key log has the next entry: pages that pin the log need nothing new.");
  say(context, "A page that still pins one key by keyFingerprint needs the snippet that pins the log.");
}

/** While nothing has changed: who ends the command here has nothing to mend. */
async function warnBefore(context: Context, { yes }: RotateOptions): Promise<void> {
  sayPinned(context);
  if (context.input.isTTY && !yes) await confirm(context, "rotate it now", "Nothing was changed");
}

function sayPinned(context: Context): void {
  say(
    context,
    "The form has no key log: once it is rotated, a page that pins its key takes no answers until it has the new pin. To change such a page first, run this with --prepare.",
  );
}

function sayPin(context: Context, fingerprint: string): void {
  say(context, `A page that pins its key needs {"keyFingerprint":"${fingerprint}"} ${howToPin}.`);
}
