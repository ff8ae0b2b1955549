import assert from "node:assert/strict";
import { createId, seal } from "@sealpost/wire";
import { takeKeyPair } from "../../../../../tests/support/key-pairs.ts";
import { findBodies } from "../../outbox/event-body.ts";
import type { TestAccount, TestService } from "../../testing/test-service.ts";

/** One pair for all tests of a file: making one takes a second. */
export const pair = takeKeyPair();

/** For forms with a webhook URL whose deliveries are to stay in the queue: its name never resolves, so nothing is sent. */
export const silentWebhooks = { resolve: () => Promise.reject(new Error("no such name")) };
export const webhookUrl = "https://hooks.example.com/sealpost";

export async function createForm(account: TestAccount, settings: object = {}, name: string = createId("form")) {
  const { status, body } = await account.request("POST", "/api/forms", {
    name,
    settings,
    publicKey: pair.publicKey,
  });
  assert.equal(status, 200, JSON.stringify(body));
  return body.form.id as `form_${string}`; // ids of forms look like this
}

/** Posts a plain submission to a form without encryption, and returns its id. */
export async function postPlain(service: TestService, formId: string, fields: object = {}): Promise<string> {
  const { status, body } = await service.request("POST", `/api/forms/${formId}/submissions`, {
    body: { payload: { encrypted: false, version: "plain1", fields } },
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.submission.id;
}

/** A submission as the embed posts it. */
export async function sealSubmission(formId: `form_${string}`, keyVersion = 1, publicKey = pair.publicKey) {
  const id = createId("submission");
  const payload = await seal({ message: "hello" }, { formId, keyVersion, submissionId: id }, publicKey);
  return { id, keyVersion, payload, timestamp: 1_700_000_000_000 };
}

/** The bodies of the form's events of one kind, in the order in which they were recorded; null for a wiped one. */
export async function listEvents({ database }: TestService, formId: string, kind: string) {
  const rows = await database
    .selectFrom("event")
    .select("id")
    .where("form_id", "=", formId)
    .where("kind", "=", kind)
    .orderBy("occurred_at")
    .orderBy("id")
    .execute();
  const ids = rows.map(({ id }) => id);
  const bodies = ids.length === 0 ? new Map() : await findBodies(database, formId, ids);
  return ids.map((id) => JSON.parse(Buffer.from(bodies.get(id) ?? []).toString() || "null"));
}
