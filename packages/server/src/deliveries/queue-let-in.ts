import { type CompiledQuery, sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isDistributed } from "../database/distribution.ts";
import { kindOf } from "../database/kind.ts";
import { keepPlanned } from "../database/prepared-statements.ts";
import type { Instant, WaitingDelivery } from "./delivery.ts";

/** As many as a process may have claimed; one who has a hundred thousand due at once keeps others' retries waiting for seconds. */
const letInMax = 256;

/**
 * Lets later attempts in whose time has come, so that the next claim walks along their destinations. Until then they are in no index that a
 * claim walks along: those that wait at a hundred thousand hosts cost nobody else's deliveries anything.
 */
export function compileLettingIn(
  database: Database | DatabaseTransaction,
  now: Instant,
): CompiledQuery<{ readonly delivery_id: string }> | undefined {
  if (isDistributed(database)) return undefined;
  const due = sql`is_waiting = 1 and due_at <= ${now} order by due_at limit ${letInMax}`;
  const query =
    kindOf(database) === "sqlite"
      ? sql<{ delivery_id: string }>`
          update delivery_queue set is_waiting = 0
          where rowid in (select rowid from delivery_queue where ${due}) returning delivery_id`
      : sql<{ delivery_id: string }>`
          with due as materialized (
            select form_id, delivery_id from delivery_queue where ${due} for update skip locked)
          update delivery_queue q set is_waiting = 0
          from unnest(array(select form_id from due), array(select delivery_id from due)) as line(form_id, delivery_id)
          where q.form_id = line.form_id and q.delivery_id = line.delivery_id returning q.delivery_id`;
  return keepPlanned(query.compile(database));
}

/** Whether what is queued again waits to be let in. Servers of a cluster do not walk along destinations, and let nothing in. */
export function isLetInLater(
  database: Database | DatabaseTransaction,
  { attempt, dueAt }: Pick<WaitingDelivery, "attempt" | "dueAt">,
  at: Instant,
): boolean {
  return attempt > 1 && dueAt > at && !isDistributed(database);
}
