import { readFile } from "node:fs/promises";
import {
  ApiError,
  type CallOptions,
  type Client,
  createKeyFile,
  type FormKey,
  orNone,
  parseOpeningKey,
  provesKey,
} from "@sealpost/sdk";
import {
  createVersionSeed,
  findNativeKem,
  fingerprint,
  generateHybridKeyPair,
  generateKeyPair,
  type HybridPublicKey,
  hybridFingerprint,
  type PublicKey,
} from "@sealpost/wire";
import { type Context, say } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import type { NewKeys, ReservedKeyFile } from "./private-key-files.ts";

/** Help text of each command that makes a key pair. */
export const keyFileNote =
  "The key pair is made on this machine: the server only gets the public key. The private key is written to a new file that only you " +
  "can read, before anything is sent. Without this file nobody can open what is submitted: keep a copy of it in a safe place.";

/** Help text of `--hybrid`. */
export const hybridOption = [
  "--hybrid",
  "make a hybrid key too, against quantum computers: pages with the embed then seal to it, and only programs that support it can open",
] as const;

export async function makeKeys({ hybrid = false }: { readonly hybrid?: boolean }): Promise<NewKeys> {
  if (hybrid && findNativeKem() === undefined)
    throw new CommandError("usage", `Hybrid keys need Node.js 26 or newer: this is ${process.version}`);
  const made = { rsa: await generateKeyPair(), seed: createVersionSeed() };
  return hybrid ? { ...made, hybrid: await generateHybridKeyPair() } : made;
}

/** The halves that the server gets. */
export function publicHalves({ rsa, hybrid }: NewKeys) {
  return { publicKey: rsa.publicKey, ...(hybrid && { hybridPublicKey: hybrid.publicKey }) };
}

/**
 * Runs `use`, which sends the public key. After any failure the server is asked whether it has the key: a proxy may have sent the request twice,
 * and the second answer, a refusal, says nothing of the first. `findTaken` gives what `use` would have given; `undefined`: the server says that it
 * does not have the key. The key file goes only where it says so, and has itself refused.
 */
export async function keepUnlessRefused<Result>(
  context: Context,
  file: ReservedKeyFile,
  use: () => Promise<Result>,
  findTaken: () => Promise<Result | undefined>,
): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    const asked = await findTaken().then(
      (taken) => ({ taken }),
      () => undefined,
    );
    if (asked?.taken !== undefined) return asked.taken;
    if (asked && isRefusal(error)) await file.discard();
    else say(context, `It is not known whether the server accepted the key: the private key stays in ${file.path}`);
    throw error;
  }
}

/** Whether Sealpost itself refused: its errors have a reason, and a proxy's don't. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && error.reason !== undefined;
}

/** The version of a form that has the key which was made here. */
export async function findMadeKey(
  client: Client,
  formId: string,
  { rsa: { publicKey } }: NewKeys,
  options: CallOptions,
): Promise<FormKey | undefined> {
  const made = await fingerprint(publicKey);
  return (await orNone(client.forms.keys(formId, options)))?.find((key) => key.fingerprint === made);
}

/** Writes the whole key file once the server has said what the key belongs to. */
export async function completeKeyFile(
  file: ReservedKeyFile,
  { rsa, hybrid, seed }: NewKeys,
  label: { formId: string; formName: string; keyVersion: number; createdAt: number },
): Promise<void> {
  const privateKeys = { privateKey: rsa.privateKey, ...(hybrid && { hybridPrivateKey: hybrid.privateKey }), seed };
  await file.complete(await createKeyFile({ ...label, ...privateKeys }));
}

/**
 * Reads the written file back, opens a test value with each of its keys and tells the server that it did, which otherwise warns that
 * perhaps nobody has the key. Not being able to tell it is no reason to fail: the form and its key are there.
 */
export async function proveKeyFile(
  client: Client,
  file: ReservedKeyFile,
  made: NewKeys,
  { formId, keyVersion }: { readonly formId: string; readonly keyVersion: number },
  options: CallOptions,
): Promise<void> {
  await checkKeyFile(file, made);
  await client.forms.proveKey(formId, keyVersion, options).catch(() => undefined);
}

/** Reads the written file back, and opens a test value with each of its keys. */
export async function checkKeyFile({ path }: ReservedKeyFile, made: NewKeys): Promise<void> {
  const key = await parseOpeningKey(JSON.parse(await readFile(path, "utf8")), path);
  if (!(await provesKey(publicHalves(made), key)))
    throw new CommandError("unavailable", `The key in ${path} does not open a test value`);
}

/**
 * Of the key that a page should pin: the hybrid key where there is one, and then it alone, since a page that also names the RSA key
 * seals to that one if the server hides the hybrid key.
 */
export function fingerprintToPin({ rsa, hybrid }: NewKeys): Promise<string> {
  return hybrid ? hybridFingerprint(hybrid.publicKey) : fingerprint(rsa.publicKey);
}

/** Ends the command when the server's own answer names other public keys than those made here. A server may also lie in it. */
export function checkKeyTaken(
  { rsa: { publicKey }, hybrid }: NewKeys,
  answered: { readonly publicKey?: Partial<PublicKey>; readonly hybridPublicKey?: Partial<HybridPublicKey> },
  file: ReservedKeyFile,
): void {
  const isTaken = answered.publicKey?.n === publicKey.n && answered.publicKey.e === publicKey.e;
  if (isTaken && answered.hybridPublicKey?.pub === hybrid?.publicKey.pub) return;
  if (isTaken && answered.hybridPublicKey === undefined)
    throw new CommandError(
      "unavailable",
      `The server did not accept the hybrid key. Only the RSA key is in use. Both keys made here are in ${file.path}: keep the file`,
    );
  throw new CommandError(
    "unavailable",
    `The server uses another public key than the one made here: anyone who has its private key can read what is submitted. Do not use this form. The key made here is in ${file.path}`,
  );
}
