import type { Client, OpeningKey, Submission, SubmissionToOpen } from "@sealpost/sdk";
import { hybridVersion } from "@sealpost/wire";
import { nextTask } from "../browser/next-task.ts";
import { createOpener, type Opener } from "./opener.ts";
import type { Outcome, Row } from "./row.ts";
import { createRowOrder } from "./row-order.ts";
import { namesOf } from "./row-view.ts";

export interface InboxState {
  /** Newest first. */
  readonly rows: readonly Row[];
  /** All that the server has, also what is not loaded yet. */
  readonly total: number;
  readonly openedCount: number;
  readonly failedCount: number;
  readonly phase: "loading" | "opening" | "done" | "stopped" | "failed";
  readonly error: unknown;
}

export interface Inbox {
  subscribe(listener: () => void): () => void;
  state(): InboxState;
  /** Rows in view: they are opened before all others. */
  want(ids: readonly string[]): void;
  /** Stops loading and opening; `resume` continues. */
  stop(): void;
  resume(): void;
  /** Takes rows out of the list, after they were deleted; gives what `putBack` needs. */
  remove(ids: ReadonlySet<string>): readonly RemovedRow[];
  /** Puts rows back to their places, after they were restored. */
  putBack(removed: readonly RemovedRow[]): void;
  /** Loads what the service has and is not here: the rest, where loading has stopped, or otherwise everything once more. */
  loadMissing(): void;
  /** Looks for submissions that came since. */
  refresh(): Promise<void>;
  close(): void;
}

export interface RemovedRow {
  readonly row: Row;
  /** Submissions that were not opened yet. */
  readonly sealed: SubmissionToOpen | undefined;
}

export interface InboxOptions {
  /** The service, or files in its place. */
  readonly client: { readonly submissions: Pick<Client["submissions"], "list" | "export"> };
  readonly formId: string;
  readonly keys: readonly OpeningKey[];
  readonly fingerprints: ReadonlyMap<number, string>;
}

/** How many the service has that are not here. */
export function findMissing({ rows, total }: Pick<InboxState, "rows" | "total">): number {
  return Math.max(0, total - rows.length);
}

const pageSize = 100;
/** How often a change of many rows is shown: smooth to look at with some, and a small part of the time with 10,000 and more. */
const publishMilliseconds = (rows: number) => Math.max(150, Math.min(500, rows / 20), rows / 100);
/** How much may wait to be opened, in characters of base64. Loading, which is faster, pauses there, so that memory has a bound. */
const waitingCharactersMax = 32_000_000;

/**
 * All submissions of a form: the newest page first, then the rest in one stream, opened by workers while they come. Sealed
 * payloads are let go once they are opened.
 */
