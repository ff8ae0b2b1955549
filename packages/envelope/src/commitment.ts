import { parse32Bytes } from "./text.ts";

declare const committed: unique symbol;

/**
 * The commitment to a name, which signed lists have in the place of names: base64url of 32 bytes. To the compiler it is no text, so that no program shows it
 * as a name. SPECIFICATION.md section 14.
 */
export interface Commitment {
  readonly [committed]: true;
}

export function parseCommitment(value: unknown): Commitment {
  return asCommitment(parse32Bytes(value));
}

/** The compiler takes a commitment for no text. */
export const asCommitment = (text: string) => text as unknown as Commitment;
