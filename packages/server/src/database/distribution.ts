import type { DatabaseConnection } from "kysely";
import { CompiledQuery, type Kysely, type PostgresAdapter } from "kysely";
import { encodeColumn } from "./column-array.ts";

/** The adapters of databases whose tables are spread over the workers of a Citus cluster. */
const spread = new WeakSet<object>();

/**
 * Whether the tables of submissions are spread by form over several servers (docs/decisions/0021-citus.md). Known once the
 * database has a connection. For the few statements that have to be others there: those that would ask every server without
 * need, and those that no server can answer alone.
 */
export function isDistributed(database: Pick<Kysely<never>, "getExecutor">): boolean {
  return spread.has(database.getExecutor().adapter);
}

const question = `
  select to_regclass('pg_dist_partition') is not null
    and exists (select from pg_class where oid = to_regclass('delivery_queue') and relkind = 'r') as possible`;
const answer =
  "select exists (select from pg_dist_partition where logicalrelid = to_regclass('delivery_queue')) as spread";

/** Asks on a new connection; nothing is asked again once it is known. */
export function createDistributionCheck(adapter: PostgresAdapter): (connection: DatabaseConnection) => Promise<void> {
  let isKnown = false;
  return async (connection) => {
    if (isKnown) return prefer(connection);
    const ask = async (text: string) =>
      (await connection.executeQuery<Record<string, boolean>>(CompiledQuery.raw(text))).rows[0];
    if ((await ask(question))?.possible === true && (await ask(answer))?.spread === true) spread.add(adapter);
    isKnown = true;
    await prefer(connection);
  };

  /** Of a join with a table on the coordinator, the small one by form comes there, not all of the other to every worker. */
  async function prefer(connection: DatabaseConnection): Promise<void> {
    if (!spread.has(adapter)) return;
    await connection.executeQuery(CompiledQuery.raw("set citus.local_table_join_policy = 'prefer-distributed'"));
  }
}

/** The forms of lines with a column `form_id`, as one parameter. */
export function encodeForms(formIds: readonly unknown[]): Buffer {
  return encodeColumn("text", [...new Set(formIds)]);
}
