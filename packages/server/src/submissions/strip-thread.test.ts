import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { stripPii } from "@sealpost/pii";
import { createId, type Fields } from "@sealpost/wire";
import { createForm } from "../forms/testing/test-form.ts";
import { Problem } from "../problems/problem.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { createTestService } from "../testing/test-service.ts";
import { isLongerThan } from "./strip-fields.ts";
import { createStripThread, type StripThreadOptions } from "./strip-thread.ts";

function start(t: TestScope, options: StripThreadOptions = {}) {
  const thread = createStripThread(options);
  t.after(() => thread.stop());
  return thread;
}

const visitor = { accountId: createId("account", 0), part: "form", networks: ["192.0.2.1/24", "192.0.2.1"] };

/** A module that the thread runs instead of its own. */
const module = (source: string) => new URL(`data:text/javascript,${encodeURIComponent(source)}`);

/** Half of what fits into a submission, all of it to be stripped: a second's work and more. */
const numbers = "212-555-0147 ".repeat(5_041);
const long: Fields = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`text${index}`, numbers]));

test("a long text is stripped in the thread as it would be here, names that no object has included", async (t) => {
  const fields = JSON.parse(
    `{"__proto__":"a@b.co","2":1,"1":{"constructor":["212-555-0147",null,true,0.5]},"email":"a@b.co"}`,
  );
  const stripped = await start(t).strip(visitor, fields, {});
  assert.equal(JSON.stringify(stripped), JSON.stringify(stripPii(fields).fields));
  assert.doesNotMatch(JSON.stringify(stripped), /0147|b\.co/);
});

test("the service keeps answering while long plain submissions are stripped, and stores none of the stripped data", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const settings = { encryption: false, piiStrip: true };
  const { body } = await account.request("POST", "/api/forms", { name: "Plain", settings });
  const path = `/api/forms/${body.form.id}/submissions`;
  const post = (fields: Fields) =>
    service.request("POST", path, { body: { payload: { encrypted: false, version: "plain1", fields } } });
  const order: string[] = [];
  const slow = post(long).then((answer) => {
    order.push("long");
    return answer;
  });
  // As many as there is time for: on one thread not a single one would be answered before the long one.
  for (let count = 0; count < 3; count++) {
    const quick = await post({ note: "call 212-555-0147" });
    assert.equal(quick.status, 201);
    order.push("short");
  }
  assert.equal((await slow).status, 201);
  assert.deepEqual(order, ["short", "short", "short", "long"]);
  const list = await account.request("GET", path);
  assert.equal(list.body.total, 4);
  // Not the ids and times, which may have any digits.
  const fields = list.body.submissions.map((submission: { payload: { fields: Fields } }) => submission.payload.fields);
  assert.doesNotMatch(JSON.stringify(fields), /555/);
});

test("a form's types and country hold for what is stripped here and for what is stripped in the thread", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const settings = { encryption: false, piiStrip: true, piiTypes: ["PHONE_NUMBER"], country: "DE" };
  const { body } = await account.request("POST", "/api/forms", { name: "Plain", settings });
  const path = `/api/forms/${body.form.id}/submissions`;
  const note = "a@b.co, Tel. 030 901820, ";
  for (const text of [note, note.repeat(500)]) {
    const payload = { encrypted: false, version: "plain1", fields: { note: text } };
    const posted = await service.request("POST", path, { body: { payload } });
    const { submission } = (await account.request("GET", `${path}/${posted.body.submission.id}`)).body;
    assert.match(submission.payload.fields.note, /a@b\.co/);
    assert.doesNotMatch(submission.payload.fields.note, /901820/);
  }
});

test("what takes too long to strip, or ends the thread, is refused, and the next one has a new thread", async (t) => {
  const endless = module(
    `import { parentPort } from "node:worker_threads"; parentPort.on("message", (m) => { if (m.fields.includes("endless")) for (;;); if (m.fields.includes("exit")) process.exit(3); parentPort.postMessage({ fields: m.fields }); });`,
  );
  // Its time passes for the first alone: to start a thread may take long.
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const thread = start(t, { entry: endless, workMillisecondsMax: 500 });
  const isPutOff = (error: unknown) => error instanceof Problem && error.status === 503;
  let isOver = false;
  const refused = assert.rejects(thread.strip(visitor, { a: "endless" }, {}), isPutOff).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await setImmediate();
    t.mock.timers.tick(500);
  }
  await refused;
  await assert.rejects(thread.strip(visitor, { a: "exit" }, {}), isPutOff);
  assert.deepEqual(await thread.strip(visitor, { a: "b" }, {}), { a: "b" });
});

