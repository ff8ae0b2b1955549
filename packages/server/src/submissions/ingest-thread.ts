import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { databaseUnavailable } from "../problems/problem.ts";
import { type PackedBatch, packBatch } from "./packed-batch.ts";
import type { BatchEntry, BatchResult } from "./write-batch.ts";

/** The thread's answer to a batch. `errcode` is SQLite's. */
export type IngestThreadAnswer =
  | { readonly result: BatchResult }
  | { readonly error: { readonly message: string; readonly errcode: number | undefined } };

export interface IngestThread {
  /** Writes a batch in a transaction of its own; durable when it resolves. One at a time. */
  write(entries: readonly BatchEntry[]): Promise<BatchResult>;
  /** Waits for the batch that is being written, and closes the thread's connection. */
  stop(): Promise<void>;
}

const threadEntry = new URL("./ingest-thread-entry.ts", import.meta.url);

/**
 * A thread with its own connection to the SQLite database in `dataFolder`, which waits for the disk while this one reads
 * and checks the next requests. It is started by the first batch, and again after it has died.
 */
export function createIngestThread(dataFolder: string, entry: URL = threadEntry): IngestThread {
  let worker: Worker | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  return {
    write(entries) {
      const answer = ask(entries);
      writing = answer.catch(() => undefined);
      return answer;
    },
    async stop() {
      await writing;
      if (worker === undefined) return;
      const ended = once(worker, "exit");
      worker.postMessage("stop");
      await ended;
    },
  };

  function ask(entries: readonly BatchEntry[]): Promise<BatchResult> {
    const current = worker ?? start();
    const packed: PackedBatch = packBatch(entries);
    return new Promise((resolve, reject) => {
      const onMessage = (answer: IngestThreadAnswer) => {
        current.off("exit", onExit);
        if ("result" in answer) resolve(answer.result);
        else reject(Object.assign(new Error(answer.error.message), { errcode: answer.error.errcode }));
      };
      const onExit = (code: number) => {
        current.off("message", onMessage);
        // Whether they were written is not known; the same ids again find out.
        const cause = new Error(`The thread that writes submissions ended with code ${code}`);
        reject(databaseUnavailable(cause));
      };
      current.once("message", onMessage);
      current.once("exit", onExit);
      current.postMessage(packed, [packed.bytes]);
    });
  }

  function start(): Worker {
    const started = new Worker(entry, { workerData: { dataFolder } });
    // The cause of its end is in the answer to its batch; the next one starts another.
    started.on("error", () => undefined);
    started.once("exit", () => {
      worker = undefined;
    });
    worker = started;
    return started;
  }
}
