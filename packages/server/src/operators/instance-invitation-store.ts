import type { AccountId } from "@sealpost/wire";
import { type Selectable, sql } from "kysely";
import type { InstanceInvitationTable } from "../database/account-tables.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { createRowId } from "../database/row-id.ts";
import { createRowRemoval } from "../database/row-removal.ts";
import { invitationMilliseconds } from "../mail/mail.ts";
import { createInvitationToken, hashInvitationToken, keptMilliseconds } from "../organizations/invitation-store.ts";
import type { InvitationId } from "../organizations/organization.ts";
import { dayMilliseconds, waitedMax } from "../time/clock.ts";

/** An invitation to make an account on the instance. */
export interface InstanceInvitation {
  readonly id: InvitationId;
  readonly email: string;
  /** The operator; `undefined`: a command on the server. */
  readonly invitedBy: AccountId | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** An invitation and the tokens of its two links, whose hashes alone are kept. Using the emailed one proves the mailbox. */
export interface NewInstanceInvitation {
  readonly invitation: InstanceInvitation;
  readonly token: string;
  readonly mailToken: string | undefined;
}

export interface FoundInstanceInvitation extends InstanceInvitation {
  /** Whether it was found by the emailed link. */
  readonly isOfMail: boolean;
}

type Target = Database | DatabaseTransaction;

export interface InstanceInvitationStore {
  /** Until the transaction ends, another one that asks for it waits. */
  lock(transaction: DatabaseTransaction): Promise<void>;
  /** The invitations that can be used, the newest first: none whose address has an account by now. */
  list(now: number): Promise<readonly InstanceInvitation[]>;
  find(transaction: DatabaseTransaction, id: string, now: number): Promise<InstanceInvitation | undefined>;
  /** The one that a link leads to, while it can be used. */
  findByToken(token: string, now: number): Promise<FoundInstanceInvitation | undefined>;
  /** The addresses of these that there are still, by id. */
  findEmails(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  countPending(transaction: DatabaseTransaction, now: number): Promise<number>;
  /** Counts invitations of the last day, ended ones too. */
  countOfDay(transaction: DatabaseTransaction, now: number): Promise<number>;
  create(
    transaction: DatabaseTransaction,
    invitation: Pick<InstanceInvitation, "email" | "invitedBy"> & { readonly isMailed: boolean },
    now: number,
  ): Promise<NewInstanceInvitation>;
  /** Ends the ones that wait for this address. */
  endFor(transaction: DatabaseTransaction, email: string, now: number): Promise<readonly InvitationId[]>;
  /** If two calls end the same one at the same time, one gets `true`. */
  end(target: Target, id: InvitationId, now: number): Promise<boolean>;
  /** Removes those that expired thirty days ago, with their addresses; `false` when there was none. */
  removeOld(now: number): Promise<boolean>;
}

export function createInstanceInvitationStore(database: Database): InstanceInvitationStore {
  const pending = (target: Target, now: number) =>
    target
      .selectFrom("instance_invitation")
      .leftJoin("person as inviter", "inviter.id", "instance_invitation.invited_by")
      .selectAll("instance_invitation")
      .where("instance_invitation.ended_at", "is", null)
      .where("instance_invitation.expires_at", ">", now)
      // A later one was made while the clock was wrong.
      .where("instance_invitation.expires_at", "<=", now + 2 * invitationMilliseconds)
      // An operator's is valid only while they may make one.
      .where(({ and, eb, or }) =>
        or([
          eb("instance_invitation.invited_by", "is", null),
          and([eb("inviter.operator_since", "is not", null), eb("inviter.disabled_at", "is", null)]),
        ]),
      );

  const unanswered = (target: Target, now: number) =>
    pending(target, now).where(({ exists, not, selectFrom }) =>
      not(exists(selectFrom("person").select("person.id").whereRef("person.email", "=", "instance_invitation.email"))),
    );

  return {
    async lock(transaction) {
      // A write that changes nothing locks the row on every database.
      await transaction
        .updateTable("instance")
        .set(({ ref }) => ({ value: ref("value") }))
        .where("key", "=", "id")
        .execute();
    },
    async list(now) {
      const rows = await unanswered(database, now)
        .orderBy("instance_invitation.created_at", "desc")
        .orderBy("instance_invitation.id", "desc")
        .execute();
      return rows.map(toInvitation);
    },
    async find(transaction, id, now) {
      const row = await pending(transaction, now).where("instance_invitation.id", "=", id).executeTakeFirst();
      return row && toInvitation(row);
    },
    async findByToken(token, now) {
      const hash = hashInvitationToken(token);
      const row = await pending(database, now)
        .where(({ eb, or }) => or([eb("token_hash", "=", hash), eb("mail_hash", "=", hash)]))
        .executeTakeFirst();
      return row && { ...toInvitation(row), isOfMail: row.mail_hash === hash };
    },
    async findEmails(ids) {
      if (ids.length === 0) return new Map();
      const rows = await database
        .selectFrom("instance_invitation")
        .select(["id", "email"])
        .where("id", "in", ids)
        .execute();
      return new Map(rows.map(({ id, email }) => [id, email]));
    },
    countPending: async (transaction, now) => (await unanswered(transaction, now).execute()).length,
    async countOfDay(transaction, now) {
      const { count } = await transaction
        .selectFrom("instance_invitation")
        .select(sql<number>`count(*)`.as("count"))
        .where("created_at", ">", now - dayMilliseconds)
        // A later time comes from a clock that was wrong.
        .where("created_at", "<=", now + waitedMax)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async create(transaction, { email, invitedBy, isMailed }, now) {
      const shown = createInvitationToken();
      const mailed = isMailed ? createInvitationToken() : undefined;
      const id = createRowId("inv", now);
      const expiresAt = now + invitationMilliseconds;
      await transaction
        .insertInto("instance_invitation")
        .values({
          ...{ id, email },
          token_hash: shown.hash,
          mail_hash: mailed?.hash ?? null,
          invited_by: invitedBy ?? null,
          created_at: now,
          expires_at: expiresAt,
          ended_at: null,
        })
        .execute();
      const invitation = { id, email, invitedBy, createdAt: now, expiresAt };
      return { invitation, token: shown.token, mailToken: mailed?.token };
    },
    async endFor(transaction, email, now) {
      const rows = await transaction
        .updateTable("instance_invitation")
        .set({ ended_at: now })
        .where("email", "=", email)
        .where("ended_at", "is", null)
        .where("expires_at", ">", now)
        .returning("id")
        .execute();
      return rows.map(({ id }) => id as InvitationId); // written from one
    },
    async end(target, id, now) {
      const { numUpdatedRows } = await target
        .updateTable("instance_invitation")
        .set({ ended_at: now })
        .where("id", "=", id)
        .where("ended_at", "is", null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    removeOld: createRowRemoval(database, {
      table: "instance_invitation",
      key: ["id"],
      by: "expires_at",
      isDue: (now, name) => sql`${name("expires_at")} < ${now - keptMilliseconds}`,
    }),
  };
}

function toInvitation(row: Selectable<InstanceInvitationTable>): InstanceInvitation {
  return {
    id: row.id as InvitationId, // written from one
    email: row.email,
    invitedBy: (row.invited_by ?? undefined) as AccountId | undefined, // as above
    createdAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
  };
}
