import { sql } from "kysely";
import { countRows, type Row, readRows } from "../copy/copy-store.ts";
import type { Database } from "../database/database.ts";
import { kindOf } from "../database/kind.ts";
import { batchOf, type CopiedTable } from "../database/table-records.ts";
import { backupKey } from "../instance/instance.ts";
import type { Sequence } from "./backup-file.ts";

/** A database as it was at one moment, whatever is written meanwhile. */
export interface Snapshot {
  count(table: CopiedTable): Promise<number>;
  batches(table: CopiedTable): AsyncIterable<readonly Row[]>;
  instanceValue(key: string): Promise<string | undefined>;
  /** The highest number that a table's rows ever had. */
  sequence(table: CopiedTable): Promise<Sequence>;
}

/** Calls `work` inside one transaction that reads: it stops no writer, and no writer changes what it sees. */
export function withSnapshot<Result>(
  database: Database,
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  return kindOf(database) === "postgres" ? onPostgres(database, work) : onSqlite(database, work);
}

function onPostgres<Result>(database: Database, work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
  return database
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(async (transaction) => {
      // The time between two batches is the file's, and the server must not take it for a process that hangs.
      await sql`set local idle_in_transaction_session_timeout = '10min'`.execute(transaction);
      return work({
        count: (table) => countRows(transaction, table),
        async *batches(table) {
          await sql`declare backup no scroll cursor for select * from ${sql.table(table)}`.execute(transaction);
          for (;;) {
            const { rows } = await sql<Row>`fetch ${sql.lit(batchOf(table))} from backup`.execute(transaction);
            if (rows.length === 0) break;
            yield rows;
          }
          await sql`close backup`.execute(transaction);
        },
        instanceValue: (key) => findInstanceValue(transaction, key),
        async sequence(name) {
          const { rows } = await sql<{ value: number }>`
            select coalesce(pg_sequence_last_value(pg_get_serial_sequence(${name}, ${numberOf(name)})), 0) as value`.execute(
            transaction,
          );
          return { name, value: Number(rows[0]?.value) };
        },
      });
    });
}

function onSqlite<Result>(database: Database, work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
  return database.connection().execute(async (connection) => {
    // Deferred: Kysely's own `begin` takes the right to write, and would hold up the service.
    await sql`begin deferred`.execute(connection);
    try {
      return await work({
        count: (table) => countRows(connection, table),
        async *batches(table) {
          for (let place = 0; ; ) {
            const rows = await readRows(connection, table, place);
            const last = rows.at(-1);
            if (last === undefined) return;
            place = last.place;
            yield rows;
          }
        },
        instanceValue: (key) => findInstanceValue(connection, key),
        async sequence(name) {
          const { rows } = await sql<{ seq: number }>`select seq from sqlite_sequence where name = ${name}`.execute(
            connection,
          );
          return { name, value: rows[0]?.seq ?? 0 };
        },
      });
    } finally {
      await sql`rollback`.execute(connection);
    }
  });
}

/** Notes when a backup was made. A standby, or a role that only reads, makes backups as well: then nothing is noted. */
export async function noteBackup(database: Database, now: number): Promise<void> {
  await database
    .insertInto("instance")
    .values({ key: backupKey, value: String(now) })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value: String(now) }))
    .execute()
    .catch(() => undefined);
}

async function findInstanceValue(database: Database, key: string): Promise<string | undefined> {
  const row = await database.selectFrom("instance").select("value").where("key", "=", key).executeTakeFirst();
  return row?.value;
}

function numberOf(table: CopiedTable): string {
  return table === "submission" ? "sequence" : "id";
}
