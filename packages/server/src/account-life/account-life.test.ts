import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountId, createId } from "@sealpost/wire";
import { CompiledQuery, sql } from "kysely";
import { createAccountStore } from "../accounts/account-store.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { createForm, postPlain } from "../forms/testing/test-form.ts";
import { addPerson, invite, switchTo } from "../organizations/testing/test-organization.ts";
import { makeKey } from "../personal-keys/testing/key-bench.ts";
import { foldAll } from "../quotas/testing/fold-all.ts";
import { exportsPerHour } from "../rate-limits/rate-limits.ts";
import { purge } from "../retention/testing/purge.ts";
import { createEndedRows } from "../startup/ended-rows.ts";
import { listTables } from "../testing/list-tables.ts";
import { testDatabaseKind } from "../testing/test-database.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { dayMilliseconds as day } from "../time/clock.ts";
import { withoutTurns } from "../time/page-turns.ts";
import { readAuditEntries, selectEntries } from "./audit-export-store.ts";
import { purgeAccounts } from "./testing/purge-accounts.ts";

const deletion = "/api/account/deletion";
const leaving = `${deletion}?confirm=DELETE_ACCOUNT`;

/** Signs in again, as somebody who was signed out. */
async function signIn(service: TestService, account: TestAccount, email: string): Promise<TestAccount> {
  const headers = { origin: service.url };
  const body = { email, password: "correct horse battery" };
  const signedIn = await service.request("POST", "/api/auth/sign-in/email", { body, headers });
  assert.equal(signedIn.status, 200, JSON.stringify(signedIn.body));
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const issued = await service.request("GET", "/api/auth/token", { headers: { cookie, ...headers } });
  const { token } = issued.body;
  return {
    ...account,
    token,
    cookie,
    request: (method, path, asked) => service.request(method, path, { token, body: asked }),
  };
}

/** Tables with a cell that holds one of the texts. */
async function findMentions({ database }: TestService, texts: readonly string[]): Promise<readonly string[]> {
  await foldAll(database);
  const found = [];
  for (const table of await listTables(database)) {
    // Counts of requests, which are gone within minutes.
    if (table === "rate_limit") continue;
    const rows = await database
      .selectFrom(table as "form")
      .selectAll()
      .execute();
    if (texts.some((text) => JSON.stringify(rows).includes(text))) found.push(table);
  }
  return found.toSorted();
}

test("a person deletes their account: signed out at once, asked to keep it at the next sign-in, and after thirty days nothing of it is left", async (t) => {
  const service = await createTestService(t);
  const [email, stays] = ["leaver@example.com", "stays@example.com"];
  const owner = await service.signUp(stays);
  const person = await service.signUp(email);
  const formId = await createForm(person, { encryption: false });
  await postPlain(service, formId);
  // They belong to another organization too, and made a key there.
  const token = await invite(owner, email, { role: "manager" });
  await person.request("POST", "/api/invitations/accept", { token });
  await switchTo(person, owner.id);
  const { body: made } = await person.request("POST", "/api/api-keys", { name: "Theirs", permissions: ["forms:read"] });
  await switchTo(person, person.id);
  const look = await person.request("GET", deletion);
  assert.deepEqual(
    look.body.organizations.map(({ id, fate, forms, submissions }: Record<string, unknown>) => [
      id,
      fate,
      forms,
      submissions,
    ]),
    [
      [person.id, "deleted", 1, 1],
      [owner.id, "left", 0, 0],
    ].toSorted(),
  );
  assert.equal((await person.request("POST", deletion)).body.code, "confirm_account_deletion");
  const before = Date.now();
  const asked = await person.request("POST", leaving);
  assert.equal(asked.status, 200, JSON.stringify(asked.body));
  const at: number = asked.body.deletedAt;
  assert.ok(at >= before + 30 * day && at <= Date.now() + 30 * day);
  assert.equal((await person.request("GET", "/api/account")).status, 401, "signed out");
  assert.equal(
    (await service.request("GET", "/api/forms", { token: made.key.key })).status,
    200,
    "keys work until then",
  );
  await postPlain(service, formId);

  // Kept after all, with the organization that would have gone; then deleted for good.
  const again = await signIn(service, person, email);
  assert.equal((await again.request("GET", "/api/account")).body.account.deletedAt, at);
  assert.equal((await again.request("GET", "/api/organizations")).body.organizations[0].deletedAt, at);
  assert.equal((await again.request("DELETE", deletion)).body.account.deletedAt, null);
  assert.ok(!("deletedAt" in (await again.request("GET", "/api/organizations")).body.organizations[0]));
  assert.equal(await purgeAccounts(service, at), 0);
  const last: number = (await again.request("POST", leaving)).body.deletedAt;
  assert.equal(await purgeAccounts(service, last - 1), 0, "not before its time");
  assert.ok((await purgeAccounts(service, last)) > 2, "in steps");
  await purge(service);
  assert.equal((await service.request("GET", "/api/forms", { token: made.key.key })).status, 401);
  const payload = { encrypted: false, version: "plain1", fields: {} };
  const late = await service.request("POST", `/api/forms/${formId}/submissions`, { body: { payload } });
  assert.equal(late.status, 404);
  // The other organization's log says that a member with this id came and went, and for the days in which others may need it its
  // history of members does; no table has the address or a name.
  assert.deepEqual(await findMentions(service, [person.id]), ["audit_entry", "member_change"]);
  assert.deepEqual(await findMentions(service, [email]), []);
  const { member_change: removeOldChanges } = createEndedRows(service.database);
  while (await removeOldChanges(last + 9 * day + 1));
  assert.deepEqual(await findMentions(service, [person.id]), ["audit_entry"]);
  assert.equal((await owner.request("GET", "/api/members")).body.members.length, 1);
  await service.signUp(email);
});

