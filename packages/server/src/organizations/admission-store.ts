import type { AccountId } from "@sealpost/wire";
import type { Selectable } from "kysely";
import { sql } from "kysely";
import { lowerAddress } from "../authentication/email-address.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { AdmissionTable } from "../database/envelope-tables.ts";
import { createRowRemoval } from "../database/row-removal.ts";
import { admissionKeptMilliseconds, type StoredAdmission, type StoredAnswer } from "./admission.ts";

export type NewAdmission = Omit<StoredAdmission, "answer" | "refusals">;

type Target = Database | DatabaseTransaction;

/** Open admissions: those that were neither used nor taken back, and whose end has not come. Writers have locked the organization. */
export interface AdmissionStore {
  /** The oldest first. */
  list(target: Target, organizationId: AccountId, now: number): Promise<readonly StoredAdmission[]>;
  /** Those in the organizations that are for the person, or for nobody but whose address it is. */
  listFor(personId: AccountId, organizationIds: readonly AccountId[], now: number): Promise<readonly StoredAdmission[]>;
  find(target: Target, id: string, now: number): Promise<StoredAdmission | undefined>;
  /** The terms of one with this id, ended or not: a request that was sent twice, or somebody else's. */
  findTerms(transaction: DatabaseTransaction, id: string): Promise<string | undefined>;
  add(transaction: DatabaseTransaction, admission: NewAdmission): Promise<void>;
  answer(transaction: DatabaseTransaction, id: string, answer: StoredAnswer): Promise<void>;
  /** Removes the answer, and counts it. */
  refuse(transaction: DatabaseTransaction, id: string): Promise<void>;
  end(transaction: DatabaseTransaction, id: string, now: number): Promise<void>;
  /** Ends those of a person who was brought in, or whom the list has otherwise changed. */
  endOf(transaction: DatabaseTransaction, organizationId: AccountId, personId: string, now: number): Promise<void>;
  /** Ends admissions for addresses, and for people who are not in the list: a member who just lost a right may own that address or account, and still hold such a link. */
  endAdding(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    listedIds: ReadonlySet<string>,
    now: number,
  ): Promise<void>;
  /** Removes those that ended long ago; `false` when there was none. */
  removeOld(now: number): Promise<boolean>;
}

export function createAdmissionStore(database: Database): AdmissionStore {
  const open = (target: Target, now: number) =>
    target.selectFrom("admission").select(columns).where("ended_at", "is", null).where("ends_at", ">", now);

  return {
    async list(target, organizationId, now) {
      const rows = await open(target, now)
        .where("organization_id", "=", organizationId)
        .orderBy("created_at")
        .orderBy("id")
        .execute();
      return rows.map(parseAdmission);
    },
    async listFor(personId, organizationIds, now) {
      const person = await database.selectFrom("person").select("email").where("id", "=", personId).executeTakeFirst();
      const email = person === undefined ? "" : lowerAddress(person.email);
      // Each along its index: the organizations may have many that are for others.
      const byPerson = await open(database, now).where("person_id", "=", personId).execute();
      const byAddress = await open(database, now).where("person_id", "is", null).where("email", "=", email).execute();
      return [...byPerson, ...byAddress]
        .map(parseAdmission)
        .filter(({ organizationId }) => organizationIds.includes(organizationId));
    },
    async find(target, id, now) {
      const row = await open(target, now).where("id", "=", id).executeTakeFirst();
      return row && parseAdmission(row);
    },
    async findTerms(transaction, id) {
      const row = await transaction.selectFrom("admission").select("terms").where("id", "=", id).executeTakeFirst();
      return row?.terms;
    },
    async add(transaction, { id, organizationId, personId, email, madeBy, terms, createdAt, endsAt }) {
      await transaction
        .insertInto("admission")
        .values({
          ...{ id, organization_id: organizationId, person_id: personId ?? null, email, made_by: madeBy },
          ...{ terms, created_at: createdAt, ends_at: endsAt },
        })
        .execute();
    },
    async answer(transaction, id, { personId, answer, answeredAt }) {
      await transaction
        .updateTable("admission")
        .set({ answered_by: personId, answer, answered_at: answeredAt })
        .where("id", "=", id)
        .execute();
    },
    async refuse(transaction, id) {
      const none = { answered_by: null, answer: null, answered_at: null };
      await transaction
        .updateTable("admission")
        .set(({ eb }) => ({ ...none, refusals: eb("refusals", "+", 1) }))
        .where("id", "=", id)
        .execute();
    },
    async end(transaction, id, now) {
      await transaction.updateTable("admission").set({ ended_at: now }).where("id", "=", id).execute();
    },
    async endOf(transaction, organizationId, personId, now) {
      await transaction
        .updateTable("admission")
        .set({ ended_at: now })
        .where("organization_id", "=", organizationId)
        .where("ended_at", "is", null)
        .where(({ eb, or }) => or([eb("person_id", "=", personId), eb("answered_by", "=", personId)]))
        .execute();
    },
    async endAdding(transaction, organizationId, listedIds, now) {
      const rows = await transaction
        .selectFrom("admission")
        .select(["id", "person_id"])
        .where("organization_id", "=", organizationId)
        .where("ended_at", "is", null)
        .execute();
      const ids = rows.filter((row) => row.person_id === null || !listedIds.has(row.person_id)).map(({ id }) => id);
      if (ids.length > 0)
        await transaction.updateTable("admission").set({ ended_at: now }).where("id", "in", ids).execute();
    },
    removeOld: createRowRemoval(database, {
      table: "admission",
      key: ["id"],
      by: "ends_at",
      isDue: (now, name) => sql`${name("ends_at")} < ${now - admissionKeptMilliseconds}`,
    }),
  };
}

const columns = [
  ...["id", "organization_id", "person_id", "email", "made_by", "terms", "created_at", "ends_at", "refusals"],
  ...["answered_by", "answer", "answered_at"],
] as const satisfies readonly (keyof AdmissionTable)[];

function parseAdmission(row: Pick<Selectable<AdmissionTable>, (typeof columns)[number]>): StoredAdmission {
  return {
    ...{ id: row.id, email: row.email, terms: row.terms, refusals: row.refusals },
    // Only ids are written there.
    organizationId: row.organization_id as AccountId,
    personId: (row.person_id ?? undefined) as AccountId | undefined,
    madeBy: row.made_by as AccountId,
    createdAt: Number(row.created_at),
    endsAt: Number(row.ends_at),
    answer: parseAnswer(row),
  };
}

function parseAnswer(
  row: Pick<Selectable<AdmissionTable>, "answered_by" | "answer" | "answered_at">,
): StoredAnswer | undefined {
  const { answered_by: personId, answer, answered_at: answeredAt } = row;
  if (personId === null || answer === null) return undefined;
  // As above.
  return { personId: personId as AccountId, answer, answeredAt: Number(answeredAt) };
}
