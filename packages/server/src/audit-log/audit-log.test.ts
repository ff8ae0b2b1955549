import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountId, createId } from "@sealpost/wire";
import { sql } from "kysely";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { createFakeClock, createTickingClock } from "../testing/fake-clock.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { type AuditAction, type AuditActor, auditActions } from "./audit-entry.ts";
import { recordAction } from "./audit-log-store.ts";
import { createAuditRetentionStore } from "./audit-retention-store.ts";

interface Entry {
  readonly action: string;
  readonly actor: { readonly type: string; readonly id?: string };
  readonly target?: { readonly type: string; readonly id: string; readonly name?: string };
  readonly count?: number;
  readonly details?: {
    readonly changes?: readonly { readonly setting: string; readonly from: unknown; readonly to: unknown }[];
    readonly since?: number;
    readonly counts?: Readonly<Record<string, number>>;
  };
  readonly timestamp: number;
}

async function listEntries(account: TestAccount, query = ""): Promise<readonly Entry[]> {
  const answer = await account.request("GET", `/api/audit-log${query}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.entries;
}

const { publicKey } = takeKeyPair();

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

test("each action on forms, secrets, submissions and API keys is recorded once, with who, what and when", async (t) => {
  const clock = createTickingClock();
  const start = clock.now();
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const form = await createForm(account, "Contact");
  const target = { type: "form", id: form, name: "Contact" };
  const key = (await account.request("POST", "/api/api-keys", { name: "Backup" })).body.key;
  const [one, two] = [await post(service, form), await post(service, form)];
  await post(service, form);
  const next = takeKeyPair();
  const run: readonly (readonly [method: string, path: string, body?: object])[] = [
    ["PATCH", "", { name: "Contact us" }],
    ["PATCH", "", { name: "Contact us" }], // changes nothing, so nothing is recorded
    ["PATCH", "", { name: "Contact" }],
    ["POST", "/rotate-keys", { publicKey: next.publicKey }],
    ["GET", "/webhook-secret"],
    ["POST", "/webhook-secret/rotate"],
    ["PUT", "/notifications", { mail: false }],
    ["PUT", "/notifications", { mail: false }], // already the case
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
  const notified = entries.map(({ action, actor, target: on, count }) => [action, actor.type, on, count]).reverse();
  const keyTarget = { type: "api_key", id: key.id, name: "Backup" };
  assert.deepEqual(notified, [
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
  for (const { timestamp } of entries) assert.ok(timestamp >= start && timestamp <= clock.now());
  // The log holds nothing that was submitted, and no secret.
  const { rows } = await sql`select * from audit_entry`.execute(service.database);
  assert.ok(rows.length > 10);
  for (const secret of ["telltale", key.key, one, "whsec_", "127.0.0.1", "::1"])
    assert.ok(!JSON.stringify(rows).includes(secret), secret);
});

test("refused or undone actions are not recorded: the entry stands or falls with the action", async (t) => {
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

test("exports in a loop are recorded once an hour for each reader", async (t) => {
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

test("reading is recorded when it begins and, with the counts, an hour later: once for each reader and form", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const form = await createForm(account, "Contact");
  const empty = await createForm(account, "Empty");
  const { id: keyId, key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  const ids = [await post(service, form), await post(service, form), await post(service, form)];
  const get = (token: string, path: string) => service.request("GET", `/api/forms/${path}`, { token });
  const reads = async () =>
    (await listEntries(account))
      .filter(({ action }) => action.startsWith("submissions.read"))
      .map(({ action, actor: { type }, target, details }) => [action, type, target?.name, details?.counts]);
  const started = clock.now();
  for (let round = 0; round < 3; round++) {
    await get(key, `${form}/submissions?limit=2`);
    await get(key, `${form}/submissions/${ids[round]}`);
    await get(key, `${empty}/submissions`); // nothing was handed out
    clock.advance(60_000);
  }
  await get(account.token, `${form}/submissions`);
  assert.deepEqual(await reads(), [
    ["submissions.read", "session", "Contact", undefined],
    ["submissions.read", "api_key", "Contact", undefined],
  ]);
  const before = await service.database.selectFrom("audit_entry").selectAll().orderBy("id").execute();
  clock.advance(3_600_000 - 180_000);
  assert.deepEqual((await reads())[0], [
    "submissions.read_counted",
    "api_key",
    "Contact",
    { lists: 3, submissions: 9, opened: 3 },
  ]);
  // An export says so itself; how much it held is counted with the rest.
  await get(key, `${form}/submissions/export`);
  clock.advance(3_600_000);
  const counted = (await listEntries(account)).filter(({ action }) => action === "submissions.read_counted");
  assert.deepEqual(
    counted
      .slice(0, 2)
      .map(({ actor, details }) => [actor.type, details?.counts])
      .toSorted(),
    [
      ["api_key", { exports: 1, submissions: 3 }],
      ["session", { lists: 1, submissions: 3 }],
    ],
  );
  assert.equal(counted[2]?.details?.since, started);
  assert.deepEqual(counted[2]?.actor, { type: "api_key", id: keyId });
  // No entry was ever changed.
  const after = await service.database.selectFrom("audit_entry").selectAll().orderBy("id").execute();
  for (const row of before)
    assert.deepEqual(
      after.find(({ id }) => id === row.id),
      row,
    );
});

test("failed sign-ins are recorded for the account that was tried: a flood of them is one entry and one with the count", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const [account, other] = [await service.signUp("victim@example.com"), await service.signUp()];
  const others = (await listEntries(other)).length;
  const entries = async () => (await sql`select id from audit_entry`.execute(service.database)).rows.length;
  const before = await entries();
  const signIn = (email: string) =>
    service.request("POST", "/api/auth/sign-in/email", { body: { email, password: "a guess of somebody" } });
  for (let count = 0; count < 12; count++) assert.equal((await signIn("Victim@example.com")).status, 401);
  for (let count = 0; count < 3; count++) assert.equal((await signIn(`nobody-${count}@example.com`)).status, 401);
  const failures = async () =>
    (await listEntries(account))
      .filter(({ action }) => action.startsWith("sign_in.fail"))
      .map(({ action, actor, details }) => [action, actor.type, details?.counts]);
  assert.deepEqual(await failures(), [["sign_in.failed", "nobody", undefined]]);
  clock.advance(3_600_000);
  assert.deepEqual(await failures(), [
    ["sign_in.failures_counted", "nobody", { passwords: 12 }],
    ["sign_in.failed", "nobody", undefined],
  ]);
  assert.equal(await entries(), before + 2);
  assert.equal((await listEntries(other)).length, others);
  // A single one is recorded once.
  await signIn("victim@example.com");
  clock.advance(3_600_000);
  assert.equal((await failures()).length, 3);
});

test("a change of a form is recorded with old and new values: settings, webhook address, retention and key version", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const form = await createForm(account, "Contact");
  const change = async (method: string, path: string, body: object) => {
    const answer = await account.request(method, `/api/forms/${form}${path}`, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const [entry] = await listEntries(account, "?limit=1");
    return entry?.details?.changes?.toSorted((one, other) => (one.setting < other.setting ? -1 : 1));
  };
  const webhookUrl = "https://receiver.example/hook";
  const settings = { encryption: true, piiStrip: false, allowedOrigins: ["https://a.example"], webhookUrl, binDays: 0 };
  assert.deepEqual(await change("PATCH", "", { name: "Contact us", settings }), [
    { setting: "allowedOrigins", from: ["*"], to: ["https://a.example"] },
    { setting: "binDays", from: 30, to: 0 },
    { setting: "encryption", from: false, to: true },
    { setting: "name", from: "Contact", to: "Contact us" },
    { setting: "webhookUrl", from: null, to: webhookUrl },
  ]);
  assert.deepEqual(await change("PATCH", "", { settings: { encryption: false, webhookUrl: null } }), [
    { setting: "encryption", from: true, to: false },
    { setting: "webhookUrl", from: webhookUrl, to: null },
  ]);
  assert.deepEqual(await change("PUT", "/retention", { days: 90 }), [{ setting: "retentionDays", from: null, to: 90 }]);
  assert.deepEqual(await change("PUT", "/retention", { days: null }), [
    { setting: "retentionDays", from: 90, to: null },
  ]);
  const { publicKey: next } = takeKeyPair();
  assert.deepEqual(await change("POST", "/rotate-keys", { publicKey: next }), [
    { setting: "keyVersion", from: 1, to: 2 },
  ]);
});

test("entries can be asked for by what was done, by whom and when", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const { id: keyId, key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  const form = await createForm(account, "Contact");
  clock.advance(1000);
  const moment = clock.now();
  await service.request("PATCH", `/api/forms/${form}`, { token: key, body: { name: "By key" } });
  clock.advance(1000);
  await account.request("PATCH", `/api/forms/${form}`, { name: "By session" });
  const names = async (query: string) => (await listEntries(account, query)).map(({ target }) => target?.name);
  assert.deepEqual(await names("?action=form.updated"), ["By session", "By key"]);
  assert.deepEqual(await names(`?actor=${keyId}`), ["By key"]);
  assert.deepEqual(await names(`?from=${moment}&to=${moment}`), ["By key"]);
  assert.deepEqual(await names(`?from=${moment + 1}&action=form.updated`), ["By session"]);
  assert.deepEqual(await names(`?to=${moment - 1}&action=form.updated`), []);
  for (const query of ["?from=-1", "?to=x"])
    assert.equal((await account.request("GET", `/api/audit-log${query}`)).status, 400);
  const unknown = await account.request("GET", "/api/audit-log?action=nonsense");
  assert.equal(unknown.status, 400);
  assert.match(
    unknown.body.details.action,
    /^Must be one of account\.created, .*form\.updated, .*audit_log\.shortened$/,
  );
});

test("entries are removed when they are older than the operator's number of days, and not before", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  await createForm(account, "Contact");
  const retention = createAuditRetentionStore(service.database);
  const now = Date.now() + 60_000;
  const count = async () => (await listEntries(account)).length;
  const before = await count();
  assert.ok(before > 0);
  const clock = createFakeClock(now);
  const purge = () => retention.removeBefore(clock.now() - 365 * 86_400_000, clock.now());
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
  // The worker looks when the service starts; each request is a turn for it. Where it does not, the test's time ends it.
  while ((await rest()) > 0) await service.request("GET", "/health/live");
});

test("an entry by a session says whose it was, whatever was done: the database takes no other one", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { database } = service;
  const accountId = account.id as AccountId; // the service made it
  for (const action of Object.keys(auditActions) as AuditAction[]) {
    const entry = { accountId, action, occurredAt: Date.now() };
    const session = { type: "session", id: "a session" } as const;
    const nameless = session as AuditActor; // as no code that compiles makes one
    await assert.rejects(recordAction(database, { ...entry, actor: nameless }), /constraint/i, action);
    await recordAction(database, { ...entry, actor: { ...session, personId: accountId } });
    const { entries } = (await account.request("GET", `/api/audit-log?action=${action}&actor=${session.id}`)).body;
    assert.deepEqual(
      entries.map(({ actor }: Entry) => actor),
      [{ ...session, personId: accountId }],
      action,
    );
  }
});
