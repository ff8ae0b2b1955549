import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountId, type ApiKeyId, createId } from "@sealpost/wire";
import { sql } from "kysely";
import { boundedActions } from "../audit-log/action-bounds.ts";
import type { AuditAction, AuditActor } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { openMigratedDatabase } from "../database/testing/migrated-database.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { Problem } from "../problems/problem.ts";
import { measureWork } from "../testing/measured-work.ts";
import { onPostgres, onSqlite } from "../testing/test-database.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";

/** A person's two ways to change something. */
type Ways = Readonly<Record<"session" | "api_key", AuditActor & { readonly id: string }>>;

async function createWays(account: TestAccount): Promise<Ways> {
  const { key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body;
  const personId = account.id as AccountId;
  return {
    session: { type: "session", id: `session-of-${personId}`, personId },
    api_key: { type: "api_key", id: key.id as ApiKeyId },
  };
}

test("a developer who has used up every bound, by sessions and API keys, refuses an owner none of the bounded changes by either", async (t) => {
  const service = await createTestService(t);
  const { database } = service;
  const owner = await service.signUp("owner@example.com");
  const form = await createForm(owner, { encryption: false });
  const accountId = owner.id as AccountId;
  const developer = await addPerson(service, owner, "developer@example.com", { role: "developer", forms: [form] });
  const [ofOwner, ofDeveloper] = [await createWays(owner), await createWays(developer)];
  const now = Date.now();
  const actions = [...boundedActions];
  const fill = (actor: Ways[keyof Ways], action: AuditAction, count: number) =>
    sql`with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${count})
      insert into audit_entry (id, account_id, occurred_at, action, actor, actor_id, person_id, change_number)
      select ${`${actor.id} ${action} `} || number, ${accountId}, cast(${now - 1} as bigint), ${action}, ${actor.type},
        ${actor.id}, ${"personId" in actor ? (actor.personId ?? null) : null}, number
        + (select coalesce(max(change_number), 0) from audit_entry where account_id = ${accountId} and actor = ${actor.type})
      from numbers`.execute(database);
  const listRefused = async ({ session, api_key }: Ways) => {
    const refused: string[] = [];
    for (const actor of [session, api_key])
      for (const action of actions) {
        const recorded = database.transaction().execute(async (transaction) => {
          await recordAction(transaction, { accountId, action, actor, occurredAt: now });
          throw new Error("nothing of it is kept");
        });
        const error: unknown = await recorded.catch((thrown: unknown) => thrown);
        if (error instanceof Problem) refused.push(`${action} by ${actor.type}`);
      }
    return refused;
  };
  const deleting = ["submissions.binned", "submissions.bin_emptied", "submissions.deleted"];
  const rescuing = ["form.deleted", "form.keys_rotated", "webhook_secret.rotated"];
  for (const actor of Object.values(ofDeveloper)) await fill(actor, "form.updated", 5000);
  const first = await listRefused(ofDeveloper);
  assert.ok(first.includes("form.created by session") && first.includes("form.created by api_key"));
  for (const action of [...deleting, ...rescuing])
    assert.ok(!first.some((refused) => refused.startsWith(`${action} `)), `${action} is counted apart`);
  for (const actor of Object.values(ofDeveloper))
    for (const action of ["submissions.deleted", "form.keys_rotated"] as const) await fill(actor, action, 5000);
  assert.equal((await listRefused(ofDeveloper)).length, 2 * actions.length, "the developer has used up everything");
  assert.deepEqual(await listRefused(ofOwner), []);
  // The owner's own key is bounded, and what replaces it on the same day is no new day.
  await fill(ofOwner.api_key, "form.updated", 5000);
  assert.ok((await listRefused(ofOwner)).every((refused) => refused.endsWith("by api_key")));
  assert.equal((await owner.request("DELETE", `/api/api-keys/${ofOwner.api_key.id}`)).status, 200);
  const next = await createWays(owner);
  assert.ok((await listRefused(next)).includes("form.updated by api_key"));
});

test("changes of the same moment count as many, however many there are in each", onPostgres, async (t) => {
  const database = await openMigratedDatabase(t);
  const [accountId, personId] = [createId("account"), createId("account")];
  const actor = { type: "session", id: "session", personId } as const;
  const [atOnce, moments] = [8, 12];
  for (let moment = 0; moment < moments; moment++) {
    const all = Promise.withResolvers<void>();
    let recorded = 0;
    const change = () =>
      database.transaction().execute(async (transaction) => {
        await recordAction(transaction, { accountId, action: "form.updated", actor, occurredAt: Date.now() });
        recorded += 1;
        if (recorded === atOnce) all.resolve();
        await all.promise;
      });
    await Promise.all(Array.from({ length: atOnce }, change));
  }
  const { last } = await database
    .selectFrom("audit_entry")
    .select(({ fn }) => fn.max("change_number").as("last"))
    .executeTakeFirstOrThrow();
  assert.equal(Number(last), atOnce * (moments - 1) + 1, "each moment counts those before it");
});

test("anyone may take the API keys that a plan leaves to them: an owner still makes one", async (t) => {
  const service = await createTestService(t);
  const owner = await service.signUp("owner@example.com");
  const [developer, manager] = [
    await addPerson(service, owner, "developer@example.com", { role: "developer", forms: [] }),
    await addPerson(service, owner, "manager@example.com", { role: "manager" }),
  ];
  const make = (by: TestAccount) => by.request("POST", "/api/api-keys", { name: "Key" });
  for (const by of [developer, developer, manager, manager]) assert.equal((await make(by)).status, 200);
  for (const by of [developer, manager]) {
    const { status, body } = await make(by);
    assert.deepEqual([status, body.code], [400, "too_many_api_keys"]);
    assert.equal(body.error, "Maximum number of API keys reached (4). Delete an existing key first.");
  }
  assert.equal((await make(owner)).status, 200);
  assert.equal((await make(owner)).body.error, "Maximum number of API keys reached (5). Delete an existing key first.");
});

test("the bound of everybody's changes looks at no more entries when there are more of them", onSqlite, async (t) => {
  const takeWork = measureWork();
  const service = await createTestService(t);
  const owner = await service.signUp("owner@example.com");
  const manager = await addPerson(service, owner, "manager@example.com", { role: "manager" });
  const now = Date.now();
  const fill = (from: number, to: number) =>
    sql`with recursive numbers (number) as (select ${from} union all select number + 1 from numbers where number < ${to})
      insert into audit_entry (id, account_id, occurred_at, action, actor, person_id, change_number)
      select 'of-others-' || number, ${owner.id}, ${now - 1000}, 'form.updated', 'session', 'of-many-others', number
      from numbers`.execute(service.database);
  const change = async (name: string) => {
    takeWork();
    const { status } = await manager.request("POST", "/api/forms", { name });
    const work = takeWork().filter(({ text }) => text.includes("audit_entry"));
    return { status, steps: Math.max(...work.map(({ steps }) => steps)) };
  };
  await fill(1001, 3000);
  const before = await change("Few");
  await fill(4001, 20_000);
  const after = await change("Many");
  assert.deepEqual([before.status, after.status], [200, 200]);
  assert.ok(after.steps < before.steps * 1.3 + 500, `${before.steps}, then ${after.steps} steps`);
  await fill(20_002, 22_000);
  assert.equal((await change("Refused")).status, 429);
});

test(
  "a change looks at few entries of the log, however many its person has made before it on the day",
  onSqlite,
  async (t) => {
    const takeWork = measureWork();
    const database = await openMigratedDatabase(t);
    const now = Date.now();
    const [accountId, personId] = [createId("account"), createId("account")];
    const actor = { type: "session", id: "session", personId } as const;
    const record = () => recordAction(database, { accountId, action: "form.updated", actor, occurredAt: now });
    const measure = async (count: number) => {
      await sql`with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${count})
      insert into audit_entry (id, account_id, occurred_at, action, actor, actor_id, person_id, change_number)
      select ${count} || 'of' || number, ${accountId}, cast(${now - 1} as bigint), 'form.updated', 'session', 'session', ${personId}, number
        + (select coalesce(max(change_number), 0) from audit_entry where account_id = ${accountId})
      from numbers`.execute(database);
      takeWork();
      await record();
      return Math.max(...takeWork().map(({ steps }) => steps));
    };
    const [few, many] = [await measure(100), await measure(3000)];
    assert.ok(many <= few + 50, `${few} and ${many} steps`);
  },
);
