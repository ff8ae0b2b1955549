/** A function that a service has called again and again. */
export interface WatchedInterval {
  /** Where in `packages/server/src` it was set. */
  readonly file: string;
  readonly callback: () => void;
}

/** Collects the functions that `setInterval` calls in this process, until they end. Those that no service has set have no file. */
export function watchIntervals(): ReadonlySet<WatchedInterval> {
  const known = new Map<unknown, WatchedInterval>();
  const watched = new Set<WatchedInterval>();
  const { setInterval, clearInterval } = globalThis;
  Object.assign(globalThis, {
    setInterval(callback: () => void, milliseconds?: number) {
      const timer = setInterval(callback, milliseconds);
      const [, file = ""] = /packages\/server\/src\/([^:]+)/.exec(new Error().stack ?? "") ?? [];
      const one = { file, callback };
      known.set(timer, one);
      watched.add(one);
      return timer;
    },
    clearInterval(timer: NodeJS.Timeout | undefined) {
      const one = known.get(timer);
      if (one !== undefined) watched.delete(one);
      known.delete(timer);
      clearInterval(timer);
    },
  });
  return watched;
}
