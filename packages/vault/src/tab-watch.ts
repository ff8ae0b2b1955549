/** Whether some tab has the open key, without asking it: the browser's own lock ends with the tab, even one that crashed. */
export interface TabWatch {
  /** This tab has it. Gives whether that is still so once the browser has granted it. */
  hold(): Promise<boolean>;
  /** Another tab has it; `onGone` is called once none has. */
  follow(): void;
  stop(): void;
}

/** Tabs that have the key share the lock; one that could have it alone knows that none has. */
export function createWatch(name: string, onGone: () => void): TabWatch {
  let abort: AbortController | undefined;

  function begin(): AbortSignal {
    abort?.abort();
    abort = new AbortController();
    return abort.signal;
  }

  return {
    hold() {
      const signal = begin();
      return new Promise((resolve) => {
        navigator.locks
          .request(name, { mode: "shared", signal }, () => {
            resolve(true);
            return new Promise<void>((release) => signal.addEventListener("abort", () => release()));
          })
          .catch((error: unknown) => resolve(!isAbort(error))); // it was locked before it came to that
      });
    },
    follow() {
      const signal = begin();
      navigator.locks
        .request(name, { signal }, () => {
          if (!signal.aborted) onGone();
        })
        .catch((error: unknown) => {
          if (!isAbort(error)) onGone();
        });
    },
    stop: () => abort?.abort(),
  };
}

/** The wait was given up. Everything else is a browser that keeps nothing for this site: then no other tab has anything. */
function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