test("who owns an organization alone that others belong to hands it over first; without the last one, others keep it, and it keeps its id", async (t) => {
  const service = await createTestService(t);
  const owner = await service.signUp("owner@example.com");
  const member = await addPerson(service, owner, "member@example.com", { role: "manager" });
  const formId = await createForm(owner, { encryption: false });
  const refused = await owner.request("POST", leaving);
  assert.deepEqual([refused.status, refused.body.code], [409, "account_deletion_needs_owner"]);
  assert.equal((await owner.request("GET", deletion)).body.organizations[0].fate, "needs_owner");
  await owner.request("PATCH", `/api/members/${member.id}`, { role: "owner" });
  const { body } = await owner.request("POST", leaving);
  // The other one is the only owner now: those who are leaving keep nothing.
  assert.equal((await member.request("POST", "/api/members/leave")).status, 409);
  await purgeAccounts(service, body.deletedAt);
  const forms = await member.request("GET", "/api/forms");
  assert.deepEqual(
    forms.body.forms.map(({ id }: { id: string }) => id),
    [formId],
  );
  assert.deepEqual(
    (await member.request("GET", "/api/members")).body.members.map(({ id }: { id: string }) => id),
    [member.id],
  );
  assert.deepEqual(await findMentions(service, ["owner@example.com"]), []);
});

