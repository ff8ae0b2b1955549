import { createHash, randomBytes } from "node:crypto";
import type { AccountId } from "@sealpost/wire";
import type { Selectable } from "kysely";
import { sql } from "kysely";
import type { InvitationTable } from "../database/account-tables.ts";
import { takeLocks } from "../database/advisory-lock.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { createRowId } from "../database/row-id.ts";
import { createRowRemoval } from "../database/row-removal.ts";
import { invitationMilliseconds } from "../mail/mail.ts";
import { lockMailbox, mayEmailStranger } from "../mail/recipient-store.ts";
import { dayMilliseconds, waitedMax } from "../time/clock.ts";
import { parseGrant } from "./member-store.ts";
import { type Grant, type Invitation, type InvitationId, invitationEmailsPerDay } from "./organization.ts";

/** Ended invitations are forgotten this long after they would have expired. */
export const keptMilliseconds = 30 * dayMilliseconds;

export interface NewInvitation extends Grant {
  readonly organizationId: AccountId;
  readonly email: string;
  readonly invitedBy: AccountId;
  /** Whether its link is emailed as well. */
  readonly isMailed: boolean;
}

/** An invitation and the tokens of its two links, whose hashes alone are kept. Signing up with the emailed one proves the mailbox. */
export interface CreatedInvitation {
  readonly invitation: Invitation;
  readonly token: string;
  readonly mailToken: string | undefined;
}

export interface FoundInvitation extends Invitation {
  readonly organizationName: string;
  /** Whether it was found by the emailed link. */
  readonly isOfMail: boolean;
}

export interface InvitationStore {
  /** The invitations that can be accepted, the newest first. */
  list(organizationId: AccountId, now: number): Promise<readonly Invitation[]>;
  find(
    target: Database | DatabaseTransaction,
    organizationId: AccountId,
    id: string,
    now: number,
  ): Promise<Invitation | undefined>;
  /** The one that a link leads to, while it can be accepted. */
  findByToken(target: Database | DatabaseTransaction, token: string, now: number): Promise<FoundInvitation | undefined>;
  countPending(transaction: DatabaseTransaction, organizationId: AccountId, now: number): Promise<number>;
  /** Counts invitations of the last day, ended ones too: of one inviter where one is given. */
  countOfDay(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    now: number,
    invitedBy?: AccountId,
  ): Promise<number>;
  /** Whether the link may be sent by email: nobody fills somebody else's mailbox. Ask before it is created. */
  mayMail(
    transaction: DatabaseTransaction,
    invitation: Pick<NewInvitation, "email" | "invitedBy">,
    now: number,
  ): Promise<boolean>;
  create(transaction: DatabaseTransaction, invitation: NewInvitation, now: number): Promise<CreatedInvitation>;
  /** Removes those that expired thirty days ago, with their addresses; `false` when there was none. */
  removeOld(now: number): Promise<boolean>;
  /** The invitations of one member that can be accepted. */
  listMadeBy(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    invitedBy: AccountId,
    now: number,
  ): Promise<readonly Invitation[]>;
  /** Ends the ones that wait for this address. */
  endFor(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    email: string,
    now: number,
  ): Promise<readonly Invitation[]>;
  /** If two calls end the same one at the same time, one gets `true`. */
  end(transaction: DatabaseTransaction, id: InvitationId, now: number): Promise<boolean>;
}

