/** The outcome of counting in the database, as far as a limit needs it. */
export interface Counted {
  readonly consumedPoints: number;
  readonly msBeforeNext: number;
}

/** Adds to what was counted for a key, and gives the sum. */
export type Count = (key: string, count: number) => Promise<Counted>;

interface Gathered {
  /** One for each that was gathered, in their order. */
  readonly counts: number[];
  readonly counted: Promise<Counted>;
}

/**
 * Counts what comes for a key while its row is being written together, in the next statement. One statement for each request would wait for the
 * row as often as there are requests, each with a connection: somebody who sends many at once would take those of everybody.
 */
export function gatherCounts(countTogether: Count): Count {
  /** The statement under way for each key. */
  const running = new Map<string, Promise<unknown>>();
  const gathering = new Map<string, Gathered>();

  function begin(key: string, ahead: Promise<unknown> | undefined): Gathered {
    const counts: number[] = [];
    const counted = (async () => {
      await ahead?.catch(() => {});
      gathering.delete(key);
      return countTogether(
        key,
        counts.reduce((sum, count) => sum + count, 0),
      );
    })();
    const gathered = { counts, counted };
    gathering.set(key, gathered);
    running.set(key, counted);
    const end = () => {
      if (running.get(key) === counted) running.delete(key);
    };
    counted.then(end, end);
    return gathered;
  }

  return async (key, count) => {
    const gathered = gathering.get(key) ?? begin(key, running.get(key));
    gathered.counts.push(count);
    const place = gathered.counts.length;
    const { consumedPoints, msBeforeNext } = await gathered.counted;
    // Each hears of what was counted up to itself, as if it had been alone.
    const later = gathered.counts.slice(place).reduce((sum, one) => sum + one, 0);
    return { consumedPoints: consumedPoints - later, msBeforeNext };
  };
}
