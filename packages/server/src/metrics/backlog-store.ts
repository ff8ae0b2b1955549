import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { findWorkers } from "../database/workers.ts";

/** More than that many is reported as that many: a look at the backlog must not hold up the work on it. */
export const countedMax = 100_000;

export interface Backlog {
  /** Deliveries that could be sent now and are not being sent; at most `countedMax`. */
  readonly due: number;
  /** When the one that waits the longest became due. */
  readonly oldestDueAt: number | undefined;
  /** Emails that are neither sent nor given up; at most `countedMax`. Between two tries an email is not due, but it waits. */
  readonly emails: number;
  /** Since when the one that waits the longest does. */
  readonly oldestMailAt: number | undefined;
}

export const readBacklog = async (database: Database, now: number): Promise<Backlog> => ({
  ...(await readDeliveriesDue(database, now)),
  ...(await readEmailsWaiting(database)),
});

export async function readDeliveriesDue(
  database: Database,
  now: number,
): Promise<Pick<Backlog, "due" | "oldestDueAt">> {
  // Nothing is known of workers that are away.
  const reachable = await findWorkers(database)?.listReachableForms();
  const all = database.selectFrom("delivery_queue").select("due_at").where("due_at", "<=", now);
  const queued = reachable === undefined ? all : all.where(sql<boolean>`form_id = any(${reachable})`);
  const { due } = await database
    .selectFrom(queued.limit(countedMax).as("due"))
    .select(({ fn }) => fn.countAll().as("due"))
    .executeTakeFirstOrThrow();
  const oldest = await queued.orderBy("due_at").limit(1).executeTakeFirst();
  return { due: Number(due), oldestDueAt: oldest?.due_at };
}

export async function readEmailsWaiting(database: Database): Promise<Pick<Backlog, "emails" | "oldestMailAt">> {
  const waiting = database.selectFrom("mail").select("created_at").where("finished_at", "is", null).limit(countedMax);
  const { emails, oldest_mail } = await database
    .selectFrom(waiting.as("waiting"))
    .select(({ fn }) => [fn.countAll().as("emails"), fn.min("created_at").as("oldest_mail")])
    .executeTakeFirstOrThrow();
  return { emails: Number(emails), oldestMailAt: oldest_mail === null ? undefined : Number(oldest_mail) };
}
