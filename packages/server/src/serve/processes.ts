import cluster, { type Worker } from "node:cluster";

/** A service's description of itself when it is ready. */
export interface Ready {
  readonly url: string;
  readonly setupToken: string | undefined;
}

export interface ProcessesOptions {
  readonly count: number;
  /** Called once, when every process is ready for the first time. */
  readonly onReady: (ready: Ready) => void;
  /** A line for the operator. */
  readonly report: (line: string) => void;
}

/** Processes of this program on one port, started again when one ends by itself. */
export interface Processes {
  /** The code to exit with, once all have ended. */
  readonly ended: Promise<number>;
  /** Lets each stop in its own time. */
  stop(): void;
  /** Ends them at once. */
  kill(): void;
}

const pauseMilliseconds = 1000;
const pauseMillisecondsMax = 30_000;
const stopMessage = "stop";

/** Starts this program `count` times more; each finds itself to be one of them by `joinProcesses`. */
export function startProcesses({ count, onReady, report }: ProcessesOptions): Processes {
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const waiting = new Set<NodeJS.Timeout>();
  let isStopping = false;
  let isReady = false;
  let failures = 0;
  let code = 0;

  function fork(): void {
    const worker = cluster.fork();
    let isWorking = false;
    worker.on("message", (message: unknown) => {
      if (!isReadyMessage(message)) return;
      // It did not hear the first time, because it was still starting.
      if (isStopping) sendStop(worker);
      isWorking = true;
      failures = 0;
      working.add(worker);
      if (isReady || working.size < count) return;
      isReady = true;
      onReady(message);
    });
    worker.on("exit", (exitCode, signal) => {
      working.delete(worker);
      if (isStopping) {
        code ||= exitCode ?? 1;
        return endIfLast();
      }
      if (!isReady && !isWorking) {
        // The reason of a failed first start will not go away, and the process has printed it.
        code = exitCode || 1;
        stop();
        return endIfLast();
      }
      failures += 1;
      const pause = Math.min(pauseMilliseconds * 2 ** (failures - 1), pauseMillisecondsMax);
      report(`A process ended (${signal ?? `code ${exitCode}`}); another one is started in ${pause / 1000} s`);
      const timer = setTimeout(() => {
        waiting.delete(timer);
        fork();
      }, pause);
      waiting.add(timer);
    });
  }
  const working = new Set<Worker>();
  const workers = () => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);

  function endIfLast(): void {
    if (workers().every((worker) => worker.isDead())) end(code);
  }
  function stop(): void {
    isStopping = true;
    for (const timer of waiting) clearTimeout(timer);
    for (const worker of workers()) sendStop(worker);
    endIfLast();
  }

  for (let index = 0; index < count; index++) fork();
  return {
    ended,
    stop,
    kill() {
      for (const worker of workers()) worker.process.kill("SIGKILL");
    },
  };
}

function sendStop(worker: Worker): void {
  if (worker.isConnected()) worker.send(stopMessage);
}

/** For one of several processes: says that it is ready, and has `stop` called when they stop. False when it stands alone. */
export function joinProcesses(ready: Ready, stop: () => void): boolean {
  const { worker } = cluster;
  if (worker === undefined) return false;
  worker.on("message", (message: unknown) => {
    if (message === stopMessage) stop();
  });
  worker.send(ready);
  return true;
}

/** Whether this process was started by `startProcesses`. */
export function isOneOfProcesses(): boolean {
  return cluster.isWorker;
}

function isReadyMessage(message: unknown): message is Ready {
  return typeof message === "object" && message !== null && "url" in message && typeof message.url === "string";
}
