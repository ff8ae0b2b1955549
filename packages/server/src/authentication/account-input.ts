import { isInvisible } from "@sealpost/wire";
import { isDisplayable } from "../http/display-text.ts";
import { sentences } from "../problems/codes.ts";

export const nameLengthMax = 100;
export const passwordLengthMin = 10;
export const passwordLengthMax = 128;

/** The error of an account's name, in a sentence. An account may do without one, but not have a blank one. */
export function findNameError(name: unknown): string | undefined {
  if (typeof name !== "string" || name.length > nameLengthMax || !name.isWellFormed())
    return `The name must be text of at most ${nameLengthMax} characters`;
  if (isInvisible(name)) return "The name must not be blank";
  return isDisplayable(name) ? undefined : sentences.account_name_control_characters;
}

/**
 * What is wrong with a password that somebody chose, in a sentence. Spaces are as good as any other character (NIST SP
 * 800-63B, 3.1.1.2), and no kinds of characters are asked for; but one character over and over, such as a space bar that
 * was held down, is among the first that anybody tries.
 */
export function findPasswordError(password: unknown): string | undefined {
  if (typeof password !== "string") return "A password is needed, as text";
  if (password.length < passwordLengthMin) return `The password must have at least ${passwordLengthMin} characters`;
  if (password.length > passwordLengthMax) return `The password must have at most ${passwordLengthMax} characters`;
  if (isInvisible(password)) return "The password must not be spaces alone";
  return new Set(password).size === 1 ? "The password must not be one character over and over" : undefined;
}

/** An unchanged password keeps nobody out, but would end sessions and revoke API keys. */
export function findSameError({
  currentPassword,
  newPassword,
}: {
  readonly currentPassword?: unknown;
  readonly newPassword?: unknown;
}): string | undefined {
  return isText(newPassword) && isText(currentPassword) && toHashed(newPassword) === toHashed(currentPassword)
    ? "The new password must differ from the current one"
    : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** The sign-in library hashes what looks alike as one (NFKC). */
function toHashed(password: string): string {
  return password.normalize("NFKC");
}

/** Whether a new password revokes the account's API keys: it does by default. */
export function findRevocationError(revokeApiKeys: unknown): string | undefined {
  return revokeApiKeys === undefined || typeof revokeApiKeys === "boolean" ? undefined : "It must be true or false";
}
