import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { createForm, pair, postPlain, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { createTestBrowser } from "../oidc/testing/test-browser.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { add, password } from "../passkeys/testing/passkey-bench.ts";
import { createSoftwareAuthenticator } from "../passkeys/testing/software-authenticator.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";

// Each test writes what would take long to come to the bound, and then passes it as anybody would.

test("an account has ten thousand forms at most, also when it makes two at once, and deleting one makes room", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const form = await createForm(account, { encryption: false });
  await service.database.updateTable("account_count").set({ forms: 9999 }).execute();
  const create = (name: string) =>
    account.request("POST", "/api/forms", { name, publicKey: pair.publicKey, settings: { encryption: false } });
  const both = await Promise.all([create("One"), create("Other")]);
  const refused = both.find(({ status }) => status === 409);
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 409]);
  assert.deepEqual(refused?.body, {
    error: "conflict",
    message: "An account has at most 10000 forms. Delete one that is not needed first.",
    code: "too_many_forms",
  });
  assert.equal((await account.request("GET", "/api/forms")).body.forms.length, 2, "nothing of it is kept");
  assert.equal((await account.request("DELETE", `/api/forms/${form}?confirm=DELETE_FORM`)).status, 200);
  assert.equal((await create("Another")).status, 200);
  assert.equal((await create("One more")).status, 409);
});

test("a form has a thousand key pairs at most", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const form = await createForm(account);
  await service.database.updateTable("form_key").set({ version: 999 }).execute();
  await service.database.updateTable("form").set({ key_version: 999 }).execute();
  const rotate = () => account.request("POST", `/api/forms/${form}/rotate-keys`);
  assert.equal((await rotate()).status, 200);
  const refused = await rotate();
  const message = "A form has at most 1000 key pairs. Make a new form.";
  assert.deepEqual(
    [refused.status, refused.body],
    [409, { error: "conflict", message, code: "too_many_key_versions" }],
  );
});

test("what happened once is sent a hundred times at most", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const form = await createForm(account, { encryption: false, webhookUrl });
  await postPlain(service, form);
  const { id, event_id } = await service.database
    .selectFrom("delivery")
    .select(["id", "event_id"])
    .executeTakeFirstOrThrow();
  const copies = Array.from({ length: 98 }, (_value, index) => ({
    id: `${id}${index}`,
    ...{ event_id, form_id: form, is_test: 0, attempts: 6, created_at: 1 },
    state: "failed" as const,
    finished_at: Date.now(),
  }));
  await service.database.insertInto("delivery").values(copies).execute();
  const resend = () => account.request("POST", `/api/forms/${form}/webhook/logs/${id}/resend`);
  const statuses = (await Promise.all([resend(), resend()])).map(({ status }) => status);
  assert.deepEqual(statuses.toSorted(), [202, 409]);
  assert.equal(
    (await resend()).body.message,
    "The log has at most 100 deliveries of one event, the last 20 for owners with a session. It has to forget some of them first.",
  );
});

test("an account has a hundred sessions at most: who signs in once more ends the one that began first", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp("owner@example.com");
  const other = await service.signUp();
  for (let index = 0; index < 99; index++)
    await sql`insert into session
        (id, token, person_id, expires_at, created_at, updated_at, authenticated_at, browser, last_used_at)
      select ${`id-${index}`}, ${`token-${index}`}, person_id,
        expires_at, created_at, updated_at, authenticated_at, browser, last_used_at
      from session where person_id = ${account.id} limit 1`.execute(service.database);
  const long = "2026-01-01T00:00:00.000Z";
  const first = await service.database
    .updateTable("session")
    .set({ created_at: long })
    .where("person_id", "=", account.id)
    .where("id", "not like", "id-%")
    .executeTakeFirstOrThrow();
  assert.equal(first.numUpdatedRows, 1n);
  assert.equal((await account.request("GET", "/api/forms")).status, 200);
  const body = { email: "owner@example.com", password: "correct horse battery" };
  assert.equal((await service.request("POST", "/api/auth/sign-in/email", { body })).status, 200);
  const sessions = await service.database
    .selectFrom("session")
    .select("id")
    .where("person_id", "=", account.id)
    .execute();
  assert.equal(sessions.length, 100);
  assert.equal((await account.request("GET", "/api/forms")).status, 401);
  assert.equal((await other.request("GET", "/api/forms")).status, 200, "nobody else's");
});

