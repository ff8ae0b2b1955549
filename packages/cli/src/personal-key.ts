import type { PersonalKey, RefusalError as Refusal } from "@sealpost/envelope";
import type { Client } from "@sealpost/sdk";
import { decodeBase64Url } from "@sealpost/wire";
import type { Context } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { readIdentityFile } from "./identity-file.ts";
import { ask } from "./prompt.ts";
import { readText } from "./text-input.ts";

/** How a copy of the personal key is opened: never by an argument, which is in the process list and the shell's history. */
export interface UnlockOptions {
  readonly passphraseFile?: string;
  readonly sheetFile?: string;
}

export const wordsOption = [
  "--passphrase-file <file>",
  "file with the six words or the passphrase, - for standard input; without it you are asked at the terminal",
] as const;

export const sheetOption = [
  "--sheet-file <file>",
  "file with the four lines of the recovery sheet instead, - for standard input",
] as const;

/** How often the words are asked for before the command ends. */
const attemptsMax = 3;

export interface UnlockedKey {
  readonly key: PersonalKey;
  /** The name of the copy that was opened. */
  readonly copyName: string;
}

/**
 * Opens one of the sealed copies of the signed-in person's personal key. The key is the one whose public halves the server names: another key that the
 * same words open is refused.
 */
export async function unlockPersonalKey(
  context: Context,
  client: Client,
  options: UnlockOptions,
): Promise<UnlockedKey> {
  const { signal } = context;
  const { personalKey, copies } = await client.personalKey.get({ signal });
  if (personalKey === null)
    throw new CommandError("notFound", "You have no personal key yet: make one in the dashboard, under Your key");
  const way = options.sheetFile === undefined ? "passphrase" : "sheet";
  const fitting = copies.filter((copy) => copy.way === way && copy.removedAt === null);
  if (fitting.length === 0)
    throw new CommandError(
      "notFound",
      way === "sheet"
        ? "Your key has no copy for a recovery sheet"
        : "Your key has no copy that words or a passphrase open: use --sheet-file",
    );
  const files: { readonly name: string; readonly file: Uint8Array<ArrayBuffer> }[] = [];
  for (const { id, name } of fitting) {
    const file = decodeBase64Url(await client.personalKey.getCopy(id, { signal }));
    files.push({ name, file: file ?? new Uint8Array() });
  }
  const { openKeyCopy, RefusalError } = await import("@sealpost/envelope");
  for (let attempt = 1; ; attempt++) {
    const secrets = await findSecrets(context, options);
    let refusal: Refusal = new RefusalError("wrong_secret");
    for (const secret of secrets)
      for (const { name, file } of files) {
        const key = await openKeyCopy(file, secret, personalKey);
        if (!(key instanceof RefusalError)) return { key, copyName: name };
        if (key.reason !== "wrong_secret") refusal = key;
      }
    if (refusal.reason !== "wrong_secret") throw new CommandError("differs", refusal.message);
    const isAsked = options.passphraseFile === undefined && options.sheetFile === undefined;
    if (!isAsked || attempt === attemptsMax)
      throw new CommandError(
        "usage",
        way === "sheet" ? "That sheet does not open your key" : "These words do not open your key",
      );
    context.errors.write("These words do not open your key. Try again.\n");
  }
}

/** The recovery sheet, or every passphrase the text can stand for: the six words also match in capitals, numbered or separated by commas. */
async function findSecrets(context: Context, { passphraseFile, sheetFile }: UnlockOptions) {
  if (sheetFile !== undefined) {
    const { parseSheet } = await import("@sealpost/envelope");
    const lines = (await readText(context, sheetFile)).split(/\r?\n/).filter((line) => line.trim() !== "");
    const sheet = await parseSheet("personal", lines);
    if ("identity" in sheet) return [sheet];
    throw new CommandError(
      "usage",
      "wrongLines" in sheet
        ? `The sheet has four lines, and there is a mistake in line ${sheet.wrongLines.map((line) => line + 1).join(", ")}`
        : "This is another kind of sheet: use the sheet of your own key",
    );
  }
  const passphrase =
    passphraseFile === undefined
      ? await ask(context, "Six words or passphrase of your key", true)
      : (await readText(context, passphraseFile)).split(/\r?\n/).find((line) => line.trim() !== "");
  if (passphrase === undefined) throw new CommandError("usage", `There are no words in ${passphraseFile}`);
  const { findMeant } = await import("@sealpost/envelope");
  return findMeant(passphrase).map((meant) => ({ passphrase: meant }));
}

/** The personal key to sign with: of a file that `keys unlock` wrote, or else of a copy that is opened now. */
export async function findPersonalKey(
  context: Context,
  client: Client,
  { identity, ...options }: UnlockOptions & { readonly identity?: string },
): Promise<PersonalKey> {
  if (identity === undefined) return (await unlockPersonalKey(context, client, options)).key;
  const { parsePersonalKey } = await import("@sealpost/envelope");
  const key = await parsePersonalKey(await readIdentityFile(context, identity, options.passphraseFile));
  if (key !== undefined) return key;
  throw new CommandError(
    "usage",
    `${identity} is not a personal key, as written by \`sealpost keys unlock --output\`: the identity of a program can read but not sign`,
  );
}
