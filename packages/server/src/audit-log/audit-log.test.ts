import assert from "node:assert/strict";
import { test } from "node:test";
import { createId, generateKeyPair } from "@sealpost/wire";
import { sql } from "kysely";
import { createFakeClock, createTickingClock } from "../testing/fake-clock.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { createAuditLogStore } from "./audit-log-store.ts";

interface Entry {
  readonly action: string;
  readonly actor: { readonly type: string; readonly id?: string };
  readonly target?: { readonly type: string; readonly id: string; readonly name?: string };
  readonly count?: number;
  readonly timestamp: number;
}

async function listEntries(account: TestAccount, query = ""): Promise<readonly Entry[]> {
  const answer = await account.request("GET", `/api/audit-log${query}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.entries;
}

const { publicKey } = await generateKeyPair();

async function createForm(account: TestAccount, name: string): Promise<string> {
  const created = await account.request("POST", "/api/forms", { name, publicKey, settings: { encryption: false } });
  assert.equal(created.status, 200, JSON.stringify(created.body));
  return created.body.form.id;
}

async function post(service: TestService, formId: string): Promise<string> {
  const id = createId("submission");
  const payload = { encrypted: false, version: "plain1", fields: { message: "telltale content" } };
  const answer = await service.request("POST", `/api/forms/${formId}/submissions`, { body: { id, payload } });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return id;
}

test("each action on forms, secrets, submissions and API keys is told once, with who, what and when", async (t) => {
  const service = await createTestService(t, { clock: createTickingClock() });
  const account = await service.signUp();
  const start = Date.now();
  const form = await createForm(account, "Contact");
  const target = { type: "form", id: form, name: "Contact" };
  const key = (await account.request("POST", "/api/api-keys", { name: "Backup" })).body.key;
  const [one, two] = [await post(service, form), await post(service, form)];
  await post(service, form);
  const next = await generateKeyPair();
  const run: readonly (readonly [method: string, path: string, body?: object])[] = [
    ["PATCH", "", { name: "Contact us" }],
    ["PATCH", "", { name: "Contact us" }], // changes nothing, so nothing is told
    ["PATCH", "", { name: "Contact" }],
    ["POST", "/rotate-keys", { publicKey: next.publicKey }],
    ["GET", "/webhook-secret"],
    ["POST", "/webhook-secret/rotate"],
    ["PUT", "/notifications", { mail: false }],
    ["PUT", "/notifications", { mail: false }], // as it is already
    ["PUT", "/notifications", { mail: true }],
    ["GET", "/submissions/export"],
    ["POST", "/submissions/delete", { ids: [one, two] }],
    ["POST", "/submissions/delete", { ids: [one] }], // gone already
    ["DELETE", "/submissions?confirm=DELETE_SUBMISSIONS"],
    ["DELETE", "?confirm=DELETE_FORM"],
  ];
  for (const [method, path, body] of run) {
    const answer = await service.request(method, `/api/forms/${form}${path}`, { token: key.key, body });
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
  }
  await account.request("DELETE", `/api/api-keys/${key.id}`);
  for (const mail of [true, false, false, true]) await account.request("PUT", "/api/notifications", { mail });

  const entries = await listEntries(account);
  const byKey = { type: "api_key", id: key.id };
  const told = entries.map(({ action, actor, target: on, count }) => [action, actor.type, on, count]).reverse();
  const keyTarget = { type: "api_key", id: key.id, name: "Backup" };
  assert.deepEqual(told, [
    ["account.created", "session", undefined, undefined],
    ["session.started", "session", undefined, undefined],
    ["form.created", "session", target, undefined],
    ["api_key.created", "session", keyTarget, undefined],
    ["form.updated", "api_key", { ...target, name: "Contact us" }, undefined],
    ["form.updated", "api_key", target, undefined],
    ["form.keys_rotated", "api_key", target, undefined],
    ["webhook_secret.shown", "api_key", target, undefined],
    ["webhook_secret.rotated", "api_key", target, undefined],
    ["mails.turned_off", "api_key", target, undefined],
    ["mails.turned_on", "api_key", target, undefined],
    ["submissions.exported", "api_key", target, undefined],
    ["submissions.deleted", "api_key", target, 2],
    ["submissions.deleted", "api_key", target, 1],
    ["form.deleted", "api_key", target, 0],
    ["api_key.revoked", "session", keyTarget, undefined],
    ["mails.turned_off", "session", undefined, undefined],
    ["mails.turned_on", "session", undefined, undefined],
  ]);
  for (const { actor } of entries.filter(({ actor: { type } }) => type === "api_key")) assert.deepEqual(actor, byKey);
  for (const { timestamp } of entries) assert.ok(timestamp >= start - 60_000 && timestamp <= Date.now());
  // The log holds nothing that was submitted, and no secret.
  const { rows } = await sql`select * from audit_entry`.execute(service.database);
  assert.ok(rows.length > 10);
  for (const secret of ["telltale", key.key, one, "whsec_", "127.0.0.1", "::1"])
    assert.ok(!JSON.stringify(rows).includes(secret), secret);
});

test("what was refused or undone is not told: the entry stands or falls with the action", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const contact = await createForm(account, "Contact");
  const before = (await listEntries(account)).length;
  const again = await account.request("POST", "/api/forms", { name: "contact", publicKey });
  assert.equal(again.status, 409);
  const absent = createId("form");
  const off = { mail: false };
  assert.equal((await account.request("PUT", `/api/forms/${absent}/notifications`, off)).status, 404);
  for (const [method, path] of [
    ["DELETE", `/api/forms/${absent}?confirm=DELETE_FORM`],
    ["POST", `/api/forms/${absent}/webhook-secret/rotate`],
    ["GET", `/api/forms/${absent}/webhook-secret`],
    ["GET", `/api/forms/${absent}/submissions/export`],
    ["DELETE", `/api/api-keys/${createId("apiKey")}`],
  ] as const)
    assert.equal((await account.request(method, path)).status, 404, path);
  assert.equal((await listEntries(account)).length, before);

  // And without a place for its entry nothing happens at all.
  await sql`alter table audit_entry rename to elsewhere`.execute(service.database);
  assert.equal((await account.request("POST", "/api/forms", { name: "Unseen", publicKey })).status, 500);
  const switches = ["/api/notifications", `/api/forms/${contact}/notifications`];
  for (const path of switches) assert.equal((await account.request("PUT", path, off)).status, 500);
  await sql`alter table elsewhere rename to audit_entry`.execute(service.database);
  for (const path of switches) assert.equal((await account.request("GET", path)).body.mail, true);
  const { forms } = (await account.request("GET", "/api/forms")).body;
  assert.deepEqual(
    forms.map(({ name }: { name: string }) => name),
    ["Contact"],
  );
});

test("an account sees its own entries alone, page by page and newest first, and an API key sees none", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const [account, other] = [await service.signUp(), await service.signUp()];
  for (let index = 0; index < 7; index++) {
    await createForm(account, `Form ${index}`);
    await createForm(other, `Other ${index}`);
    if (index % 2 === 0) clock.advance(1);
  }
  const all = await listEntries(account);
  const names = all.flatMap(({ target }) => target?.name ?? []);
  assert.equal(names.length, 7);
  assert.ok(names.every((name) => name.startsWith("Form ")));
  const paged: Entry[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const path: string = `/api/audit-log?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const { body } = await account.request("GET", path);
    assert.ok(body.entries.length <= 3);
    paged.push(...body.entries);
    cursor = body.nextCursor;
  }
  assert.deepEqual(paged, all);
  assert.deepEqual(
    all.map(({ timestamp }) => timestamp),
    all.map(({ timestamp }) => timestamp).toSorted((a, b) => b - a),
  );
  for (const cursor of ["nonsense", Buffer.from('[1,"x"]').toString("base64url")])
    assert.equal((await account.request("GET", `/api/audit-log?cursor=${cursor}`)).status, 400);
  const { key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  assert.equal((await service.request("GET", "/api/audit-log", { token: key })).status, 401);
  assert.equal((await service.request("GET", "/api/audit-log")).status, 401);
});

