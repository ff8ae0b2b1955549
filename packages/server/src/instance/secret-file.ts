import { randomBytes, randomUUID } from "node:crypto";
import {
  chownSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../config/config.ts";
import { parseSecrets } from "../config/config-values.ts";
import { createFolder } from "../database/folder-failure.ts";
import { takeFolderLock } from "../database/folder-lock.ts";
import { sqliteFile } from "../database/open-sqlite.ts";

/** The file in the data folder, one secret a line, the newest first. */
export const secretFileOf = (folder: string): string => join(folder, "secret");

/**
 * The right to change the secret file, which nobody changes without: a command has it from before it reads the file until what it has made
 * of that is written and in the database. It ends with the process, however that ends.
 */
export interface SecretLock {
  /** All or nothing, also if the machine fails: it holds the only copy of a secret that was just made. */
  write(secrets: readonly Uint8Array[]): void;
  /** Removes the file. */
  remove(): void;
  release(): void;
}

/** `undefined` when somebody else has it, and still has it after `waitMilliseconds`, in which this thread does nothing else. */
export function takeSecretLock(folder: string, waitMilliseconds = 0): SecretLock | undefined {
  const lock = takeFolderLock(folder, "secret.lock", waitMilliseconds);
  if (lock === undefined) return undefined;
  try {
    removeLeftOver(folder);
  } catch (error) {
    lock.release();
    throw error;
  }
  return {
    write: (secrets) => writeSecrets(folder, secrets),
    remove: () => rmSync(secretFileOf(folder), { force: true }),
    release: lock.release,
  };
}

/** Longer than a disk takes that others keep busy. */
const createMilliseconds = 20_000;

/**
 * The server's secrets, the newest first: the configured ones, else those in the data folder, of which the first is made on the
 * first start (mode 0600). A database is never made before its secret. So one without was made with a configured secret, and
 * would not open with another.
 */
export function loadSecrets(configured: readonly Uint8Array[] | undefined, folder: string): readonly Uint8Array[] {
  if (configured !== undefined) return configured;
  const file = secretFileOf(folder);
  if (!existsSync(file)) createSecret(folder);
  return readSecrets(file);
}

function createSecret(folder: string): void {
  const file = secretFileOf(folder);
  const requireNoDatabase = () => {
    // Looked for first: the secret of a database is there before it, also of one that another start makes at this moment.
    if (existsSync(join(folder, sqliteFile)) && !existsSync(file)) throw new ConfigError([describeMissingSecret(file)]);
  };
  requireNoDatabase();
  createFolder(folder);
  const lock = takeSecretLock(folder, createMilliseconds);
  if (lock === undefined) throw new Error(describeSecretLock(folder));
  try {
    // The second of two first starts at once finds what the first has made.
    if (existsSync(file)) return;
    requireNoDatabase();
    lock.write([randomBytes(32)]);
  } finally {
    lock.release();
  }
}

export function describeMissingSecret(file: string): string {
  return `The secret of this instance is missing: ${file} is not there, and SEALPOST_SECRET is not set`;
}

export function describeSecretLock(folder: string): string {
  return `Another command is changing the secret in ${folder}: wait until it has ended`;
}

/** Throws a ConfigError where the file holds something else. */
export function readSecrets(file: string): readonly Uint8Array[] {
  const secrets = parseSecrets(readFileSync(file, "utf8"));
  if (secrets === undefined)
    throw new ConfigError([`${file} is not a secret: base64 of at least 32 bytes, one a line, the newest first`]);
  return secrets;
}

const partPattern = /^secret\.[0-9a-f-]{36}\.new$/;

/** Files of writers that were killed: who has the lock knows that nobody writes them any more. */
function removeLeftOver(folder: string): void {
  for (const name of readdirSync(folder)) if (partPattern.test(name)) rmSync(join(folder, name), { force: true });
}

function writeSecrets(folder: string, secrets: readonly Uint8Array[]): void {
  const file = secretFileOf(folder);
  const [part, owner] = [join(folder, `secret.${randomUUID()}.new`), statSync(file, { throwIfNoEntry: false })];
  const handle = openSync(part, "wx", 0o600);
  try {
    try {
      fchmodSync(handle, 0o600);
      // A command that the administrator runs must not take the file from the service's user.
      if (owner !== undefined) chownIfAllowed(part, owner);
      writeFileSync(handle, secrets.map((secret) => `${Buffer.from(secret).toString("base64")}\n`).join(""));
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
  flushFolder(folder);
}

function chownIfAllowed(file: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  const own = statSync(file);
  if (own.uid !== uid || own.gid !== gid) chownSync(file, uid, gid);
}

function flushFolder(folder: string): void {
  // Windows opens no folders.
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
