import { codeOf } from "./code-of.ts";
import type { Code, Sentence } from "./codes.ts";
import type { WaitingCode, WaitingSentence } from "./waiting-codes.ts";

/** The closed set of error codes, each with its one status (contract, section 4.2). */
const statuses = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const satisfies Record<string, number>;

export type ProblemCode = keyof typeof statuses;
/** These ask to wait: each code with one of these says in `waiting-codes.ts` what that means. */
type WaitingProblemCode = "rate_limited" | "unavailable";
export type RefusalCode = Exclude<ProblemCode, WaitingProblemCode>;

export interface ProblemOptions {
  /** Field path to message, shown to the caller. */
  readonly details?: Readonly<Record<string, string>>;
  /** Seconds until it is worth another try; becomes `Retry-After`, and `retryAfter` in the body of a 429 or 503. */
  readonly retryAfter?: number;
  /** Where HTTP has a more exact status than the code's own. */
  readonly status?: number;
  /** The code of the message, where that is put together from others. */
  readonly reason?: Code;
  /** The internal cause; logged, never shown. */
  readonly cause?: unknown;
}

/** An outcome that ends a request: a message for the caller, and a cause that stays inside. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly details: Readonly<Record<string, string>> | undefined;
  readonly retryAfter: number | undefined;
  readonly status: number;
  /** The exact kind: the answer's member `code`, while `code` here is its member `error`. */
  readonly reason: Code | ProblemCode;

  constructor(code: WaitingProblemCode, message: string, options: ProblemOptions & { readonly reason: WaitingCode });
  constructor(code: WaitingProblemCode, message: WaitingSentence, options?: ProblemOptions);
  constructor(code: RefusalCode, message: string, options: ProblemOptions & { readonly reason: Code });
  constructor(code: RefusalCode, message: Sentence, options?: ProblemOptions);
  constructor(code: ProblemCode, message: string, options: ProblemOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfter = options.retryAfter;
    this.reason = options.reason ?? codeOf(message) ?? code;
    this.status = options.status ?? statuses[code];
  }
}

/** Nothing was written, or the caller can't know: a submission that is sent again with its id is still only one. */
export function databaseUnavailable(cause: unknown): Problem {
  return new Problem("unavailable", "The database does not answer, please try again", { retryAfter: 5, cause });
}

/** Nothing was written, or only what can be written again: another process has the secret, or this one soon will. */
export function secretMissing(cause?: unknown): Problem {
  return new Problem("unavailable", "This process lacks the newest secret of the instance", { retryAfter: 5, cause });
}

/** Also for a form of another account: who may not see it does not learn that it is there. */
export function formNotFound(): Problem {
  return new Problem("not_found", "Form not found");
}

/** For whatever would delete something of a form that must keep all of it. */
export function formHeld(since: number): Problem {
  const day = new Date(since).toISOString().slice(0, 10);
  return new Problem(
    "conflict",
    `This form has been under legal hold since ${day}: nothing of it can be deleted until an owner of the organization lifts the hold`,
  );
}

/** For handing the form over. */
export function heldFormStays(since: number): Problem {
  const day = new Date(since).toISOString().slice(0, 10);
  return new Problem(
    "conflict",
    `This form has been under legal hold since ${day}: it can't be handed over until an owner of the organization lifts the hold`,
  );
}

/** For whatever would delete an organization of these forms, which must all stay. */
export function formsHeld(forms: readonly { readonly id: string; readonly name: string }[]): Problem {
  const shownMax = 3;
  const shown = forms.slice(0, shownMax).map(({ id, name }) => `“${name}” (${id})`);
  // Without a word: pages translate the sentence around it.
  const more = forms.length > shownMax ? [`+${forms.length - shownMax}`] : [];
  return new Problem(
    "conflict",
    `What has forms under legal hold can't be deleted until an owner of the organization lifts the holds: ${[...shown, ...more].join(", ")}`,
  );
}

export const problemCodes = Object.keys(statuses) as readonly ProblemCode[]; // the keys of the table above

/** Throws a 400 that names every invalid field, unless none is. Without a `message` it is the errors themselves. */
export function refuseInvalid(errors: Readonly<Record<string, string | undefined>>, message?: string): void {
  const found = Object.entries(errors).flatMap(([field, issue]) => (issue === undefined ? [] : [[field, issue]]));
  if (found.length === 0) return;
  const details: Record<string, string> = Object.fromEntries(found);
  const text = message ?? Object.values(details).join(". ");
  const reason = codeOf(text) ?? (found.length === 1 ? "field_invalid" : "invalid_request");
  throw new Problem("bad_request", text, { details, reason });
}
