import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import type { NewEvent } from "./event.ts";
import { type BodyRow, encodeBody, readBody } from "./event-body.ts";

const event = {
  kind: "submission.deleted",
  formId: createId("form", 0),
  formName: "Kontakt – Zoë",
  occurredAt: 1_704_067_200_000,
} as const satisfies Omit<NewEvent, "content">;
const content = { submission: { id: createId("submission", 0) } };
const text = (more: Pick<Partial<NewEvent>, "isTest">) =>
  Buffer.from(encodeBody({ ...event, content, ...more })).toString("utf8");

test("a body is the event, its time, its form, and then its content, in this order", () => {
  assert.equal(
    text({}),
    `{"event":"submission.deleted","timestamp":1704067200000,"form":{"id":"${event.formId}","name":"Kontakt – Zoë"},"submission":{"id":"${content.submission.id}"}}`,
  );
});

test("a test says so, and nothing else does", () => {
  assert.equal(JSON.parse(text({ isTest: true })).test, true);
  assert.ok(!("test" in JSON.parse(text({}))));
});

const row: BodyRow = {
  kind: "submission.created",
  form_id: event.formId,
  occurred_at: 1_704_067_200_000,
  submission_id: content.submission.id,
  body: null,
  body_layout: 1,
  form_name: "Kontakt – Zoë",
  key_version: 3,
  version: "sp1",
  data: Uint8Array.of(1, 2, 3),
  key: Uint8Array.of(4),
  iv: Uint8Array.of(5, 6),
  fields: null,
  timestamp: 7,
  received_at: 1_704_067_200_000,
};
const read = (more: Partial<BodyRow>) => {
  const body = readBody({ ...row, ...more });
  return body && Buffer.from(body).toString("utf8");
};
const head = `{"event":"submission.created","timestamp":1704067200000,"form":{"id":"${event.formId}","name":"Kontakt – Zoë"},"submission":{"id":"${content.submission.id}","payload":`;
const tail = `,"keyVersion":3,"timestamp":7,"receivedAt":1704067200000}}`;

test("layout 1: these rows are these bytes, for ever", () => {
  assert.equal(read({}), `${head}{"encrypted":true,"version":"sp1","data":"AQID","key":"BA==","iv":"BQY="}${tail}`);
  const fields = '{"b":"\\u0000😀","2":[1e21,{"a":null}],"1":-0.5}';
  const plain = { version: "plain1", data: null, key: null, iv: null, fields };
  assert.equal(
    read(plain),
    `${head}{"encrypted":false,"version":"plain1","fields":{"1":-0.5,"2":[1e+21,{"a":null}],"b":"\\u0000😀"}}${tail}`,
  );
});

test("bytes that an event holds are its body, whatever its submission's row says", () => {
  assert.equal(read({ body: Buffer.from("older") }), "older");
});

test("a wiped event has no body, nor has one whose row is gone; a layout from the future is an error", () => {
  assert.equal(read({ body_layout: null }), undefined);
  assert.equal(read({ version: null, data: null, key: null, iv: null }), undefined);
  assert.throws(() => read({ body_layout: 2 }), /layout 2/);
});
