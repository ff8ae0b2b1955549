import { sql } from "kysely";
import type { Database } from "./database.ts";
import { kindOf } from "./kind.ts";

/**
 * Resolves when all that was read before is as durable as what is written now. Rows of a commit whose wait for a synchronous standby ended early,
 * because its primary was restarted or an operator cancelled it, are there to be read, and lost with the primary. Who answers that they are stored
 * commits something after them, and waits for that: a message in PostgreSQL's log that nobody reads. Without a synchronous standby nothing is
 * written: all that can be read is on the disk.
 */
export async function awaitDurable(database: Database): Promise<void> {
  if (kindOf(database) === "postgres")
    await sql`
      select pg_logical_emit_message(true, 'sealpost', '')
      where current_setting('synchronous_standby_names') <> ''`.execute(database);
}
