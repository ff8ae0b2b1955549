/**
 * The thread that writes submissions and deliveries to the SQLite database. The thread that started it holds the database
 * meanwhile.
 */
import { workerData } from "node:worker_threads";
import { answerQuestions } from "../database/answer-questions.ts";
import { openSqlite } from "../database/database.ts";
import { createDeliveryStore } from "../deliveries/delivery-store.ts";
import { createTurnHandler, turnKind } from "../deliveries/delivery-thread.ts";
import { loadSecret } from "../instance/instance.ts";
import { createSecretBox } from "../instance/secret-box.ts";
import { batchKind, createBatchHandler } from "../submissions/ingest-thread.ts";
import { createSubmissionStore } from "../submissions/submission-store.ts";
import { writeBatch } from "../submissions/write-batch.ts";

const { dataFolder, secret } = workerData; // of `createSqliteWriter`
const database = openSqlite(dataFolder);
const submissions = createSubmissionStore(database);
const deliveries = createDeliveryStore(database, createSecretBox(loadSecret(secret, dataFolder)));

answerQuestions(
  {
    [batchKind]: createBatchHandler((entries) => writeBatch(submissions, database, entries)),
    [turnKind]: createTurnHandler(deliveries),
  },
  () => database.destroy(),
);
