import type { AccountId, FormId } from "@sealpost/wire";
import { dayMilliseconds, hourMilliseconds } from "../time/clock.ts";

/** Milliseconds since the Unix epoch. */
export type Instant = number;

/** What a mail may be about. There is no place in here for anything that was submitted, nor for a form's name. */
export type MailSubject =
  | { readonly kind: "submissions"; readonly formId: FormId; readonly count: number }
  | { readonly kind: "webhook_failing"; readonly formId: FormId; readonly since: Instant }
  | { readonly kind: "key_unproved"; readonly formId: FormId; readonly keyVersion: number }
  | QuotaSubject
  | { readonly kind: "password_reset"; readonly token: string }
  | { readonly kind: "verify_email"; readonly token: string }
  | SecuritySubject
  | { readonly kind: "security_gathered"; readonly counts: readonly GatheredCount[] };

/** How full the quota of an account is, or of one of its forms. */
export interface QuotaSubject {
  readonly kind: "quota";
  readonly accountId: AccountId;
  readonly formId: FormId | undefined;
  readonly level: 80 | 100;
}

/** What tells an owner that somebody may be taking over the account, or a form. Nobody can unsubscribe from it. */
export type SecuritySubject =
  | { readonly kind: "keys_rotated"; readonly formId: FormId; readonly keyVersion: number }
  | {
      readonly kind: "security";
      readonly event: SecurityEvent;
      readonly occurredAt: Instant;
      /** Where the link leads; a form that is gone has no page. */
      readonly formId: FormId | undefined;
      /** How many things it was done to, where the sentence says so. */
      readonly count: number | undefined;
    };

/** What security mails tell of. Each has its words in `mail-text.ts`. */
export const securityEvents = [
  "api_key_created",
  "api_keys_revoked",
  "password_changed",
  "password_reset",
  "password_reset_by_operator",
  "second_factor_enabled",
  "second_factor_disabled",
  "second_factor_reset",
  "backup_codes_replaced",
  "account_disabled",
  "account_enabled",
  "webhook_url_changed",
  "sealing_changed",
  "form_deleted",
  "keys_rotated",
] as const;
export type SecurityEvent = (typeof securityEvents)[number];

export interface GatheredCount {
  readonly event: SecurityEvent;
  readonly count: number;
}

export type MailKind = MailSubject["kind"];

/** What is good to know, and can be unsubscribed from. */
export const noticeKinds = [
  "submissions",
  "webhook_failing",
  "key_unproved",
  "quota",
] as const satisfies readonly MailKind[];
/** So many of them an address gets within a day, however many forms there are. What is not told today is told later, in one. */
export const noticesPerDay = 30;

/** Mails of these kinds count against the bound of security mails. */
export const securityKinds = ["security", "keys_rotated"] as const satisfies readonly MailKind[];
/** So many security mails an account gets within a day one by one; what comes after them is gathered, one mail an hour. */
export const securityMailsPerDay = 20;

/** A mail on its way to the address of an account. */
export interface Mail {
  readonly id: string;
  readonly accountId: AccountId;
  readonly createdAt: Instant;
  /** It is of no use after this. */
  readonly expiresAt: Instant;
  /** With the one that is being made. */
  readonly attempts: number;
  readonly subject: MailSubject;
}

const minute = 60_000;

/** Gaps after failed attempts: eight tries in about a day. */
const delays = [
  minute,
  5 * minute,
  15 * minute,
  hourMilliseconds,
  3 * hourMilliseconds,
  6 * hourMilliseconds,
  12 * hourMilliseconds,
] as const;

/** No gap is longer: a mail that is due later than that was put off by a clock that was wrong. */
export const delayMillisecondsMax = Math.max(...delays);

/** Longer than a try may take, so that nobody else begins one meanwhile. */
export const leaseMilliseconds = 3 * minute;
/** How long one try may take. */
export const deadlineMilliseconds = minute;

/** A link to set a password works as long as this, and so long it is worth trying to send it. */
export const resetLifetimeMilliseconds = hourMilliseconds;
/** A link to verify an address works as long as this. */
export const verificationLifetimeMilliseconds = dayMilliseconds;
/** An account gets no more mails with links of one kind in an hour, and in a day, however often they are asked for. */
export const linksPerHour = 3;
export const linksPerDay = 10;

