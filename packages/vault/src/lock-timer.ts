export interface LockTimer {
  /** The key was used, or somebody has done something: the time begins again. Locks if it was over before. */
  use(): void;
  /** Whether the time was over; then it locks. For what comes after a computer's sleep, during which no timer runs. */
  isOver(): boolean;
  stop(): void;
}

/** Calls `lock` once nothing was used for so many minutes as `findMinutes` says at that time. */
export function startLockTimer(lock: () => void, findMinutes: () => number): LockTimer {
  let usedAt = Date.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const left = () => usedAt + findMinutes() * 60_000 - Date.now();

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
    timer = setTimeout(isOver, milliseconds);
    return false;
  }

  isOver();
  return {
    use() {
      if (isOver()) return;
      usedAt = Date.now();
      isOver();
    },
    isOver,
    stop,
  };
}
