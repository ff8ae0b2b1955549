import { rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import {
  type HybridKeyPair,
  isPaperKey,
  type KeyFile,
  type KeyPair,
  type OpeningKey,
  PrivateKeyError,
  parseKeyJson,
  parseOpeningKey,
  parsePaperKey,
} from "@sealpost/sdk";
import type { Context } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { flushFolder } from "./flush-folder.ts";
import { createPassphrases, type Passphrases } from "./passphrase.ts";
import { readSecret, writeNewSecret } from "./secret-files.ts";

type Folder = Pick<Context, "folder">;

/**
 * Reads private keys from files: key files or bare JWKs, protected with a passphrase or not. Throws a `CommandError` that
 * names the file and never shows the key.
 */
export async function readPrivateKeys(
  context: Context,
  paths: readonly string[],
  passphraseFile?: string,
): Promise<readonly OpeningKey[]> {
  const passphrases = createPassphrases(context, passphraseFile);
  const keys: OpeningKey[] = [];
  // One after the other: each may have to ask.
  for (const path of paths) keys.push(await readPrivateKey(context, resolve(context.folder, path), passphrases));
  return keys;
}

/** A key file with all that is in it, which is a usable private key. Asks for its passphrase where it has one. */
export async function readKeyFile(
  context: Context,
  name: string,
): Promise<{ readonly path: string; readonly content: object }> {
  const path = resolve(context.folder, name);
  const passphrases = createPassphrases(context, undefined);
  const content = await readContent(context, path, passphrases);
  if (isPaperKey(content)) throw new CommandError("usage", `${path} is a recovery sheet, and not a key file`);
  await toOpeningKey(content, path);
  return { path, content: Object(parseKeyJson(content, path)) };
}

async function readPrivateKey(context: Context, path: string, passphrases: Passphrases): Promise<OpeningKey> {
  const content = await readContent(context, path, passphrases);
  // The lines of a recovery sheet, typed off or scanned.
  if (isPaperKey(content)) {
    const read = await parsePaperKey(content);
    if ("problem" in read) throw new CommandError("usage", `${path}: ${read.problem}`);
    return parseOpeningKey(read, path);
  }
  return toOpeningKey(content, path);
}

function readContent(context: Context, path: string, passphrases: Passphrases): Promise<string> {
  return readSecret(context, { path, name: path, kind: "key file" }, passphrases);
}

async function toOpeningKey(content: string, path: string): Promise<OpeningKey> {
  try {
    return await parseOpeningKey(parseKeyJson(content, path), path);
  } catch (error) {
    if (!(error instanceof PrivateKeyError)) throw error;
    const message = error.reason === "not_json" ? `The key file ${path} is not JSON` : error.message;
    throw new CommandError("usage", message);
  }
}

/** The pairs of a new key version, and its seed. */
export interface NewKeys {
  readonly rsa: KeyPair;
  readonly hybrid?: HybridKeyPair;
  readonly seed: string;
}

/** A key file that is reserved and holds the private keys and the seed already, before anybody learns the public one. */
export interface ReservedKeyFile {
  readonly path: string;
  /** Replaces what is there by the whole key file, in one step. */
  complete(keyFile: KeyFile): Promise<void>;
  /** Removes the file: for when the server has said that it does not have the public key. */
  discard(): Promise<void>;
}

/**
 * Makes the file, readable by this user alone (mode 0600), and puts the private keys on the disk before the public one leaves
 * this machine: whatever happens afterwards, no submission is sealed to a key that is lost. Never overwrites a file.
 */
export async function reserveKeyFile(
  { folder }: Folder,
  path: string,
  { rsa, hybrid, seed }: NewKeys,
): Promise<ReservedKeyFile> {
  const absolute = resolve(folder, path);
  const hybridKey = hybrid && { hybridPrivateKey: hybrid.privateKey };
  await writeNew(absolute, { privateKey: rsa.privateKey, ...hybridKey, seed });
  return {
    path: absolute,
    async complete(keyFile) {
      const temporary = `${absolute}.${process.pid}.new`;
      await writeNew(temporary, keyFile);
      await rename(temporary, absolute);
      await flushFolder(dirname(absolute));
    },
    discard: () => rm(absolute),
  };
}

async function writeNew(path: string, value: object): Promise<void> {
  await writeNewSecret(path, `${JSON.stringify(value, null, 2)}\n`).catch((error: NodeJS.ErrnoException) => {
    const exists = error.code === "EEXIST";
    const reason = exists ? "already exists and is never overwritten: name another with --key-file" : error.message;
    throw new CommandError("usage", exists ? `${path} ${reason}` : `The key file cannot be written: ${reason}`);
  });
}
