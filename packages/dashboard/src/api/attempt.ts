import { ApiError } from "@sealpost/sdk";
import { mayHaveArrived } from "./describe-error.ts";

/** Ids and keys of a request whose answer was lost: the next try sends them again, so that nothing is made twice. */
export interface Tried<Attempt> {
  attempt?: Attempt | undefined;
}

/** Sends the attempt before, if nobody knows whether it arrived; otherwise a new one. */
export async function sendAttempt<Attempt, Result>(
  tried: Tried<Attempt>,
  prepare: () => Promise<Attempt>,
  send: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  const attempt = tried.attempt ?? (await prepare());
  tried.attempt = attempt;
  try {
    return await send(attempt);
  } catch (error) {
    // The server has answered: it has not done this, and the next try is another. Who asked too often, or is signed out, learns nothing.
    const isAnswer = error instanceof ApiError && !mayHaveArrived(error);
    if (isAnswer && ![401, 429].includes(error.status)) tried.attempt = undefined;
    throw error;
  }
}

/** Whether a press before was not answered, so that what it asked for may be done. */
export interface Unsure {
  current: boolean;
}

/**
 * As `orArrived`, where it counts only after a press of this page that was not answered: what is so by somebody else
 * was not done here. Asks that first, so that nothing is made twice.
 */
export async function orArrivedBefore<Result>(
  unsure: Unsure,
  work: () => Promise<Result>,
  findResult: () => Promise<Result | undefined>,
): Promise<Result> {
  const before = unsure.current ? await findResult() : undefined;
  if (before !== undefined) return before;
  try {
    return await work();
  } catch (error) {
    if (!mayHaveArrived(error)) throw error;
    unsure.current = true;
    // Whatever can't be looked at now is looked at before the next try.
    const arrived = await findResult().catch(() => undefined);
    if (arrived === undefined) throw error;
    return arrived;
  }
}

/**
 * Takes something away. The refusal by `code` says that it is gone: by a press before, whose answer was lost, or by
 * somebody else. That is what was asked for, and ends as if it had been done now, with `undefined`.
 */
export async function orGone<Result>(work: () => Promise<Result>, code: string): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && error.reason === code) return undefined;
    throw error;
  }
}

/**
 * Whether `work` was answered. Where it failed, and yet has arrived, now or at an earlier try, only its answer was
 * lost. Rejects with what `hasArrived` failed by, if it did: then nobody knows.
 */
export async function orArrived(work: () => Promise<unknown>, hasArrived: () => Promise<boolean>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(await hasArrived())) throw error;
    return false;
  }
}
