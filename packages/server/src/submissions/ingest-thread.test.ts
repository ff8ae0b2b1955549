import assert from "node:assert/strict";
import { test } from "node:test";
import { createId, type FormId, plainVersion, sealedVersion } from "@sealpost/wire";
import { isDatabaseUnavailable } from "../database/errors.ts";
import type { StoredPayload } from "../database/stored-payload.ts";
import { defaultSettings } from "../forms/form-settings.ts";
import { createSingleRing } from "../instance/key-ring.ts";
import { createSqliteWriter } from "../startup/ground.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { onSqlite } from "../testing/test-database.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { createWriteInThread } from "./ingest-thread.ts";
import { type BatchEntry, snapshotOf } from "./write-batch.ts";

async function start(t: TestScope) {
  const service = await createTestService(t);
  const thread = createSqliteWriter({ dataFolder: service.folder }, createSingleRing(new Uint8Array(32)));
  t.after(() => thread.stop());
  return { service, write: createWriteInThread(thread), account: await service.signUp() };
}

async function createPlainForm(account: TestAccount, name: string): Promise<FormId> {
  const { body } = await account.request("POST", "/api/forms", { name, settings });
  return body.form.id;
}

const settings = { encryption: false, piiStrip: false, allowedOrigins: ["https://example.org"] };
const plainSnapshot = snapshotOf({ settings: { ...defaultSettings, ...settings }, keyVersion: 1 });

function toEntry(formId: FormId, payload: StoredPayload, settingsSnapshot = plainSnapshot): BatchEntry {
  const submission = { formId, id: createId("submission"), keyVersion: 1, payload, timestamp: 5, receivedAt: 1000 };
  return { submission, settingsSnapshot };
}

async function list(account: TestAccount, formId: string) {
  return (await account.request("GET", `/api/forms/${formId}/submissions`)).body.submissions;
}

test("what goes through the thread is what is read, byte for byte", onSqlite, async (t) => {
  const { write, account } = await start(t);
  const formId = await createPlainForm(account, "Bytes");
  // A view into the middle of a larger buffer, as base64 decoding makes them.
  const pool = Uint8Array.from({ length: 3000 }, (_value, index) => index * 7);
  const sealed = [100, 1000].map((start) =>
    toEntry(formId, {
      version: sealedVersion,
      data: pool.subarray(start, start + 700),
      key: pool.subarray(start + 700, start + 1084),
      iv: pool.subarray(3, 15),
    }),
  );
  const plain = toEntry(formId, { version: plainVersion, fields: { näme: "\u0000\ud83d\ude00", deep: [{ a: null }] } });
  const { outcomes, deliveries } = await write([sealed[0], plain, sealed[1]].filter((entry) => entry !== undefined));
  assert.deepEqual([outcomes.map(({ outcome }) => outcome), deliveries], [["created", "created", "created"], 0]);

  const [third, second, first] = await list(account, formId);
  const base64 = (start: number, end: number) => Buffer.from(pool.subarray(start, end)).toString("base64");
  const iv = base64(3, 15);
  assert.deepEqual(first.payload, {
    encrypted: true,
    version: sealedVersion,
    data: base64(100, 800),
    key: base64(800, 1184),
    iv,
  });
  assert.deepEqual(third.payload.data, base64(1000, 1700));
  assert.deepEqual(second.payload.fields, { näme: "\u0000\ud83d\ude00", deep: [{ a: null }] });
  const { body } = await account.request("GET", `/api/forms/${formId}/stats`);
  assert.equal(body.stats.totalSubmissions, 3);
});

test("the thread says of each submission what became of it", onSqlite, async (t) => {
  const { write, account } = await start(t);
  const formId = await createPlainForm(account, "Outcomes");
  const payload: StoredPayload = { version: plainVersion, fields: { a: 1 } };
  const first = toEntry(formId, payload);
  const absent = createId("form");
  const { outcomes } = await write([
    first,
    first,
    toEntry(
      formId,
      payload,
      snapshotOf({ settings: { ...defaultSettings, ...settings, encryption: true }, keyVersion: 1 }),
    ),
    toEntry(absent, payload),
  ]);
  assert.deepEqual(
    outcomes.map(({ outcome }) => outcome),
    ["created", "taken", "form_changed", "form_gone"],
  );
  assert.equal((await list(account, formId)).length, 1);
});

test("an error of the database comes back with its code, and nothing of the batch is there", onSqlite, async (t) => {
  const { service, write: writeAll, account } = await start(t);
  const formId = await createPlainForm(account, "Error");
  await service.database.schema.alterTable("form_day").renameTo("form_day_elsewhere").execute();
  const write = () => writeAll([toEntry(formId, { version: plainVersion, fields: {} })]);
  await assert.rejects(write, (error: Error & { errcode?: number }) => {
    assert.match(error.message, /form_day/);
    assert.equal(error.errcode, 1, "SQLITE_ERROR");
    return !isDatabaseUnavailable(error);
  });
  await service.database.schema.alterTable("form_day_elsewhere").renameTo("form_day").execute();
  assert.deepEqual(await list(account, formId), []);
  assert.equal((await write()).outcomes[0]?.outcome, "created");
});

test(
  "posts that come together are written by the thread, while the settings of their form change",
  onSqlite,
  async (t) => {
    const { service, account } = await start(t);
    const formId = await createPlainForm(account, "Together");
    const posts = Array.from({ length: 120 }, (_value, index) => postPlain(service, formId, index));
    const changes = Array.from({ length: 10 }, (_value, index) =>
      account.request("PATCH", `/api/forms/${formId}`, {
        settings: { allowedOrigins: ["https://example.org", `https://${index}.example`] },
      }),
    );
    const statuses = (await Promise.all(posts)).map(({ status }) => status);
    for (const { status } of await Promise.all(changes)) assert.equal(status, 200);
    const accepted = statuses.filter((status) => status === 201).length;
    const { body } = await account.request("GET", `/api/forms/${formId}/stats`);
    assert.equal(body.stats.totalSubmissions, accepted);
    assert.ok(statuses.every((status) => status === 201 || status === 503));
  },
);

function postPlain(service: TestService, formId: string, index: number) {
  const payload = { encrypted: false, version: plainVersion, fields: { index } };
  return service.request("POST", `/api/forms/${formId}/submissions`, {
    body: { payload },
    headers: { origin: "https://example.org" },
  });
}
