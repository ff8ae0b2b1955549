import type { AccountId, FormId } from "@sealpost/wire";
import type { Role } from "../access/roles.ts";
import { dayMilliseconds, hourMilliseconds } from "../time/clock.ts";

/** Milliseconds since the Unix epoch. */
export type Instant = number;

/** The subject of an email. There is no place in here for anything that was submitted, nor for a form's name. */
export type MailSubject =
  | { readonly kind: "submissions"; readonly formId: FormId; readonly count: number }
  | { readonly kind: "webhook_failing"; readonly formId: FormId; readonly since: Instant }
  | { readonly kind: "key_unproved"; readonly formId: FormId; readonly keyVersion: number }
  | RefusalSubject
  | QuotaSubject
  | { readonly kind: "password_reset"; readonly token: string }
  | { readonly kind: "verify_email"; readonly token: string }
  | InvitationSubject
  | AddressSubject
  | SecuritySubject
  | { readonly kind: "security_gathered"; readonly counts: readonly GatheredCount[] };

/**
 * Emails that somebody waits for, with the page open that asked for them: whatever queues one wakes the worker after its commit. All
 * others are found within half a minute.
 */
export const awaitedKinds = [
  "password_reset",
  "verify_email",
  "invitation",
  "instance_invitation",
  "address",
] as const satisfies readonly MailSubject["kind"][];
export type AwaitedKind = (typeof awaitedKinds)[number];

/** How long an invitation can be accepted, and so how long the link in its email works. */
export const invitationMilliseconds = 7 * dayMilliseconds;

/** Goes to the invited address, which may be of nobody whom this instance knows. */
export interface InvitationSubject {
  /** To an organization, or to the instance. */
  readonly kind: "invitation" | "instance_invitation";
  readonly token: string;
  readonly address: string;
}

/** About a move of an account to another address; goes to one of the two. */
export interface AddressSubject {
  readonly kind: "address";
  /** `taken`: to an address that has an account. `moved`: to the address before. */
  readonly step: "confirm_old" | "confirm_new" | "taken" | "moved";
  /** None in an email that asks for nothing. */
  readonly token: string | undefined;
  readonly address: string;
  /** The other one of the two. */
  readonly other: string;
}

/** Causes for which visitors of a form are refused, other than an old key, which has a security email. Anybody can make such a request. */
export const noticedCauses = ["origin", "unsealed", "too_large", "hourly_limit", "form_markup", "trapped"] as const;
export type NoticedCause = (typeof noticedCauses)[number];

/** A form refused somebody, for what its settings or its page say. */
export interface RefusalSubject {
  readonly kind: "refusal";
  readonly formId: FormId;
  readonly cause: NoticedCause;
  readonly since: Instant;
}

/** How full the part of a quota is that a form may use, or the quota of an account, or of its audit log. */
export type QuotaSubject = FormQuotaSubject | AccountQuotaSubject;

export interface FormQuotaSubject {
  readonly kind: "quota";
  readonly accountId: AccountId;
  readonly formId: FormId;
  readonly level: 80 | 100;
}

export interface AccountQuotaSubject {
  readonly kind: "account_quota";
  readonly accountId: AccountId;
  /** `log`: that of the account's audit log. */
  readonly room: "storage" | "log";
  readonly level: 80 | 100;
}

/** Signs that somebody may be taking over the account, or a form. Nobody can unsubscribe from these. */
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
      /** Code for the owner's page, where the sentence says so: made of the form's id and of its public key alone. */
      readonly snippet?: string | undefined;
      readonly moved?: MovedMembers | undefined;
    };

/** Members of an organization who were changed from an account whose address was moved and then taken back. */
export interface MovedMembers {
  /** The account's address from before the move, which it has again. */
  readonly address: string;
  readonly since: Instant;
  /** The role before, and now; null: no member. Twice the same: other forms. */
  readonly members: readonly { readonly address: string; readonly before: Role | null; readonly now: Role | null }[];
  /** How many others there are. */
  readonly more: number;
}

/**
 * Events of a person's account and sign-in, which go to that person alone. Each has its words in the catalogues (`packages/texts`) and its page in `security-pages.ts`.
 * `at_once`: a change of how the person signs in, or an end of it. It is announced at once, whatever else has happened: it may be a take-over.
 * `by_others`: strangers cause it, or owners of an organization to which the person belongs. It has a bound of its own, so that it delays nothing else.
 */
const announcedOfPerson = {
  api_keys_revoked: "bounded",
  password_changed: "at_once",
  password_reset: "at_once",
  password_reset_by_operator: "at_once",
  second_factor_enabled: "at_once",
  second_factor_disabled: "at_once",
  second_factor_reset: "at_once",
  backup_codes_replaced: "at_once",
  identity_linked: "at_once",
  identity_unlinked: "at_once",
  passkey_added: "at_once",
  passkey_removed: "at_once",
  personal_key_made: "bounded",
  personal_key_replaced: "bounded",
  personal_key_restored: "bounded",
  personal_key_given: "bounded",
  key_copy_added: "bounded",
  key_copy_removed: "bounded",
  key_copy_restored: "bounded",
  account_disabled: "at_once",
  account_enabled: "at_once",
  account_verified: "at_once",
  sessions_ended: "at_once",
  operator_named: "bounded",
  operator_ended: "bounded",
  membership_ended: "by_others",
  membership_lowered: "by_others",
  account_moved: "at_once",
  account_leaving: "at_once",
  account_kept: "at_once",
  account_leaving_called_off: "at_once",
  member_move_undone: "by_others",
} as const satisfies Readonly<Record<string, "at_once" | "bounded" | "by_others">>;
export type PersonEvent = keyof typeof announcedOfPerson;

