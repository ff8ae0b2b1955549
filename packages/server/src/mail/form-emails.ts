import type { AccountId, FormId } from "@sealpost/wire";
import { dayMilliseconds, hourMilliseconds } from "../time/clock.ts";
import type { Instant, MailKind, MailSubject } from "./mail.ts";

/** The last notice to a form's owner, and whether emails are wanted. */
export interface Notified {
  /** Submissions the form had ever received. */
  readonly received: number;
  /** The failure of the webhook that the owner knows of, by its beginning. */
  readonly failingSince: Instant | null;
  /** The key version that nobody has proved, as far as the owner knows; 0 for none. */
  readonly unprovedVersion: number;
  /** No mail about submissions before this. */
  readonly nextAt: Instant;
}

/** The current values to compare with. */
export interface FormState {
  readonly formId: FormId;
  readonly accountId: AccountId;
  readonly createdAt: Instant;
  readonly received: number;
  readonly keyVersion: number;
  /** Since when the webhook has accepted nothing; null while all is well. */
  readonly failingSince: Instant | null;
  /** Since when the form receives to its newest key although nobody has said that it opens anything; null while all is well. */
  readonly unprovedSince: Instant | null;
  /** Whether the owner wants emails about submissions and the webhook. */
  readonly isWanted: boolean;
}

/** At most one mail about submissions per form in this time. The first goes out with the next look, half a minute at most. */
export const quietMilliseconds = hourMilliseconds;

/** The owner's knowledge before the first look: nothing, except for forms that are older than the emails of this instance. */
export function firstNotified({ createdAt, received }: FormState, emailsSince: Instant): Notified {
  const isNew = createdAt >= emailsSince;
  return {
    received: isNew ? 0 : received,
    failingSince: null,
    unprovedVersion: 0,
    nextAt: 0,
  };
}

/** A time that no quiet hour could have set is one of a clock that was wrong, and is waited for no longer. */
function isOver(nextAt: Instant, now: Instant): boolean {
  return nextAt <= now || nextAt > now + quietMilliseconds;
}

/** The notices that a look at a form may find. */
type FormMail = Extract<MailSubject, { readonly kind: "submissions" | "webhook_failing" | "key_unproved" }>;

/** The emails that are due about a form, and what its owner knows after them. A kind in `pending` waits for the one before. */
export function decideEmails(
  form: FormState,
  notified: Notified,
  pending: readonly MailKind[],
  now: Instant,
): { readonly emails: readonly FormMail[]; readonly notified: Notified } {
  const { formId, received, keyVersion, failingSince, unprovedSince, isWanted } = form;
  const emails: FormMail[] = [];
  let next = notified;
  const isDue = (kind: MailKind, wish: boolean) => wish && !pending.includes(kind);
  if (isDue("submissions", isWanted && received > notified.received && isOver(notified.nextAt, now))) {
    emails.push({ kind: "submissions", formId, count: received - notified.received });
    next = { ...next, received, nextAt: now + quietMilliseconds };
  }
  const isLong = failingSince !== null && failingSince <= now - dayMilliseconds;
  if (isDue("webhook_failing", isWanted && isLong && failingSince !== notified.failingSince) && failingSince !== null) {
    emails.push({ kind: "webhook_failing", formId, since: failingSince });
    next = { ...next, failingSince };
  }
  // A day is time enough to set up a receiver, or to save the key and try it.
  const isDoubtful = unprovedSince !== null && unprovedSince <= now - dayMilliseconds;
  if (isDue("key_unproved", isWanted && isDoubtful && keyVersion !== notified.unprovedVersion)) {
    emails.push({ kind: "key_unproved", formId, keyVersion });
    next = { ...next, unprovedVersion: keyVersion };
  }
  return { emails, notified: next };
}
