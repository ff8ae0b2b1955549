import type { FormId } from "@sealpost/wire";
import { type Selectable, sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { FormRefusalTable } from "../database/form-tables.ts";
import { lockForm } from "../database/lock.ts";
import { dayMilliseconds } from "../time/clock.ts";
import type { RefusalCause } from "./refusal-causes.ts";

/** The stored part of a refusal: no word of the visitor, nor of the page. */
export interface NotedRefusal {
  readonly formId: FormId;
  readonly cause: RefusalCause;
  /** Print of the settings that it is about (`printConcerned`). */
  readonly settings: string;
}

/** The stored state of a refusal: since when, and when an email about it is due, if nothing else changes. */
export interface StoredRefusal {
  readonly since: number;
  readonly announceAt: number;
}

/** A cause that nobody gives for so long is forgotten, and begins again. */
export const forgottenMilliseconds = dayMilliseconds;
/** One email about a cause within so long, anybody can send what is refused. */
export const announcedMilliseconds = 30 * dayMilliseconds;
type Row = Pick<Selectable<FormRefusalTable>, "since" | "is_announced" | "announce_from">;

export function toStored({ since, is_announced, announce_from }: Row, now: number): StoredRefusal {
  // A later time than there can be is of a clock that was wrong.
  const from = announce_from > now + announcedMilliseconds ? now : announce_from;
  return { since, announceAt: is_announced === 1 ? Number.POSITIVE_INFINITY : from };
}

/**
 * Notes that a form refuses for this cause with these settings, and whether the owners are to be notified now. What began again after a day counts as new,
 * and other settings as a cause that nobody knows of. `undefined` where the form is gone.
 */
export async function noteRefusal(
  transaction: DatabaseTransaction,
  { formId, cause, settings }: NotedRefusal,
  now: number,
): Promise<(StoredRefusal & { readonly isDue: boolean }) | undefined> {
  await lockForm(transaction, formId, "keep");
  const form = await transaction.selectFrom("form").select("id").where("id", "=", formId).executeTakeFirst();
  if (form === undefined) return undefined;
  const begun = { since: now, last_at: now, is_announced: 0 };
  const isForgotten = sql<boolean>`form_refusal.last_at <= ${now - forgottenMilliseconds}`;
  const isOther = sql<boolean>`form_refusal.settings <> ${settings}`;
  await transaction
    .insertInto("form_refusal")
    .values({ form_id: formId, cause, settings, ...begun, announce_from: now })
    .onConflict((conflict) =>
      conflict
        .columns(["form_id", "cause"])
        .doUpdateSet({
          ...{ settings, ...begun },
          announce_from: sql<number>`case when ${isOther} then ${now} else form_refusal.announce_from end`,
        })
        .where(sql<boolean>`(${isOther} or ${isForgotten})`),
    )
    .execute();
  const row = await transaction
    .selectFrom("form_refusal")
    .select(["since", "is_announced", "announce_from"])
    .where("form_id", "=", formId)
    .where("cause", "=", cause)
    .executeTakeFirstOrThrow();
  const stored = toStored(row, now);
  return { ...stored, isDue: stored.announceAt <= now };
}

/** Marks that the owners are notified. `false` where another process has done it. */
export async function markAnnounced(
  transaction: DatabaseTransaction,
  { formId, cause }: NotedRefusal,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable("form_refusal")
    .set({ is_announced: 1, announce_from: now + announcedMilliseconds })
    .where("form_id", "=", formId)
    .where("cause", "=", cause)
    .where("is_announced", "=", 0)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** The owners were not notified after all: it is for another time. */
export async function unmarkAnnounced(
  transaction: DatabaseTransaction,
  { formId, cause }: NotedRefusal,
  now: number,
): Promise<void> {
  await transaction
    .updateTable("form_refusal")
    .set({ is_announced: 0, announce_from: now })
    .where("form_id", "=", formId)
    .where("cause", "=", cause)
    .execute();
}

/** Notes when it was seen last. What is stored; `undefined` where it is not, or was seen last so long ago that it begins again. */
export async function touchRefusal(
  database: Database,
  { formId, cause, settings }: NotedRefusal,
  now: number,
): Promise<StoredRefusal | undefined> {
  const row = await database
    .updateTable("form_refusal")
    .set(({ ref }) => ({
      last_at: sql<number>`case when ${ref("last_at")} < ${now} then ${now} else ${ref("last_at")} end`,
    }))
    .where("form_id", "=", formId)
    .where("cause", "=", cause)
    .where("settings", "=", settings)
    .where("last_at", ">", now - forgottenMilliseconds)
    .returning(["since", "is_announced", "announce_from"])
    .executeTakeFirst();
  return row && toStored(row, now);
}

/** The latest that were seen since `from`, the latest first. */
export function listRefusals(database: Database, from: number, limit: number) {
  return database
    .selectFrom("form_refusal")
    .selectAll()
    .where("last_at", ">", from)
    .orderBy("last_at", "desc")
    .limit(limit)
    .execute();
}
