export interface LockTimer {
  /** The key was used, or somebody has done something: the time begins again. Locks if it was over before. */
  use(): void;
  /** Whether the time was over; then it locks. For what comes after a computer's sleep, during which no timer runs. */
  isOver(): boolean;
  stop(): void;
}

/** So long before the end a person hears of it: WCAG 2.2, 2.2.1, asks for 20 seconds at least. */
export const warningMilliseconds = 60_000;

interface LockTimerEvents {
  /** The time is over. */
  onOver(): void;
  /** It will be over soon, or no longer, since the key was used. */
  onSoon?(isSoon: boolean): void;
}

/** The longest that timers of browsers can be: a longer one would end at once. */
const timerMillisecondsMax = 2 ** 31 - 1;

/**
 * Calls `onOver` once nothing was used for so many minutes as `findMinutes` says at that time, by whichever clock says so first: the
 * computer's may be set back, and the other one may stand still while the computer sleeps.
 */
export function startLockTimer(findMinutes: () => number, { onOver, onSoon }: LockTimerEvents): LockTimer {
  let usedAt = readClocks();
  let isSoon = false;
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
      onOver();
      return true;
    }
    const untilSoon = milliseconds - warningMilliseconds;
    timer = setTimeout(isOver, Math.min(untilSoon > 0 ? untilSoon : milliseconds, timerMillisecondsMax));
    if (isSoon !== untilSoon <= 0) {
      isSoon = !isSoon;
      onSoon?.(isSoon);
    }
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