test("an owner deletes an organization: nobody joins it, any owner keeps it, a legal hold refuses and delays it, and only it goes", async (t) => {
  const service = await createTestService(t);
  const owner = await service.signUp("owner@example.com");
  const manager = await addPerson(service, owner, "manager@example.com", { role: "manager" });
  const another = await owner.request("POST", "/api/organizations", { name: "Another" });
  const path = "/api/organization/deletion";
  const ending = `${path}?confirm=DELETE_ORGANIZATION`;
  const formId = await createForm(owner, { encryption: false });
  await postPlain(service, formId);
  assert.equal((await manager.request("POST", ending)).status, 403);
  const token = await invite(owner, "late@example.com", { role: "manager" });
  const held = [formId];
  for (const name of ["Second", "Third", "Fourth", "Fifth"])
    held.push(await createForm(owner, { encryption: false }, name));
  for (const id of held) await owner.request("PUT", `/api/forms/${id}/hold`, {});
  for (const asked of [ending, leaving]) {
    // A person alone in an organization: the member goes first.
    if (asked === leaving) await owner.request("DELETE", `/api/members/${manager.id}`);
    const refused = await owner.request("POST", asked);
    assert.deepEqual([refused.status, refused.body.code], [409, "form_held"], asked);
    const { message } = refused.body;
    const named = held.filter((id) => message.includes(`(${id})`));
    assert.ok(named.length === 3 && /, \+2$/.test(message), message);
  }
  const [own] = (await owner.request("GET", deletion)).body.organizations;
  assert.deepEqual(own.heldForms.map(({ id }: { id: string }) => id).toSorted(), held.toSorted());
  for (const id of held.slice(1)) await owner.request("DELETE", `/api/forms/${id}/hold`);
  await owner.request("DELETE", `/api/forms/${formId}/hold`);
  const { body } = await owner.request("POST", ending);
  assert.equal((await owner.request("POST", ending)).body.deletedAt, body.deletedAt, "said twice, it is no later");
  const late = await service.signUp("late@example.com");
  const joining = await late.request("POST", "/api/invitations/accept", { token });
  assert.deepEqual([joining.status, joining.body.code], [409, "organization_ending"]);
  assert.deepEqual((await owner.request("DELETE", path)).body, { deletedAt: null });
  const { deletedAt } = (await owner.request("POST", ending)).body;
  // A hold that comes meanwhile delays it, and nothing else that is due.
  await owner.request("PUT", `/api/forms/${formId}/hold`, {});
  await purgeAccounts(service, deletedAt);
  assert.equal((await owner.request("GET", `/api/forms/${formId}`)).status, 200);
  await owner.request("DELETE", `/api/forms/${formId}/hold`);
  await purgeAccounts(service, deletedAt);
  await purge(service);
  assert.equal(
    (await owner.request("GET", "/api/account")).body.account.email,
    "owner@example.com",
    "the person stays",
  );
  const { organizations: rest } = (await owner.request("GET", "/api/organizations")).body;
  assert.deepEqual(
    rest.map(({ id, current }: { id: string; current: boolean }) => [id, current]),
    [[another.body.organization.id, false]],
    "nobody slides into an organization that they did not choose",
  );
  assert.equal((await owner.request("GET", "/api/forms")).body.code, "organization_none");
  assert.equal((await owner.request("POST", "/api/forms", { name: "Stray" })).body.code, "organization_none");
  await switchTo(owner, another.body.organization.id);
  assert.deepEqual((await owner.request("GET", "/api/forms")).body.forms, []);
  assert.deepEqual(await findMentions(service, [formId]), []);
});

test("a person renames themselves; an organization that others belong to keeps its name", async (t) => {
  const service = await createTestService(t);
  const owner = await service.signUp();
  const nameOf = async () => (await owner.request("GET", "/api/organizations")).body.organizations[0].name;
  assert.equal((await owner.request("PATCH", "/api/account", { name: " Grace " })).body.account.name, "Grace");
  assert.equal(await nameOf(), "Grace");
  await addPerson(service, owner, "member@example.com", { role: "manager" });
  await owner.request("PATCH", "/api/account", { name: "Ada" });
  assert.equal(await nameOf(), "Grace");
  assert.deepEqual((await owner.request("PATCH", "/api/account", { name: "  " })).status, 400);
});

test("what would go with an account counts the forms that the person sees, not those of an organization that took them away", async (t) => {
  const service = await createTestService(t);
  const founder = await service.signUp();
  const [form] = [await createForm(founder), await createForm(founder)];
  const second = await addPerson(service, founder, "second@example.com", { role: "owner" });
  const count = async () => (await founder.request("GET", deletion)).body.organizations[0].forms;
  assert.equal(await count(), 2);
  for (const forms of [[form], []]) {
    const lowered = await second.request("PATCH", `/api/members/${founder.id}`, { role: "reader", forms });
    assert.equal(lowered.status, 200, JSON.stringify(lowered.body));
    assert.deepEqual(
      [await count(), (await founder.request("GET", "/api/forms")).body.total],
      [forms.length, forms.length],
    );
  }
});

