import { copyOperations } from "../copy-operations.ts";
import type { KeyWorker } from "../key-worker.ts";
import { serveKeyWorker } from "../serve-key-worker.ts";
import { createKeyWorker, type WorkerThread } from "../worker-client.ts";
import type { FromWorker, ToWorker } from "../worker-messages.ts";

/** As much of a test as this needs. */
interface TestScope {
  after(end: () => void): void;
}

export interface PlayedWorker {
  readonly worker: KeyWorker;
  /** Everything that went through between page and worker, as `structuredClone` gave it. */
  readonly messages: readonly (ToWorker | FromWorker)[];
  readonly isEnded: () => boolean;
  /** The browser says that the worker has failed. */
  readonly fail: (message: string) => void;
}

/** The worker's program and the page's side of it, with the messages between them cloned as a browser clones them. Ends with the test. */
export function playWorker(t: TestScope): PlayedWorker {
  const { port1, port2 } = new MessageChannel();
  const messages: (ToWorker | FromWorker)[] = [];
  let isEnded = false;
  const scope: Parameters<typeof serveKeyWorker>[0] = {
    onmessage: null,
    postMessage: (data) => port2.postMessage(data),
  };
  const thread: WorkerThread = {
    onmessage: null,
    onerror: null,
    postMessage: (data) => port1.postMessage(data),
    terminate() {
      isEnded = true;
      port1.close();
    },
  };
  port1.onmessage = (event: MessageEvent<FromWorker>) => {
    messages.push(event.data);
    thread.onmessage?.(event);
  };
  port2.onmessage = (event: MessageEvent<ToWorker>) => {
    messages.push(event.data);
    scope.onmessage?.(event);
  };
  serveKeyWorker(scope, copyOperations);
  const worker = createKeyWorker(thread, ({ message }) => new Error(message));
  t.after(() => worker.end());
  return {
    worker,
    messages,
    isEnded: () => isEnded,
    fail: (message) => thread.onerror?.({ message } as ErrorEvent), // as much of it as is read
  };
}
