import type { Sentence } from "../problems/codes.ts";

/** Answers a text that is no address, wherever one is entered. */
export const notAnAddress = "An email address is needed, such as you@example.com" satisfies Sentence;

/**
 * Whether a text has a letter whose small letter is another one's as well: the Kelvin sign, whose small letter is k, or the capital İ. By it what
 * somebody entered, or a provider says, would become an address that is somebody else's.
 */
export function hasSharedLetter(text: string): boolean {
  return [...text].some((letter) => {
    const small = letter.toLowerCase();
    return small !== letter && small.toUpperCase() !== letter;
  });
}

/** The form in which an email address is kept and compared, in small letters. One with a shared letter stays unchanged, and so is no address that is kept. */
export function lowerAddress(text: string): string {
  return hasSharedLetter(text) ? text : text.toLowerCase();
}

/** RFC 5321, section 4.5.3.1.3, without the angle brackets; the terms of an admission take no more. */
const addressLengthMax = 254;

/**
 * Whether somebody can make an account with an address, and sign in with it: the rule of the sign-in library (zod's `email`). Anyone who is invited, or moves
 * an account, has to be able to do so: domains are written in ASCII, with at least two parts. An identity provider's addresses are its own.
 */
export function canSignInWith(address: string): boolean {
  return (
    address.length <= addressLengthMax &&
    /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/.test(address)
  );
}
