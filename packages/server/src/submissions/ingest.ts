import { setImmediate } from "node:timers/promises";
import type { Database } from "../database/database.ts";
import { kindOf } from "../database/kind.ts";
import { repeatAfterDeadlock } from "../database/repeat.ts";
import { findWorkers } from "../database/workers.ts";
import type { Form } from "../forms/form.ts";
import { databaseUnavailable } from "../problems/problem.ts";
import type { WriteInThread } from "./ingest-thread.ts";
import type { Submission } from "./submission.ts";
import type { SubmissionStore } from "./submission-store.ts";
import {
  type BatchEntry,
  type BatchResult,
  type EntryOutcome,
  nothingWritten,
  snapshotOf,
  writeBatch,
  writeReachable,
} from "./write-batch.ts";

/** `created` with what was written, or why not. */
export type IngestOutcome =
  | { readonly outcome: "created"; readonly submission: Submission }
  /** Its id is that of a submission that is there, or was: `FindFirst` says whether it is the same one. */
  | { readonly outcome: "taken" }
  /** The form is no longer what the submission was checked against: check again, and submit again. */
  | { readonly outcome: "form_changed" }
  | { readonly outcome: "form_gone" };

/** Stores a submission that was checked against `form`, and what follows from it; resolves only after the commit is durable. */
export type Ingest = (submission: Submission, form: Form) => Promise<IngestOutcome>;

export interface IngestDependencies {
  readonly database: Database;
  readonly submissions: SubmissionStore;
  /** Called after a commit that made deliveries due. */
  readonly wakeDeliveries: () => void;
  /** Writes larger batches in another thread; only for SQLite, which makes its caller wait for the disk. */
  readonly writeInThread?: WriteInThread | undefined;
  /** Notified of the number of submissions in a commit. */
  readonly observeBatch?: ((size: number) => void) | undefined;
  /** Notified of how far a form's newest submission was ahead of the clock, where it was. */
  readonly observeAhead?: ((milliseconds: number) => void) | undefined;
}

/** One commit's worth: bounds the rows of a statement and the time that a batch holds the database. */
const batchMax = 128;
/** From this many on the way to another thread costs less than waiting here for the disk. */
const threadBatchMin = 4;

/** On PostgreSQL a batch spends most of its time on the way: a second one is under way meanwhile. */
const postgresCommitsMax = 2;
/** How many must wait before another commit is begun while one is running: each of 32 costs both sides half as much as each of 16. */
const nextCommitMin = 32;

/**
 * A commit that takes longer, in milliseconds, waits for a lock: for a form that is being changed, or that a process which stands still has locked.
 * Another one begins then, for all other forms. Some at once, or these would take the connections of everybody.
 */
const slowMilliseconds = 500;
const slowCommitsMax = 2;

interface Waiting extends BatchEntry {
  readonly resolve: (outcome: IngestOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: submissions that arrive while a commit is running share the next one, so that the disk is waited for
 * once per batch. The submission, its counters, its event and its delivery are in the same transaction.
 */
export function createIngest({
  database,
  submissions,
  wakeDeliveries,
  writeInThread,
  observeBatch,
  observeAhead,
}: IngestDependencies): Ingest {
  let waiting: Waiting[] = [];
  let running = 0;
  const isAlone = kindOf(database) === "sqlite";
  const commitsMax = isAlone ? 1 : postgresCommitsMax;
  /** The forms of each commit that is slow, for which no other begins. */
  const slow = new Set<ReadonlySet<string>>();
  const isReady = ({ submission }: Waiting) => ![...slow].some((forms) => forms.has(submission.formId));
  const countReady = () => (slow.size === 0 ? waiting.length : waiting.filter(isReady).length);

  return (submission, form) =>
    new Promise((resolve, reject) => {
      waiting.push({ submission, settingsSnapshot: snapshotOf(form), resolve, reject });
      wake();
    });

  function wake(): void {
    if (running >= commitsMax) return;
    const ready = countReady();
    if (ready > 0 && (running === 0 || ready >= nextCommitMin)) void run();
  }

  async function run(): Promise<void> {
    running += 1;
    // A few are left to the other commit, which takes them with all that come until it has ended.
    while (countReady() > 0 && (running === 1 || countReady() >= nextCommitMin)) {
      // Requests that have arrived already are read first, or the first request of many would be a batch of its own.
      await setImmediate();
      const { wasSlow } = await commit();
      // Its turn was given to another one, and what came for its forms meanwhile may go now.
      if (wasSlow) return wake();
    }
    running -= 1;
  }

  /** Has another commit begin, for other forms, where this one takes long. */
  function watch(batch: readonly Waiting[]): { end(): boolean } {
    if (isAlone || batch.length === 0) return { end: () => false };
    const forms = new Set<string>(batch.map(({ submission }) => submission.formId));
    const timer = setTimeout(() => {
      if (slow.size >= slowCommitsMax) return;
      slow.add(forms);
      running -= 1;
      wake();
    }, slowMilliseconds);
    return {
      end() {
        clearTimeout(timer);
        return slow.delete(forms);
      },
    };
  }

  async function commit(): Promise<{ readonly wasSlow: boolean }> {
    let batch: readonly Waiting[] = [];
    let watched = watch(batch);
    let wasSlow = false;
    try {
      const { outcomes, deliveries, aheadMilliseconds } = await database
        .connection()
        .execute(async (connection): Promise<BatchResult> => {
          // Taken only now, with the database in hand: what came in while it was busy belongs to this batch.
          batch = take();
          watched = watch(batch);
          // Another commit took them all meanwhile.
          if (batch.length === 0) return nothingWritten;
          // The connection is held meanwhile, so that nothing else writes next to the thread.
          if (writeInThread !== undefined && batch.length >= threadBatchMin) return writeInThread(batch);
          const write = (entries: readonly BatchEntry[]) =>
            repeatAfterDeadlock(() => writeBatch(submissions, connection, entries));
          const workers = findWorkers(database);
          return workers === undefined ? write(batch) : writeReachable(workers, batch, write);
        });
      wasSlow = watched.end();
      if (deliveries > 0) wakeDeliveries();
      observeBatch?.(batch.length);
      if (aheadMilliseconds > 0) observeAhead?.(aheadMilliseconds);
      for (const [index, outcome] of outcomes.entries()) {
        const { submission, resolve, reject } = batch[index] as Waiting; // one outcome for each, in their order
        if (outcome.outcome === "unavailable")
          reject(databaseUnavailable(new Error("The worker that has the form does not answer")));
        else resolve(settle(submission, outcome));
      }
    } catch (error) {
      wasSlow = watched.end() || wasSlow;
      // Without a batch the database itself did not answer, and nobody who waits can be served.
      const failed = batch.length > 0 ? batch : waiting.splice(0);
      for (const { reject } of failed) reject(error);
    }
    return { wasSlow };
  }

  function take(): readonly Waiting[] {
    const batch = (slow.size === 0 ? waiting : waiting.filter(isReady)).slice(0, batchMax);
    const taken = new Set(batch);
    waiting = slow.size === 0 ? waiting.slice(batchMax) : waiting.filter((one) => !taken.has(one));
    return batch;
  }
}

function settle(
  submission: Submission,
  result: Exclude<EntryOutcome, { readonly outcome: "unavailable" }>,
): IngestOutcome {
  if (result.outcome !== "created") return result;
  return { outcome: "created", submission: { ...submission, receivedAt: result.receivedAt } };
}
