import {
  compareHybrid,
  type FormKey,
  type OpenedSubmission,
  type OpeningKey,
  type SubmissionToOpen,
} from "@sealpost/sdk";
import { hybridVersion } from "@sealpost/wire";
import { type Context, say } from "./context.ts";

const sentences = {
  swapped: (version: number) =>
    `The server names another hybrid key for version ${version} than the key file given here: anyone who has its private half can open what is sealed to it. Ask who runs the server, and take the form off its page until it is explained`,
  hidden: (version: number) =>
    `The server names no hybrid key for version ${version}, but the key file given here has one: what visitors send is not protected against quantum computers. Ask who runs the server, or rotate the keys`,
  added: (version: number) =>
    `The server names a hybrid key for version ${version} that is not in this key file. If another key file of yours has it, give that one. If none of them has it, the key is not yours: do not use snippets that name it, and ask the server's operator`,
};

/** Says where the hybrid keys that the server names are not those of the key files. */
export function sayHybridDifferences(
  context: Context,
  formKeys: readonly FormKey[],
  held: readonly OpeningKey[],
): void {
  for (const formKey of formKeys) {
    const difference = compareHybrid(formKey, held);
    if (difference !== undefined) say(context, sentences[difference](formKey.version));
  }
}

/**
 * Gives a function for each submission and what became of opening it. It says, once for each version, that one was sealed to a
 * hybrid key which none of these key files has: somebody may have put it next to the form's own.
 */
export function watchHybridKeys(context: Context, held: () => readonly OpeningKey[]) {
  const said = new Set<number>();
  return ({ payload, keyVersion = 0 }: SubmissionToOpen, opened: OpenedSubmission): void => {
    const lacksKey = !opened.opened && opened.reason === "no_key";
    if (!lacksKey || !payload.encrypted || payload.version !== hybridVersion || said.has(keyVersion)) return;
    if (!held().some((key) => key.keyVersion === undefined || key.keyVersion === keyVersion)) return;
    said.add(keyVersion);
    say(
      context,
      `Sealed to a hybrid key of version ${keyVersion} that is not in this key file. If another key file of yours has it, give that one. If none of them has it, the key is not yours: ask the server's operator, and take the form off its page until it is explained`,
    );
  };
}
