import type { PostgresPool, PostgresPoolClient } from "kysely";
import { type Client, type ClientBase, Pool, type PoolClient, type PoolConfig } from "pg";
import { saysUnavailable } from "./errors.ts";
import { askMilliseconds, readHostState } from "./host-state.ts";
import type { Hosts } from "./hosts.ts";
import { isUnusable, noteSettings, type PoolTraits } from "./pooled-client.ts";

/** A pool for each host, of which only the one of the primary has connections. `check` is called with each new one. */
export function createHostPools(
  hosts: Hosts,
  traits: PoolTraits,
  settings: PoolConfig,
  check: (client: ClientBase) => Promise<void>,
): PostgresPool {
  const open = hosts.all.map(() => new Set<Client>());
  const pools = hosts.all.map(({ url }, index) => {
    const pool = new Pool({
      ...settings,
      connectionString: url,
      ...(hosts.wantsPrimary && {
        connectionTimeoutMillis: askMilliseconds,
      }),
      // The pool waits for it, and has no connection where it fails.
      onConnect: async (client) => {
        if (hosts.wantsPrimary) hosts.verify(index, await readHostState(client));
        await noteSettings(client, traits);
        await check(client);
      },
    });
    // A connection that breaks is replaced by the pool, and its user gets the error of the failed query. Without
    // listeners on both, the process would end: the pool listens on a connection only while nobody uses it.
    pool.on("error", () => {});
    pool.on("connect", (client) => {
      client.on("error", () => {});
      open[index]?.add(client);
    });
    pool.on("remove", (client) => open[index]?.delete(client));
    return pool;
  });

  async function connect(isRefused = false): Promise<PostgresPoolClient> {
    const index = await hosts.find();
    const pool = pools[index] as Pool; // a place among the hosts
    try {
      return releaseUsable(await pool.connect());
    } catch (error) {
      if (refusesSettings(error) && !isRefused) {
        for (const { options } of pools) options.idle_in_transaction_session_timeout = undefined;
        // A pooler that was not prepared for us, of a version that it does not tell.
        traits.hasNames = false;
        return connect(true);
      }
      if (isLost(error)) hosts.doubt(index);
      throw error;
    }
  }

  // Who waits for an answer gets an error instead.
  hosts.onLeave = (index) => {
    for (const client of open[index] ?? []) client.connection.stream.destroy();
  };
  return {
    connect: () => connect(),
    end: async () => void (await Promise.all(pools.map((pool) => pool.end()))),
    options: settings,
  };
}

/** A connection that can't be used again does not come back to the pool. */
function releaseUsable(client: PoolClient): PostgresPoolClient {
  const { release } = client;
  client.release = (error) => release(error || isUnusable(client));
  return client as PostgresPoolClient; // pg's types are wider
}

/** Whether the server is gone, and not only busy (class 53), or all connections of the pool are in use. */
function isLost(error: unknown): boolean {
  if (!(error instanceof Error) || !saysUnavailable(error)) return false;
  return !("code" in error && /^53/.test(String(error.code))) && !/^timeout exceeded/.test(error.message);
}

/** PgBouncer refuses settings at the start of a connection, unless its configuration says to ignore them. */
function refusesSettings(error: unknown): boolean {
  return error instanceof Error && /^unsupported startup parameter/.test(error.message);
}
