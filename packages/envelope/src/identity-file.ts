import { hybridSeedOf } from "./recipient.ts";

/** More than a person has. Each of them is tried with each file. */
export const identitiesMax = 32;

/**
 * The identities in a file as programs of age take it with `-i`: one a line, all of them hybrid, besides comments and
 * empty lines. A copy of a personal key is one when it is open. `undefined` for any other text, and for more than 32.
 */
export function parseIdentities(text: string): readonly string[] | undefined {
  const lines = text.split("\n").map((line) => line.trim());
  const identities = lines.filter((line) => line !== "" && !line.startsWith("#"));
  const isHybrid = (identity: string) => hybridSeedOf(identity) !== undefined;
  const isRight = identities.length > 0 && identities.length <= identitiesMax && identities.every(isHybrid);
  return isRight ? [...new Set(identities)] : undefined;
}
