import { parentPort } from "node:worker_threads";
import { isDatabaseUnavailable } from "./errors.ts";
import type { Parcel, ThreadAnswer, ThreadError, ThreadQuestion } from "./writer-thread.ts";

/** Answers a question of one kind. Its content is what the asker packed. */
export type ThreadHandler = (content: never) => Promise<Parcel<unknown>>;

/** The other side of `createWriterThread`: answers one question after the other, until it is stopped. */
export function answerQuestions(handlers: Readonly<Record<string, ThreadHandler>>, close: () => Promise<void>): void {
  let last: Promise<void> = Promise.resolve();
  parentPort?.on("message", (message: ThreadQuestion | "stop") => {
    last = last.then(async () => {
      if (message !== "stop") return answer(handlers, message);
      await close();
      parentPort?.close();
    });
  });
}

async function answer(
  handlers: Readonly<Record<string, ThreadHandler>>,
  { number, kind, content }: ThreadQuestion,
): Promise<void> {
  try {
    const handle = handlers[kind];
    if (handle === undefined) throw new Error(`Nothing in the thread answers ${kind}`);
    const parcel = await handle(content as never); // packed for the handler of this kind
    parentPort?.postMessage({ number, content: parcel.content } satisfies ThreadAnswer, [...parcel.transfer]);
  } catch (error) {
    parentPort?.postMessage({ number, error: toThreadError(error) } satisfies ThreadAnswer);
  }
}

function toThreadError(error: unknown): ThreadError {
  if (!(error instanceof Error)) return { message: `not an error: ${typeof error}`, members: {}, isUnavailable: false };
  // Absent stays absent: which of them is there tells what the error is of.
  const members = Object.entries(error).filter(([name]) => name === "code" || name === "errcode");
  const isUnavailable = isDatabaseUnavailable(error);
  return { message: error.message, members: Object.fromEntries(members), isUnavailable };
}
