import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { takeKeyPair } from "../../../../../tests/support/key-pairs.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { createTestService } from "../../testing/test-service.ts";
import { type Answer, type Authority, createAuthority, startReceiver } from "../../webhooks/testing/receiver.ts";
import type { Resolve } from "../../webhooks/webhook-target.ts";
import type { Completion } from "../claim.ts";
import type { WorkerSignal } from "../delivery-worker.ts";

let authority: Promise<Authority> | undefined;

/** A whole service, an account's form, and a real receiver at its webhook URL. */
export async function createWebhookService(
  t: TestContext,
  {
    answer,
    settings = {},
    folder,
    resolve,
  }: { answer?: Answer; settings?: object; folder?: string; resolve?: Resolve } = {},
) {
  authority ??= createAuthority();
  const { good, ca } = await authority;
  const keys = takeKeyPair();
  const receiver = await startReceiver(t, { certificate: good, ...(answer && { answer }) });
  const clock = createFakeClock();
  const listeners = new Set<(signal: WorkerSignal) => void>();
  const observe = (signal: WorkerSignal) => {
    for (const listener of listeners) listener(signal);
  };
  const service = await createTestService(t, {
    clock,
    deliveries: { ca, observe, ...(resolve && { resolve }) },
    // Attempts are days apart, and nobody uses the session meanwhile.
    environment: { SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8", SEALPOST_SESSION_IDLE_MINUTES: "525600" },
    ...(folder !== undefined && { folder }),
  });
  const account = await service.signUp();
  const created = await account.request("POST", "/api/forms", {
    name: "Contact",
    publicKey: keys.publicKey,
    settings: { webhookUrl: receiver.url, ...settings },
  });
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const formId: string = created.body.form.id;
  const path = (rest: string) => `/api/forms/${formId}/${rest}`;
  /** Resolves when the next request that the worker makes, from now on, has ended and is stored: any, or one that ended so. */
  const requestEnded = (isAwaited: (completion: Completion) => boolean = () => true) =>
    new Promise<void>((resolve) => {
      const listener = (signal: WorkerSignal) => {
        // Where the clock was set ahead meanwhile, the lease was over: nothing was sent, and it comes again.
        if (signal.kind !== "request_ended" || signal.completion.isUnsent || !isAwaited(signal.completion)) return;
        listeners.delete(listener);
        resolve();
      };
      listeners.add(listener);
    });
  return { service, account, keys, receiver, clock, formId, path, requestEnded };
}
