import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { databaseUnavailable } from "../problems/problem.ts";
import { rememberUnavailable } from "./errors.ts";

/** Something that travels to the thread or back; the buffers change hands without being copied. */
export interface Parcel<Content> {
  readonly content: Content;
  readonly transfer: readonly ArrayBuffer[];
}

export interface ThreadQuestion {
  readonly number: number;
  readonly kind: string;
  readonly content: unknown;
}

/** An error as it crosses the border: what tells its class (`database/errors.ts`). */
export interface ThreadError {
  readonly message: string;
  readonly members: Readonly<Record<string, unknown>>;
  /** Its members do not say where it came from. */
  readonly isUnavailable: boolean;
}

export type ThreadAnswer =
  | { readonly number: number; readonly content: unknown }
  | { readonly number: number; readonly error: ThreadError };

/** A thread with its own connection to the database. */
export interface WriterThread {
  /**
   * Asks the thread's handler of this kind; rejects with its error, or as an unavailable database when the thread dies, and
   * then nobody knows what was written. `pack` is given the number of the thread, which another one after it does not have.
   */
  ask<Answer>(kind: string, pack: (thread: number) => Parcel<unknown>): Promise<Answer>;
  /** Whether a thread runs. One that starts later begins with what `createData` gives then. */
  isRunning(): boolean;
  /** Waits for what was asked, and closes the thread's connection. */
  stop(): Promise<void>;
}

interface Waiting {
  readonly resolve: (content: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The thread is started by the first question, and again after it has died. Its entry calls `answerQuestions`. */
export function createWriterThread(entry: URL, createData: () => object): WriterThread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let asked = 0;
  let started = 0;
  let whenIdle: (() => void) | undefined;

  return {
    ask<Answer>(kind: string, pack: (thread: number) => Parcel<unknown>) {
      const current = worker ?? start();
      const { content, transfer } = pack(started);
      const number = asked++;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.set(number, { resolve, reject });
      current.postMessage({ number, kind, content } satisfies ThreadQuestion, transfer);
      return promise as Promise<Answer>; // by the handler of this kind
    },
    isRunning: () => worker !== undefined,
    async stop() {
      if (waiting.size > 0) await new Promise<void>((resolve) => (whenIdle = resolve));
      if (worker === undefined) return;
      const ended = once(worker, "exit");
      worker.postMessage("stop");
      await ended;
    },
  };

  function start(): Worker {
    const thread = new Worker(entry, { workerData: createData() });
    // The cause of its end is in the answers to what it was asked; the next question starts another.
    thread.on("error", () => undefined);
    thread.on("message", settle);
    thread.once("exit", (code) => {
      worker = undefined;
      for (const number of [...waiting.keys()])
        take(number)?.reject(databaseUnavailable(new Error(`The thread that writes ended with code ${code}`)));
    });
    worker = thread;
    started += 1;
    return thread;
  }

  function settle(answer: ThreadAnswer): void {
    const asker = take(answer.number);
    if ("error" in answer) asker?.reject(toError(answer.error));
    else asker?.resolve(answer.content);
  }

  function take(number: number): Waiting | undefined {
    const asker = waiting.get(number);
    waiting.delete(number);
    if (waiting.size === 0) whenIdle?.();
    return asker;
  }
}

function toError({ message, members, isUnavailable }: ThreadError): Error {
  const error = Object.assign(new Error(message), members);
  if (isUnavailable) rememberUnavailable(error);
  return error;
}
