import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../config/config.ts";
import { parseSecrets } from "../config/config-values.ts";
import { createFolder } from "../database/folder-failure.ts";
import { sqliteFile } from "../database/open-sqlite.ts";

/** The file in the data folder, one secret a line, the newest first. */
export const secretFileOf = (folder: string): string => join(folder, "secret");

/**
 * The server's secrets, the newest first: the configured ones, else those in the data folder, of which the first is made on the
 * first start (mode 0600). A database is never made before its secret. So one without was made with a configured secret, and
 * would not open with another.
 */
export function loadSecrets(configured: readonly Uint8Array[] | undefined, folder: string): readonly Uint8Array[] {
  if (configured !== undefined) return configured;
  const file = secretFileOf(folder);
  if (!existsSync(file)) {
    if (existsSync(join(folder, sqliteFile))) throw new ConfigError([describeMissingSecret(file)]);
    createFolder(folder);
    writeSecrets(folder, [randomBytes(32)]);
  }
  return readSecrets(file);
}

export function describeMissingSecret(file: string): string {
  return `The secret of this instance is missing: ${file} is not there, and SEALPOST_SECRET is not set`;
}

/** Throws a ConfigError where the file holds something else. */
export function readSecrets(file: string): readonly Uint8Array[] {
  const secrets = parseSecrets(readFileSync(file, "utf8"));
  if (secrets === undefined)
    throw new ConfigError([`${file} is not a secret: base64 of at least 32 bytes, one a line, the newest first`]);
  return secrets;
}

/** All or nothing, also if the machine fails: it holds the only copy of a secret that was just made. */
export function writeSecrets(folder: string, secrets: readonly Uint8Array[]): void {
  const file = secretFileOf(folder);
  const [part, owner] = [`${file}.new`, statSync(file, { throwIfNoEntry: false })];
  const handle = openSync(part, "w", 0o600);
  try {
    chmodSync(part, 0o600);
    // A command that the administrator runs must not take the file from the service's user.
    if (owner !== undefined) chownIfAllowed(part, owner);
    writeSync(handle, secrets.map((secret) => `${Buffer.from(secret).toString("base64")}\n`).join(""));
    fsyncSync(handle);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
  renameSync(part, file);
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
