import { Worker } from "node:worker_threads";
import type { Fields } from "@sealpost/wire";
import { Problem } from "../problems/problem.ts";
import type { Work } from "../rate-limits/fair-line.ts";
import { createFairQueue, type FairQueue } from "../rate-limits/fair-queue.ts";
import type { StripOptions, StripThreadAnswer, StripThreadQuestion } from "./strip-question.ts";

/** Whose form it is, and what is asked for at which of their forms. */
interface Visitor extends Work {
  readonly accountId: string;
}

export interface StripThread {
  /**
   * Strips in the thread, one submission at a time. Throws rather than let anything through, and when nobody waits any more: then the thread
   * ends, unless it is done before that would be worth a start.
   */
  strip(visitor: Visitor, fields: Fields, options: StripOptions): Promise<Fields>;
  stop(): Promise<void>;
}

export interface StripThreadOptions {
  readonly entry?: URL;
  /** More than the worst text takes on a slow machine. What takes longer is refused, and the thread is ended. */
  readonly workMillisecondsMax?: number;
  /** More than a start takes on a slow machine: what nobody waits for any more has this time from its beginning. */
  readonly startMillisecondsMax?: number;
  readonly queue?: FairQueue;
}

const threadEntry = new URL("./strip-thread-entry.ts", import.meta.url);

/** Each waiting one is at most 1 MiB. */
const queueOptions = {
  runningMax: 1,
  waitingMax: 32,
  waitingMaxOfOne: 8,
  message: "Too many long texts are being checked for personal data at this moment. Please try again.",
  retrySeconds: 10,
} as const;

/**
 * A thread that strips personal data from long texts, which takes up to seconds, while this one keeps answering. It is
 * started by the first, and again after it has died. Fields travel as JSON, which keeps every name, `__proto__` too.
 */
export function createStripThread({
  entry = threadEntry,
  workMillisecondsMax = 30_000,
  startMillisecondsMax = 1_000,
  queue = createFairQueue(queueOptions),
}: StripThreadOptions = {}): StripThread {
  let worker: Worker | undefined;

  return {
    strip({ accountId, ...about }, fields, options) {
      const work = () => ask({ fields: JSON.stringify(fields), options }, about.gone);
      return queue.run({ accountId, personId: undefined }, work, about);
    },
    async stop() {
      await worker?.terminate();
    },
  };

  function ask(question: StripThreadQuestion, gone: AbortSignal | undefined): Promise<Fields> {
    if (gone?.aborted) return Promise.reject(putOff(new Error("The client closed the connection")));
    const current = worker ?? start();
    return new Promise((resolve, reject) => {
      const end = () => void current.terminate();
      const timer = setTimeout(end, workMillisecondsMax);
      let hasHadTime = false;
      const startTime = setTimeout(() => {
        hasHadTime = true;
        if (gone?.aborted) end();
      }, startMillisecondsMax);
      // Its rest would keep the others waiting for nothing, but so would the start of the next thread.
      const leave = () => {
        if (hasHadTime) end();
      };
      gone?.addEventListener("abort", leave, { once: true });
      const onMessage = (answer: StripThreadAnswer) => {
        settle();
        if (gone?.aborted) reject(putOff(new Error("The client closed the connection")));
        else if ("fields" in answer) resolve(JSON.parse(answer.fields));
        else reject(new Error(`Personal data could not be stripped: ${answer.failed}`));
      };
      const onExit = (code: number) => {
        settle();
        const cause = new Error(`The thread that strips personal data ended with code ${code}`);
        reject(putOff(cause));
      };
      const settle = () => {
        clearTimeout(timer);
        clearTimeout(startTime);
        gone?.removeEventListener("abort", leave);
        current.off("message", onMessage);
        current.off("exit", onExit);
      };
      current.on("message", onMessage);
      current.on("exit", onExit);
      current.postMessage(question);
    });
  }

  function start(): Worker {
    const started = new Worker(entry);
    // It keeps no process alive: who waits for it is an open request.
    started.unref();
    // The cause of its end is in the answer to its request; the next one starts another.
    started.on("error", () => undefined);
    started.once("exit", () => {
      worker = undefined;
    });
    worker = started;
    return started;
  }
}

function putOff(cause: Error): Problem {
  return new Problem("unavailable", "The submission took too long to check", { retryAfter: 60, cause });
}