export function createInbox({ client, formId, keys, fingerprints }: InboxOptions): Inbox {
  const listeners = new Set<() => void>();
  const byId = new Map<string, Row>();
  const order = createRowOrder();
  const waiting = new Map<string, SubmissionToOpen>();
  let waitingCharacters = 0;
  let makeRoom: (() => void) | undefined;
  const wanted = new Set<string>();
  let total = 0;
  let openedCount = 0;
  let failedCount = 0;
  let phase: InboxState["phase"] = "loading";
  let error: unknown;
  let isLoaded = false;
  /** Somebody has restored some that are older than what was streamed last. */
  let isFromStart = false;
  let aborter = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let opener: Opener | undefined;
  let snapshot: InboxState = { rows: [], total, openedCount, failedCount, phase, error };

  function publish(isUrgent = false): void {
    if (isUrgent) {
      clearTimeout(timer);
      timer = undefined;
      const rows = order
        .ids()
        .map((id) => byId.get(id))
        .filter((row) => row !== undefined)
        // Stable: what came in the same millisecond stays in the order of the service.
        .toSorted((one, other) => other.receivedAt - one.receivedAt);
      snapshot = { rows, total, openedCount, failedCount, phase, error };
      for (const listener of listeners) listener();
    } else timer ??= setTimeout(() => publish(true), publishMilliseconds(byId.size));
  }

  function add({ id, receivedAt, timestamp, keyVersion, payload }: Submission): boolean {
    if (byId.has(id)) return false;
    const isHybrid = payload.encrypted && payload.version === hybridVersion;
    byId.set(id, { id, receivedAt, timestamp, keyVersion, isHybrid, opened: undefined });
    waiting.set(id, { id, payload, keyVersion });
    waitingCharacters += sizeOf(payload);
    return true;
  }

  function takeOut(id: string): SubmissionToOpen | undefined {
    const submission = waiting.get(id);
    if (submission === undefined) return undefined;
    waiting.delete(id);
    waitingCharacters -= sizeOf(submission.payload);
    if (waitingCharacters < waitingCharactersMax / 2) makeRoom?.();
    return submission;
  }

  /** Resolves when there is room for more to wait, or loading was stopped. */
  async function room(signal: AbortSignal): Promise<void> {
    if (waitingCharacters < waitingCharactersMax) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    makeRoom = resolve;
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
  }

  function take(count: number): readonly SubmissionToOpen[] {
    if (phase === "stopped") return [];
    const batch: SubmissionToOpen[] = [];
    for (const ids of [wanted, waiting.keys()]) {
      for (const id of ids) {
        if (batch.length === count) break;
        const submission = takeOut(id);
        if (submission !== undefined) batch.push(submission);
      }
    }
    return batch;
  }

  function settle(opened: readonly (readonly [string, Outcome])[]): void {
    for (const [id, outcome] of opened) {
      const row = byId.get(id);
      if (row === undefined || row.opened !== undefined) continue;
      byId.set(id, { ...row, opened: outcome });
      // Here, where large ones come one by one, and not of all of them when the list is drawn.
      if (outcome.opened) namesOf(outcome.fields);
      if (outcome.opened) openedCount++;
      else failedCount++;
    }
    if (isLoaded && phase === "opening" && openedCount + failedCount >= byId.size) phase = "done";
    publish(phase === "done");
  }

  function count({ opened }: Row, difference: 1 | -1): void {
    total += difference;
    if (opened?.opened === true) openedCount += difference;
    else if (opened !== undefined) failedCount += difference;
  }

  async function load(): Promise<void> {
    const { signal } = aborter;
    try {
      const page = await client.submissions.list(formId, { limit: pageSize }, { signal, retry: true });
      total = page.total;
      order.addNewest(page.submissions.filter(add).map(({ id }) => id));
      opener?.wake();
      publish(true);
      if (page.nextCursor !== null) {
        const last = order.lastStreamed();
        const query = last === undefined || isFromStart ? {} : { after: last };
        for await (const submission of client.submissions.export(formId, query, { signal, retry: true })) {
          if (!add(submission)) continue;
          order.addStreamed(submission.id);
          if (byId.size % pageSize === 0 || waitingCharacters >= waitingCharactersMax) {
            opener?.wake();
            publish();
            // From a disk all of them come at once: the workers would wait until they have.
            await nextTask();
            await room(signal);
          }
        }
      }
      isLoaded = true;
      // Some may have been deleted since the first page.
      total = isFromStart ? byId.size : Math.max(total, byId.size);
      isFromStart = false;
      phase = openedCount + failedCount >= byId.size ? "done" : "opening";
      opener?.wake();
    } catch (reason) {
      if (signal.aborted) return;
      phase = "failed";
      error = reason;
    }
    publish(true);
  }

  /** Adds what came since the newest that is here, and gives the ids, newest first. */
  async function listNew(signal: AbortSignal): Promise<readonly string[]> {
    const added: string[] = [];
    let cursor: string | null | undefined;
    // Until a page holds something that is here already: more than one page may have come.
    do {
      const query = { limit: pageSize, ...(cursor && { cursor }) };
      const page = await client.submissions.list(formId, query, { signal });
      const fresh = page.submissions.filter(add).map(({ id }) => id);
      added.push(...fresh);
      total = page.total;
      cursor = fresh.length === page.submissions.length ? page.nextCursor : null;
    } while (cursor !== null);
    return added;
  }

  function start(): void {
    opener ??= createOpener({ formId, keys, fingerprints, take, onOpened: settle });
    phase = isLoaded ? "opening" : "loading";
    error = undefined;
    publish(true);
    if (isLoaded) settle([]);
    else void load();
    opener.wake();
  }

  start();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    state: () => snapshot,
    want(ids) {
      wanted.clear();
      for (const id of ids) wanted.add(id);
    },
    stop() {
      aborter.abort();
      phase = "stopped";
      publish(true);
    },
    resume() {
      aborter = new AbortController();
      start();
    },
    remove(ids) {
      const removed: RemovedRow[] = [];
      for (const id of ids) {
        const row = byId.get(id);
        if (row === undefined) continue;
        byId.delete(id);
        removed.push({ row, sealed: takeOut(id) });
        count(row, -1);
      }
      settle([]);
      publish(true);
      return removed;
    },
    putBack(removed) {
      for (const { row, sealed } of removed) {
        if (byId.has(row.id)) continue;
        byId.set(row.id, row);
        count(row, 1);
        if (sealed === undefined) continue;
        waiting.set(row.id, sealed);
        waitingCharacters += sizeOf(sealed.payload);
        if (phase === "done") phase = "opening";
      }
      opener?.wake();
      publish(true);
    },
    loadMissing() {
      if (phase === "loading") return;
      aborter.abort();
      aborter = new AbortController();
      isFromStart ||= isLoaded;
      isLoaded = false;
      start();
    },
    async refresh() {
      if (phase === "failed" && !isLoaded) return start();
      if (phase !== "done" && phase !== "failed") return;
      const { signal } = aborter;
      try {
        const added = await listNew(signal);
        order.addNewest(added);
        total = Math.max(total, byId.size);
        phase = added.length > 0 ? "opening" : "done";
        error = undefined;
        opener?.wake();
      } catch (reason) {
        if (signal.aborted) return;
        phase = "failed";
        error = reason;
      }
      publish(true);
    },
    close() {
      aborter.abort();
      opener?.stop();
      opener = undefined;
      clearTimeout(timer);
    },
  };
}

/** The approximate memory of a payload. */
function sizeOf(payload: SubmissionToOpen["payload"]): number {
  return payload.encrypted ? payload.data.length : 1_000;
}
