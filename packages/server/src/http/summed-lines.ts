const everyMilliseconds = 1000;
/** Far above what one second can bring of kinds: then the rest are counted as `others`. */
const kindsMax = 100;

/** A kind of lines: its key, and the members that its lines have. */
export interface LineKind<Members extends object> {
  readonly key: string;
  readonly members: Members;
}

/** Lines that anybody can cause any number of: the first of a kind is written at once, more of them once a second as a count. */
export interface SummedLines<Members extends object> {
  /** Whether the line is the first of its kind, and so to be written; otherwise it is counted. */
  isFirst(kind: LineKind<Members>, others: LineKind<Members>): boolean;
  /** Writes what was counted and is not written yet. */
  end(): void;
}

interface Kind<Members> {
  readonly members: Members;
  /** Since the last line of this kind. */
  more: number;
  timer: NodeJS.Timeout;
}

export function createSummedLines<Members extends object>(
  writeMore: (members: Members, more: number) => void,
): SummedLines<Members> {
  const recent = new Map<string, Kind<Members>>();
  return {
    isFirst(exact, others) {
      const { key, members } = recent.has(exact.key) || recent.size < kindsMax ? exact : others;
      const known = recent.get(key);
      if (known !== undefined) {
        known.more += 1;
        return false;
      }
      recent.set(key, { members, more: 0, timer: setTimeout(pass, everyMilliseconds, key).unref() });
      return true;
    },
    end() {
      for (const kind of recent.values()) {
        clearTimeout(kind.timer);
        write(kind);
      }
      recent.clear();
    },
  };

  function pass(key: string): void {
    const kind = recent.get(key);
    if (kind === undefined) return;
    if (kind.more === 0) {
      recent.delete(key);
      return;
    }
    write(kind);
    kind.timer = setTimeout(pass, everyMilliseconds, key).unref();
  }

  function write(kind: Kind<Members>): void {
    if (kind.more > 0) writeMore(kind.members, kind.more);
    kind.more = 0;
  }
}
