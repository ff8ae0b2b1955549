import { setImmediate } from "node:timers/promises";
import type { Clock } from "../time/clock.ts";
import { createLoop } from "../time/loop.ts";
import type { BinPurgeStore } from "./bin-purge-store.ts";
import type { PurgeStore } from "./purge-store.ts";
import type { RetentionStore } from "./retention-store.ts";

/** Removes the remains of deletions in the background. The jobs are in the database, so a restart resumes. */
export interface PurgeWorker {
  /** Looks for work now and then, beginning at once. */
  start(): void;
  /** Says that a commit left rows to purge. */
  wake(): void;
  /** Resolves when a batch that is running has ended; no other begins. */
  stop(): Promise<void>;
}

export interface PurgeWorkerDependencies {
  readonly purge: PurgeStore;
  readonly retention: Pick<RetentionStore, "expire">;
  readonly bin: BinPurgeStore;
  /** Removes a batch of old entries of the audit log; `false` when there was none. */
  readonly purgeAuditLog: (now: number) => Promise<boolean>;
  /** Removes invitations, and with them the addresses, that ended long ago, ids for forms that nobody used, envelopes and copies of personal keys that can't be restored any more; `false` when there was none. */
  readonly purgeEnded: (now: number) => Promise<boolean>;
  /** A step of removing accounts and organizations whose grace is over; `false` when none is due. */
  readonly purgeAccounts: (now: number) => Promise<boolean>;
  /** Tells owners of a legal hold whose date has come; `false` when there was none. */
  readonly remind: (now: number) => Promise<boolean>;
  /** Whether the clock may say what is too old. */
  readonly isClockTrusted: (now: number) => Promise<boolean>;
  /** Called when nothing is left to remove, so that what was removed is nowhere else either. */
  readonly eraseTraces: () => Promise<void>;
  readonly clock: Clock;
  /** Called after a batch that may have made deliveries due. */
  readonly wakeDeliveries: () => void;
  readonly report: (error: unknown) => void;
  /** Called once when a clock that has jumped ahead keeps what is old from being deleted. */
  readonly warnOfClock: () => void;
}

/** For what grows too old, and for work that another process or a failure left. */
const lookMilliseconds = 60_000;

export function createPurgeWorker({
  purge,
  retention,
  bin,
  purgeAuditLog,
  purgeEnded,
  purgeAccounts,
  remind,
  isClockTrusted,
  eraseTraces,
  clock,
  wakeDeliveries,
  report,
  warnOfClock,
}: PurgeWorkerDependencies): PurgeWorker {
  let wasTrusted = true;
  const loop = createLoop({
    everyMilliseconds: lookMilliseconds,
    async run() {
      const isTrusted = await isClockTrusted(clock.now());
      if (wasTrusted && !isTrusted) warnOfClock();
      wasTrusted = isTrusted;
      const age = isTrusted
        ? { retention, bin, purgeAuditLog, purgeEnded, purgeAccounts }
        : {
            retention: keepsAll,
            bin: { ...bin, ...keepsAll },
            purgeAuditLog: keepsAll.expire,
            purgeEnded: keepsAll.expire,
            purgeAccounts: keepsAll.expire,
          };
      await purgeAll({ purge, ...age, remind, clock, wakeDeliveries, isStopped: loop.isStopped });
      if (!loop.isStopped()) await eraseTraces();
    },
    report,
  });
  return { start: loop.start, wake: loop.wake, stop: loop.stop };
}

/** While nothing may be deleted for its age. What was deleted already is purged all the same. */
const keepsAll = { expire: async () => false };

type Steps = Omit<
  PurgeWorkerDependencies,
  "report" | "isClockTrusted" | "warnOfClock" | "eraseTraces" | "wakeDeliveries"
>;

/** All that the worker does, in this order. Each call is a step of bounded size; `false` says that there was nothing to do. */
export const createPurgeSteps = ({
  purge,
  retention,
  bin,
  purgeAuditLog,
  purgeEnded,
  purgeAccounts,
  remind,
  clock,
}: Steps) => ({
  accounts: () => purgeAccounts(clock.now()),
  retention: () => retention.expire(clock.now()),
  binExpiry: () => bin.expire(clock.now()),
  submissions: () => purge.purgeSubmissions(),
  bin: () => bin.purge(clock.now()),
  form: () => purge.purgeForm(),
  tombstones: () => purge.purgeTombstones(clock.now()),
  auditLog: () => purgeAuditLog(clock.now()),
  ended: () => purgeEnded(clock.now()),
  reminders: () => remind(clock.now()),
});

/**
 * Batch after batch until nothing is left. Between two, everything that waits for the database has its turn. A step that fails keeps
 * none after it waiting; the first failure is thrown at the end.
 */
export async function purgeAll({
  wakeDeliveries,
  isStopped,
  ...dependencies
}: Steps & Pick<PurgeWorkerDependencies, "wakeDeliveries"> & { readonly isStopped: () => boolean }): Promise<void> {
  const failures: unknown[] = [];
  for (const step of Object.values(createPurgeSteps(dependencies)))
    try {
      while (!isStopped() && (await step())) {
        wakeDeliveries();
        await setImmediate();
      }
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
}
