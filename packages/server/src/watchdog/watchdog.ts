import inspector from "node:inspector";
import { Worker } from "node:worker_threads";
import { beats, isDebugged, type Pulse, type WatchdogData } from "./pulse.ts";

export interface Watchdog {
  stop(): Promise<void>;
}

/** Far longer than anything that the service does in one go; visitors' pages have given up before. */
const limitMillisecondsDefault = 30_000;
const looksInLimit = 10;

/**
 * Ends this process with `stoodStill` when its event loop has stood still for so long: then nothing is answered, no signal is
 * heard, and only a new process helps. Whatever started the service (systemd, a container, `--processes`) starts it again.
 * systemd's own `WatchdogSec` would need a library to speak to it, and would help nobody else.
 */
export function startWatchdog(limitMilliseconds: number = limitMillisecondsDefault): Watchdog {
  const lookMilliseconds = limitMilliseconds / looksInLimit;
  const pulse: Pulse = new Int32Array(new SharedArrayBuffer(8));
  const beat = () => {
    Atomics.add(pulse, beats, 1);
    Atomics.store(pulse, isDebugged, inspector.url() === undefined ? 0 : 1);
  };
  beat();
  const timer = setInterval(beat, lookMilliseconds);
  timer.unref();
  const workerData: WatchdogData = { pulse, limitMilliseconds, lookMilliseconds };
  const thread = new Worker(new URL("./watchdog-thread-entry.ts", import.meta.url), { workerData });
  thread.unref();
  return {
    async stop() {
      clearInterval(timer);
      await thread.terminate();
    },
  };
}