export function createInvitationStore(database: Database): InvitationStore {
  const pending = (target: Database | DatabaseTransaction, now: number) =>
    target
      .selectFrom("invitation")
      .selectAll("invitation")
      .where("invitation.ended_at", "is", null)
      .where("invitation.expires_at", ">", now)
      // A later one was made while the clock was wrong.
      .where("invitation.expires_at", "<=", now + 2 * invitationMilliseconds);

  return {
    async list(organizationId, now) {
      const rows = await pending(database, now)
        .where("organization_id", "=", organizationId)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .execute();
      return rows.flatMap((row) => parseInvitation(row) ?? []);
    },
    async listMadeBy(transaction, organizationId, invitedBy, now) {
      const rows = await pending(transaction, now)
        .where("organization_id", "=", organizationId)
        .where("invited_by", "=", invitedBy)
        .orderBy("id")
        .execute();
      return rows.flatMap((row) => parseInvitation(row) ?? []);
    },
    async find(target, organizationId, id, now) {
      const row = await pending(target, now)
        .where("id", "=", id)
        .where("organization_id", "=", organizationId)
        .executeTakeFirst();
      return row && parseInvitation(row);
    },
    async findByToken(target, token, now) {
      const hash = hashInvitationToken(token);
      const row = await pending(target, now)
        .innerJoin("organization", "organization.id", "invitation.organization_id")
        .select("organization.name as organization_name")
        .where(({ eb, or }) => or([eb("token_hash", "=", hash), eb("mail_hash", "=", hash)]))
        .executeTakeFirst();
      const invitation = row && parseInvitation(row);
      const isOfMail = row?.mail_hash === hash;
      return row && invitation && { ...invitation, organizationName: row.organization_name, isOfMail };
    },
    async countPending(transaction, organizationId, now) {
      const rows = await pending(transaction, now).where("organization_id", "=", organizationId).execute();
      return rows.length;
    },
    async countOfDay(transaction, organizationId, now, invitedBy) {
      const { count } = await transaction
        .selectFrom("invitation")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("organization_id", "=", organizationId)
        .$if(invitedBy !== undefined, (query) => query.where("invited_by", "=", invitedBy ?? organizationId))
        .where("created_at", ">", now - dayMilliseconds)
        // A later time comes from a clock that was wrong.
        .where("created_at", "<=", now + waitedMax)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async mayMail(transaction, { email, invitedBy }, now) {
      // They may invite people to several organizations at once.
      await takeLocks(transaction, [{ name: `invitation-emails/${invitedBy}`, mode: "alone" }]);
      const { by } = await transaction
        .selectFrom("invitation")
        .select(({ fn }) => fn.countAll<number>().as("by"))
        .where("invited_by", "=", invitedBy)
        .where("created_at", ">", now - dayMilliseconds)
        .where("created_at", "<=", now + waitedMax)
        .executeTakeFirstOrThrow();
      return Number(by) < invitationEmailsPerDay.by && (await mayMailTo(transaction, email, now));
    },
    removeOld: createRowRemoval(database, {
      table: "invitation",
      key: ["id"],
      by: "expires_at",
      isDue: (now, name) => sql`${name("expires_at")} < ${now - keptMilliseconds}`,
    }),
    async create(transaction, { organizationId, email, role, formIds, invitedBy, isMailed }, now) {
      const shown = createInvitationToken();
      const mailed = isMailed ? createInvitationToken() : undefined;
      const id: InvitationId = createRowId("inv", now);
      const expiresAt = now + invitationMilliseconds;
      await transaction
        .insertInto("invitation")
        .values({
          id,
          organization_id: organizationId,
          email,
          role,
          form_ids: JSON.stringify(formIds ?? []),
          token_hash: shown.hash,
          mail_hash: mailed?.hash ?? null,
          invited_by: invitedBy,
          created_at: now,
          expires_at: expiresAt,
          ended_at: null,
        })
        .execute();
      const invitation = { id, organizationId, email, role, formIds, invitedBy, createdAt: now, expiresAt };
      return { invitation, token: shown.token, mailToken: mailed?.token };
    },
    async endFor(transaction, organizationId, email, now) {
      const rows = await transaction
        .updateTable("invitation")
        .set({ ended_at: now })
        .where("organization_id", "=", organizationId)
        .where("email", "=", email)
        .where("ended_at", "is", null)
        .where("expires_at", ">", now)
        .returningAll()
        .execute();
      return rows.flatMap((row) => parseInvitation(row) ?? []);
    },
    async end(transaction, id, now) {
      const { numUpdatedRows } = await transaction
        .updateTable("invitation")
        .set({ ended_at: now })
        .where("id", "=", id)
        .where("ended_at", "is", null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
  };
}

/** Whether an invitation may be emailed to an address, which gets few of them within a day from the whole instance. */
export async function mayMailTo(transaction: DatabaseTransaction, email: string, now: number): Promise<boolean> {
  await lockMailbox(transaction, email);
  const made = (table: "invitation" | "instance_invitation") =>
    transaction
      .selectFrom(table as "invitation") // the columns are in both
      .select("id")
      .where("email", "=", email)
      .where("created_at", ">", now - dayMilliseconds)
      .where("created_at", "<=", now + waitedMax);
  const rows = await made("invitation").unionAll(made("instance_invitation")).execute();
  return rows.length < invitationEmailsPerDay.to && (await mayEmailStranger(transaction, email, now));
}

/** The token of a link, and the hash of it that is kept: who reads the database, or a backup of it, must not be able to accept an invitation. */
export function createInvitationToken(): { readonly token: string; readonly hash: string } {
  const token = randomBytes(24).toString("base64url");
  return { token, hash: hashInvitationToken(token) };
}

export function hashInvitationToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function parseInvitation(row: Selectable<InvitationTable>): Invitation | undefined {
  const grant = parseGrant(row);
  return (
    grant && {
      ...grant,
      id: row.id as InvitationId, // written from one
      organizationId: row.organization_id as AccountId, // as above
      email: row.email,
      invitedBy: row.invited_by as AccountId, // as above
      createdAt: Number(row.created_at),
      expiresAt: Number(row.expires_at),
    }
  );
}
