import type { Context } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { ask } from "./prompt.ts";
import { readText } from "./text-input.ts";

/** How often a passphrase is asked for before the command ends. */
const attemptsMax = 3;

/** The option of commands that read private keys. Never the passphrase itself: arguments are in the process list and the shell's history. */
export const passphraseOption = [
  "--passphrase-file <file>",
  "passphrases of protected key files, one per line, - for standard input; without it you are asked at the terminal",
] as const;

/**
 * Opens files with the passphrases of `passphraseFile`, or with those that the person types; one that opened a file is tried
 * for the next. Throws a `CommandError` that shows neither a passphrase nor anything of a file.
 */
export function createPassphrases(context: Context, passphraseFile: string | undefined) {
  let known: readonly string[] | undefined;
  return {
    async open(bytes: Uint8Array<ArrayBuffer>, path: string): Promise<string> {
      known ??= passphraseFile === undefined ? [] : await readPassphrases(context, passphraseFile);
      for (const passphrase of known) {
        const opened = await decrypt(bytes, passphrase, path);
        if (opened !== undefined) return opened;
      }
      if (passphraseFile !== undefined)
        throw new CommandError("usage", `No passphrase in ${passphraseFile} opens the key file ${path}`);
      const { passphrase, opened } = await askFor(context, bytes, path);
      known = [passphrase, ...known];
      return opened;
    },
  };
}

export type Passphrases = ReturnType<typeof createPassphrases>;

async function askFor(context: Context, bytes: Uint8Array<ArrayBuffer>, path: string) {
  if (!context.input.isTTY)
    throw new CommandError(
      "usage",
      `The key file ${path} is protected with a passphrase: give a file that contains it with --passphrase-file, or run this at a terminal`,
    );
  for (let attempt = 1; ; attempt++) {
    const passphrase = await ask(context, `Passphrase of ${path}`, true);
    const opened = await decrypt(bytes, passphrase, path);
    if (opened !== undefined) return { passphrase, opened };
    if (attempt === attemptsMax) throw new CommandError("usage", `That passphrase does not open the key file ${path}`);
    context.errors.write("That does not open the file. Try again.\n");
  }
}

async function readPassphrases(context: Context, path: string): Promise<readonly string[]> {
  const content = await readText(context, path, "passphrase file");
  const lines = content.split(/\r?\n/).filter((line) => line !== "");
  if (lines.length === 0) throw new CommandError("usage", `There is no passphrase in ${path}`);
  return lines;
}

/** The text inside, or `undefined` when another passphrase is needed. */
async function decrypt(bytes: Uint8Array<ArrayBuffer>, passphrase: string, path: string): Promise<string | undefined> {
  // Loaded when it is needed: most key files are not protected, and every command starts sooner without.
  const { openWithPassphrase } = await import("@sealpost/envelope");
  const opened = await openWithPassphrase(bytes, passphrase);
  if (opened === "damaged") throw new CommandError("usage", `The key file ${path} is damaged`);
  return opened === "wrong_passphrase" ? undefined : opened.plain;
}
