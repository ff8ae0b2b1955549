import { setTimeout as wait } from "node:timers/promises";
import type { ClientBase } from "pg";
import { applicationName } from "../database/application-name.ts";
import { baselineHash } from "../database/baseline/baseline.ts";
import { findSpread, formTables, referenceTables } from "../database/distributed-tables.ts";
import { migrations } from "../database/migrate.ts";

type Queryable = Pick<ClientBase, "query">;

/** The oldest version that the tests ran on. */
export const oldestCitus = [13, 2] as const;

/** Throws a sentence for the operator if the tables cannot be spread. Changes nothing. Gives the number of workers. */
export async function checkCluster(client: Queryable): Promise<number> {
  await checkCitus(client);
  const workers = await checkNodes(client);
  await checkTables(client);
  await checkProcesses(client);
  return workers;
}

/** As above, where they are to go back to one server. */
export async function checkSpread(client: Queryable): Promise<void> {
  await checkCitus(client);
  await checkTables(client);
  await checkProcesses(client);
}

async function checkCitus(client: Queryable): Promise<void> {
  const { rows } = await client.query("select exists (select from pg_extension where extname = 'citus') as there");
  if (rows[0].there !== true)
    throw new Error(
      "This database has no Citus: install it on each server, and run `create extension citus` in this database on each",
    );
  const version = await client.query("select citus_version() as text");
  requireVersion(version.rows[0].text, "the coordinator");
}

/** Throws if a text like "Citus 13.2.2 on x86_64-…" says that it is older than what was tested. */
export function requireVersion(text: string, where: string): void {
  const [, major = 0, minor = 0] = (/^Citus (\d+)\.(\d+)/.exec(text) ?? []).map(Number);
  const [oldestMajor, oldestMinor] = oldestCitus;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new Error(
    `Citus on ${where} is too old: ${text.split(" on ")[0]}, and ${oldestMajor}.${oldestMinor} is the oldest that is supported`,
  );
}

interface Node {
  readonly group: number;
  readonly name: string;
}

async function checkNodes(client: Queryable): Promise<number> {
  const { rows: own } = await client.query("select groupid as group from pg_dist_local_group");
  if (own[0]?.group !== 0)
    throw new Error("This server is a worker of the cluster: SEALPOST_DATABASE_URL must name its coordinator");
  const { rows: nodes } = await client.query<Node>(`
    select groupid as group, nodename || ':' || nodeport as name from pg_dist_node
    where isactive and noderole = 'primary' and (groupid = 0 or shouldhaveshards) order by groupid`);
  if (nodes.every(({ group }) => group === 0))
    throw new Error("The coordinator has no workers: add each of them with `select citus_add_node('host', port)`");
  if (nodes[0]?.group !== 0)
    throw new Error(
      "The workers do not know the coordinator: run `select citus_set_coordinator_host('host', port)` with an address that they reach",
    );
  const { rows: answers } = await client.query(
    "select nodename || ':' || nodeport as name, success, result from run_command_on_workers('select citus_version()')",
  );
  for (const { name, success, result } of answers) {
    if (success !== true) throw new Error(`The worker ${name} does not answer: ${result}`);
    requireVersion(result, name);
  }
  return nodes.length - 1;
}

async function checkTables(client: Queryable): Promise<void> {
  const { rows: done } = await client
    .query<{ name: string }>("select name from kysely_migration")
    .catch(() => ({ rows: [] as { name: string }[] }));
  const missing = Object.keys(migrations).filter((name) => !done.some((row) => row.name === name));
  const { rows: kept } = await client
    .query<{ hash: string }>("select hash from baseline")
    .catch(() => ({ rows: [] as { hash: string }[] }));
  if (missing.length > 0 || kept[0]?.hash !== baselineHash("postgres"))
    throw new Error("The database is not that of this version: start the service on it once, and stop it again");
  await checkOwner(client);
  const spread = await findSpread(client);
  for (const [table, found] of spread) {
    const wanted = isOneOf(formTables, table) ? "form" : "reference";
    const isOurs = wanted === "form" || isOneOf(referenceTables, table);
    if (isOurs && found !== wanted)
      throw new Error(
        `The table ${table} is distributed differently from what this command expects: run \`select undistribute_table('${table}')\` first`,
      );
  }
}

function isOneOf(names: readonly string[], name: string): boolean {
  return names.includes(name);
}

async function checkOwner(client: Queryable): Promise<void> {
  const { rows } = await client.query<{ owner: string }>(
    `select distinct pg_get_userbyid(relowner) as owner from pg_class
    where oid = any(select to_regclass(name) from unnest($1::text[]) as t(name)) and not pg_has_role(relowner, 'usage')`,
    [[...formTables, ...referenceTables]],
  );
  const [other] = rows;
  if (other !== undefined)
    throw new Error(`The tables belong to ${other.owner}: only that role, or one that has its rights, can move them`);
}

const looksMax = 20;

/**
 * While rows move, and afterwards, a process would go by what it asked when it started. One that has just ended may have
 * connections for a moment.
 */
async function checkProcesses(client: Queryable): Promise<void> {
  for (let look = 1; ; look++) {
    const { rows } = await client.query(
      `select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name = any($1) limit 1`,
      [[applicationName]],
    );
    if (rows.length === 0) return;
    if (look < looksMax) await wait(100);
    else
      throw new Error("A process serves this database: stop every one of them first, and start them when this is done");
  }
}
