import type { Database } from "../database/database.ts";
import type { Parcel, WriterThread } from "../database/writer-thread.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import { createDestinationLimits } from "./destination-limits.ts";
import { type PackedAnswer, packAnswer, packQuestion, unpackAnswer, unpackQuestion } from "./packed-turn.ts";

/** The name of the thread's handler. */
export const turnKind = "deliveries";

/** From this many on the way to another thread costs less than waiting here for the disk. */
const completionsMin = 4;
/** From this many under way on, waiting here for the disk would keep them waiting too. */
const inFlightMin = 8;

/**
 * Were it all that ended, requests and transactions would fall into step: all stored while nothing is sent, and then all
 * sent while nothing is stored.
 */
const completionsMax = 96;

/**
 * The store, which settles and claims in the thread while this one sends. The connection is held meanwhile, so that nothing
 * else writes next to the thread.
 */
export function settleInThread(store: DeliveryStore, database: Database, thread: WriterThread): DeliveryStore {
  const settleAndClaim = createSettleAndClaim(thread);
  return {
    ...store,
    completionsMax,
    settleAndClaim: (completions, scope) =>
      completions.length < completionsMin && (scope?.inFlight.length ?? 0) < inFlightMin
        ? store.settleAndClaim(completions, scope)
        : database.connection().execute(() => settleAndClaim(completions, scope)),
  };
}

function createSettleAndClaim(thread: WriterThread): DeliveryStore["settleAndClaim"] {
  let informed = 0;
  return async (completions, scope) => {
    const pack = (number: number) => {
      const isNew = number !== informed;
      if (scope !== undefined) informed = number;
      return { content: packQuestion(completions, scope, isNew), transfer: [] };
    };
    return unpackAnswer(await thread.ask<PackedAnswer>(turnKind, pack));
  };
}

/** The thread's side: the same store on the thread's connection. It learns of destinations what the other side's worker knows. */
export function createTurnHandler(store: DeliveryStore): (json: string) => Promise<Parcel<PackedAnswer>> {
  const destinationLimits = createDestinationLimits();
  return async (json) => {
    const { completions, scope } = unpackQuestion(json);
    if (scope !== undefined) destinationLimits.adopt(scope.limits);
    const claimScope = scope && { ...scope, destinationLimits: destinationLimits.plan(scope.limits.isAhead) };
    const content = packAnswer(await store.settleAndClaim(completions, claimScope));
    return { content, transfer: [content.bytes] };
  };
}
