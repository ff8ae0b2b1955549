import type { Code, SentenceOf } from "./codes.ts";

/** Meaning of a 429 or 503. */
export interface Waiting {
  /**
   * `full`: there is no room; nothing was stored, and the visitor may save the answers. `soon`: nothing was stored, and the same works in
   * a moment. `doubtful`: it may have been stored, and sending it again is safe. `none`: no visitor's request gets this answer.
   */
  readonly visitor: "full" | "soon" | "doubtful" | "none";
  /** Whose limit was reached. The operator need not act on the account's own, so the error log has no line for it. */
  readonly limit?: "account" | "service";
}

/**
 * Every code of a 429 or 503; one that is missing here does not compile as either. What depends on it is derived: the member `full` of the
 * answer, by which pages decide (also those with a script that is older than the code), the pages of forms without script, the outcomes of
 * `sealpost_submissions_total`, and what the error log has.
 */
export const waitingCodes = {
  // No room
  hourly_limit_reached: { visitor: "full", limit: "account" },
  quota_reached: { visitor: "full", limit: "account" },
  storage_full: { visitor: "full", limit: "service" },
  organization_full: { visitor: "none", limit: "account" },

  // In a moment
  too_many_requests: { visitor: "soon" },
  uploads_busy: { visitor: "soon" },
  form_busy: { visitor: "soon" },
  submission_check_busy: { visitor: "soon" },
  submission_check_too_slow: { visitor: "soon" },
  service_starting: { visitor: "soon" },
  service_stopping: { visitor: "soon" },
  secret_missing: { visitor: "soon" },
  database_unavailable: { visitor: "doubtful" },

  // Answers to people who are signed in, or about to be
  too_many_changes: { visitor: "none" },
  too_many_member_changes: { visitor: "none" },
  too_many_exports: { visitor: "none" },
  too_many_key_versions_today: { visitor: "none" },
  too_many_key_log_entries_today: { visitor: "none" },
  too_many_envelope_revisions_today: { visitor: "none" },
  too_many_emails: { visitor: "none" },
  too_many_invitations_today: { visitor: "none" },
  too_many_list_entries_today: { visitor: "none" },
  too_many_own_list_entries: { visitor: "none" },
  too_many_names: { visitor: "none" },
  too_many_personal_keys: { visitor: "none" },
  too_many_key_copies_today: { visitor: "none" },
  key_making_busy: { visitor: "none" },
  password_queue_full: { visitor: "none" },
  codes_wrong_wait: { visitor: "none" },
  identity_provider_away: { visitor: "none" },
  identity_provider_misconfigured: { visitor: "none" },
  test_interrupted: { visitor: "none" },
  webhook_tests_busy: { visitor: "none" },
} as const satisfies Partial<Record<Code, Waiting>>;

export type WaitingCode = keyof typeof waitingCodes;
export type WaitingSentence = SentenceOf<WaitingCode>;
type CodesFor<Visitor extends Waiting["visitor"]> = {
  [Name in WaitingCode]: (typeof waitingCodes)[Name]["visitor"] extends Visitor ? Name : never;
}[WaitingCode];
export type FullCode = CodesFor<"full">;

/** `undefined` for any other code. */
export function findWaiting(code: string | undefined): Waiting | undefined {
  return code !== undefined && Object.hasOwn(waitingCodes, code) ? waitingCodes[code as WaitingCode] : undefined; // just asked
}

export function isFullCode(code: string | undefined): code is FullCode {
  return findWaiting(code)?.visitor === "full";
}

export const fullCodes: readonly FullCode[] = Object.keys(waitingCodes).filter(isFullCode);
