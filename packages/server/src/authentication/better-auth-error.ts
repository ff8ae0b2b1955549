import type { Sentence } from "../problems/codes.ts";
import { Problem, type RefusalCode } from "../problems/problem.ts";
import { passwordLengthMax, passwordLengthMin } from "./account-input.ts";
import { lockSeconds } from "./auth.ts";
import { notAnAddress } from "./email-address.ts";

export type Messages = Readonly<Record<string, Sentence>>;

export const challengeOver: Sentence = "The time to enter the code is over: sign in again";

/** The library's codes that a person can do something about, in our words. */
const messages: Messages = {
  INVALID_EMAIL_OR_PASSWORD: "Email address or password is wrong",
  INVALID_PASSWORD: "The password is wrong",
  PASSWORD_TOO_SHORT: `The password must have at least ${passwordLengthMin} characters`,
  PASSWORD_TOO_LONG: `The password must have at most ${passwordLengthMax} characters`,
  INVALID_EMAIL: notAnAddress,
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: "There is an account with this email address already",
  ACCOUNT_DISABLED: "This account is disabled. The server's operator can enable it again.",
  VALIDATION_ERROR: "Email address and password are needed, as texts",
  INVALID_CODE: "The code is wrong or too old",
  INVALID_BACKUP_CODE: "The backup code is wrong or was used before",
  INVALID_TWO_FACTOR_COOKIE: challengeOver,
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: "Too many wrong codes: sign in again",
  TOTP_ALREADY_ENABLED: "The second factor is on already",
  TOTP_NOT_ENABLED: "The second factor is off",
  TWO_FACTOR_NOT_ENABLED: "The second factor is off",
  BACKUP_CODES_NOT_ENABLED: "The second factor is off",
};

/** The invalid member of the body, if it is one. */
const fields: Readonly<Record<string, string>> = {
  INVALID_EMAIL: "email",
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: "email",
  INVALID_CODE: "code",
  INVALID_BACKUP_CODE: "code",
};

/** Where our code is another than the library's status says. */
const codes: Readonly<Record<string, RefusalCode>> = {
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: "conflict",
  TOTP_ALREADY_ENABLED: "conflict",
  // Distinguished from a wrong code, after which there is another try.
  INVALID_TWO_FACTOR_COOKIE: "forbidden",
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: "forbidden",
};

/** The database refused a new account: the library does not say why. */
export const notCreated = "FAILED_TO_CREATE_USER";
export const taken = "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL";

export interface OwnWords {
  /** A route's messages instead of those above. */
  readonly messages?: Messages | undefined;
  /** The invalid members of a route's body, in addition to those above. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

/** An answer of the library that says no, in our shape of errors. */
export function toBetterAuthProblem(status: number, text: string, own: OwnWords): Problem {
  const code = codeOfRefusal(text);
  const message = own.messages?.[code] ?? messages[code];
  const field = own.fields?.[code] ?? fields[code];
  const details = field !== undefined && message !== undefined ? { details: { [field]: message } } : {};
  const ours = codes[code];
  if (ours !== undefined) return new Problem(ours, message ?? "Invalid request", details);
  if (status === 401) return new Problem("unauthorized", message ?? "Invalid or missing authentication", details);
  if (status === 403) return new Problem("forbidden", message ?? "This request came from another site");
  if (status === 409) return new Problem("conflict", message ?? "Somebody else was faster. Please try again.");
  if (status === 429)
    return code === "ACCOUNT_TEMPORARILY_LOCKED"
      ? new Problem("rate_limited", "Too many wrong codes. Please try again later.", { retryAfter: lockSeconds })
      : new Problem("rate_limited", "Too many requests. Please try again later.", { retryAfter: 60 });
  if (status < 500 && code !== notCreated) return new Problem("bad_request", message ?? "Invalid request", details);
  return new Problem("internal_error", "Something went wrong on our side", {
    cause: new Error(`sign-in library: ${status} ${code}`),
  });
}

/** The library's own code; empty where its answer has none. */
export function codeOfRefusal(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null && "code" in body && typeof body.code === "string"
      ? body.code
      : "";
  } catch {
    return "";
  }
}
