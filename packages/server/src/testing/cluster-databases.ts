import { type Client, DatabaseError } from "pg";
import { openPostgres } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import { planDistribute, runSteps } from "../distribution/distribute.ts";
import { onServer } from "./on-server.ts";
import { nameDatabase, printCopy, printDrop, type TestDatabases } from "./server-databases.ts";

/** Fewer than an operator's 32: each is a table on a worker, and each test has a database of its own. */
const shardsOfTests = 8;

interface Node {
  readonly url: string;
  readonly host: string;
  readonly port: number;
}

/** The coordinator, and then the workers, with the user and the password of the coordinator's URL. */
export async function listNodes(url: string): Promise<readonly Node[]> {
  const { rows } = await onServer({ url }, (client) =>
    client.query(
      "select nodename, nodeport from pg_dist_node where isactive and noderole = 'primary' order by groupid, nodeid",
    ),
  );
  return rows.map(({ nodename: host, nodeport: port }) => {
    const node = new URL(url);
    node.host = `${host}:${port}`;
    return { url: node.href, host, port };
  });
}

/** Databases of the same name on each node, which is where Citus looks for them. */
export const clusterDatabases: TestDatabases = {
  async createTemplate(url, name) {
    const making = `${name}_new`;
    await onAll(url, [printDrop(making), `create database "${making}"`]);
    await distribute(url, making);
    // Citus' own process is connected to each database that it looks after, and nobody may be to one that is copied.
    await onAll(url, [
      `alter database "${making}" allow_connections false`,
      printEndConnections(making),
      `alter database "${making}" rename to "${name}"`,
    ]);
  },
  // The tables keep their numbers in a copy, so that what Citus knows of them holds there, too.
  copy: (url, name, template) => onAll(url, [printCopy(name, template)]),
  drop: (url, name) => onAll(url, [printDrop(name)]),
};

/** PostgreSQL's code for a database with connections. It waits for five seconds for their end before it says so. */
const inUse = "55006";
const attemptsMax = 5;

async function distribute(url: string, name: string): Promise<void> {
  const nodes = await listNodes(url);
  for (const node of nodes)
    await onServer({ url: nameDatabase(node.url, name) }, (client) => client.query("create extension citus"));
  const database = openPostgres(nameDatabase(url, name));
  await migrate(database);
  await database.destroy();
  await onServer({ url: nameDatabase(url, name) }, async (client) => {
    for (const [index, { host, port }] of nodes.entries())
      await client.query(`select ${index === 0 ? "citus_set_coordinator_host" : "citus_add_node"}($1, $2)`, [
        host,
        port,
      ]);
    await runSteps(client, await planDistribute(client, shardsOfTests), () => {});
  });
}

async function onAll(url: string, statements: readonly string[]): Promise<void> {
  const onNode = (node: Node) =>
    onServer(node, async (client) => {
      for (const statement of statements) await runUnused(client, statement);
    });
  await Promise.all((await listNodes(url)).map(onNode));
}

/** A database that Citus' own process has just come back to is not removed: again, until it is. */
async function runUnused(client: Pick<Client, "query">, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(statement);
      return;
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== inUse || attempt === attemptsMax) throw error;
    }
  }
}

/** It may be that one of them is just starting. */
function printEndConnections(name: string): string {
  return `
    do $$ begin
      while exists (select from pg_stat_activity where datname = '${name}') loop
        perform pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}';
        perform pg_sleep(0.01);
        perform pg_stat_clear_snapshot();
      end loop;
    end $$`;
}
