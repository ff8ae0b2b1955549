import { setImmediate } from "node:timers/promises";
import type { FormId } from "@sealpost/wire";
import { addFailure, throwAll } from "../database/round.ts";
import type { Clock } from "../time/clock.ts";
import { createLoop } from "../time/loop.ts";
import type { BinPurgeStore } from "./bin-purge-store.ts";
import type { HeldBack } from "./held-back.ts";
import type { PurgeStore } from "./purge-store.ts";
import type { RetentionStore } from "./retention-store.ts";

/** Removes the remains of deletions in the background. The jobs are in the database, so a restart resumes. */
export interface PurgeWorker {
  /** Looks for work now and then, beginning at once. */
  start(): void;
  /** Says that a commit left rows to purge, or that this form keeps its submissions for less time. */
  wake(formId?: FormId): void;
  /** Resolves when a batch that is running has ended; no other begins. */
  stop(): Promise<void>;
}

export interface PurgeWorkerDependencies {
  readonly purge: PurgeStore;
  readonly retention: Pick<RetentionStore, "expire" | "expireOf">;
  readonly bin: BinPurgeStore;
  /** Removes a batch of old entries of the audit log; `false` when there was none. */
  readonly purgeAuditLog: (now: number) => Promise<boolean>;
  /** Removes a batch of the entries that an owner asked to have removed; `false` when there was none. */
  readonly shortenAuditLog: PurgeStep;
  /** Removes invitations, and with them the addresses, that ended long ago, envelopes and copies of personal keys that can't be restored any more; `false` when there was none. */
  readonly purgeEnded: (now: number) => Promise<boolean>;
  /** Removes ids for forms that nobody used, and what else is there for minutes, and sets times right; `false` when there was none. */
  readonly tidy: PurgeStep;
  /** A step of removing accounts and organizations whose grace is over; `false` when none is due. */
  readonly purgeAccounts: (now: number) => Promise<boolean>;
  /** Tells owners of a legal hold whose date has come; `false` when there was none. */
  readonly remind: (now: number) => Promise<boolean>;
  /** Whether the clock may say what is too old. */
  readonly isClockTrusted: (now: number) => Promise<boolean>;
  /** The wait after a restore, while it lasts. */
  readonly findHeldBack: (now: number) => Promise<HeldBack | undefined>;
  /** Called when nothing is left to remove, so that what was removed is nowhere else either. */
  readonly eraseTraces: () => Promise<void>;
  readonly clock: Clock;
  /** Called after a batch that may have made deliveries due. */
  readonly wakeDeliveries: () => void;
  readonly report: (error: unknown) => void;
  /** Called once when a clock that has jumped ahead keeps what is old from being deleted. */
  readonly warnOfClock: () => void;
}

/** How far the clock of the machine that made a backup may be from the service's. Deletions dated within this time after the backup wait with the earlier ones. */
const clockSkewMilliseconds = 5 * 60_000;
/** For what grows too old, and for work that another process or a failure left. */
const lookMilliseconds = 60_000;

export function createPurgeWorker({
  isClockTrusted,
  findHeldBack,
  eraseTraces,
  clock,
  wakeDeliveries,
  report,
  warnOfClock,
  ...stores
}: PurgeWorkerDependencies): PurgeWorker {
  let wasTrusted = true;
  const steps = createPurgeSteps(stores);
  /** Forms that keep their submissions for less time since the last run. */
  const shortened = new Set<FormId>();
  const loop = createLoop({
    everyMilliseconds: lookMilliseconds,
    async run(isLook) {
      const forms = [...shortened];
      shortened.clear();
      // The one time of the whole run: a clock that jumps while it is at work is looked at by the next one before anything goes by it.
      const now = clock.now();
      const isTrusted = await isClockTrusted(now);
      if (wasTrusted && !isTrusted) warnOfClock();
      wasTrusted = isTrusted;
      const held = await findHeldBack(now);
      const restoredTo = held && held.since + clockSkewMilliseconds;
      // Only the timer looks for rows that grow too old, since that goes through all that the instance has.
      const found = isLook ? steps : { ...steps, byClock: {}, byAge: stepsOf(forms) };
      await purgeAll({ steps: found, now, isTrusted, restoredTo, wakeDeliveries, isStopped: loop.isStopped });
      if (!loop.isStopped()) await eraseTraces();
    },
    report,
  });
  return {
    start: loop.start,
    wake(formId) {
      if (formId !== undefined) shortened.add(formId);
      loop.wake();
    },
    stop: loop.stop,
  };

  function stepsOf(forms: readonly FormId[]): Readonly<Record<string, PurgeStep>> {
    return Object.fromEntries(
      forms.flatMap((formId): [string, PurgeStep][] => [
        [`retention/${formId}`, (now) => stores.retention.expireOf(formId, now)],
        [`bin/${formId}`, (now) => stores.bin.expireOf(formId, now)],
      ]),
    );
  }
}

