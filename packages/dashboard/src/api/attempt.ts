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

/**
 * Whether `work` was answered. Where it failed, and yet has arrived, now or at an earlier try, only its answer was lost. Rejects with what
 * `hasArrived` failed by, if it did: then nobody knows.
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
