import { randomBytes } from "node:crypto";
import type { AccountId, FormId } from "@sealpost/wire";
import type { AuditActor } from "../audit-log/audit-entry.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isProven } from "../database/membership.ts";
import { dayMilliseconds, hourMilliseconds, waitedMax } from "../time/clock.ts";
import {
  type GatheredCount,
  type Instant,
  isByOthers,
  isPersonal,
  isPersonalEvent,
  lifetimeOf,
  type MovedMembers,
  membersWithBounds,
  type PersonEvent,
  perDayOf,
  type SecurityEvent,
  type SecuritySubject,
  securityEvents,
  securityKinds,
} from "./mail.ts";

/** Something that an owner has to hear of, in case it was somebody else. There is no place in here for a name or for content; one email has addresses. */
export type SecurityMail = RotationMail | EventMail | PersonMail;

/** The one who did it: what one member does puts off nothing that others do. Nobody where the service, a stranger or an operator did. */
interface ByMember {
  readonly by: AuditActor;
}

/** A form has a new key pair. */
export interface RotationMail extends ByMember {
  readonly accountId: AccountId;
  readonly event: "keys_rotated";
  readonly occurredAt: Instant;
  readonly formId: FormId;
  readonly keyVersion: number;
}

interface EventMail extends EventDetails, ByMember {
  readonly event: Exclude<SecurityEvent, "keys_rotated">;
}

/** Goes to one person, about their account, and is the same for every actor. */
export interface PersonMail extends EventDetails {
  readonly event: PersonEvent;
}

/** The service itself, an operator, or a stranger. */
export const byNobody: AuditActor = { type: "nobody" };

interface EventDetails {
  readonly accountId: AccountId;
  readonly occurredAt: Instant;
  /** The form that the link in the mail leads to; none for a form that is deleted. */
  readonly formId?: FormId | undefined;
  /** How many things it was done to, where the event's sentence says so. */
  readonly count?: number | undefined;
  /** Code for the owner's page, where the event's sentence has one. */
  readonly snippet?: string | undefined;
  /** The changed members, where the event's sentence names them. */
  readonly moved?: MovedMembers | undefined;
}

/**
 * Tells an account's owner by mail what may be a take-over. Give it the transaction of what it tells of, as with
 * `recordAction`: either both happened or neither did. It can't be unsubscribed from, and does not count among the notices
 * of the day. Nothing is dropped: beyond `perDayOf`, of the person and, for each who does something there, of the organization, events are counted, and announced together once an hour. Does
 * nothing on an instance that sends no emails, nor for an account whose address has to be verified first: it has no forms and
 * no API keys. For another kind, add it to `announcedOfPerson` or
 * `announcedOfOrganization` in `mail.ts`.
 */
export type SendSecurityMail = (target: Database | DatabaseTransaction, mail: SecurityMail) => Promise<void>;

export function createSendSecurityMail({ hasMail }: { readonly hasMail: boolean }): SendSecurityMail {
  if (!hasMail) return async () => {};
  return async (target, mail) => {
    if (await isUnverified(target, mail.accountId)) return;
    const by = "by" in mail && !isPersonalEvent(mail.event) ? toActorId(mail.by) : undefined;
    await insertSecurityMail(target, { accountId: mail.accountId, by, subject: toSubject(mail), now: mail.occurredAt });
  };
}

/**
 * A person who signs up may give the address of somebody else, and must not send them emails by changing a password; nor by what they
 * do in the organization with their id.
 */
async function isUnverified(target: Database | DatabaseTransaction, accountId: AccountId): Promise<boolean> {
  const person = await target
    .selectFrom("person")
    .select("verification")
    .where("id", "=", accountId)
    .executeTakeFirst();
  return person?.verification === "needed";
}

function toSubject(mail: SecurityMail): SecuritySubject {
  if (mail.event === "keys_rotated") return { kind: "keys_rotated", formId: mail.formId, keyVersion: mail.keyVersion };
  const { event, occurredAt, formId, count, snippet, moved } = mail;
  return { kind: "security", event, occurredAt, formId, count, snippet, moved };
}

/** A person's API keys count as what they do themselves: otherwise another key would be another bound. */
function toActorId(actor: AuditActor): string | undefined {
  if (actor.type === "session") return actor.personId;
  return actor.type === "api_key" ? (actor.madeBy ?? actor.id) : undefined;
}