/** Answers with the number of its thread, except to what has no end. */
const numbered = module(
  `import { parentPort, threadId } from "node:worker_threads"; parentPort.on("message", (m) => { if (m.fields.includes("endless")) for (;;); parentPort.postMessage({ fields: JSON.stringify({ threadId }) }); });`,
);

test("who leaves while their text is stripped has no thread started again, unless it takes longer than a start", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const thread = start(t, { entry: numbered, startMillisecondsMax: 500 });
  const threads = new Set<unknown>();
  const strip = async (fields: Fields) => threads.add((await thread.strip(visitor, fields, {})).threadId);
  const isPutOff = (error: unknown) => error instanceof Problem && error.status === 503;
  await strip({ a: "first" });
  for (let count = 0; count < 20; count++) {
    const gone = new AbortController();
    const left = assert.rejects(thread.strip({ ...visitor, gone: gone.signal }, { a: "short" }, {}), isPutOff);
    gone.abort();
    await Promise.all([left, strip({ a: "next" })]);
  }
  assert.equal(threads.size, 1);
  // In either order: they leave before it has had its time, or after.
  for (const isLate of [false, true]) {
    const gone = new AbortController();
    const left = assert.rejects(thread.strip({ ...visitor, gone: gone.signal }, { a: "endless" }, {}), isPutOff);
    await setImmediate();
    if (isLate) t.mock.timers.tick(500);
    gone.abort();
    if (!isLate) t.mock.timers.tick(500);
    await left;
    await strip({ a: "next" });
  }
  assert.equal(threads.size, 3);
});

test("an error while stripping refuses the submission, and its text is nowhere", async (t) => {
  const fields = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`f${index}`, "canary"]));
  await assert.rejects(start(t).strip(visitor, fields, {}), (error: Error) => {
    assert.doesNotMatch(`${error.message} ${JSON.stringify(error)}`, /canary/);
    return error.message.includes("RangeError");
  });
});

test("of visitors who leave while long texts wait nothing is stripped and stored, and the next one is served", async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_TRUSTED_PROXIES: "127.0.0.1/32,::1/128" } });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false, piiStrip: true });
  const path = `/api/forms/${formId}/submissions`;
  const bodyOf = (fields: Fields) => JSON.stringify({ payload: { encrypted: false, version: "plain1", fields } });
  const text = bodyOf(long);
  const waiting = Array.from({ length: 40 }, async (_, number) => {
    const left = new AbortController();
    const headers = { "content-type": "application/json", "x-forwarded-for": `203.0.${number}.1` };
    const sent = fetch(service.url + path, { method: "POST", body: text, headers, signal: left.signal });
    return { left, answer: sent.then(({ status }) => status).catch(() => "left" as const) };
  });
  const all = await Promise.all(waiting);
  // The line is full once one is put off.
  assert.equal(await Promise.race(all.map(({ answer }) => answer)), 503);
  for (const { left } of all) left.abort();
  const late = {
    body: bodyOf({ note: "a longer story ".repeat(1_000) }),
    headers: { "x-forwarded-for": "198.51.100.7" },
  };
  assert.equal((await service.request("POST", path, late)).status, 201);
  const { body } = await account.request("GET", `${path}?limit=1`);
  assert.ok(body.total <= 3, `${body.total} are stored`);
});

test("only what is too long for this thread goes to the other, whether in one text, in many or in names", () => {
  assert.ok(!isLongerThan({ a: "x".repeat(8_000) }, 8_192));
  assert.ok(isLongerThan({ a: "x".repeat(9_000) }, 8_192));
  assert.ok(isLongerThan({ a: Array(900).fill("x".repeat(10)) }, 8_192));
  assert.ok(isLongerThan({ ["x".repeat(9_000)]: null }, 8_192));
  assert.ok(isLongerThan({ a: [{ b: { c: "x".repeat(9_000) } }] }, 8_192));
});
