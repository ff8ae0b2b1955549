import { startWorker } from "../ui/trusted-types.ts";

/** The answer of a worker that is started for this one request, and ended with it. */
export function askWorker<Request, Answer>(url: string, request: Request): Promise<Answer> {
  const worker = startWorker(url);
  return new Promise<Answer>((resolve, reject) => {
    worker.onmessage = (event: MessageEvent<Answer>) => resolve(event.data);
    worker.onerror = () => reject(new Error("The worker for key files did not start"));
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}