/** A member who invites many others makes many actors: what owners do is not put off by them. */
async function isOwner(
  target: Database | DatabaseTransaction,
  organizationId: AccountId,
  personId: string | undefined,
): Promise<boolean> {
  if (personId === undefined) return false;
  const row = await target
    .selectFrom("member")
    .select("role")
    .where("organization_id", "=", organizationId)
    .where("person_id", "=", personId)
    .where(isProven("member"))
    .executeTakeFirst();
  return row?.role === "owner";
}

interface NewSecurityMail {
  readonly accountId: AccountId;
  readonly by: string | undefined;
  readonly subject: SecuritySubject;
  readonly now: Instant;
}

async function insertSecurityMail(target: Database | DatabaseTransaction, mail: NewSecurityMail): Promise<void> {
  const { accountId, by, subject, now } = mail;
  const event = eventOf(subject);
  // A person and their organization have the same id, and others cause what is counted of the organization.
  const { all, own } = await target
    .selectFrom("mail")
    .select(({ fn }) => fn.countAll<number>().as("all"))
    .select(({ fn }) =>
      fn
        .countAll<number>()
        .filterWhere("by_id", by === undefined ? "is" : "=", by ?? null)
        .as("own"),
    )
    .where("account_id", "=", accountId)
    .where("is_personal", "=", Number(isPersonal(subject)))
    .where("is_by_others", "=", Number(isByOthers(event)))
    .where("kind", "in", securityKinds)
    // Copies are no email more.
    .where("former_owner", "is", null)
    .where("created_at", ">", now - dayMilliseconds)
    // Those from later are of a clock that was wrong.
    .where("created_at", "<=", now + waitedMax)
    .executeTakeFirstOrThrow();
  const isMuch = Number(all) >= perDayOf(event) * membersWithBounds && !(await isOwner(target, accountId, by));
  if (isMuch || Number(own) >= perDayOf(event)) return gather(target, accountId, event, now);
  await target
    .insertInto("mail")
    .values({
      id: randomBytes(16).toString("hex"),
      kind: subject.kind,
      account_id: accountId,
      is_personal: Number(isPersonal(subject)),
      is_by_others: Number(isByOthers(event)),
      by_id: by ?? null,
      // Deleting the form afterwards must not take the email along, nor handing it over give it to others.
      form_id: null,
      details: writeDetails(subject),
      created_at: now,
      expires_at: now + lifetimeOf(subject.kind),
      due_at: now,
      attempts: 0,
    })
    .execute();
}

/** After the end of its hour, so that nobody adds to an email that is being sent. */
const gatheringMarginMilliseconds = 60_000;

/** Adds to the mail of this hour for the organization, or for the person, which goes out when the hour is over. */
async function gather(
  target: Database | DatabaseTransaction,
  accountId: AccountId,
  event: SecurityEvent,
  now: Instant,
): Promise<void> {
  const slot = Math.floor(now / hourMilliseconds);
  const id = `${accountId}-${slot}${isPersonalEvent(event) ? "-person" : ""}`;
  await target
    .insertInto("mail")
    .values({
      id,
      kind: "security_gathered",
      account_id: accountId,
      is_personal: Number(isPersonalEvent(event)),
      form_id: null,
      details: "{}",
      created_at: now,
      expires_at: now + lifetimeOf("security_gathered"),
      due_at: (slot + 1) * hourMilliseconds + gatheringMarginMilliseconds,
      attempts: 0,
    })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
  await target
    .insertInto("mail_gathered")
    .values({ mail_id: id, event, count: 1 })
    .onConflict((conflict) =>
      conflict.columns(["mail_id", "event"]).doUpdateSet(({ eb }) => ({ count: eb("mail_gathered.count", "+", 1) })),
    )
    .execute();
}

export async function listGathered(
  transaction: DatabaseTransaction,
  mailId: string,
): Promise<readonly GatheredCount[]> {
  const rows = await transaction
    .selectFrom("mail_gathered")
    .select(["event", "count"])
    .where("mail_id", "=", mailId)
    .execute();
  return securityEvents.flatMap((event) => {
    const row = rows.find((one) => one.event === event);
    return row === undefined ? [] : [{ event, count: Number(row.count) }];
  });
}

function eventOf(subject: SecuritySubject): SecurityEvent {
  return subject.kind === "security" ? subject.event : subject.kind;
}

function writeDetails(subject: SecuritySubject): string {
  if (subject.kind === "keys_rotated")
    return JSON.stringify({ formId: subject.formId, keyVersion: subject.keyVersion });
  const { event, occurredAt, formId, count, snippet, moved } = subject;
  return JSON.stringify({ event, occurredAt, formId, count, snippet, moved });
}
