export interface LockTimer {
  /** The key was used, or somebody has done something: the time begins again. Locks if it was over before. */
  use(): void;
  /** Whether the time was over; then it locks. For what comes after a computer's sleep, during which no timer runs. */
  isOver(): boolean;
  stop(): void;
}

/** The longest that timers of browsers can be: a longer one would end at once. */
const timerMillisecondsMax = 2 ** 31 - 1;

/**
 * Calls `lock` once nothing was used for so many minutes as `findMinutes` says at that time, by whichever clock says so first: the
 * computer's may be set back, and the other one may stand still while the computer sleeps.
 */
export function startLockTimer(lock: () => void, findMinutes: () => number): LockTimer {
  let usedAt = readClocks();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const left = () => {
    const now = readClocks();
    return findMinutes() * 60_000 - Math.max(now.set - usedAt.set, now.steady - usedAt.steady);
  };

  function stop(): void {
    clearTimeout(timer);
  }

  function isOver(): boolean {
    const milliseconds = left();
    stop();
    if (milliseconds <= 0) {
      lock();
      return true;
    }
    timer = setTimeout(isOver, Math.min(milliseconds, timerMillisecondsMax));
    return false;
  }

  isOver();
  return {
    use() {
      if (isOver()) return;
      usedAt = readClocks();
      isOver();
    },
    isOver,
    stop,
  };
}

/** In milliseconds: one that people and networks set, and one that nobody does. */
function readClocks(): { readonly set: number; readonly steady: number } {
  return { set: Date.now(), steady: performance.now() };
}
