import { startWorker } from "../browser/trusted-types.ts";
import { toWorkerError } from "../browser/worker-error.ts";
import type { KeyAnswer } from "../vault/key-server.ts";
import { KeyLockedError, type KeyWorker } from "../vault/key-worker.ts";
import type { AskPasskey } from "../vault/passkey-prf.ts";
import type { FromWorker, ToWorker } from "../vault/worker-messages.ts";
import workerUrl from "./personal-key-worker.ts?worker&url";

interface Waiting {
  readonly askPasskey: AskPasskey;
  readonly resolve: (answer: KeyAnswer) => void;
  readonly reject: (error: unknown) => void;
}

export function startKeyWorker(): KeyWorker {
  const worker = startWorker(workerUrl);
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

  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === "passkey") return void answerPasskey(data.id, data.requestId, data.nonce);
    waiting.get(data.id)?.resolve(data.answer);
    waiting.delete(data.id);
  };
  worker.onerror = (event) => end(toWorkerError(event, "The worker for your key ended with an error"));
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
