import type { ClientBase } from "pg";
import { printCountingTriggers, printTriggerRemoval } from "../database/counted-tables.ts";
import { findSpread, formTables, referenceTables } from "../database/distributed-tables.ts";

/** One table to move, and what is done to it. */
export interface Step {
  readonly table: string;
  readonly action: string;
  /** Run one after the other, each on its own: what was moved stays moved if the next one fails. */
  readonly statements: readonly string[];
}

/** Nothing waits to be let in on a cluster, which does not walk along destinations. */
const letAllIn = "update delivery_queue set is_waiting = 0 where is_waiting = 1";

type Queryable = Pick<ClientBase, "query">;

/** The steps that are left until the tables are spread over the workers: nothing, once all of it was done. */
export async function planDistribute(client: Queryable, shards: number): Promise<readonly Step[]> {
  const spread = await findSpread(client);
  const steps: Step[] = [];
  for (const table of referenceTables) {
    const make = `select create_reference_table('${table}')`;
    steps.push(...(await planTable(client, table, spread.has(table) ? [] : [make], "copied to each worker")));
  }
  const [first] = formTables;
  for (const table of formTables) {
    const place = table === first ? `shard_count => ${shards}, colocate_with => 'none'` : `colocate_with => '${first}'`;
    const make = [
      ...printTriggerRemoval(table),
      ...(table === "delivery_queue" ? [letAllIn] : []),
      `select create_distributed_table('${table}', 'form_id', ${place})`,
    ];
    steps.push(...(await planTable(client, table, spread.has(table) ? [] : make, "spread over the workers by form")));
  }
  return steps;
}

/** Citus copies the rows and leaves those on the coordinator, where no statement sees them any more. */
async function planTable(
  client: Queryable,
  table: string,
  make: readonly string[],
  action: string,
): Promise<readonly Step[]> {
  const truncate = `select truncate_local_data_after_distributing_table('${table}')`;
  if (make.length > 0) return [{ table, action, statements: [...make, truncate] }];
  const { rows } = await client.query("select pg_relation_size(to_regclass($1)) > 0 as filled", [table]);
  return rows[0].filled === true
    ? [{ table, action: "its copy on the coordinator removed", statements: [truncate] }]
    : [];
}

/** The steps that are left until all tables are on the coordinator again. */
export async function planUndistribute(client: Queryable): Promise<readonly Step[]> {
  const spread = await findSpread(client);
  return [...formTables.toReversed(), ...referenceTables].flatMap((table) =>
    spread.has(table) ? [{ table, action: "moved to the coordinator", statements: printReturn(table) }] : [],
  );
}

function printReturn(table: string): readonly string[] {
  return [`select undistribute_table('${table}')`, ...printCountingTriggers("postgres", table)];
}

export async function runSteps(client: Queryable, steps: readonly Step[], report: (step: Step) => void): Promise<void> {
  // Whatever the role's own limits are: a large table takes its time.
  await client.query("set statement_timeout = 0");
  for (const step of steps) {
    for (const statement of step.statements) await client.query(statement);
    report(step);
  }
}
