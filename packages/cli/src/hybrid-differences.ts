import { compareHybrid, type FormKey, type OpeningKey } from "@sealpost/sdk";
import { type Context, say } from "./context.ts";

const sentences = {
  swapped: (version: number) =>
    `The server names another hybrid key for version ${version} than the key file given here: anyone who has its private half can open what is sealed to it. Ask who runs the server, and take the form off its page until it is explained`,
  hidden: (version: number) =>
    `The server names no hybrid key for version ${version}, but the key file given here has one: what visitors send is not protected against quantum computers. Ask who runs the server, or rotate the keys`,
  added: (version: number) =>
    `The server names a hybrid key for version ${version} that the key file given here does not have. If another key file of yours has it, give that one. If none has, this one is not yours: do not use snippets that name it, and ask who runs the server`,
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
