/** The thread of `createIngestThread`. It writes; the thread that started it holds the database meanwhile. */
import { parentPort, workerData } from "node:worker_threads";
import { openSqlite } from "../database/database.ts";
import type { IngestThreadAnswer } from "./ingest-thread.ts";
import { type PackedBatch, unpackBatch } from "./packed-batch.ts";
import { createSubmissionStore } from "./submission-store.ts";
import { writeBatch } from "./write-batch.ts";

const database = openSqlite(workerData.dataFolder);
const submissions = createSubmissionStore(database);

async function answer(packed: PackedBatch): Promise<IngestThreadAnswer> {
  try {
    return { result: await writeBatch(submissions, database, unpackBatch(packed)) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const errcode = "errcode" in error && typeof error.errcode === "number" ? error.errcode : undefined;
    return { error: { message: error.message, errcode } };
  }
}

parentPort?.on("message", async (message: PackedBatch | "stop") => {
  if (message !== "stop") {
    parentPort?.postMessage(await answer(message));
    return;
  }
  await database.destroy();
  parentPort?.close();
});
