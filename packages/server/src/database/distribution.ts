import type { Kysely, PostgresAdapter } from "kysely";
import type { ClientBase } from "pg";
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

const hasCitus = "select to_regclass('pg_dist_partition') is not null as found";
const isSpread =
  "select exists (select from pg_dist_partition where logicalrelid = to_regclass('delivery_queue')) as found";

/** To be called with each new connection before it is used; nothing is asked again once it is known. */
export function createDistributionCheck(adapter: PostgresAdapter): (client: Queryable) => Promise<void> {
  let isKnown = false;
  return async (client) => {
    if (!isKnown && (await ask(client, hasCitus)) && (await ask(client, isSpread))) spread.add(adapter);
    isKnown = true;
    if (spread.has(adapter)) await client.query(settings);
  };
}

/**
 * In a join with a coordinator table, the few distributed rows are fetched; the local table is not sent to every worker. A
 * worker whose machine is gone says no word: the default is to wait for half a minute each time.
 */
const settings = `
  set citus.local_table_join_policy = 'prefer-distributed';
  set citus.node_connection_timeout = '5s'`;

type Queryable = Pick<ClientBase, "query">;

async function ask(client: Queryable, question: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(question);
  return rows[0]?.found === true;
}

/** The forms of lines with a column `form_id`, as one parameter. */
export function encodeForms(formIds: readonly unknown[]): Buffer {
  return encodeColumn("text", [...new Set(formIds)]);
}
