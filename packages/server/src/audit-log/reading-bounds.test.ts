import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId, ApiKeyId } from "@sealpost/wire";
import { sql } from "kysely";
import { createForm, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { hourMilliseconds } from "../time/clock.ts";
import { actionsOf, repeatedActions } from "./action-bounds.ts";
import type { AuditActor } from "./audit-entry.ts";
import { recordRepeated, repeatedPerDay } from "./audit-log-store.ts";

const plain = { encryption: false };

/** The headers of another session of the person, which acts for the organization. */
async function signInAgain(service: TestService, organization: TestAccount, email: string) {
  const body = { email, password: "correct horse battery" };
  const answer = await service.request("POST", "/api/auth/sign-in/email", { body });
  assert.equal(answer.status, 200);
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const headers = { cookie, origin: service.url };
  const switched = await service.request("POST", `/api/organizations/${organization.id}/switch`, { headers });
  assert.equal(switched.status, 200);
  return headers;
}

/** Entries of two hours ago, as many requests would have left them. */
function fill(
  { database }: TestService,
  accountId: string,
  entry: { actor: AuditActor; action: string; count: number },
) {
  const { actor, action, count } = entry;
  const [id, person] = ["id" in actor ? actor.id : null, "personId" in actor ? (actor.personId ?? null) : null];
  return sql`with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${count})
    insert into audit_entry (id, account_id, occurred_at, action, actor, actor_id, person_id)
    select ${`${id} ${action} `} || number, ${accountId}, cast(${Date.now() - 2 * hourMilliseconds} as bigint), ${action}, ${actor.type},
      ${id}, ${person} from numbers`.execute(database);
}

test("who signs in again and again is one reader: an entry when they begin, for each form", async (t) => {
  const service = await createTestService(t);
  const owner = await service.signUp("owner@example.com");
  const forms = [await createForm(owner, plain, "One"), await createForm(owner, plain, "Other")];
  await addPerson(service, owner, "reader@example.com", { role: "reader", forms });
  await service.request("POST", `/api/forms/${forms[0]}/submissions`, {
    body: { payload: { encrypted: false, version: "plain1", fields: { a: "b" } } },
  });
  for (let session = 0; session < 3; session++) {
    const headers = await signInAgain(service, owner, "reader@example.com");
    for (const form of forms)
      for (const path of ["submissions/export", "submissions"])
        assert.equal((await service.request("GET", `/api/forms/${form}/${path}`, { headers })).status, 200);
  }
  const { entries } = (await owner.request("GET", "/api/audit-log")).body;
  const reads = entries.filter(({ action }: { action: string }) => action.startsWith("submissions."));
  assert.deepEqual(
    reads
      .map(({ action, target }: { action: string; target: { name: string } }) => `${action} ${target.name}`)
      .toSorted(),
    ["submissions.exported One", "submissions.exported Other"],
  );
});

test("what one person reads, or is refused, leaves two thousand entries a day and one an hour after them, by however many sessions and API keys", async (t) => {
  const service = await createTestService(t);
  const owner = await service.signUp("owner@example.com");
  const accountId = owner.id as AccountId;
  const form = (number: number) => ({ type: "form", id: `form_${number}` as const, name: `Form ${number}` }) as const;
  const session = (number: number) => ({ type: "session", id: `session-${number}`, personId: accountId }) as const;
  const keys: (AuditActor & { readonly id: string })[] = [];
  for (let number = 0; number < 3; number++) {
    const { key } = (await owner.request("POST", "/api/api-keys", { name: `Key ${number}` })).body;
    keys.push({ type: "api_key", id: key.id as ApiKeyId });
    if (number > 0) assert.equal((await owner.request("DELETE", `/api/api-keys/${key.id}`)).status, 200);
  }
  const [first] = keys;
  assert.ok(first);
  for (const actor of [session(0), first])
    await fill(service, accountId, { actor, action: "submissions.exported", count: repeatedPerDay - 1 });
  const occurredAt = Date.now();
  const ways = [[session(1), session(2), session(3)], keys.map((key) => ({ ...key, madeBy: accountId }))];
  const count = async () => {
    const { count } = await service.database
      .selectFrom("audit_entry")
      .select(({ fn }) => fn.countAll().as("count"))
      .where("action", "in", repeatedActions)
      .executeTakeFirstOrThrow();
    return Number(count);
  };
  const before = await count();
  for (const actors of ways) {
    const [one] = actors;
    assert.ok(one);
    const last = { accountId, action: "webhook_secret.shown", actor: one, occurredAt, target: form(0) } as const;
    assert.equal(await recordRepeated(service.database, last), true, "the last that says what was read");
    for (const action of repeatedActions)
      for (const actor of actors)
        for (const target of [form(1), form(2)])
          assert.equal(await recordRepeated(service.database, { accountId, action, actor, occurredAt, target }), false);
  }
  assert.equal((await count()) - before, ways.length * (1 + repeatedActions.length));
  const named = await service.database
    .selectFrom("audit_entry")
    .select("action")
    .where("target_name", "in", ["Form 1", "Form 2"])
    .execute();
  assert.deepEqual(named, []);
});

test("reading uses up nobody's changes of the day", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const owner = await service.signUp("owner@example.com");
  const form = await createForm(owner, { ...plain, webhookUrl });
  const manager = await addPerson(service, owner, "manager@example.com", { role: "manager" });
  const actor: AuditActor = { type: "session", id: "of-a-reader", personId: manager.id as AccountId };
  for (const action of [...actionsOf("reading"), "session.started"])
    await fill(service, owner.id, { actor, action, count: 5000 });
  const changed = await manager.request("PATCH", `/api/forms/${form}`, { name: "Another" });
  const rotated = await manager.request("POST", `/api/forms/${form}/webhook-secret/rotate`);
  assert.deepEqual([changed.status, rotated.status], [200, 200]);
});