test("exports in a loop are told once an hour for each reader", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const form = await createForm(account, "Contact");
  const other = await createForm(account, "Other");
  const { key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  const exports = async () => (await listEntries(account)).filter(({ action }) => action === "submissions.exported");
  const read = (token: string, id: string) => service.request("GET", `/api/forms/${id}/submissions/export`, { token });
  for (let round = 0; round < 3; round++) {
    await read(key, form);
    await read(account.token, form);
    await read(key, other);
    clock.advance(60_000);
  }
  assert.equal((await exports()).length, 3);
  clock.advance(3_600_000);
  await read(key, form);
  assert.equal((await exports()).length, 4);
});

test("entries are removed when they are older than the operator's number of days, and not before", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  await createForm(account, "Contact");
  const auditLog = createAuditLogStore(service.database);
  const now = Date.now() + 60_000;
  const count = async () => (await listEntries(account)).length;
  const before = await count();
  assert.ok(before > 0);
  const clock = createFakeClock(now);
  const purge = () => auditLog.removeBefore(clock.now() - 365 * 86_400_000);
  clock.advance(364 * 86_400_000);
  assert.equal(await purge(), false);
  assert.equal(await count(), before);
  clock.advance(86_400_000);
  assert.equal(await purge(), true);
  assert.equal(await purge(), false);
  assert.equal(await count(), 0);
});

test("the service itself removes old entries, after as many days as are configured", async (t) => {
  const clock = createFakeClock(Date.now() - 3 * 86_400_000);
  const folder = createTemporaryFolder(t);
  const first = await createTestService(t, { folder, clock });
  const account = await first.signUp();
  await createForm(account, "Long ago");
  await first.stop();
  const environment = { SEALPOST_AUDIT_LOG_DAYS: "2" };
  const service = await createTestService(t, { folder, environment });
  const rest = async () => (await sql`select id from audit_entry`.execute(service.database)).rows.length;
  // The worker looks when the service starts; each request is a turn for it.
  for (let turn = 0; turn < 1000 && (await rest()) > 0; turn++) await service.request("GET", "/health/live");
  assert.equal(await rest(), 0);
});
