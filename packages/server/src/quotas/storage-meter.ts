import type { Storage } from "./storage-store.ts";

/** `reserve`: what is left is for small bodies from quiet addresses. */
export type Room = "plenty" | "reserve" | "none";

export interface StorageMeter {
  /** Whether there is room, counting `bytes` as taken. */
  take(bytes: number): Promise<Room>;
}

export interface StorageMeterDependencies {
  readonly measure: () => Promise<Storage | undefined>;
  /** Called when there is no room any more, and when there is again. */
  readonly onChange: (isFull: boolean) => void;
  /** Milliseconds of a clock that nobody sets. */
  readonly now?: () => number;
}

const everyMilliseconds = 5000;
const bytesBetweenMin = 1_048_576;

/**
 * Remembers what was measured for some seconds, or until an eighth of what was left has come since: a submission does not
 * wait for the disk to be asked, and a flood between two looks does not go far.
 */
export function createStorageMeter({
  measure,
  onChange,
  now = () => performance.now(),
}: StorageMeterDependencies): StorageMeter {
  let last: { readonly storage: Storage | undefined; readonly at: number } | undefined;
  let taken = 0;
  let looking: Promise<void> | undefined;
  let wasFull = false;

  function look(): Promise<void> {
    looking ??= measure()
      .then(
        (storage) => {
          last = { storage, at: now() };
          taken = 0;
        },
        // A failed measurement is repeated; a database that is unavailable refuses on its own.
        () => undefined,
      )
      .finally(() => {
        looking = undefined;
      });
    return looking;
  }

  function classify(): Room {
    if (last?.storage === undefined) return "plenty";
    const { leftBytes, reserveBytes } = last.storage;
    if (leftBytes - taken <= 0) return "none";
    return leftBytes - taken <= reserveBytes ? "reserve" : "plenty";
  }

  return {
    async take(bytes) {
      const isOld = last === undefined || now() - last.at > everyMilliseconds;
      const isMuch = taken > Math.max(bytesBetweenMin, (last?.storage?.leftBytes ?? Number.POSITIVE_INFINITY) / 8);
      if (last === undefined || isMuch || (isOld && classify() !== "plenty")) await look();
      else if (isOld) void look();
      const isFull = classify() === "none";
      if (isFull !== wasFull) onChange(isFull);
      wasFull = isFull;
      if (!isFull) taken += bytes;
      return classify();
    },
  };
}
