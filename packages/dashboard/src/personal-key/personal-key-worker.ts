import { createKeyServer } from "../vault/key-server.ts";
import type { PasskeySecrets } from "../vault/passkey-prf.ts";
import type { FromWorker, ToWorker } from "../vault/worker-messages.ts";
import { operations } from "./operations.ts";

const serve = createKeyServer(operations);
const asked = new Map<string, { resolve(secrets: PasskeySecrets): void; reject(error: Error): void }>();

function post(message: FromWorker): void {
  self.postMessage(message);
}

/** The page asks its person, and answers with the same id. */
function askPasskey(requestId: string, nonce: Uint8Array): Promise<PasskeySecrets> {
  const id = crypto.randomUUID();
  return new Promise((resolve, reject) => {
    asked.set(id, { resolve, reject });
    post({ kind: "passkey", id, requestId, nonce });
  });
}

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
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
