import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { AccountId } from "@sealpost/wire";
import type { Selectable } from "kysely";
import { sql } from "kysely";
import { instanceLog } from "../audit-log/operator-entries.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockForm, selectForUpdateSkipLocked } from "../database/lock.ts";
import type { MailTable } from "../database/mail-tables.ts";
import { stepOfFirst } from "../database/round.ts";
import { createRowRemoval } from "../database/row-removal.ts";
import { MissingSecretError } from "../instance/key-ring.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { listFormerOwners } from "./former-owner-store.ts";
import { insertEmails, isLinkDue } from "./insert-emails-store.ts";
import {
  type AddressSubject,
  delayMillisecondsMax,
  type Instant,
  isNoticeKind,
  leaseMilliseconds,
  type Mail,
  type MailSubject,
} from "./mail.ts";
import { addressesOf, listOwners, missedOf } from "./mail-addresses-store.ts";
import { parseSubject } from "./mail-details.ts";
import { type MailFailure, nobodyNow } from "./mail-failure.ts";
import { listPassedOver } from "./notice-share-store.ts";
import { takeBackMark } from "./notified-marks-store.ts";
import { recipientOf } from "./recipient.ts";
import type { SendReport } from "./recipient-answers.ts";
import { mayEmailAccount, mayEmailStranger } from "./recipient-store.ts";
import { listGathered } from "./security-mail-store.ts";
import { parseTexts } from "./stored-texts.ts";

/** A mail that this process may send now, and where to. */
export interface ClaimedMail {
  readonly mail: Mail;
  /** Addresses of all owners, for an email about their organization. Empty where nobody can get it now. */
  readonly addresses: readonly string[];
  /** The owners among them, by their addresses. */
  readonly owners: ReadonlyMap<string, AccountId>;
  readonly token: string;
  /** Addresses that earlier tries did not reach and that are not tried again, with the mail server's sentence. */
  readonly refused: MailFailure;
  /** How many addresses it had reached before. */
  readonly reached: number;
  /** When its lease began. */
  readonly since: Instant;
}

/** The emails that wait, in the database: a restart loses none, and each is sent by one process. */
export interface MailStore {
  /**
   * A mail with the link to set a new password. False when the account had its share of them. Strangers who ask for them can't use up
   * those that are asked for in a browser known to the account.
   */
  addReset(accountId: AccountId, token: string, now: Instant, isKnownBrowser?: boolean): Promise<boolean>;
  /** A mail with the link to verify the account's address, whose token is made only if there may be another. Whether there was. */
  addVerification(
    accountId: AccountId,
    createToken: (transaction: DatabaseTransaction) => Promise<string>,
    now: Instant,
  ): Promise<boolean>;
  /** An email to one of the two addresses of a move. False when there were too many. */
  addAddress(
    transaction: DatabaseTransaction,
    personId: AccountId,
    subject: AddressSubject,
    now: Instant,
  ): Promise<boolean>;
  /** At most `limit` that are due. Nobody else gets them before the lease is over. One that can't be read is deleted, and reported. */
  claim(now: Instant, limit: number, report?: ReportUnreadable): Promise<readonly ClaimedMail[]>;
  /** It is over, sent or given up. What it held is wiped, but for what an operator may have tried again. */
  finish(claimed: ClaimedMail, now: Instant, tried?: Tried): Promise<void>;
  /** It is tried again. */
  putBack(claimed: ClaimedMail, dueAt: Instant, tried?: Tried, now?: Instant): Promise<void>;
  /** Nobody can get it now: it is looked at again, no attempt was made, and operators see it. */
  wait(claimed: ClaimedMail, dueAt: Instant, now: Instant): Promise<void>;
  /** Deletes a batch of emails that ended a day ago, or failed thirty days ago. False when there was none. */
  deleteFinished(now: Instant): Promise<boolean>;
}

/** The result of a try: how many addresses were reached, and which were not. */
export type Tried = Pick<SendReport, "failure" | "reached">;

export type ReportUnreadable = (mail: { readonly mailId: string; readonly kind: string }) => void;

interface ClaimedSome {
  /** How many were due, those that can't be sent now among them. */
  readonly looked: number;
  readonly claimed: readonly ClaimedMail[];
}

/** Failures are shown for as long as this. */
const failureMilliseconds = 30 * dayMilliseconds;

