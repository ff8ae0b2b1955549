import { resolve } from "node:path";
import type { Context } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { createPassphrases } from "./passphrase.ts";
import { readSecret, writeNewSecret } from "./secret-files.ts";

/** The content of an identity file, protected with a passphrase or not. Throws a `CommandError` that names the file and never shows the key. */
export function readIdentityFile(context: Context, path: string, passphraseFile?: string): Promise<string> {
  const file = { path: resolve(context.folder, path), name: path, kind: "identity file" } as const;
  return readSecret(context, file, createPassphrases(context, passphraseFile));
}

/** Writes a new file that this user alone can read (mode 0600), onto the disk before this resolves. Never overwrites one. */
export async function writeSecretFile(context: Context, path: string, content: string | Uint8Array): Promise<string> {
  const absolute = resolve(context.folder, path);
  await writeNewSecret(absolute, content).catch((error: NodeJS.ErrnoException) => {
    const isThere = error.code === "EEXIST";
    throw new CommandError(
      "usage",
      isThere ? `${path} already exists and is never overwritten: name another with --output` : error.message,
    );
  });
  return absolute;
}