/** The stores and functions of which the steps are made: nothing that tells the time. */
export type PurgeStepDependencies = Pick<
  PurgeWorkerDependencies,
  | "purge"
  | "retention"
  | "bin"
  | "purgeAuditLog"
  | "shortenAuditLog"
  | "purgeEnded"
  | "tidy"
  | "purgeAccounts"
  | "remind"
>;

/**
 * A step of bounded size, at the time of its run; `false` says that there was nothing to do. Deletions that were asked for until
 * `restoredTo` may have been stopped by a legal hold since: the step leaves them.
 */
export type PurgeStep = (now: number, restoredTo?: number) => Promise<boolean>;

/** All that the worker does, in this order. */
export const createPurgeSteps = ({
  purge,
  retention,
  bin,
  purgeAuditLog,
  shortenAuditLog,
  purgeEnded,
  tidy,
  purgeAccounts,
  remind,
}: PurgeStepDependencies) => ({
  /** The steps of which a clock that is not trusted can say nothing, and that take nothing away which an owner would keep after a restore. */
  byClock: {
    // A restore ends what was asked for before.
    accounts: purgeAccounts,
    // Each is sent once: too early by a clock that is ahead, it would be missing when its time has come.
    reminders: remind,
    tidy,
  } satisfies Readonly<Record<string, PurgeStep>>,
  /** The steps that delete for age: not by a clock that is not trusted, nor in the days after a restore. */
  byAge: {
    retention: retention.expire,
    binExpiry: bin.expire,
    tombstones: purge.purgeTombstones,
    auditLog: purgeAuditLog,
    shortenedLog: shortenAuditLog,
    ended: purgeEnded,
  } satisfies Readonly<Record<string, PurgeStep>>,
  /** The steps that remove the remains of deletions, or delete nothing. */
  atAnyTime: {
    // First, since it is soon done.
    deliveries: purge.endDeliveries,
    submissions: (_now, restoredTo) => purge.purgeSubmissions(restoredTo),
    bin: bin.purge,
    form: () => purge.purgeForm(),
  } satisfies Readonly<Record<string, PurgeStep>>,
});

export interface PurgeRun {
  readonly steps: Readonly<Record<keyof ReturnType<typeof createPurgeSteps>, Readonly<Record<string, PurgeStep>>>>;
  /** The time of the whole run, in milliseconds since the Unix epoch. */
  readonly now: number;
  /** Whether `now` may say what is too old. */
  readonly isTrusted: boolean;
  /** The moment to which the database was set back, while deletions are held back for that. */
  readonly restoredTo?: number | undefined;
  readonly wakeDeliveries: () => void;
  readonly isStopped: () => boolean;
}

/**
 * Batch after batch until nothing is left. Between two, everything that waits for the database has its turn. A step that fails keeps
 * none after it waiting; the failures are thrown at the end.
 */
export async function purgeAll(run: PurgeRun): Promise<void> {
  const { steps, now, isTrusted, restoredTo, wakeDeliveries, isStopped } = run;
  const isByAge = isTrusted && restoredTo === undefined;
  const failures: unknown[] = [];
  for (const step of Object.values<PurgeStep>({
    ...(isTrusted && steps.byClock),
    ...(isByAge && steps.byAge),
    ...steps.atAnyTime,
  }))
    try {
      while (!isStopped() && (await step(now, restoredTo))) {
        wakeDeliveries();
        await setImmediate();
      }
    } catch (error) {
      addFailure(failures, error);
    }
  throwAll(failures);
}