export function createMailStore(database: Database, secretBox: SecretBox): MailStore {
  const finished = { table: "mail", key: ["id"] } as const;
  const deleteSent = createRowRemoval(database, {
    ...finished,
    by: "finished_at",
    isDue: (now, name) => sql`${name("finished_at")} < ${now - dayMilliseconds} and failed_at is null`,
  });
  const deleteFailed = createRowRemoval(database, {
    ...finished,
    by: "failed_at",
    isDue: (now, name) =>
      sql`${name("failed_at")} < ${now - failureMilliseconds} and finished_at < ${now - dayMilliseconds}`,
  });
  return {
    addReset: (accountId, token, now, isKnownBrowser) =>
      database.transaction().execute(async (transaction) => {
        // As many again as everybody else may ask for.
        if (!(await isLinkDue(transaction, accountId, "password_reset", now, isKnownBrowser ? 2 : 1))) return false;
        if (!(await mayEmailAccount(transaction, accountId, now))) return false;
        await insertEmails(transaction, accountId, [{ kind: "password_reset", token }], now, secretBox);
        return true;
      }),
    addVerification: (accountId, createToken, now) =>
      database.transaction().execute(async (transaction) => {
        if (!(await isLinkDue(transaction, accountId, "verify_email", now))) return false;
        if (!(await mayEmailAccount(transaction, accountId, now))) return false;
        const token = await createToken(transaction);
        await insertEmails(transaction, accountId, [{ kind: "verify_email", token }], now, secretBox);
        return true;
      }),
    async addAddress(transaction, personId, subject, now) {
      // The link to undo a move must not fail for those that asked for it.
      if (subject.step !== "moved" && !(await isLinkDue(transaction, personId, "address", now))) return false;
      // The other address may be anybody's, whatever account asks.
      if (recipientOf(subject) !== undefined && !(await mayEmailStranger(transaction, subject.address, now)))
        return false;
      await insertEmails(transaction, personId, [subject], now, secretBox);
      return true;
    },
    async claim(now, limit, report = () => {}) {
      // Those that can't be sent now have a lease as well, and keep no others waiting for it.
      for (;;) {
        const { looked, claimed } = await claimSome(now, limit, report);
        if (claimed.length > 0 || looked === 0) return claimed;
        await setImmediate();
      }
    },
    async finish(claimed, now, tried) {
      const { mail, token } = claimed;
      const failure = addRefused(claimed, tried);
      const isKept = failure !== undefined && mayBeTriedAgain(mail.subject.kind);
      if (claimed.reached + (tried?.reached ?? 0) === 0 && isKept) return giveUp(claimed, now, tried);
      if (mail.subject.kind === "security_gathered" && !isKept)
        await database.deleteFrom("mail_gathered").where("mail_id", "=", mail.id).execute();
      await database
        .updateTable("mail")
        .set({ finished_at: now, claim_token: null, ...toColumns(claimed, tried, now) })
        .set(isKept ? {} : { details: "{}" })
        .where("id", "=", mail.id)
        .where("claim_token", "=", token)
        .execute();
    },
    async putBack(claimed, dueAt, tried, now = dueAt) {
      const { mail, token } = claimed;
      await database
        .updateTable("mail")
        .set({ due_at: dueAt, claim_token: null, ...toColumns(claimed, tried, now) })
        .where("id", "=", mail.id)
        .where("claim_token", "=", token)
        .execute();
    },
    async wait({ mail, token }, dueAt, now) {
      await database
        .updateTable("mail")
        .set(({ eb, fn }) => ({
          ...{ due_at: dueAt, claim_token: null, failed_at: now, failure: nobodyNow, attempts: eb("attempts", "-", 1) },
          failed_to: fn.coalesce("failed_to", sql.lit("[]")),
        }))
        .where("id", "=", mail.id)
        .where("claim_token", "=", token)
        .execute();
    },
    // A statement for each, along an index of its own: failed emails stay for long, and may be many.
    deleteFinished: (now) => stepOfFirst([deleteSent, deleteFailed].map((remove) => () => remove(now))),
  };

  /** Nobody got it: its mark ends with it, and it is queued again while it holds. */
  function giveUp(claimed: ClaimedMail, now: Instant, tried: Tried | undefined): Promise<void> {
    const { mail, token } = claimed;
    return database.transaction().execute(async (transaction) => {
      if ("formId" in mail.subject && mail.subject.formId !== undefined)
        await lockForm(transaction, mail.subject.formId, "keep");
      const untold = await transaction
        .updateTable("mail")
        .set({ finished_at: now, claim_token: null, ...toColumns(claimed, tried, now) })
        .where("id", "=", mail.id)
        .where("claim_token", "=", token)
        .returning(["kind", "form_id", "account_id", "details"])
        .executeTakeFirst();
      if (untold !== undefined) await takeBackMark(transaction, untold);
    });
  }

  function claimSome(now: Instant, limit: number, report: ReportUnreadable) {
    return database.transaction().execute(async (transaction): Promise<ClaimedSome> => {
      const due = transaction
        .selectFrom("mail")
        .leftJoin("person", "person.id", "mail.account_id")
        .leftJoin("organization", "organization.id", "mail.account_id")
        .selectAll("mail")
        .select("person.email")
        .where("mail.finished_at", "is", null)
        .where(({ eb, or }) =>
          or([
            eb("person.id", "is not", null),
            eb("organization.id", "is not", null),
            eb("mail.account_id", "=", instanceLog),
          ]),
        )
        .where(({ eb, or }) => or([eb("mail.due_at", "<=", now), eb("mail.due_at", ">", now + delayMillisecondsMax)]))
        // A form that is gone has its emails removed with its rows, which may take its time.
        .where(({ eb, or, exists, selectFrom }) =>
          or([
            eb("mail.form_id", "is", null),
            exists(selectFrom("form").select("form.id").whereRef("form.id", "=", "mail.form_id")),
          ]),
        )
        .orderBy("mail.due_at")
        .limit(limit);
      const rows = await selectForUpdateSkipLocked(transaction, due, "mail").execute();
      if (rows.length === 0) return { looked: 0, claimed: [] };
      const token = randomBytes(12).toString("base64url");
      await transaction
        .updateTable("mail")
        .set(({ eb }) => ({
          due_at: now + leaseMilliseconds,
          attempts: eb("attempts", "+", 1),
          claim_token: token,
        }))
        .where(
          "id",
          "in",
          rows.map(({ id }) => id),
        )
        .execute();
      const claimed: ClaimedMail[] = [];
      const sealed: string[] = [];
      const owners = await listOwners(transaction, rows);
      const formerOwners = await listFormerOwners(transaction, rows);
      const notices = rows.flatMap((row) => (isNoticeKind(row.kind) ? [{ ...row, kind: row.kind }] : []));
      const passedOver = await listPassedOver(transaction, notices);
      for (const row of rows) {
        const gathered = row.kind === "security_gathered" ? await listGathered(transaction, row.id) : [];
        const subject = readSubject(row, gathered, secretBox);
        // Another process has its secret, or this one soon will: it comes again when its lease ends, and no attempt was made.
        if (subject === "sealed" && row.expires_at > now) {
          sealed.push(row.id);
          continue;
        }
        // Written by a newer version, or damaged: it must not block those after it.
        if (subject === undefined) report({ mailId: row.id, kind: row.kind });
        const addresses =
          subject === undefined || subject === "sealed"
            ? []
            : missedOf(row, addressesOf(subject, row, { owners, formerOwners, passedOver: passedOver.get(row.id) }));
        if (subject === undefined) await takeBackMark(transaction, row);
        // Nobody can get it later either.
        const isGone =
          row.former_owner === null
            ? row.is_personal === 1 && addresses.length === 0
            : !formerOwners.has(row.former_owner);
        if (subject === undefined || subject === "sealed" || isGone)
          await transaction.deleteFrom("mail").where("id", "=", row.id).execute();
        else
          claimed.push({
            ...{ mail: parseMail(row, subject), addresses, token, since: now, reached: row.reached },
            refused: parseRefused(row),
            // Written from one.
            owners: new Map(owners.get(row.account_id)?.map((owner) => [owner.email, owner.person_id as AccountId])),
          });
      }
      if (sealed.length > 0)
        await transaction
          .updateTable("mail")
          .set(({ eb }) => ({ attempts: eb("attempts", "-", 1), claim_token: null }))
          .where("id", "in", sealed)
          .execute();
      return { looked: rows.length, claimed };
    });
  }
}

