/** Counts what is under way at once. */
export interface AtOnce {
  /** Counts one more for `key`, and returns what ends it; `undefined` where `key`, or all together, have what they may. */
  begin(key: string): (() => void) | undefined;
}

export function createAtOnce({ each, all }: { readonly each: number; readonly all: number }): AtOnce {
  const counts = new Map<string, number>();
  let total = 0;
  return {
    begin(key) {
      const before = counts.get(key) ?? 0;
      if (before >= each || total >= all) return undefined;
      counts.set(key, before + 1);
      total += 1;
      return () => {
        const left = (counts.get(key) ?? 0) - 1;
        if (left > 0) counts.set(key, left);
        else counts.delete(key);
        total -= 1;
      };
    },
  };
}
