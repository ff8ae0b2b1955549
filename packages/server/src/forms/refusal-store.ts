import type { FormId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockForm } from "../database/lock.ts";
import type { RefusalCause } from "./refusal-causes.ts";

/** The stored part of a refusal: no word of the visitor, nor of the page. */
export interface NotedRefusal {
  readonly formId: FormId;
  readonly cause: RefusalCause;
  /** Print of the settings that it is about (`printConcerned`). */
  readonly settings: string;
}

/** Since when a form refuses for this cause with these settings, where that was noted. */
export async function findRefusal(
  database: Database,
  { formId, cause, settings }: NotedRefusal,
): Promise<number | undefined> {
  const row = await database
    .selectFrom("form_refusal")
    .select("since")
    .where("form_id", "=", formId)
    .where("cause", "=", cause)
    .where("settings", "=", settings)
    .executeTakeFirst();
  return row?.since;
}

/**
 * Since when a form refuses for this cause with these settings: `now`, and `isFirst`, when nobody has noted it yet. `undefined` where the form is
 * gone.
 */
export async function noteRefusal(
  transaction: DatabaseTransaction,
  { formId, cause, settings }: NotedRefusal,
  now: number,
): Promise<{ readonly since: number; readonly isFirst: boolean } | undefined> {
  await lockForm(transaction, formId, "keep");
  const form = await transaction.selectFrom("form").select("id").where("id", "=", formId).executeTakeFirst();
  if (form === undefined) return undefined;
  const first = await transaction
    .insertInto("form_refusal")
    .values({ form_id: formId, cause, settings, since: now, last_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(["form_id", "cause"])
        .doUpdateSet({ settings, since: now, last_at: now })
        .where("form_refusal.settings", "<>", settings),
    )
    .returning("since")
    .executeTakeFirst();
  if (first !== undefined) return { since: now, isFirst: true };
  const before = await transaction
    .selectFrom("form_refusal")
    .select("since")
    .where("form_id", "=", formId)
    .where("cause", "=", cause)
    .executeTakeFirstOrThrow();
  return { since: before.since, isFirst: false };
}

/** When it was seen last. */
export async function touchRefusal(
  database: Database,
  { formId, cause, settings }: NotedRefusal,
  now: number,
): Promise<void> {
  await database
    .updateTable("form_refusal")
    .set({ last_at: now })
    .where("form_id", "=", formId)
    .where("cause", "=", cause)
    .where("settings", "=", settings)
    .where("last_at", "<", now)
    .execute();
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

/** The next refusal for this cause is the first again. */
export async function forgetRefusal(
  transaction: DatabaseTransaction,
  { formId, cause }: Pick<NotedRefusal, "formId" | "cause">,
): Promise<void> {
  await transaction.deleteFrom("form_refusal").where("form_id", "=", formId).where("cause", "=", cause).execute();
}