/** `sealed` where this process lacks the secret that opens it, and `undefined` where it can't be read. */
function readSubject(...row: Parameters<typeof parseSubject>): ReturnType<typeof parseSubject> | "sealed" {
  try {
    return parseSubject(...row);
  } catch (error) {
    return error instanceof MissingSecretError ? "sealed" : undefined;
  }
}

/** The links of the others are older than they may be when an operator sees that they did not arrive. */
export function mayBeTriedAgain(kind: string): boolean {
  return kind !== "password_reset" && kind !== "verify_email";
}

/** The failure of a try together with that of the addresses that it did not ask again; `undefined` where nobody was missed. */
function addRefused({ refused: before }: ClaimedMail, tried: Tried | undefined): MailFailure | undefined {
  const failure = tried?.failure ?? before;
  const [to, refused] = [
    [...failure.to, ...before.to],
    [...failure.refused, ...before.to],
  ].map((addresses) => [...new Set(addresses)]);
  return to === undefined || refused === undefined || (to.length === 0 && tried?.failure === undefined)
    ? undefined
    : { to, refused, sentence: failure.sentence };
}

function toColumns(claimed: ClaimedMail, tried: Tried | undefined, now: Instant) {
  const failure = addRefused(claimed, tried);
  const reached = claimed.reached + (tried?.reached ?? 0);
  if (failure === undefined) return { failed_at: null, failed_to: null, refused_to: null, failure: null, reached };
  const refused_to = failure.refused.length === 0 ? null : JSON.stringify(failure.refused);
  return { failed_at: now, failed_to: JSON.stringify(failure.to), refused_to, failure: failure.sentence, reached };
}

function parseRefused({ refused_to, failure }: Pick<Selectable<MailTable>, "refused_to" | "failure">): MailFailure {
  const to = parseTexts(refused_to);
  return { to, refused: to, sentence: failure ?? "" };
}

/** Its state while the claimed attempt is being made. */
function parseMail(row: Selectable<MailTable>, subject: MailSubject): Mail {
  return {
    id: row.id,
    accountId: row.account_id as AccountId, // written from one
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    attempts: row.attempts + 1,
    subject,
  };
}
