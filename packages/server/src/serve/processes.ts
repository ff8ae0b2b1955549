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

/** Processes of this program on one port, started again when one ends on its own. */
export interface Processes {
  /** The code to exit with, once all have ended. */
  readonly ended: Promise<number>;
  /** Lets each stop in its own time; one that is still starting ends at once. */
  stop(): void;
  /** Ends them at once. */
  kill(): void;
}

const pauseMilliseconds = 1000;
const pauseMillisecondsMax = 30_000;
const announcedMessage = "announced";

/** Starts this program `count` times more; each finds itself to be one of them by `joinProcesses`. */
export function startProcesses({ count, onReady, report }: ProcessesOptions): Processes {
  const { promise: ended, resolve: end } = Promise.withResolvers<number>();
  const waiting = new Set<NodeJS.Timeout>();
  const alive = new Set<Worker>();
  const working = new Set<Worker>();
  let isStopping = false;
  let isReady = false;
  let failures = 0;
  let code = 0;

  function fork(): void {
    const worker = cluster.fork();
    alive.add(worker);
    worker.on("message", (message: unknown) => {
      if (isReadyMessage(message)) onWorking(worker, message);
    });
    worker.on("exit", (exitCode, signal) => onEnd(worker, exitCode, signal));
    worker.on("error", (error) => {
      // Where the system can start no process, no "exit" follows. Any other error is of the channel to one that is ending.
      if (worker.process.pid === undefined) onEnd(worker, 1, `not started: ${error.message}`);
    });
  }

  function onWorking(worker: Worker, ready: Ready): void {
    if (failures > 0) report("A process is ready in the place of one that had ended");
    failures = 0;
    working.add(worker);
    if (isReady) sendAnnounced(worker);
    if (isReady || working.size < count) return;
    isReady = true;
    onReady(ready);
    for (const each of working) sendAnnounced(each);
  }

  function onEnd(worker: Worker, exitCode: number | null, signal: string | null): void {
    if (!alive.delete(worker)) return;
    const wasWorking = working.delete(worker);
    if (isStopping) {
      code ||= signal === stopSignal ? 0 : (exitCode ?? 1);
      endIfLast();
      return;
    }
    if (!isReady && !wasWorking) {
      // The reason of a failed first start will not go away without the operator or a supervisor, and the process has printed it.
      code = exitCode || 1;
      stop();
      return;
    }
    failures += 1;
    const pause = Math.min(pauseMilliseconds * 2 ** (failures - 1), pauseMillisecondsMax);
    report(`A process ended (${signal ?? `code ${exitCode}`}); another one is started in ${pause / 1000} s`);
    const timer = setTimeout(() => {
      waiting.delete(timer);
      fork();
    }, pause);
    waiting.add(timer);
  }

  function endIfLast(): void {
    if (alive.size === 0) end(code);
  }
  function stop(): void {
    isStopping = true;
    for (const timer of waiting) clearTimeout(timer);
    // A signal, since a process hears no message before its program has been loaded.
    for (const worker of alive) worker.process.kill(stopSignal);
    endIfLast();
  }

  for (let index = 0; index < count; index++) fork();
  return {
    ended,
    stop,
    kill() {
      for (const worker of alive) worker.process.kill("SIGKILL");
    },
  };
}

const stopSignal = "SIGTERM";

function sendAnnounced(worker: Worker): void {
  if (worker.isConnected()) worker.send(announcedMessage);
}

/** For one of several processes: says that it is ready, and waits until the parent has printed it. */
export async function joinProcesses(ready: Ready): Promise<void> {
  const { worker } = cluster;
  if (worker === undefined) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const listen = (message: unknown) => {
    if (message !== announcedMessage) return;
    worker.off("message", listen);
    resolve();
  };
  worker.on("message", listen);
  worker.send(ready);
  await promise;
}

/** Whether this process was started by `startProcesses`. */
export function isOneOfProcesses(): boolean {
  return cluster.isWorker;
}

function isReadyMessage(message: unknown): message is Ready {
  return typeof message === "object" && message !== null && "url" in message && typeof message.url === "string";
}
