import type { ServerResponse } from "node:http";

/** Does the work of one page, when its turn comes. */
export type RunPage = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * The work of a request that takes longer than one page of rows. Each page has a turn of its own: then the event loop and the database are
 * everybody else's, and the next page goes to those who had the fewest. A client that does not take what it has asked for holds no turn.
 */
export interface PageTurns {
  /**
   * The turns of one such work, which ends with its answer and the pages that it has asked for. Throws `unavailable` where too much of the person's is under way already; once begun, it
   * is never put off.
   */
  begin(asker: PageAsker, answer: WorkAnswer, part?: string): RunPage;
}

/** The answer to the request that a work is of: when it is closed, the work is over, but for the pages that it still asks for. */
export type WorkAnswer = Pick<ServerResponse, "destroyed" | "once">;

/** The organization whose turn it is, and the person: as the lines have it (`rate-limits/fair-line.ts`). */
export interface PageAsker {
  readonly accountId: string;
  readonly personId: string;
}

/** For a program that serves nobody else, and work of a single row. */
export const withoutTurns: RunPage = (work) => work();
