import { clusterDatabases } from "../packages/server/src/testing/cluster-databases.ts";
import { nameDatabase } from "../packages/server/src/testing/server-databases.ts";

/** A database whose tables are spread over the workers of a Citus cluster. */
export interface ClusterDatabase {
  readonly url: string;
  remove(): Promise<void>;
}

/** A new, empty one on the cluster of this coordinator, where the user may create databases on each server. */
export async function createClusterDatabase(coordinatorUrl: string, purpose: string): Promise<ClusterDatabase> {
  const name = `sealpost_${purpose}_${process.pid}`;
  const template = `${name}_template`;
  await clusterDatabases.createTemplate(coordinatorUrl, template);
  await clusterDatabases.copy(coordinatorUrl, name, template);
  return {
    url: nameDatabase(coordinatorUrl, name),
    async remove() {
      await clusterDatabases.drop(coordinatorUrl, name);
      await clusterDatabases.drop(coordinatorUrl, template);
    },
  };
}
