import { startWorker } from "./trusted-types.ts";
import { toWorkerError } from "./worker-error.ts";

/** The answer of a worker that is started for this one request, and ended with it. */
export function askWorker<Request, Answer>(url: string, request: Request): Promise<Answer> {
  const worker = startWorker(url);
  return new Promise<Answer>((resolve, reject) => {
    worker.onmessage = (event: MessageEvent<Answer>) => resolve(event.data);
    worker.onerror = (event) => reject(toWorkerError(event, "The worker for key files ended with an error"));
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}
