/**
 * The thread that writes submissions and deliveries to the SQLite database. The thread that started it holds the database
 * meanwhile.
 */
import { workerData } from "node:worker_threads";
import { answerQuestions } from "../database/answer-questions.ts";
import { openOwnSqlite } from "../database/open-sqlite.ts";
import { createDeliveryStore } from "../deliveries/delivery-store.ts";
import { createTurnHandler, turnKind } from "../deliveries/delivery-thread.ts";
import { createKeyRing } from "../instance/key-ring.ts";
import { createKeyHandler, keysKind } from "../instance/ring-thread.ts";
import { createSecretBox } from "../instance/secret-box.ts";
import { batchKind, createBatchHandler } from "../submissions/ingest-thread.ts";
import { createSubmissionStore } from "../submissions/submission-store.ts";
import { writeBatch } from "../submissions/write-batch.ts";

const { dataFolder, secrets, activeNumber } = workerData; // of `createSqliteWriter`
const database = openOwnSqlite(dataFolder);
const keyRing = createKeyRing(secrets, activeNumber);
const submissions = createSubmissionStore(database);
const deliveries = createDeliveryStore(database, createSecretBox(keyRing));

answerQuestions(
  {
    [batchKind]: createBatchHandler((entries) => writeBatch(submissions, database, entries)),
    [turnKind]: createTurnHandler(deliveries),
    [keysKind]: createKeyHandler(keyRing),
  },
  () => database.destroy(),
);
