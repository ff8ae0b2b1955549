import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { encodeBody, type NewEvent } from "./record-events.ts";

const event = {
  kind: "submission.deleted",
  formId: createId("form", 0),
  formName: "Kontakt – Zoë",
  occurredAt: 1_704_067_200_000,
} as const satisfies Omit<NewEvent, "content">;
const content = { submission: { id: createId("submission", 0) } };
const text = (more: Partial<NewEvent>) => Buffer.from(encodeBody({ ...event, content, ...more })).toString("utf8");

test("a body is the event, its time, its form, and then its content, in this order", () => {
  assert.equal(
    text({}),
    `{"event":"submission.deleted","timestamp":1704067200000,"form":{"id":"${event.formId}","name":"Kontakt – Zoë"},"submission":{"id":"${content.submission.id}"}}`,
  );
});

test("content that is only made when somebody listens is in the body as well", () => {
  assert.equal(text({ content: () => content }), text({}));
});

test("a test says so, and nothing else does", () => {
  assert.equal(JSON.parse(text({ isTest: true })).test, true);
  assert.ok(!("test" in JSON.parse(text({}))));
});