test("an export has all that the instance knows about a person, no secret, and nothing about others", async (t) => {
  const service = await createTestService(t);
  const [email, other] = ["person@example.com", "other@example.com"];
  const owner = await service.signUp(other);
  const person = await service.signUp(email);
  const token = await invite(owner, email, { role: "manager" });
  await invite(person, "third@example.com", { role: "manager" });
  await person.request("POST", "/api/invitations/accept", { token });
  const { body: made } = await person.request("POST", "/api/api-keys", { name: "Key", permissions: ["forms:read"] });
  const { status, body, headers } = await person.request("GET", "/api/account/export");
  assert.equal(status, 200);
  assert.match(headers.get("content-disposition") ?? "", /attachment/);
  assert.deepEqual([body.format, body.account.email, body.account.name], ["sealpost-account/1", email, "Person"]);
  assert.equal(body.sessions.length, 1);
  assert.deepEqual(body.organizations.map(({ id }: { id: string }) => id).toSorted(), [owner.id, person.id].toSorted());
  assert.deepEqual(
    body.apiKeys.map(({ id }: { id: string }) => id),
    [made.key.id],
  );
  assert.deepEqual(body.invitations.map(({ relation }: { relation: string }) => relation).toSorted(), [
    "by_you",
    "to_you",
  ]);
  const actions = body.auditEntries.map(({ action }: { action: string }) => action);
  for (const action of ["account.created", "session.started", "api_key.created", "member.joined", "account.exported"])
    assert.ok(actions.includes(action), action);
  const text = JSON.stringify(body);
  const { database } = service;
  const secrets = [
    ...(await database.selectFrom("session").select("token").execute()).map((row) => row.token),
    ...(await database.selectFrom("credential").select("password").execute()).map((row) => row.password ?? ""),
    ...(await database.selectFrom("api_key").select("hash").execute()).map((row) => row.hash),
    ...(await database.selectFrom("invitation").select("token_hash").execute()).map((row) => row.token_hash),
    made.key.key,
  ];
  for (const secret of secrets) assert.ok(secret !== "" && !text.includes(secret));
  for (const foreign of [other, "third@example.com"]) assert.ok(!text.includes(foreign), foreign);
  assert.equal((await owner.request("GET", "/api/account/export")).body.apiKeys.length, 0);
  for (let count = 1; count < exportsPerHour; count++)
    assert.equal((await person.request("GET", "/api/account/export")).status, 200);
  const again = await person.request("GET", "/api/account/export");
  assert.deepEqual([again.status, again.body.code], [429, "too_many_exports"]);
  assert.ok(again.body.retryAfter > 3000 && again.body.retryAfter <= 3600, "as long as the hour lasts");
});

test("an export's audit entries are found by an index each, and are whole and in order over several pages", async (t) => {
  const service = await createTestService(t);
  const person = await service.signUp();
  const other = await service.signUp();
  const { database } = service;
  const [id, foreign] = [person.id as AccountId, other.id as AccountId];
  await database.deleteFrom("audit_entry").execute();
  const expected: string[] = [];
  for (let number = 0; number < 60; number++) {
    const entry = { occurredAt: number, action: "account.renamed", actor: { type: "nobody" } } as const;
    const session = { type: "session", id: "session" } as const;
    const target = { type: "member", id, name: "Person" } as const;
    await recordAction(database, { ...entry, accountId: foreign, actor: { ...session, personId: id } });
    await recordAction(database, { ...entry, accountId: foreign, actor: { ...session, personId: foreign }, target });
    await recordAction(database, { ...entry, accountId: id });
    await recordAction(database, { ...entry, accountId: id, actor: { ...session, personId: id }, target });
    await recordAction(database, { ...entry, accountId: foreign });
    expected.push(...Array(4).fill(String(number)));
  }
  const found = [];
  for await (const entry of readAuditEntries(database, id, withoutTurns)) found.push(entry);
  assert.deepEqual(
    found.map(({ occurredAt }) => String(occurredAt)),
    expected,
  );
  assert.equal(new Set(found.map((entry) => entry.id)).size, 240);

  await database.transaction().execute(async (transaction) => {
    const isPostgres = testDatabaseKind === "postgres";
    // So few rows are read as a whole, if that is allowed.
    if (isPostgres) await sql`set local enable_seqscan = off`.execute(transaction);
    if (isPostgres) await sql`set local enable_bitmapscan = off`.execute(transaction);
    // Nor by the list of the whole account, which then has to be sorted: of an empty table PostgreSQL takes either.
    if (isPostgres) await sql`set local enable_sort = off`.execute(transaction);
    // For somebody without entries: those of a person with half of them, as here, may be found by reading all, once PostgreSQL
    // has counted them.
    const plans = selectEntries(database, createId("account", 0), "").map(async (query) => {
      const { sql: text, parameters } = query.compile();
      const explained = `explain ${isPostgres ? "" : "query plan "}${text}`;
      return JSON.stringify((await transaction.executeQuery(CompiledQuery.raw(explained, [...parameters]))).rows);
    });
    for (const [index, name] of ["audit_entry_person", "audit_entry_subject", "audit_entry_unnamed"].entries())
      assert.match((await plans[index]) ?? "", new RegExp(name));
  });
});

