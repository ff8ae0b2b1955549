import { type Kysely, sql } from "kysely";
import { isDistributed } from "./distribution.ts";
import type { Tables } from "./schema.ts";

type Database = Kysely<Tables>;

/** The workers of a cluster as this process knows them, by their addresses. */
export interface Workers {
  /** Those that did not answer when they were last asked. */
  listAway(): readonly string[];
  /**
   * Runs `work` with the items whose forms are on workers that answer. If it fails, and one more does not answer, it runs again
   * without that one's: so `work` has to be a transaction. Gives also which items it ran with.
   */
  withReachable<Item, Result>(
    items: readonly Item[],
    formOf: (item: Item) => string,
    work: (reachable: readonly Item[]) => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly isReached: (item: Item) => boolean }>;
  /** All forms with a webhook that are on workers that answer; `undefined` while none is away. */
  listReachableForms(): Promise<readonly string[] | undefined>;
  /** From here on: a worker that is away, and one that is back. */
  logTo(log: WorkersLog): void;
}

export interface WorkersLog {
  warn(message: string): void;
  error(message: string): void;
}

const waitMilliseconds = { first: 1_000, max: 10_000 } as const;
/** How old the list of reachable forms may become: a form that is made meanwhile waits so long for its first delivery. */
const listMilliseconds = 5_000;

/** By the adapters of databases, as what is known of one database is known of it everywhere. */
const known = new WeakMap<object, Workers>();

/** To be called with a database that was just opened. Whether it is that of a cluster turns out with its first connection. */
export function rememberWorkers(database: Database): void {
  known.set(database.getExecutor().adapter, createWorkers(database));
}

/** The workers of a database whose tables are spread over a cluster; `undefined` for any other. */
export function findWorkers(database: Pick<Database, "getExecutor">): Workers | undefined {
  return isDistributed(database) ? known.get(database.getExecutor().adapter) : undefined;
}

interface Absence {
  /** How long to wait until it is asked again, which doubles each time. */
  readonly wait: number;
  readonly askAt: number;
}

function createWorkers(database: Database): Workers {
  const away = new Map<string, Absence>();
  /** How often a worker went away. */
  let losses = 0;
  let asking: Promise<void> | undefined;
  let isAskingAgain = false;
  let forms: { readonly ids: readonly string[]; readonly listedAt: number } | undefined;
  let log: WorkersLog | undefined;

  /** Asks all workers, or those of these names. */
  async function ask(names?: readonly string[]): Promise<void> {
    for (const { name, answers: isThere } of await askWorkers(database, names)) {
      const before = away.get(name);
      if (isThere && before !== undefined) {
        await recover(database);
        away.delete(name);
        log?.warn(`the worker ${name} of the cluster answers again`);
      }
      if (isThere) continue;
      const wait = before === undefined ? waitMilliseconds.first : Math.min(2 * before.wait, waitMilliseconds.max);
      away.set(name, { wait, askAt: performance.now() + wait });
      if (before !== undefined) continue;
      losses += 1;
      log?.error(
        `the worker ${name} of the cluster does not answer: nothing of the forms on it is accepted, shown or sent`,
      );
    }
    forms = undefined;
  }

  /** One question for all whose work has failed. */
  function askAll(): Promise<void> {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  }

  /** Asks those that are away, if it is time to. Nobody waits for it: a machine that is gone takes its time not to answer. */
  function askAgain(): void {
    const now = performance.now();
    const due = [...away].flatMap(([name, { askAt }]) => (askAt <= now ? [name] : []));
    if (due.length === 0 || isAskingAgain) return;
    isAskingAgain = true;
    const end = () => {
      isAskingAgain = false;
    };
    // Where the coordinator does not answer, the question is still due.
    ask(due).then(end, end);
  }

  async function findReachable(formIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (away.size === 0) return new Set(formIds);
    askAgain();
    const places = await findPlaces(database, formIds);
    return new Set(formIds.filter((id) => !away.has(places.get(id) ?? "")));
  }

  return {
    listAway: () => [...away.keys()].sort(),
    async withReachable(items, formOf, work) {
      for (;;) {
        const before = losses;
        const forms = await findReachable([...new Set(items.map(formOf))]);
        const isReached = (item: (typeof items)[number]) => forms.has(formOf(item));
        try {
          return { result: await work(items.filter(isReached)), isReached };
        } catch (error) {
          await askAll().catch(() => undefined);
          if (losses === before) throw error;
        }
      }
    },
    async listReachableForms() {
      if (away.size === 0) return undefined;
      askAgain();
      const now = performance.now();
      if (forms === undefined || now - forms.listedAt > listMilliseconds) {
        const rows = await database.selectFrom("webhook").select("form_id").execute();
        const reachable = await findReachable(rows.map(({ form_id }) => form_id));
        forms = { ids: [...reachable], listedAt: now };
      }
      return forms.ids;
    },
    logTo(to) {
      log = to;
    },
  };
}

/** The names of all workers, or of some, and whether they answer. The coordinator asks them, so it does not matter who else reaches them. */
export async function askWorkers(
  database: Database,
  names?: readonly string[],
): Promise<readonly { readonly name: string; readonly answers: boolean }[]> {
  const only = names === undefined ? sql`` : sql`and nodename || ':' || nodeport = any(${names})`;
  const { rows } = await sql<{ name: string; answers: boolean }>`
    select nodename || ':' || nodeport as name, citus_check_connection_to_node(nodename, nodeport) as answers
    from pg_dist_node where isactive and noderole = 'primary' and groupid > 0 ${only} order by nodeid`.execute(
    database,
  );
  return rows;
}

/**
 * Ends the transactions that were between the two phases of their commit when a worker went: until then they hold the counts
 * of their forms. Citus does the same once a minute; the role needs the right for it to be sooner (docs/citus.md).
 */
async function recover(database: Database): Promise<void> {
  await sql`select recover_prepared_transactions()`.execute(database).catch(() => undefined);
}

/** The worker of each form. No server but the coordinator is asked. */
async function findPlaces(database: Database, formIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ form_id: string; name: string }>`
    select form.form_id, node.nodename || ':' || node.nodeport as name
    from unnest(cast(${formIds} as text[])) as form(form_id)
      join pg_dist_placement place on place.shardid = get_shard_id_for_distribution_column('delivery_queue', form.form_id)
      join pg_dist_node node on node.groupid = place.groupid and node.noderole = 'primary'`.execute(database);
  return new Map(rows.map(({ form_id, name }) => [form_id, name]));
}
