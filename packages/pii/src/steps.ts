/**
 * Work that stops after each piece. In between, the caller may do something else: a page's main thread is not to stand still for as long
 * as the whole takes.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** The places of a text, or numbers in it, that a detector looks at in one piece: less than a millisecond's work, or a few where code is cold. */
export const stepSize = 64;

/** Does all the work at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