export const personEvents = Object.keys(announcedOfPerson) as readonly PersonEvent[]; // they are its keys

/** Events of an organization, which go to all of its owners. The same. */
const announcedOfOrganization = {
  api_key_created: "bounded",
  plan_changed: "bounded",
  organization_ending: "bounded",
  organization_kept: "bounded",
  webhook_url_changed: "bounded",
  sealing_changed: "bounded",
  stripping_changed: "bounded",
  keeping_shortened: "bounded",
  form_deleted: "bounded",
  member_invited: "bounded",
  member_joined: "bounded",
  member_changed: "bounded",
  member_removed: "bounded",
  member_list_begun: "bounded",
  member_list_changed: "bounded",
  recovery_key_made: "bounded",
  recovery_key_used: "bounded",
  admission_answered: "bounded",
  envelopes_removed: "bounded",
  form_handed_over: "bounded",
  second_factor_rule_changed: "bounded",
  recovery_rule_changed: "bounded",
  form_hold_set: "bounded",
  form_hold_lifted: "bounded",
  form_hold_over: "bounded",
  deletions_held_back: "bounded",
  api_key_ends: "bounded",
  keys_rotated: "bounded",
  visitors_refused: "by_others",
  audit_log_shortened: "bounded",
} as const satisfies Readonly<Record<string, "bounded" | "by_others">>;
export type OrganizationEvent = keyof typeof announcedOfOrganization;
export const organizationEvents = Object.keys(announcedOfOrganization) as readonly OrganizationEvent[]; // they are its keys

export const securityEvents = [...personEvents, ...organizationEvents] as const;
export type SecurityEvent = (typeof securityEvents)[number];

const announced = { ...announcedOfPerson, ...announcedOfOrganization };
export const isByOthers = (event: SecurityEvent): boolean => announced[event] === "by_others";

/** The most single security emails within a day, of those that share the event's bound. */
export function perDayOf(event: SecurityEvent): number {
  if (announced[event] === "by_others") return emailsByOthersPerDay;
  return announced[event] === "at_once" ? signInEmailsPerDay : securityEmailsPerDay;
}

export function isPersonalEvent(event: SecurityEvent): event is PersonEvent {
  return personEvents.some((one) => one === event);
}

/** Whether an email is for one person, not for the owners of an organization. */
export function isPersonal(subject: MailSubject): boolean {
  return (
    subject.kind === "password_reset" ||
    subject.kind === "verify_email" ||
    subject.kind === "address" ||
    (subject.kind === "security" && isPersonalEvent(subject.event)) ||
    (subject.kind === "security_gathered" && subject.counts.every(({ event }) => isPersonalEvent(event)))
  );
}

export interface GatheredCount {
  readonly event: SecurityEvent;
  readonly count: number;
}

/** An email in the language of its texts. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
  /** The page that says more, after a sign-in. */
  readonly link: string;
}

export type MailKind = MailSubject["kind"];

/**
 * Notices that are good to know, and can be unsubscribed from; and how many of each kind an organization has within a day at most, however many
 * forms it has: 30 together. Each kind has a bound of its own, since strangers cause most of them: submissions, refusals and full forms take
 * nothing from the others. `notice-share.ts` says how many an address gets of several organizations. Further notices are combined into a later one.
 */
export const noticesPerDay = {
  submissions: 15,
  webhook_failing: 3,
  key_unproved: 2,
  refusal: 2,
  quota: 4,
  account_quota: 4,
} as const satisfies Readonly<Partial<Record<MailKind, number>>>;
export type NoticeKind = keyof typeof noticesPerDay;
export const noticeKinds = Object.keys(noticesPerDay) as readonly NoticeKind[]; // they are its keys

export type NoticeSubject = Extract<MailSubject, { readonly kind: NoticeKind }>;

export function isNoticeKind(kind: string): kind is NoticeKind {
  return Object.hasOwn(noticesPerDay, kind);
}

/** Emails of these kinds count against the bound of security emails. */
export const securityKinds = ["security", "keys_rotated"] as const satisfies readonly MailKind[];
/** The most single security emails that an account gets within a day, of an organization for each of its members who cause any; further ones are combined, one email an hour. */
export const securityEmailsPerDay = 20;
/** So many members reach their bounds in an organization before those of all others are combined too. */
export const membersWithBounds = 5;
/** The same for a person's events that are announced `at_once`. Only these reach it, each announced, so that nothing else puts one off. */
export const signInEmailsPerDay = 100;
/** The same for events that others cause, apart from all of the above. */
export const emailsByOthersPerDay = 10;

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

/** Whether a try that begins now ends before the lease does. A process that stood still since its claim would send what another one has claimed. */
export function mayBegin(since: Instant, now: Instant): boolean {
  return now - since <= leaseMilliseconds - deadlineMilliseconds;
}

/** A link to set a password works as long as this, and so long it is worth trying to send it. */
export const resetLifetimeMilliseconds = hourMilliseconds;
/** A link to verify an address works as long as this. */
export const verificationLifetimeMilliseconds = dayMilliseconds;
/** The most emails with links of one kind for an account in an hour, and in a day; a move to another address has two. */
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

/** The outcome of a try to send an email. */
export function nextOutcome({ attempts, expiresAt }: Mail, result: SendResult, at: Instant): MailOutcome {
  if (result === "sent") return { state: "sent" };
  const delay = delays[attempts - 1];
  if (result === "refused" || delay === undefined || at + delay >= expiresAt) return { state: "given_up" };
  return { state: "waiting", dueAt: at + delay };
}
