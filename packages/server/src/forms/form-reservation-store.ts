import type { AccountId, FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockOrganization } from "../database/lock.ts";
import { createRowRemoval } from "../database/row-removal.ts";
import { hourMilliseconds } from "../time/clock.ts";

export const reservationMilliseconds = hourMilliseconds;
/** Most reservations of one person, or API key, in an organization, at once. */
export const reservationsMax = 20;

/** The person or API key that may use an id, in an organization. */
export interface ReservedBy {
  readonly accountId: AccountId;
  readonly principalId: string;
}

/** Ids for forms, given before the forms are created: an envelope has the id inside its seal. */
export interface FormReservationStore {
  /** Returns when it ends; `too_many` where as many are open. */
  reserve(formId: FormId, by: ReservedBy, now: number): Promise<number | "too_many">;
  /** Takes the reservation, once. False where there is none, or it is another's, or over. */
  use(transaction: DatabaseTransaction, formId: FormId, by: ReservedBy, now: number): Promise<boolean>;
  /** Removes those that are over; false when there was none. */
  removeExpired(now: number): Promise<boolean>;
}

export function createFormReservationStore(database: Database): FormReservationStore {
  return {
    reserve: (formId, { accountId, principalId }, now) =>
      database.transaction().execute(async (transaction) => {
        // So that two at once are counted one after the other.
        await lockOrganization(transaction, accountId);
        const { count } = await transaction
          .selectFrom("form_reservation")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .where("organization_id", "=", accountId)
          .where("principal_id", "=", principalId)
          .where("expires_at", ">", now)
          .executeTakeFirstOrThrow();
        if (Number(count) >= reservationsMax) return "too_many";
        const expiresAt = now + reservationMilliseconds;
        await transaction
          .insertInto("form_reservation")
          .values({
            ...{ form_id: formId, organization_id: accountId },
            ...{ principal_id: principalId, expires_at: expiresAt },
          })
          .execute();
        return expiresAt;
      }),
    async use(transaction, formId, { accountId, principalId }, now) {
      const used = await transaction
        .deleteFrom("form_reservation")
        .where("form_id", "=", formId)
        .where("organization_id", "=", accountId)
        .where("principal_id", "=", principalId)
        .where("expires_at", ">", now)
        .returning("form_id")
        .executeTakeFirst();
      return used !== undefined;
    },
    removeExpired: createRowRemoval(database, {
      table: "form_reservation",
      key: ["form_id"],
      by: "expires_at",
      isDue: (now, name) => sql`${name("expires_at")} <= ${now}`,
    }),
  };
}
