import { createKeyServer, type Operation } from "./key-server.ts";
import type { PasskeySecrets } from "./passkey-prf.ts";
import type { FromWorker, ToWorker } from "./worker-messages.ts";

/** As much of a worker's global scope as is used. */
export interface WorkerScope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
}

/** The program of the worker that holds the personal key: answers a page, which has `createKeyWorker`. */
export function serveKeyWorker(scope: WorkerScope, operations: Readonly<Record<string, Operation>>): void {
  const serve = createKeyServer(operations);
  const asked = new Map<string, { resolve(secrets: PasskeySecrets): void; reject(error: Error): void }>();
  const post = (message: FromWorker) => scope.postMessage(message);

  /** The page asks its person, and answers with the same id. */
  function askPasskey(requestId: string, nonce: Uint8Array): Promise<PasskeySecrets> {
    const id = crypto.randomUUID();
    return new Promise((resolve, reject) => {
      asked.set(id, { resolve, reject });
      post({ kind: "passkey", id, requestId, nonce });
    });
  }

  scope.onmessage = async ({ data }) => {
    if (data.kind === "request") {
      const { id, request } = data;
      post({ kind: "answer", id, answer: await serve(request, (nonce) => askPasskey(id, nonce)) });
      return;
    }
    const question = asked.get(data.id);
    asked.delete(data.id);
    if (data.secrets === undefined) question?.reject(new Error("No passkey was used"));
    else question?.resolve(data.secrets);
  };
}
