/** A value, and how many rows were looked at for it. */
export interface Measured<Value> {
  readonly value: Value;
  readonly rows: number;
}

export interface KeptMeasures<Value> {
  find(key: string): Promise<Measured<Value>>;
}

/** So few rows are looked at again for each question. */
const fewRows = 1000;
/** A row takes the thread that serves everybody some 2 µs: nobody's questions take more than a fiftieth of it. */
const keptMillisecondsPerRow = 0.1;
const entriesMax = 1000;

interface Entry<Value> {
  readonly measured: Measured<Value>;
  readonly keptUntil: number;
}

/**
 * What takes long to measure is kept for as much longer: a second for each 10,000 rows. Below `fewRows` nothing is kept. `now`:
 * milliseconds of a clock that nobody sets.
 */
export function createKeptMeasures<Value>(
  measure: (key: string) => Promise<Measured<Value>>,
  now: () => number = () => performance.now(),
): KeptMeasures<Value> {
  const kept = new Map<string, Entry<Value>>();
  const measuring = new Map<string, Promise<Measured<Value>>>();

  function measureAgain(key: string): Promise<Measured<Value>> {
    const running = measure(key)
      .then((measured) => {
        if (kept.size >= entriesMax) kept.clear();
        if (measured.rows < fewRows) kept.delete(key);
        else kept.set(key, { measured, keptUntil: now() + measured.rows * keptMillisecondsPerRow });
        return measured;
      })
      .finally(() => measuring.delete(key));
    measuring.set(key, running);
    return running;
  }

  return {
    async find(key) {
      // Nobody gets an answer of before they asked, if that was not a long one: they may have changed something.
      let mayBeEarlier = kept.has(key);
      for (;;) {
        const entry = kept.get(key);
        if (entry !== undefined && now() < entry.keptUntil) return entry.measured;
        const running = measuring.get(key);
        if (running === undefined) return measureAgain(key);
        if (mayBeEarlier) return running;
        await running.catch(() => undefined);
        mayBeEarlier = true;
      }
    },
  };
}
