import type { FormId } from "@sealpost/wire";
import type { Principal } from "../access/principal.ts";
import { type Clock, hourMilliseconds } from "../time/clock.ts";
import {
  type AuditAction,
  type AuditActor,
  type AuditCounts,
  type AuditDetails,
  byPrincipal,
  type NewAuditEntry,
} from "./audit-entry.ts";

/** An action that is recorded once when it begins, and again with its count when its hour is over. */
const countedAs = {
  "submissions.read": "submissions.read_counted",
  "submissions.deleted_singly": "submissions.deletions_counted",
  "sign_in.failed": "sign_in.failures_counted",
} as const satisfies Partial<Record<AuditAction, AuditAction>>;
export type CountedAction = keyof typeof countedAs;

export interface CountedOccurrence extends Pick<NewAuditEntry, "accountId" | "actor" | "target"> {
  readonly action: CountedAction;
  /** The counts that this one adds, by name. */
  readonly counts: AuditCounts;
  /** An entry of its own tells of it already, so that none is needed for the beginning. */
  readonly isRecorded?: boolean;
}

/** That somebody was handed submissions of a form. */
export function readOf(
  principal: Principal,
  { id, name }: { readonly id: FormId; readonly name: string },
  counts: AuditCounts,
): CountedOccurrence {
  return { ...byPrincipal(principal), action: "submissions.read", target: { type: "form", id, name }, counts };
}

/** That somebody deleted one submission of a form for good. */
export function deletionOf(
  principal: Principal,
  { id, name }: { readonly id: FormId; readonly name: string },
): CountedOccurrence {
  const target = { type: "form", id, name } as const;
  return { ...byPrincipal(principal), action: "submissions.deleted_singly", target, counts: { submissions: 1 } };
}

/**
 * Tells of what happens often, without a write for each time: an entry when somebody begins, and after an hour a second one
 * with the counts. No entry is ever changed. Nothing here is waited for by the request that it tells of. A process that is
 * killed takes the counts of its running hours along, never what was recorded when they began; each of several processes records
 * its own counts.
 */
export interface CountedActions {
  note(occurrence: CountedOccurrence): void;
  /** The same for what has to be looked up first: after the answer, so that its time tells nothing. */
  noteLater(find: () => Promise<CountedOccurrence | undefined>): void;
  /** Resolves when everything that began so far is written. */
  settle(): Promise<void>;
  start(): void;
  /** Writes all counts. */
  stop(): Promise<void>;
}

export interface CountedActionsDependencies {
  /** Writes an entry. */
  readonly record: (entry: NewAuditEntry) => Promise<void>;
  /**
   * Writes an entry unless there is the same of the last hour: of another process, say. `false`: there are so many about this reader that
   * further ones do not name what was read.
   */
  readonly recordRepeated: (entry: NewAuditEntry) => Promise<boolean>;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

interface Running {
  readonly occurrence: CountedOccurrence;
  readonly startedAt: number;
  readonly counts: Map<string, number>;
}

const windowMilliseconds = hourMilliseconds;
const sweepMilliseconds = 60_000;
/** Beyond it the oldest hour ends early: its entry comes sooner, and nothing is lost. */
const runningMax = 10_000;

export function createCountedActions({
  record,
  recordRepeated,
  clock,
  report,
}: CountedActionsDependencies): CountedActions {
  /** In the order in which they began. */
  const running = new Map<string, Running>();
  let written: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  /** One write after the other, so that a burst of them takes one connection. */
  function write(work: () => Promise<void>): void {
    written = written.then(work).catch(report);
  }

  function note(occurrence: CountedOccurrence): void {
    const now = clock.now();
    const key = keyOf(occurrence);
    const known = running.get(key);
    if (known !== undefined && now >= known.startedAt && now - known.startedAt < windowMilliseconds) {
      add(known.counts, occurrence.counts);
      return;
    }
    if (known !== undefined) end(key, known);
    const [oldest] = running;
    if (running.size >= runningMax && oldest !== undefined) end(...oldest);
    const counts = new Map<string, number>();
    add(counts, occurrence.counts);
    const begun = { occurrence, startedAt: now, counts };
    running.set(key, begun);
    if (occurrence.isRecorded !== true) write(() => begin(key, begun));
  }

  async function begin(key: string, begun: Running): Promise<void> {
    const { occurrence, startedAt, counts } = begun;
    const isNamed = await recordRepeated(entryOf(occurrence, occurrence.action, startedAt));
    if (isNamed || running.get(key) !== begun) return;
    running.delete(key);
    note({ ...occurrence, target: undefined, counts: Object.fromEntries(counts), isRecorded: true });
  }

  function end(key: string, { occurrence, startedAt, counts }: Running): void {
    running.delete(key);
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    // A single failure is recorded already.
    if (occurrence.action === "sign_in.failed" && total <= 1) return;
    const details = { since: startedAt, counts: Object.fromEntries(counts) };
    write(() => record(entryOf(occurrence, countedAs[occurrence.action], clock.now(), details)));
  }

  function sweep(): void {
    const now = clock.now();
    for (const [key, one] of running) {
      if (now >= one.startedAt && now - one.startedAt < windowMilliseconds) return;
      end(key, one);
    }
  }

  return {
    note,
    noteLater(find) {
      const { promise, resolve } = Promise.withResolvers<void>();
      write(() => promise);
      setImmediate(() => {
        find()
          .then((occurrence) => occurrence && note(occurrence))
          .catch(report)
          .finally(resolve);
      });
    },
    async settle() {
      sweep();
      // Lookups of the meantime are written after it.
      for (let last: Promise<void> | undefined; last !== written; ) {
        last = written;
        await last;
      }
    },
    start() {
      timer = setInterval(sweep, sweepMilliseconds);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      await written;
      for (const [key, one] of running) end(key, one);
      await written;
    },
  };
}

/** A person who signs in again is the same reader, and so are all API keys of a person where it is not said what was read. */
function keyOf({ action, accountId, actor, target }: CountedOccurrence): string {
  const reader = findReader(actor, target === undefined);
  return [action, accountId, actor.type, reader ?? "", target?.id ?? ""].join(" ");
}

/** Who reads: a session's person, an API key or, with `isOfPerson`, who made it. */
export function findReader(actor: AuditActor, isOfPerson: boolean): string | undefined {
  const own = "id" in actor ? actor.id : undefined;
  if (actor.type === "api_key") return (isOfPerson ? actor.madeBy : undefined) ?? own;
  return ("personId" in actor ? actor.personId : undefined) ?? own;
}

function add(counts: Map<string, number>, more: AuditCounts): void {
  for (const [name, count] of Object.entries(more)) counts.set(name, (counts.get(name) ?? 0) + (count ?? 0));
}

function entryOf(
  { accountId, actor, target }: CountedOccurrence,
  action: AuditAction,
  occurredAt: number,
  details?: AuditDetails,
): NewAuditEntry {
  return { accountId, actor, target, action, occurredAt, details };
}
