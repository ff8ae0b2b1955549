import type { KeyAnswer } from "./key-server.ts";
import { KeyLockedError, type KeyWorker } from "./key-worker.ts";
import type { AskPasskey } from "./passkey-prf.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

/** As much of a `Worker` as is used. */
export interface WorkerThread {
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(message: ToWorker): void;
  terminate(): void;
}

interface Waiting {
  readonly askPasskey: AskPasskey;
  readonly resolve: (answer: KeyAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** The page's side of a worker in which `serveKeyWorker` runs. `toError`: the error with which everything rejects once the worker has failed. */
export function createKeyWorker(worker: WorkerThread, toError: (event: ErrorEvent) => Error): KeyWorker {
  const waiting = new Map<string, Waiting>();
  let ended: Error | undefined;
  const post = (message: ToWorker) => worker.postMessage(message);

  function end(error: Error): void {
    ended ??= error;
    worker.terminate();
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  /** The worker learns only that no passkey was used; the sender of the request gets the reason. */
  async function answerPasskey(id: string, requestId: string, nonce: Uint8Array): Promise<void> {
    const request = waiting.get(requestId);
    if (request === undefined) return;
    try {
      post({ kind: "passkey", id, secrets: await request.askPasskey(nonce) });
    } catch (error) {
      waiting.delete(requestId);
      request.reject(error);
      post({ kind: "passkey", id, secrets: undefined });
    }
  }

  worker.onmessage = ({ data }) => {
    if (data.kind === "passkey") return void answerPasskey(data.id, data.requestId, data.nonce);
    waiting.get(data.id)?.resolve(data.answer);
    waiting.delete(data.id);
  };
  worker.onerror = (event) => end(toError(event));
  return {
    ask: (request, askPasskey = noPasskey) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended);
        const id = crypto.randomUUID();
        waiting.set(id, { askPasskey, resolve, reject });
        post({ kind: "request", id, request });
      }),
    end: () => end(new KeyLockedError()),
  };
}

function noPasskey(): Promise<never> {
  return Promise.reject(new Error("No passkey can be asked for here"));
}
