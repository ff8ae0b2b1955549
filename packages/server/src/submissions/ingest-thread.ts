import type { Parcel, WriterThread } from "../database/writer-thread.ts";
import { type PackedBatch, packBatch, unpackBatch } from "./packed-batch.ts";
import type { BatchEntry, BatchResult } from "./write-batch.ts";

/** The name of the thread's handler. */
export const batchKind = "submissions";

/** Writes a batch in a transaction of its own; durable when it resolves. */
export type WriteInThread = (entries: readonly BatchEntry[]) => Promise<BatchResult>;

/** Writes in the thread, which waits for the disk while this one reads and checks the next requests. */
export function createWriteInThread(thread: WriterThread): WriteInThread {
  return (entries) =>
    thread.ask(batchKind, () => {
      const content: PackedBatch = packBatch(entries);
      return { content, transfer: [content.bytes] };
    });
}

/** The thread's side. */
export function createBatchHandler(write: WriteInThread): (packed: PackedBatch) => Promise<Parcel<BatchResult>> {
  return async (packed) => ({ content: await write(unpackBatch(packed)), transfer: [] });
}
