import type { Kysely } from "kysely";
import { isDistributed } from "./distribution.ts";
import type { Tables } from "./schema.ts";
import { createWorkerQuestions, type WorkerQuestions } from "./worker-questions.ts";

type Database = Kysely<Tables>;

/** The workers of a cluster as this process knows them, by their addresses. */
export interface Workers {
  /** The workers that did not answer when they were last asked. */
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
  /** Logs each worker that is lost, and each that comes back. */
  logTo(log: WorkersLog): void;
}

export interface WorkersLog {
  warn(message: string): void;
  error(message: string): void;
}

const waitMilliseconds = { first: 1_000, max: 10_000 } as const;
/** How old the list of reachable forms may become: a form that is made meanwhile waits so long for its first delivery. */
const listMilliseconds = 5_000;

/** The keys are adapters of databases: what is known of one database is known of it everywhere. */
const known = new WeakMap<object, Workers>();

/** To be called with a database that was just opened. Whether it is that of a cluster turns out with its first connection. */
export function rememberWorkers(database: Database): void {
  known.set(database.getExecutor().adapter, createWorkers(createWorkerQuestions(database)));
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

interface ReachableForms {
  readonly ids: readonly string[];
  readonly listedAt: number;
  /** A list that was begun before a change is not used after it. */
  readonly changes: number;
}

/** The workers that these questions are about; `now` is in milliseconds, of a clock that only goes forward. */
export function createWorkers(questions: WorkerQuestions, now: () => number = () => performance.now()): Workers {
  const away = new Map<string, Absence>();
  /** How often a worker went away. */
  let losses = 0;
  /** How often `away` became another. */
  let changes = 0;
  let asking: Promise<void> | undefined;
  let isAskingAgain = false;
  let forms: ReachableForms | undefined;
  let log: WorkersLog | undefined;

  /** Asks all workers, or those of these names. */
  async function ask(names?: readonly string[]): Promise<void> {
    const asked = new Set(names ?? away.keys());
    const answers = new Map((await questions.ask(names)).map(({ name, answers }) => [name, answers]));
    for (const [name, isThere] of answers) if (!isThere) lose(name);
    // A worker without an answer was removed, or has another address, by which it is asked from now on.
    const ended = [...away.keys()].filter((name) => answers.get(name) ?? asked.has(name));
    if (ended.length === 0) return;
    await questions.recover();
    for (const name of ended) {
      if (!away.delete(name)) continue;
      changes += 1;
      log?.warn(
        answers.has(name)
          ? `the worker ${name} of the cluster answers again`
          : `the cluster has no worker ${name} any more`,
      );
    }
  }

  function lose(name: string): void {
    const before = away.get(name);
    const wait = before === undefined ? waitMilliseconds.first : Math.min(2 * before.wait, waitMilliseconds.max);
    away.set(name, { wait, askAt: now() + wait });
    if (before !== undefined) return;
    losses += 1;
    changes += 1;
    log?.error(
      `the worker ${name} of the cluster does not answer: nothing of the forms on it is accepted, shown or sent`,
    );
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
    const due = [...away].filter(([, { askAt }]) => askAt <= now());
    if (due.length === 0 || isAskingAgain) return;
    isAskingAgain = true;
    // Where the coordinator does not answer, they are asked again after the same time.
    for (const [name, { wait }] of due) away.set(name, { wait, askAt: now() + wait });
    const end = () => {
      isAskingAgain = false;
    };
    ask(due.map(([name]) => name)).then(end, end);
  }

  async function findReachable(formIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (away.size === 0) return new Set(formIds);
    askAgain();
    const places = await questions.findPlaces(formIds);
    return new Set(formIds.filter((id) => !away.has(places.get(id) ?? "")));
  }

  async function listForms(): Promise<ReachableForms> {
    const begun = { changes, listedAt: now() };
    return { ...begun, ids: [...(await findReachable(await questions.listWebhookForms()))] };
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
      if (forms?.changes !== changes || now() - forms.listedAt > listMilliseconds) forms = await listForms();
      return forms.ids;
    },
    logTo(to) {
      log = to;
    },
  };
}

/** One outcome for each item, in their order, from those of the items that were reached. */
export function fillOutcomes<Item, Outcome>(
  items: readonly Item[],
  isReached: (item: Item) => boolean,
  outcomes: readonly Outcome[],
  outcomeOfOthers: Outcome,
): readonly Outcome[] {
  const reached = outcomes.values();
  return items.map((item) => (isReached(item) ? reached.next().value : undefined) ?? outcomeOfOthers);
}