export function lifetimeOf(kind: MailKind): number {
  if (kind === "password_reset") return resetLifetimeMilliseconds;
  return kind === "verify_email" ? verificationLifetimeMilliseconds : 2 * dayMilliseconds;
}

/** `refused`: the mail server said that it will never take this mail. */
export type SendResult = "sent" | "refused" | "failed";

export type MailOutcome =
  | { readonly state: "sent" }
  | { readonly state: "given_up" }
  | { readonly state: "waiting"; readonly dueAt: Instant };

/** What becomes of a mail after a try. */
export function nextOutcome({ attempts, expiresAt }: Mail, result: SendResult, at: Instant): MailOutcome {
  if (result === "sent") return { state: "sent" };
  const delay = delays[attempts - 1];
  if (result === "refused" || delay === undefined || at + delay >= expiresAt) return { state: "given_up" };
  return { state: "waiting", dueAt: at + delay };
}

/** What a form's owner was told last, and whether mails are wanted. */
export interface Told {
  /** Submissions the form had ever received. */
  readonly received: number;
  readonly keyVersion: number;
  /** The failure of the webhook that the owner knows of, by its beginning. */
  readonly failingSince: Instant | null;
  /** The key version that nobody has proved, as far as the owner knows; 0 for none. */
  readonly unprovedVersion: number;
  /** No mail about submissions before this. */
  readonly nextAt: Instant;
}

/** What there is to tell. */
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
  /** Whether the owner wants mails about submissions and the webhook. That keys were rotated is told in any case. */
  readonly isWanted: boolean;
}

/** At most one mail about submissions per form in this time. The first goes out with the next look, half a minute at most. */
export const quietMilliseconds = hourMilliseconds;

/** What a form's owner knows before the first look: nothing, but for forms that are older than the mails of this instance. */
export function firstTold({ createdAt, received, keyVersion }: FormState, mailsSince: Instant): Told {
  const isNew = createdAt >= mailsSince;
  return {
    received: isNew ? 0 : received,
    keyVersion: isNew ? 1 : keyVersion,
    failingSince: null,
    unprovedVersion: 0,
    nextAt: 0,
  };
}

/** A time that no quiet hour could have set is one of a clock that was wrong, and is waited for no longer. */
function isOver(nextAt: Instant, now: Instant): boolean {
  return nextAt <= now || nextAt > now + quietMilliseconds;
}

/** What a look at a form may find to tell. */
type FormMail = Extract<
  MailSubject,
  { readonly kind: "submissions" | "webhook_failing" | "keys_rotated" | "key_unproved" }
>;

/** The mails that are due about a form, and what its owner knows after them. A kind in `pending` waits for the one before. */
export function decideMails(
  form: FormState,
  told: Told,
  pending: readonly MailKind[],
  now: Instant,
): { readonly mails: readonly FormMail[]; readonly told: Told } {
  const { formId, received, keyVersion, failingSince, unprovedSince, isWanted } = form;
  const mails: FormMail[] = [];
  let next = told;
  const isDue = (kind: MailKind, wish: boolean) => wish && !pending.includes(kind);
  if (isDue("submissions", isWanted && received > told.received && isOver(told.nextAt, now))) {
    mails.push({ kind: "submissions", formId, count: received - told.received });
    next = { ...next, received, nextAt: now + quietMilliseconds };
  }
  if (isDue("keys_rotated", keyVersion > told.keyVersion)) {
    mails.push({ kind: "keys_rotated", formId, keyVersion });
    next = { ...next, keyVersion };
  }
  const isLong = failingSince !== null && failingSince <= now - dayMilliseconds;
  if (isDue("webhook_failing", isWanted && isLong && failingSince !== told.failingSince) && failingSince !== null) {
    mails.push({ kind: "webhook_failing", formId, since: failingSince });
    next = { ...next, failingSince };
  }
  // A day is time enough to set up a receiver, or to save the key and try it.
  const isDoubtful = unprovedSince !== null && unprovedSince <= now - dayMilliseconds;
  if (isDue("key_unproved", isWanted && isDoubtful && keyVersion !== told.unprovedVersion)) {
    mails.push({ kind: "key_unproved", formId, keyVersion });
    next = { ...next, unprovedVersion: keyVersion };
  }
  return { mails, told: next };
}
