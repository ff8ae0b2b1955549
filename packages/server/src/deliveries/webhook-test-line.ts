import { sentences } from "../problems/codes.ts";
import { Problem } from "../problems/problem.ts";
import { createRecentTurns } from "../rate-limits/fair-line.ts";

/** The person who tests a webhook, and the organization that the form belongs to. */
export interface Tester {
  readonly personId: string;
  readonly organizationId: string;
}

/**
 * The tests of webhooks that are under way in a process. A receiver that hangs keeps its test for as long as a delivery, so they have a few
 * places of their own: no person and no organization has more than two. Others wait, and the next place goes to the
 * person who had the fewest within the last half hour to hour. While somebody waits a test that had its time gives up its place.
 */
export interface WebhookTestLine {
  /**
   * Does `work` when its turn comes; its signal says that others wait, and ends the test. Throws `unavailable` where no place comes free in time, and
   * nothing at all is done once `gone` says that nobody waits for the answer any more.
   */
  run<Result>(tester: Tester, gone: AbortSignal, work: (ending: AbortSignal) => Promise<Result>): Promise<Result>;
  /** How many tests are under way, and how many wait. */
  count(): { readonly running: number; readonly waiting: number };
}

export interface WebhookTestLineOptions {
  readonly runningMax: number;
  readonly runningMaxOfOne: number;
  readonly waitingMax: number;
  readonly waitingMaxOfOne: number;
  /** The time that a test has in any case. */
  readonly turnMilliseconds: number;
  /** The time that one waits for its turn. */
  readonly waitMilliseconds: number;
}

interface Running {
  readonly tester: Tester;
  readonly ending: AbortController;
  hasHadTime: boolean;
  readonly leave: () => void;
}

interface Waiting {
  readonly tester: Tester;
  readonly begin: (running: Running) => void;
  readonly refuse: (error: unknown) => void;
}

export const testTurns: WebhookTestLineOptions = {
  runningMax: 8,
  runningMaxOfOne: 2,
  waitingMax: 64,
  waitingMaxOfOne: 4,
  turnMilliseconds: 5_000,
  waitMilliseconds: 20_000,
};
const retrySeconds = 15;

export function createWebhookTestLine(options: WebhookTestLineOptions = testTurns): WebhookTestLine {
  const { runningMax, runningMaxOfOne, waitingMax, waitingMaxOfOne, turnMilliseconds, waitMilliseconds } = options;
  const turns = createRecentTurns(() => performance.now());
  /** The oldest first, and so are those that wait. */
  const running = new Set<Running>();
  const waiting = new Set<Waiting>();

  return {
    async run(tester, gone, work) {
      const { ending, leave } = isFree(tester) ? enter(tester) : await wait(tester, gone);
      try {
        gone.throwIfAborted();
        return await work(ending.signal);
      } finally {
        leave();
      }
    },
    count: () => ({ running: running.size, waiting: waiting.size }),
  };

  function enter(tester: Tester): Running {
    const timer = setTimeout(() => {
      one.hasHadTime = true;
      makeRoom();
    }, turnMilliseconds);
    const one: Running = {
      ...{ tester, ending: new AbortController(), hasHadTime: false },
      leave() {
        clearTimeout(timer);
        running.delete(one);
        beginNext();
      },
    };
    running.add(one);
    turns.count(tester.personId);
    return one;
  }

  async function wait(tester: Tester, gone: AbortSignal): Promise<Running> {
    if (!findPlace(tester)) throw busy();
    const { promise, resolve: begin, reject: refuse } = Promise.withResolvers<Running>();
    const one: Waiting = { tester, begin, refuse };
    const leave = () => refuse(gone.reason);
    const timer = setTimeout(() => refuse(busy()), waitMilliseconds);
    waiting.add(one);
    gone.addEventListener("abort", leave, { once: true });
    makeRoom();
    try {
      return await promise;
    } finally {
      waiting.delete(one);
      clearTimeout(timer);
      gone.removeEventListener("abort", leave);
    }
  }

  function isFree(tester: Tester): boolean {
    return running.size < runningMax && listOwn(tester).length < runningMaxOfOne;
  }

  /** The tests that count for a tester's own bound: those of the person, or of the organization if these are more. */
  function listOwn({ personId, organizationId }: Tester): readonly Running[] {
    const all = [...running];
    const ofPerson = all.filter(({ tester }) => tester.personId === personId);
    const ofOrganization = all.filter(({ tester }) => tester.organizationId === organizationId);
    return ofPerson.length > ofOrganization.length ? ofPerson : ofOrganization;
  }

  /** Where all places are taken somebody who had more turns, or waits for more, gives one up. */
  function findPlace({ personId }: Tester): boolean {
    const countOf = (id: string) => [...waiting].filter(({ tester }) => tester.personId === id).length;
    if (countOf(personId) >= waitingMaxOfOne) return false;
    if (waiting.size < waitingMax) return true;
    let [last, most]: [Waiting | undefined, number] = [undefined, turns.of(personId) + countOf(personId) + 2];
    for (const one of waiting) {
      const had = turns.of(one.tester.personId) + countOf(one.tester.personId);
      if (had >= most) [last, most] = [one, had];
    }
    if (last === undefined) return false;
    waiting.delete(last);
    last.refuse(busy());
    return true;
  }

  /** One that ended may have kept several waiting: by its place, its person and its organization. */
  function beginNext(): void {
    for (let next = findNext(); next !== undefined; next = findNext()) {
      waiting.delete(next);
      // At once: nobody else gets the place before the one who waits for it has noticed.
      next.begin(enter(next.tester));
    }
  }

  function findNext(): Waiting | undefined {
    let [next, fewest]: [Waiting | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const one of waiting) {
      const had = turns.of(one.tester.personId);
      if (had < fewest && isFree(one.tester)) [next, fewest] = [one, had];
    }
    return next;
  }

  /** Ends for each that waits a test that is in the way and has had its time, the oldest one. */
  function makeRoom(): void {
    const given = new Set<Running>();
    for (const { tester } of waiting) {
      const own = listOwn(tester);
      const inTheWay = (own.length < runningMaxOfOne ? [...running] : own).filter((one) => !given.has(one));
      const one = inTheWay.find(({ ending }) => ending.signal.aborted) ?? inTheWay.find(({ hasHadTime }) => hasHadTime);
      if (one === undefined) continue;
      given.add(one);
      one.ending.abort();
    }
  }
}

function busy(): Problem {
  return new Problem("unavailable", sentences.webhook_tests_busy, { retryAfter: retrySeconds });
}
