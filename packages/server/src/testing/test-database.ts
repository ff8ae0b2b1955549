import { createHash } from "node:crypto";
import { basename } from "node:path";
import { sql } from "kysely";
import { baselineHash } from "../database/baseline/baseline.ts";
import { type Database, openDatabase } from "../database/database.ts";
import { formTables, referenceTables } from "../database/distributed-tables.ts";
import { clusterDatabases } from "./cluster-databases.ts";
import { onServer } from "./on-server.ts";
import { nameDatabase, serverDatabases } from "./server-databases.ts";
import { closeAtEnd, createTemporaryFolder, type TestScope } from "./temporary-folder.ts";
import { watchStatements } from "./watch-statements.ts";

/** The server on which each test gets a database of its own; absent means SQLite. `scripts/test.ts` sets it for its second run. */
const serverUrl = process.env.SEALPOST_TEST_DATABASE_URL;
/** The same server through a pooler, which is what the services get then. `npm run test:pgbouncer` sets it. */
const poolerUrl = process.env.SEALPOST_TEST_POOLER_URL;

if (serverUrl !== undefined) watchStatements();

export const testDatabaseKind = serverUrl === undefined ? "sqlite" : "postgres";

/** For a test about several processes: SQLite serves one. */
export const onPostgres = { skip: testDatabaseKind !== "postgres" && "SQLite is served by one process" };
/** Whether the tables of each test are spread over a Citus cluster. */
export const isCluster = process.env.SEALPOST_TEST_CITUS !== undefined;
/** For a test about a Citus cluster (`npm run test:citus`), and for one about a PostgreSQL that is not one. */
export const onCluster = { skip: !isCluster && "needs a Citus cluster: npm run test:citus" };
export const onPostgresAlone = {
  skip: (testDatabaseKind !== "postgres" || isCluster) && "about a PostgreSQL server without Citus",
};
/** For a test that puts a trigger on a table, or does something else that Citus does not. */
export const exceptOnCluster = { skip: isCluster && "Citus has no triggers on distributed tables" };
/** For a test about the file itself. */
export const onSqlite = { skip: testDatabaseKind !== "sqlite" && "about the files of SQLite" };

/** For a test that asks nothing of a database: what it shows is the same on both. */
export const onEither = { skip: testDatabaseKind !== "sqlite" && "was run with SQLite, and the database is not asked" };

/** On a cluster the server is its coordinator, and the tables are spread over its workers. */
const databases = isCluster ? clusterDatabases : serverDatabases;

const secret = "dGVzdHMgb25seTogdGhpcnR5LXR3byBieXRlcyBvciBtb3JlIQ==";

/**
 * The environment that puts a service on the database under test. One data folder has one database, so that a test that
 * starts again on its folder finds what it left.
 */
export async function createTestDatabase(t: TestScope, folder: string): Promise<Record<string, string>> {
  if (serverUrl === undefined) return {};
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "_");
  const isNew = await createFromTemplate(serverUrl, name);
  if (isNew) closeAtEnd(t, () => databases.drop(serverUrl, name));
  const directUrl = nameDatabase(serverUrl, name);
  const urls =
    poolerUrl === undefined
      ? { SEALPOST_DATABASE_URL: directUrl }
      : { SEALPOST_DATABASE_URL: nameDatabase(poolerUrl, name), SEALPOST_DATABASE_DIRECT_URL: directUrl };
  return { ...urls, SEALPOST_SECRET: secret };
}

/** The database of a data folder, with or without a service. The test closes it. */
export async function openTestDatabase(t: TestScope, folder: string): Promise<Database> {
  const { SEALPOST_DATABASE_URL: databaseUrl } = await createTestDatabase(t, folder);
  const database = openDatabase({ databaseUrl, dataFolder: folder });
  // The kind of database is known with its first connection.
  await sql`select 1`.execute(database);
  return database;
}

/** For a test about the connections themselves: the URL of a database with no pooler between. */
export async function createDirectUrl(t: TestScope): Promise<string> {
  const { SEALPOST_DATABASE_URL: url = "", SEALPOST_DATABASE_DIRECT_URL: directUrl = url } = await createTestDatabase(
    t,
    createTemporaryFolder(t),
  );
  return directUrl;
}

/** A copy of an empty, migrated database takes a tenth of the time of migrating a new one. False when it is there already. */
async function createFromTemplate(url: string, name: string): Promise<boolean> {
  const template = `sealpost_template_${hashBaseline()}`;
  return onServer({ url }, async (client) => {
    const exists = async (wanted: string) =>
      (await client.query("select 1 from pg_database where datname = $1", [wanted])).rowCount === 1;
    if (await exists(name)) return false;
    if (!(await exists(template))) {
      // Test files run at once: one of them makes it, under a name that the others do not copy until it is complete.
      await client.query("select pg_advisory_lock(7305)");
      if (!(await exists(template))) await databases.createTemplate(url, template);
      await client.query("select pg_advisory_unlock(7305)");
    }
    await databases.copy(url, name, template);
    return true;
  });
}

/** Names the template, so that no run copies one of another baseline. */
function hashBaseline(): string {
  const spread = [...formTables, ...referenceTables].join();
  return createHash("sha256").update(baselineHash("postgres")).update(spread).digest("hex").slice(0, 16);
}
