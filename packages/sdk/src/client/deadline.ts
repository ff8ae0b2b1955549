const timeoutMillisecondsDefault = 30_000;

/** The time that a server may be silent. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Restarts the time. */
  extend(): void;
  end(): void;
}

/** A running deadline whose signal fires with a `TimeoutError` when it passes, or together with the caller's `signal`. */
export function createDeadline(timeoutMilliseconds = timeoutMillisecondsDefault, signal?: AbortSignal): Deadline {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => clearTimeout(timer);
  const extend = () => {
    end();
    const late = () => controller.abort(new DOMException("The server took too long to answer", "TimeoutError"));
    timer = setTimeout(late, timeoutMilliseconds);
  };
  extend();
  return {
    signal: signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]),
    extend,
    end,
  };
}

/** Resolves after this time; rejects with the reason of `signal`. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
