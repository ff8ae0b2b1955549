import { AsyncResource } from "node:async_hooks";
/** Work that is looked for again and again, and at once when somebody knows that there is some. */
export interface Loop {
  start(): void;
  /** Runs now, or again after the run that is under way. */
  wake(): void;
  readonly isStopped: () => boolean;
  /** No further run begins. Resolves when the one that is under way has ended. */
  stop(): Promise<void>;
}

export interface LoopOptions {
  readonly everyMilliseconds: number;
  /**
   * One run, until nothing is left. It asks `isStopped` between its pieces. `isLook`: its time has come, or it is the first one;
   * otherwise somebody has woken it.
   */
  readonly run: (isLook: boolean) => Promise<void>;
  /** The error; remaining work is found again at the next run. */
  readonly report: (error: unknown) => void;
}

/** One run at a time, however often it is woken. Its timer does not keep the process alive. */
export function createLoop({ everyMilliseconds, run, report }: LoopOptions): Loop {
  let isStopped = false;
  let isWoken = false;
  let isLookDue = true;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** A loop is woken in the middle of other work, a unit of work for example, and does its own outside of it. */
  const own = new AsyncResource("loop");

  function wake(): void {
    isWoken = true;
    if (isStopped || running !== undefined) return;
    running = own.runInAsyncScope(runWhileWoken).finally(() => {
      running = undefined;
    });
  }

  async function runWhileWoken(): Promise<void> {
    try {
      while (isWoken && !isStopped) {
        isWoken = false;
        const isLook = isLookDue;
        isLookDue = false;
        await run(isLook);
      }
    } catch (error) {
      report(error);
    }
  }

  function look(): void {
    isLookDue = true;
    wake();
  }

  return {
    start() {
      timer = setInterval(look, everyMilliseconds);
      timer.unref();
      wake();
    },
    wake,
    isStopped: () => isStopped,
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
