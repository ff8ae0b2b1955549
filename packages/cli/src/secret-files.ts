import { open, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { decodeKeyFileText, isAgeFile } from "@sealpost/wire";
import { type Context, say } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { flushFolder } from "./flush-folder.ts";
import type { Passphrases } from "./passphrase.ts";

/** A key file has about 3 KB, an identity a line of a hundred characters; anything much larger is something else. */
const secretBytesMax = 65_536;

export interface SecretFile {
  /** Absolute. */
  readonly path: string;
  /** As people call it, and the file. */
  readonly name: string;
  readonly kind: "key file" | "identity file";
}

/**
 * The text of a file with private keys, protected with a passphrase or not. Says where others may read an identity that no passphrase protects. Throws a
 * `CommandError` that names the file and never shows what is in it.
 */
export async function readSecret(context: Context, file: SecretFile, passphrases: Passphrases): Promise<string> {
  const { path, name, kind } = file;
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "ENOENT" ? ": there is no such file" : "";
    throw new CommandError("usage", `The ${kind} ${name} cannot be read${reason}`);
  });
  if (bytes.length > secretBytesMax)
    throw new CommandError("usage", `${name} is too large for ${kind === "key file" ? "a" : "an"} ${kind}`);
  if (isAgeFile(bytes)) return passphrases.open(bytes, name);
  // Browsers save key files so that others may read them. Windows says that everybody may write, which means nothing there.
  const isOpen = kind === "identity file" && ((await stat(path)).mode & 0o077) !== 0 && !/^[A-Za-z]:/.test(path);
  if (isOpen) say(context, `Others on this machine may be able to read ${name}: chmod 600 makes it private`);
  return decodeKeyFileText(bytes);
}

/**
 * Writes a new file that this user alone can read (mode 0600); it and its name are on the disk when this resolves. Never overwrites one,
 * and leaves none that is cut off. Throws as `open` and `write` of `node:fs` do.
 */
export async function writeNewSecret(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await flushFolder(dirname(path));
}
