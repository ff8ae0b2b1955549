/** The measured value, and this process's counts since then. */
export interface Remembered<Value> {
  readonly value: Value;
  readonly at: number;
  taken: number;
}

export interface Memory<Value> {
  /** The remembered value, if it is a few seconds old at most and `isFresh` accepts it; measured again otherwise. */
  find(
    key: string,
    isFresh: (remembered: Remembered<Value>) => boolean,
  ): Remembered<Value> | Promise<Remembered<Value>>;
}

const everyMilliseconds = 10_000;
const entriesMax = 10_000;

/** One question at a time for each key, however many wait for its answer. `now`: milliseconds of a clock that nobody sets. */
export function createMemory<Value>(
  load: (key: string) => Promise<Value>,
  now: () => number = () => performance.now(),
): Memory<Value> {
  const remembered = new Map<string, Remembered<Value>>();
  const loading = new Map<string, Promise<Remembered<Value>>>();

  async function ask(key: string): Promise<Remembered<Value>> {
    try {
      const entry = { value: await load(key), at: now(), taken: 0 };
      if (remembered.size >= entriesMax) remembered.clear();
      remembered.set(key, entry);
      return entry;
    } finally {
      loading.delete(key);
    }
  }

  return {
    find(key, isFresh) {
      const known = remembered.get(key);
      if (known !== undefined && now() - known.at < everyMilliseconds && isFresh(known)) return known;
      const asked = loading.get(key) ?? ask(key);
      loading.set(key, asked);
      return asked;
    },
  };
}
