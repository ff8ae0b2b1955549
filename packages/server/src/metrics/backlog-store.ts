import type { Database } from "../database/database.ts";

/** More than that many is told as that many: a look at the backlog must not hold up the work on it. */
export const countedMax = 100_000;

export interface Backlog {
  /** Deliveries that could be sent now and are not being sent; at most `countedMax`. */
  readonly due: number;
  /** When the one that waits the longest became due. */
  readonly oldestDueAt: number | undefined;
}

export async function readBacklog(database: Database, now: number): Promise<Backlog> {
  const { due } = await database
    .selectFrom(
      database.selectFrom("delivery_queue").select("due_at").where("due_at", "<=", now).limit(countedMax).as("due"),
    )
    .select(({ fn }) => fn.countAll().as("due"))
    .executeTakeFirstOrThrow();
  const oldest = await database
    .selectFrom("delivery_queue")
    .select("due_at")
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .limit(1)
    .executeTakeFirst();
  return { due: Number(due), oldestDueAt: oldest?.due_at };
}
