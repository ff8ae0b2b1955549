import { createKeyWorker, type KeyWorker } from "@sealpost/vault";
import { startWorker } from "../browser/trusted-types.ts";
import { toWorkerError } from "../browser/worker-error.ts";
import workerUrl from "./personal-key-worker.ts?worker&url";

export function startKeyWorker(): KeyWorker {
  return createKeyWorker(startWorker(workerUrl), (event) =>
    toWorkerError(event, "The worker for your key ended with an error"),
  );
}
