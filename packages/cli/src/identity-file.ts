import { type FileHandle, open, readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { decodeKeyFileText, isAgeFile } from "@sealpost/wire";
import { type Context, say } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { createPassphrases } from "./passphrase.ts";

/** An identity file has one line of a hundred characters, and comments. */
const identityFileBytesMax = 65_536;

/** The content of an identity file, protected with a passphrase or not. Throws a `CommandError` that names the file and never shows the key. */
export async function readIdentityFile(context: Context, path: string, passphraseFile?: string): Promise<string> {
  const absolute = resolve(context.folder, path);
  const bytes = await readFile(absolute).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "ENOENT" ? ": there is no such file" : "";
    throw new CommandError("usage", `The identity file ${path} cannot be read${reason}`);
  });
  if (bytes.length > identityFileBytesMax) throw new CommandError("usage", `${path} is too large for an identity file`);
  if (isAgeFile(bytes)) return createPassphrases(context, passphraseFile).open(bytes, path);
  // Windows says that everybody may write, which means nothing there.
  const isOpen = ((await stat(absolute)).mode & 0o077) !== 0 && !/^[A-Za-z]:/.test(absolute);
  if (isOpen) say(context, `Others on this machine may be able to read ${path}: chmod 600 makes it private`);
  return decodeKeyFileText(bytes);
}

/** Writes a new file that this user alone can read (mode 0600), onto the disk before this resolves. Never overwrites one. */
export async function writeSecretFile(context: Context, path: string, content: string | Uint8Array): Promise<string> {
  const absolute = resolve(context.folder, path);
  const file: FileHandle = await open(absolute, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    const isThere = error.code === "EEXIST";
    throw new CommandError(
      "usage",
      isThere ? `${path} already exists and is never overwritten: name another with --output` : error.message,
    );
  });
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  return absolute;
}
