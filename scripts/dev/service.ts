import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface DevService {
  /** Resolves when it answers requests, after a restart that is under way. Rejects while it does not start. */
  whenReady(): Promise<Ready>;
  /** Ends it and starts it on the current sources. Resolves when that is done, whether it started or not. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface Ready {
  /** The token of an instance without an account. */
  readonly setupToken: string | undefined;
}

interface Run {
  readonly child: ChildProcess;
  readonly ready: Promise<Ready>;
  readonly gone: Promise<unknown>;
  isStopping: boolean;
}

const program = join(import.meta.dirname, "..", "..", "packages", "server", "src", "main.ts");
/** Requests in progress may end; a webhook attempt could take half a minute, which nobody wants to wait for at each change. */
const endMilliseconds = 2000;

/** `sealpost-server serve` as a process of its own, whose output is passed on. */
export function startDevService(environment: NodeJS.ProcessEnv, say: (line: string) => void): DevService {
  let run = begin(environment, say);
  let changes: Promise<void> = Promise.resolve();

  function queue(change: () => Promise<void>): Promise<void> {
    changes = changes.then(change);
    return changes;
  }

  return {
    async whenReady() {
      await changes;
      return run.ready;
    },
    restart: () =>
      queue(async () => {
        await end(run);
        run = begin(environment, say);
        await run.ready.catch(() => {});
      }),
    stop: () => queue(() => end(run)),
  };
}

function begin(environment: NodeJS.ProcessEnv, say: (line: string) => void): Run {
  const child = spawn(process.execPath, ["--conditions=@sealpost/source", program, "serve"], {
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { promise: ready, resolve, reject } = Promise.withResolvers<Ready>();
  const run: Run = { child, ready, gone: once(child, "exit"), isStopping: false };
  let setupToken: string | undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    setupToken ??= /\/setup\?token=(\S+)/.exec(line)?.[1];
    // The line before the set-up address comes in the same write: its token is there a turn later.
    if (/ is ready at /.test(line)) setImmediate(() => resolve({ setupToken }));
    else if (setupToken === undefined || !line.includes(setupToken)) say(line);
  });
  ready.catch(() => {});
  run.gone.then(() => {
    reject(new Error("The service did not start: the terminal of npm run dev says why"));
    if (!run.isStopping)
      say(`The service ended with ${child.exitCode ?? child.signalCode}. It starts again at the next change`);
  });
  return run;
}

async function end(run: Run): Promise<void> {
  if (run.child.exitCode !== null || run.child.signalCode !== null) return;
  run.isStopping = true;
  run.child.kill("SIGTERM");
  const timer = setTimeout(() => run.child.kill("SIGKILL"), endMilliseconds);
  await run.gone;
  clearTimeout(timer);
}
