import { setImmediate as nextTurnOfTheLoop } from "node:timers/promises";
import type { DeliveryId } from "@sealpost/wire";
import type { NewEvent } from "../outbox/event.ts";
import type { Clock } from "../time/clock.ts";
import type { WebhookClient } from "../webhooks/webhook-client.ts";
import { answerMilliseconds } from "../webhooks/webhook-client.ts";
import type { ClaimedDelivery, Completion, Stored } from "./claim.ts";
import type { EndedDelivery } from "./delivery.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { claimedRetriesMax, countSlots, createDestinationLimits } from "./destination-limits.ts";
import type { ClaimScope } from "./queue-claim.ts";
import { giveBack, isRetry, type SendRunDependencies, sendRun } from "./send-run.ts";

/**
 * Sends one event now, in one turn without retries; its delivery's id once it ended, `undefined` without a webhook URL. `ending`
 * interrupts it. `mayFollow`: whether a redirect to this URL is followed.
 */
export type SendNow = (
  event: NewEvent,
  ending: AbortSignal,
  mayFollow: (url: string) => Promise<boolean>,
) => Promise<DeliveryId | undefined>;

export interface DeliveryWorker {
  /** Begins to send what is due. */
  start(): void;
  /** Says that something may have become due: call it after the commit. */
  wake(): void;
  readonly sendNow: SendNow;
  /** Claims nothing more, waits for what is in flight, gives the rest back. */
  stop(): Promise<void>;
}

/** The worker's events for observers: metrics, and tests instead of sleeping. */
export type WorkerSignal =
  | { readonly kind: "request_ended"; readonly completion: Completion; readonly stored: Stored }
  /** Without a request: the URL is gone, or it was interrupted too often. */
  | { readonly kind: "delivery_ended"; readonly delivery: EndedDelivery }
  /** Nothing is due, in flight or to be stored. */
  | { readonly kind: "idle" };

export interface WorkerLog {
  error(details: object, message: string): void;
}

export interface WorkerDependencies {
  readonly store: DeliveryStore;
  readonly client: WebhookClient;
  readonly clock: Clock;
  /** The time in signatures. */
  readonly timeOfDay: Clock;
  readonly random: () => number;
  readonly version: string;
  readonly log: WorkerLog;
  /** Whether this process can sign what it claims now. */
  readonly maySign: () => boolean;
  readonly observe?: (signal: WorkerSignal) => void;
  readonly deadlineMilliseconds?: number;
  /** The time that requests in flight get when the worker stops: longer than the deadline of one. */
  readonly graceMilliseconds?: number;
}

const pollMilliseconds = 1000;
/** How often it is looked for deliveries that a wrong clock has put off; also whenever the clock has gone back by so much. */
const lookAheadMilliseconds = 60_000;
/** The same after that: what was under way when the clock was set back is stored with times of before. */
const setBackMilliseconds = 5_000;
/** A delivery that has waited so long for its destination is given back: with the time of a request it would outlast its lease. */
const waitMilliseconds = 30_000;
/** From this many completions on, they are on their way to the store's thread before what was just claimed is sent. */
const storedFirstMin = 4;
/** After a claim that another process was ahead of; its transaction takes about as long. */
const contendedMilliseconds = 20;

/** A part of the worker that runs again and again. */
interface Loop {
  isWoken: boolean;
  disturb: () => void;
}

interface LoopPart {
  readonly isStoring: boolean;
  readonly isClaiming: boolean;
}

interface Pending {
  readonly completion: Completion;
  readonly resolve: (stored: Stored) => void;
}

/**
 * One loop that stores what ended and claims what is due, or one for each. While a transaction runs, the next completions gather, so
 * that they share a commit the more the busier it gets, and no timer delays one.
 */
