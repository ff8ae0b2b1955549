import { basename } from "node:path";
import type { TestContext } from "node:test";
import { Client } from "pg";

/** The server on which each test gets a database of its own; absent means SQLite. `scripts/test.ts` sets it for its second run. */
const serverUrl = process.env.SEALPOST_TEST_DATABASE_URL;

export const testDatabaseKind = serverUrl === undefined ? "sqlite" : "postgres";

/**
 * The environment that puts a service on the database under test. One data folder has one database, so that a test that
 * starts again on its folder finds what it left.
 */
export async function createTestDatabase(
  t: Pick<TestContext, "after">,
  folder: string,
): Promise<Record<string, string>> {
  if (serverUrl === undefined) return {};
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "_");
  await onServer(serverUrl, async (client) => {
    const { rowCount } = await client.query("select 1 from pg_database where datname = $1", [name]);
    if (rowCount !== 0) return;
    await client.query(`create database ${client.escapeIdentifier(name)}`);
    t.after(() =>
      onServer(serverUrl, (again) =>
        again.query(`drop database if exists ${again.escapeIdentifier(name)} with (force)`),
      ),
    );
  });
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { SEALPOST_DATABASE_URL: url.href, SEALPOST_SECRET: "dGVzdHMgb25seTogdGhpcnR5LXR3byBieXRlcyBvciBtb3JlIQ==" };
}

async function onServer(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
