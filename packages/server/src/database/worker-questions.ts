import { type Kysely, sql } from "kysely";
import type { Tables } from "./schema.ts";

type Database = Kysely<Tables>;

export interface WorkerAnswer {
  readonly name: string;
  readonly answers: boolean;
}

/** Questions of a process to the coordinator of a cluster, about its workers. */
export interface WorkerQuestions {
  /** All workers, or those of these names; of a name that is no worker's there is no answer. */
  ask(names?: readonly string[]): Promise<readonly WorkerAnswer[]>;
  /**
   * Ends the transactions that were between the two phases of their commit when a worker went: until then they hold the counts
   * of their forms. Citus does the same once a minute; the role needs the right for it to be sooner (docs/citus.md).
   */
  recover(): Promise<void>;
  /** The worker of each form. No server but the coordinator is asked. */
  findPlaces(formIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  listWebhookForms(): Promise<readonly string[]>;
}

export function createWorkerQuestions(database: Database): WorkerQuestions {
  return {
    ask: (names) => askWorkers(database, names),
    async recover() {
      await sql`select recover_prepared_transactions()`.execute(database).catch(() => undefined);
    },
    findPlaces: (formIds) => findPlaces(database, formIds),
    async listWebhookForms() {
      const rows = await database.selectFrom("webhook").select("form_id").execute();
      return rows.map(({ form_id }) => form_id);
    },
  };
}

/** The names of all workers, or of some, and whether they answer. The coordinator asks them, so it does not matter who else reaches them. */
export async function askWorkers(database: Database, names?: readonly string[]): Promise<readonly WorkerAnswer[]> {
  const only = names === undefined ? sql`` : sql`and nodename || ':' || nodeport = any(${names})`;
  const { rows } = await sql<WorkerAnswer>`
    select nodename || ':' || nodeport as name, citus_check_connection_to_node(nodename, nodeport) as answers
    from pg_dist_node where isactive and noderole = 'primary' and groupid > 0 ${only} order by nodeid`.execute(
    database,
  );
  return rows;
}

async function findPlaces(database: Database, formIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ form_id: string; name: string }>`
    select form.form_id, node.nodename || ':' || node.nodeport as name
    from unnest(cast(${formIds} as text[])) as form(form_id)
      join pg_dist_placement place on place.shardid = get_shard_id_for_distribution_column('delivery_queue', form.form_id)
      join pg_dist_node node on node.groupid = place.groupid and node.noderole = 'primary'`.execute(database);
  return new Map(rows.map(({ form_id, name }) => [form_id, name]));
}