test("an account without forms, sessions or memberships goes as well, and one step never does more than its share", async (t) => {
  const service = await createTestService(t);
  const person = await service.signUp("alone@example.com");
  await makeKey(person, ["sheet", "passphrase"]);
  const accounts = createAccountStore(service.database);
  const entries = Array.from({ length: 1500 }, (_, index) => ({
    id: `aud_test${index}`,
    account_id: person.id,
    occurred_at: index,
    action: "session.started",
    actor: "nobody" as const,
    actor_id: null,
    target_id: null,
    target_name: null,
    count: null,
    details: null,
  }));
  for (let from = 0; from < entries.length; from += 500)
    await service.database
      .insertInto("audit_entry")
      .values(entries.slice(from, from + 500))
      .execute();
  const { deletedAt } = (await person.request("POST", leaving)).body;
  assert.ok((await purgeAccounts(service, deletedAt)) >= 4);
  assert.equal(await accounts.findByEmail("alone@example.com"), undefined);
  for (const table of ["personal_key", "key_copy"] as const)
    assert.deepEqual(await service.database.selectFrom(table).select("person_id").execute(), [], table);
  assert.deepEqual(await findMentions(service, [person.id as AccountId]), []);
});

test("who is about to be deleted and leaves the organization with their id takes the deletion along: others keep it, with its log", async (t) => {
  const service = await createTestService(t);
  const founder = await service.signUp("founder@example.com");
  const second = await addPerson(service, founder, "second@example.com", { role: "owner" });
  await addPerson(service, founder, "third@example.com", { role: "owner" });
  await makeKey(founder);
  assert.equal((await founder.request("POST", leaving)).status, 200);
  const removed = await second.request("DELETE", `/api/members/${founder.id}`);
  assert.equal(removed.status, 200, JSON.stringify(removed.body));
  for (const table of ["personal_key", "key_copy"] as const) {
    const [row] = await service.database.selectFrom(table).select("person_id").execute();
    assert.ok(row !== undefined && row.person_id !== founder.id, `${table} goes with the person`);
  }
  await purgeAccounts(service, Date.now() + 31 * day);
  const { entries } = (await second.request("GET", "/api/audit-log?action=member.removed")).body;
  assert.equal(entries.length, 1);
  const left = await service.database.selectFrom("person").select("email").orderBy("email").execute();
  assert.deepEqual(
    left.map(({ email }) => email),
    ["second@example.com", "third@example.com"],
  );
  const kept = await service.database.selectFrom("organization").select("id").where("id", "=", founder.id).execute();
  assert.equal(kept.length, 1);
});

test("the one other owner lowers and removes an owner who is about to be deleted, and stays one themselves", async (t) => {
  const service = await createTestService(t);
  const founder = await service.signUp("founder@example.com");
  const second = await addPerson(service, founder, "second@example.com", { role: "owner" });
  assert.equal((await founder.request("POST", leaving)).status, 200);
  const itself = await second.request("PATCH", `/api/members/${second.id}`, { role: "manager" });
  assert.deepEqual([itself.status, itself.body.code], [409, "last_owner"], "a control: they are the last one");
  const lowered = await second.request("PATCH", `/api/members/${founder.id}`, { role: "manager" });
  assert.equal(lowered.status, 200, JSON.stringify(lowered.body));
  assert.equal((await second.request("PATCH", `/api/members/${founder.id}`, { role: "owner" })).status, 200);
  const removed = await second.request("DELETE", `/api/members/${founder.id}`);
  assert.equal(removed.status, 200, JSON.stringify(removed.body));
});
