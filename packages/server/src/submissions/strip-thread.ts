import { Worker } from "node:worker_threads";
import type { Fields } from "@sealpost/wire";
import { Problem } from "../problems/problem.ts";
import { createFairQueue, type FairQueue } from "../rate-limits/fair-queue.ts";
import type { StripOptions, StripThreadAnswer, StripThreadQuestion } from "./strip-question.ts";

/** Whose form it is, and a visitor's network at that form: accounts get turns, and within one its parts. */
interface Visitor {
  readonly accountId: string;
  readonly part: string;
}

export interface StripThread {
  /** Strips in the thread, one submission at a time. Throws rather than let anything through. */
  strip(visitor: Visitor, fields: Fields, options: StripOptions): Promise<Fields>;
  stop(): Promise<void>;
}

export interface StripThreadOptions {
  readonly entry?: URL;
  /** More than the worst text takes on a slow machine. What takes longer is refused, and the thread is ended. */
  readonly workMillisecondsMax?: number;
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
  queue = createFairQueue(queueOptions),
}: StripThreadOptions = {}): StripThread {
  let worker: Worker | undefined;

  return {
    strip: ({ accountId, part }, fields, options) =>
      queue.run({ accountId, personId: undefined }, () => ask({ fields: JSON.stringify(fields), options }), part),
    async stop() {
      await worker?.terminate();
    },
  };

  function ask(question: StripThreadQuestion): Promise<Fields> {
    const current = worker ?? start();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => current.terminate(), workMillisecondsMax);
      const onMessage = (answer: StripThreadAnswer) => {
        settle();
        if ("fields" in answer) resolve(JSON.parse(answer.fields));
        else reject(new Error(`Personal data could not be stripped: ${answer.failed}`));
      };
      const onExit = (code: number) => {
        settle();
        const cause = new Error(`The thread that strips personal data ended with code ${code}`);
        reject(new Problem("unavailable", "The submission took too long to check", { retryAfter: 60, cause }));
      };
      const settle = () => {
        clearTimeout(timer);
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