test("an account makes five thousand changes a day at most; its API keys use up none of its owner's, and revoking them always works", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const account = await service.signUp("owner@example.com");
  const form = await createForm(account, { encryption: false });
  const { key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body;
  const path = `/api/forms/${form}`;
  const change = (token: string, name: string) => service.request("PATCH", path, { token, body: { name } });
  const fill = (actor: string) =>
    sql`with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < 5000)
      insert into audit_entry (id, account_id, occurred_at, action, actor, actor_id, person_id, change_number)
      select ${actor} || number, ${account.id}, cast(${clock.now() - 3_600_000} as bigint), 'form.updated', ${actor},
        ${key.id}, ${account.id}, number
        + (select coalesce(max(change_number), 0) from audit_entry where account_id = ${account.id} and actor = ${actor})
      from numbers`.execute(service.database);
  await fill("api_key");
  const refused = await change(key.key, "Refused");
  assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, String(23 * 3600)]);
  assert.equal(refused.body.message, "An account makes at most 5000 changes within a day");
  assert.equal((await change(account.token, "By the owner")).status, 200);
  await fill("session");
  assert.equal((await change(account.token, "Refused")).status, 429);
  assert.equal((await account.request("GET", path)).body.form.name, "By the owner");
  // Passkeys, which can be removed and added again, count too.
  const browser = createTestBrowser(service);
  await browser.post("/api/auth/sign-in/email", { email: "owner@example.com", password });
  assert.equal((await add(browser, createSoftwareAuthenticator(service.url))).status, 429);
  await postPlain(service, form);
  clock.advance(23 * 3_600_000);
  assert.equal((await change(key.key, "A day later")).status, 200);
  clock.advance(-3_600_000);
  assert.equal((await account.request("DELETE", `/api/api-keys/${key.id}`)).status, 200);
});

test("the changes of other members use up none of an owner's, and no other change uses up rotating keys and deleting", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock, deliveries: silentWebhooks });
  const owner = await service.signUp("owner@example.com");
  const form = await createForm(owner, { encryption: false, webhookUrl });
  const developer = await addPerson(service, owner, "developer@example.com", { role: "developer", forms: [form] });
  const path = `/api/forms/${form}`;
  let pages = 0;
  const change = async (by: TestAccount) =>
    (await by.request("PATCH", path, { settings: { allowedOrigins: [`https://page${++pages}.example`] } })).status;
  const fill = (person: string, count: number) =>
    sql`with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${count})
      insert into audit_entry (id, account_id, occurred_at, action, actor, person_id, change_number)
      select ${person} || number, ${owner.id}, cast(${clock.now()} as bigint), 'form.updated', 'session', ${person}, number
        + (select coalesce(max(change_number), 0) from audit_entry where account_id = ${owner.id} and actor = 'session')
      from numbers`.execute(service.database);
  await fill(developer.id, 5000);
  assert.deepEqual([await change(developer), await change(owner)], [429, 200]);
  const manager = await addPerson(service, owner, "manager@example.com", { role: "manager" });
  assert.equal(await change(manager), 200);
  await fill("of-many-others", 15_000);
  assert.deepEqual([await change(manager), await change(owner)], [429, 200], "together they make 20,000");
  const { organization: other } = (await owner.request("POST", "/api/organizations", { name: "Other" })).body;
  await fill(owner.id, 5000);
  assert.equal(await change(owner), 429);
  for (const [method, to, body] of [
    ["PATCH", "/api/organization", { name: "Again and again" }],
    ["PUT", `${path}/hold`, { reason: "Again and again" }],
    ["POST", `${path}/hand-over`, { organizationId: other.id, webhook: { url: webhookUrl, secret: "new" } }],
  ] as const)
    assert.equal((await owner.request(method, to, body)).status, 429, to);
  const less = { role: "auditor" };
  assert.equal((await owner.request("PATCH", `/api/members/${manager.id}`, less)).status, 200, "nor is taking some");
  assert.equal(
    (await owner.request("DELETE", `/api/members/${manager.id}`)).status,
    200,
    "ending rights is no such change",
  );
  assert.equal((await owner.request("POST", `${path}/webhook-secret/rotate`)).status, 200);
  assert.equal((await owner.request("DELETE", `${path}?confirm=DELETE_FORM`)).status, 200);
  const accountId = owner.id as AccountId;
  const actor = { type: "session", id: "session", personId: accountId } as const;
  const rescue = (action: "form.keys_closed" | "key_log.entry_added" | "personal_key.restored") =>
    recordAction(service.database, { accountId, actor, occurredAt: clock.now(), action });
  await rescue("personal_key.restored");
  await sql`update audit_entry set action = 'form.keys_closed' where action = 'form.updated'`.execute(service.database);
  for (const action of ["form.keys_closed", "key_log.entry_added", "personal_key.restored"] as const)
    await assert.rejects(rescue(action), /at most 5000 changes/, action);
});