export function createDeliveryWorker(dependencies: WorkerDependencies): DeliveryWorker {
  const { store, client, clock, timeOfDay, random, version, log, maySign, observe = () => {} } = dependencies;
  const { completionsMax } = store;
  const { deadlineMilliseconds = answerMilliseconds, graceMilliseconds = 35_000 } = dependencies;
  const destinationLimits = createDestinationLimits();
  /** All that is claimed, until it is stored. */
  const inFlight = new Map<string, ClaimedDelivery>();
  /** Claimed deliveries that wait for their destination, each with the function that ends the wait. */
  const waiting = new Map<ClaimedDelivery, () => void>();
  const giveUp = new AbortController();
  let pending: Pending[] = [];
  let unsent: ClaimedDelivery[] = [];
  let isStopping = false;
  let contended = false;
  let lastDestination = "";
  let lookedAheadAt = Number.NEGATIVE_INFINITY;
  let lastNow = Number.NEGATIVE_INFINITY;
  let allUntil = Number.NEGATIVE_INFINITY;
  let running: Promise<unknown> | undefined;
  const loops: Loop[] = [];

  const turn: SendRunDependencies = {
    ...{ client, destinationLimits, clock, timeOfDay, random, version, deadlineMilliseconds },
    finish,
  };

  function wake(): void {
    for (const loop of loops) {
      loop.isWoken = true;
      loop.disturb();
    }
  }

  function finish(completion: Completion): Promise<Stored> {
    const { promise, resolve } = Promise.withResolvers<Stored>();
    pending.push({ completion, resolve });
    wake();
    return promise;
  }

  /** Sends it once its destination has room. Only quick destinations get more claims than they have room for, so that is soon. */
  function enter(claimed: ClaimedDelivery): void {
    inFlight.set(claimed.id, claimed);
    const since = performance.now();
    let hasBegun = false;
    const cancel = destinationLimits.whenFree(claimed.destination, isRetry(claimed), () => {
      hasBegun = true;
      if (!waiting.delete(claimed)) unsent.push(claimed);
      else if (performance.now() - since < waitMilliseconds) void send(claimed);
      else {
        destinationLimits.leave(claimed.destination, undefined, isRetry(claimed));
        void end(claimed, giveBack(claimed, turn));
      }
    });
    if (!hasBegun) waiting.set(claimed, cancel);
  }

  /** Gives back what waits for a destination that is not quick any more, or when stopping all that waits. */
  function giveWaitingBack(isMeant: (claimed: ClaimedDelivery) => boolean): void {
    for (const [claimed, cancel] of waiting) {
      if (!isMeant(claimed)) continue;
      waiting.delete(claimed);
      cancel();
      void end(claimed, giveBack(claimed, turn));
    }
  }

  /** In the next turn of the event loop: what this one asks of the database goes first. */
  function beginSending(): void {
    if (unsent.length === 0) return;
    const deliveries = unsent;
    unsent = [];
    setImmediate(() => {
      for (const claimed of deliveries) void send(claimed);
    });
  }

  /** Sends a delivery that was entered. */
  async function send(
    claimed: ClaimedDelivery,
    signal = giveUp.signal,
    mayFollow?: SendRunDependencies["mayFollow"],
  ): Promise<void> {
    await end(claimed, sendRun(claimed, signal, mayFollow === undefined ? turn : { ...turn, mayFollow }));
    if (waiting.size > 0 && !destinationLimits.isQuick(claimed.destination))
      giveWaitingBack(({ destination }) => destination === claimed.destination);
  }

  /** Waits until a claimed delivery's turn here is over. */
  async function end(claimed: ClaimedDelivery, turnOfIt: Promise<void>): Promise<void> {
    try {
      await turnOfIt;
    } catch (error) {
      // Its lease ends on its own, and the limit of claims makes sure that this ends.
      log.error({ err: error, delivery: claimed.id }, "a delivery could not be sent");
    } finally {
      inFlight.delete(claimed.id);
      wake();
    }
  }

  async function lookAhead(): Promise<void> {
    const [at, now] = [performance.now(), clock.now()];
    if (now < lastNow - lookAheadMilliseconds) {
      allUntil = at + lookAheadMilliseconds;
      lookedAheadAt = Number.NEGATIVE_INFINITY;
    }
    lastNow = now;
    // At first a process before this one may have had the clock that was wrong.
    const isAllLookedAt = at < allUntil || lookedAheadAt === Number.NEGATIVE_INFINITY;
    if (at - lookedAheadAt < (isAllLookedAt ? setBackMilliseconds : lookAheadMilliseconds)) return;
    lookedAheadAt = at;
    await store.bringForward(now, isAllLookedAt);
  }

  /** Stores what ended and claims what is due; answers how many were claimed. */
  async function settleAndClaim(ended: readonly Pending[], isClaiming: boolean): Promise<number> {
    const batch = ended.slice(0, completionsMax);
    const scope = isClaiming && !isStopping && maySign() ? claimScope(batch) : undefined;
    const completions = batch.map(({ completion }) => completion);
    const isNeeded = batch.length > 0 || scope !== undefined;
    const settling = isNeeded ? store.settleAndClaim(completions, scope) : undefined;
    beginSending();
    if (settling === undefined) return 0;
    const { stored, claim } = await settling;
    pending = pending.slice(batch.length);
    for (const [index, { completion, resolve }] of batch.entries()) {
      const outcome = stored[index];
      if (outcome === undefined) throw new Error("A completion was stored without an answer");
      observe({ kind: "request_ended", completion, stored: outcome });
      resolve(outcome);
    }
    if (scope !== undefined) contended = claim?.contended ?? false;
    if (claim === undefined) return 0;
    lastDestination = claim.lastDestination;
    for (const delivery of claim.ended) observe({ kind: "delivery_ended", delivery });
    if (claim.unreadable.length > 0)
      log.error(
        { deliveries: claim.unreadable },
        "deliveries that can't be read, or whose webhook secrets do not open with this server's key",
      );
    if (claim.locked.length > 0)
      log.error({ deliveries: claim.locked }, "deliveries wait for a process that has the secret of the instance");
    for (const claimed of claim.deliveries) enter(claimed);
    if (isStopping) giveWaitingBack(() => true);
    if (completionsMax === undefined || pending.length < storedFirstMin) beginSending();
    // Nothing in flight will wake the loop for what ended at once, and more may be due.
    if (claim.ended.length > 0) wake();
    return claim.deliveries.length;
  }

  /** `undefined` without a free slot. The slots of turns that end with this batch are free. */
  function claimScope(batch: readonly Pending[]): ClaimScope | undefined {
    const ending = new Set(
      batch.flatMap(({ completion: { after, claimed } }) => (after.state === "sending" ? [] : [claimed.id])),
    );
    const staying = [...inFlight.values()].filter(({ id }) => !ending.has(id));
    const retries = staying.filter(isRetry).length;
    const bytes = staying.reduce((sum, { body }) => sum + body.length, 0);
    const { slots, isAhead } = countSlots(staying.length, waiting.size, bytes);
    if (slots === 0) return undefined;
    return {
      now: clock.now(),
      slots,
      retrySlots: claimedRetriesMax - retries,
      afterDestination: lastDestination,
      fullDestinations: destinationLimits.fullDestinations(isAhead),
      destinationLimits: destinationLimits.plan(isAhead),
      inFlight: [...inFlight.values()],
    };
  }

  /** Stores, claims or both, until it is over. */
  async function run({ isStoring, isClaiming }: LoopPart, isOver: () => boolean): Promise<void> {
    const loop: Loop = { isWoken: false, disturb: () => {} };
    loops.push(loop);
    // After a failure the two are tried apart, so that what makes a claim fail can't keep what ended from being stored.
    let degraded = false;
    while (!isOver()) {
      loop.isWoken = false;
      let pause = pollMilliseconds;
      try {
        if (isClaiming && !degraded) await lookAhead();
        if (degraded && isStoring) await settleAndClaim(pending, false);
        const claimed = await settleAndClaim(degraded || !isStoring ? [] : pending, isClaiming);
        degraded = false;
        const isIdle = claimed === 0 && !contended && pending.length === 0 && inFlight.size === 0 && !loop.isWoken;
        if (isIdle && isClaiming) {
          observe({ kind: "idle" });
          const dueAt = await store.findNextDue();
          const wait = (dueAt ?? Number.POSITIVE_INFINITY) - clock.now();
          if (wait > 0) pause = Math.min(wait, pollMilliseconds);
        }
        if (contended && isClaiming) pause = contendedMilliseconds;
      } catch (error) {
        log.error({ err: error }, "the delivery queue could not be reached");
        if (isStopping) return;
        degraded = true;
        await sleep(loop, pollMilliseconds, () => isStopping);
        continue;
      }
      await sleep(loop, pause, () => loop.isWoken || (isStoring && pending.length > 0));
    }
  }

  const isSettled = () => isStopping && inFlight.size === 0 && pending.length === 0;

  /** Two loops: what ended is stored while the next is claimed. */
  async function runApart(): Promise<void> {
    let isClaiming = true;
    const claiming = run({ isStoring: false, isClaiming }, () => isStopping).finally(() => {
      isClaiming = false;
      wake();
    });
    await Promise.all([claiming, run({ isStoring: true, isClaiming: false }, () => !isClaiming && isSettled())]);
  }

  /** Until `milliseconds` have passed or somebody calls `wake`; not at all if `isOver`. */
  async function sleep(loop: Loop, milliseconds: number, isOver: () => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    loop.disturb = resolve;
    if (isOver()) resolve();
    await promise;
    clearTimeout(timer);
    // Whatever else this turn of the event loop brings goes into the same transaction.
    await nextTurnOfTheLoop();
  }

  return {
    start() {
      running ??= store.settlesApart ? runApart() : run({ isStoring: true, isClaiming: true }, isSettled);
    },
    wake,
    async sendNow(event, ending, mayFollow) {
      const claimed = await store.claimNew(event, clock.now());
      if (claimed === undefined) return undefined;
      inFlight.set(claimed.id, claimed);
      destinationLimits.enter(claimed.destination);
      await send(claimed, AbortSignal.any([giveUp.signal, ending]), mayFollow);
      return claimed.id;
    },
    async stop() {
      isStopping = true;
      giveWaitingBack(() => true);
      wake();
      const timer = setTimeout(() => giveUp.abort(), graceMilliseconds);
      await running;
      clearTimeout(timer);
      client.close();
    },
  };
}
