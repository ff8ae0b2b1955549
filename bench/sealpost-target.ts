import { join } from "node:path";
import { createClient } from "@sealpost/sdk";
import type { PublicKey } from "@sealpost/wire";
import { startPostgresServer } from "../packages/server/src/testing/postgres-server.ts";
import { startServiceProcess } from "../tests/support/service-process.ts";
import { signUpForToken } from "../tests/support/sign-up.ts";
import { type ClusterDatabase, createClusterDatabase } from "./cluster.ts";
import { createEnvironment, type DatabaseName, type ServerProcess, writeBody } from "./processes.ts";

/** A server that is measured. */
export interface Target extends ServerProcess {
  readonly name: string;
}

export interface SealpostTarget extends Target {
  /** How many submissions the list and the statistics count. */
  count(): Promise<readonly [number, number]>;
  accepted: number;
}

/**
 * A service with one form, whose public address is the target's, and in `bodyPath` a sealed body for it. PostgreSQL waits for
 * the disk at each commit, as it does by default.
 */
export async function startSealpost(
  database: DatabaseName | "Citus",
  {
    folder,
    bodyPath,
    publicKey,
    clusterUrl,
  }: {
    readonly folder: string;
    readonly bodyPath: string;
    readonly publicKey: PublicKey;
    /** The coordinator of a Citus cluster, for `Citus`. */
    readonly clusterUrl?: string;
  },
): Promise<SealpostTarget> {
  const server = await openServer(database, clusterUrl);
  const service = await startServiceProcess(createEnvironment(join(folder, database), server?.url));
  const session = createClient({ baseUrl: service.url, token: await signUpForToken(service) });
  // Lives longer than a session's token, which a soak outlasts.
  const { key } = await session.apiKeys.create({ name: "Bench" });
  const client = createClient({ baseUrl: service.url, token: key.key });
  const { id } = await client.forms.create({ name: "Bench", publicKey });
  await writeBody(bodyPath, id, publicKey);
  return {
    name: `Sealpost, ${database}`,
    url: `${service.url.replace("localhost", "127.0.0.1")}/api/forms/${id}/submissions`,
    pid: service.child.pid ?? Number.NaN,
    async stop() {
      await service.kill();
      await server?.remove();
    },
    accepted: 0,
    count: async () => {
      const { total } = await client.submissions.list(id, { limit: 1 });
      return [total, (await client.forms.stats(id)).stats.totalSubmissions];
    },
  };
}

/** The PostgreSQL of a service, or a new database of a cluster; SQLite has none. */
async function openServer(database: DatabaseName | "Citus", clusterUrl = ""): Promise<ClusterDatabase | undefined> {
  if (database === "SQLite") return undefined;
  if (database === "PostgreSQL") return startPostgresServer({ durable: true });
  return createClusterDatabase(clusterUrl, "bench");
}
