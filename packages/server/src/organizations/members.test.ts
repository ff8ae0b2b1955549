import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import { settingNames, settings } from "../forms/form-settings.ts";
import { createForm, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { addPerson, switchTo } from "./testing/test-organization.ts";

async function start(t: TestScope) {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const owner = await service.signUp("owner@example.com");
  return { service, owner };
}

async function codeOf(answer: Promise<{ readonly status: number; readonly body: { readonly code?: string } }>) {
  const { status, body } = await answer;
  return status === 200 ? 200 : `${status} ${body.code}`;
}

const change = (by: TestAccount, of: TestAccount, body: object) => by.request("PATCH", `/api/members/${of.id}`, body);
const remove = (by: TestAccount, of: TestAccount) => by.request("DELETE", `/api/members/${of.id}`);

test("an account without further organizations is its own owner, with its own id, and sees no difference", async (t) => {
  const { owner } = await start(t);
  const { body } = await owner.request("GET", "/api/organizations");
  const [own] = body.organizations;
  const rule = { secondFactorRequiredFrom: null, requireRecovery: false };
  const named = { id: owner.id, name: "Person", role: "owner", forms: null, since: own.since, current: true };
  assert.deepEqual(own, { ...named, ...rule });
  assert.deepEqual([body.total, body.canCreate], [1, true]);
  const { members } = (await owner.request("GET", "/api/members")).body;
  assert.deepEqual(
    members.map(({ id, email, role, disabled }: Record<string, unknown>) => [id, email, role, disabled]),
    [[owner.id, "owner@example.com", "owner", false]],
  );
  assert.equal((await owner.request("PATCH", "/api/organization", { name: "Renamed" })).status, 200);
  assert.equal((await owner.request("GET", "/api/organizations")).body.organizations[0].name, "Renamed");
});

test("the first requests of a person whose sign-up was killed make their organization, once, though several come together", async (t) => {
  const { service, owner } = await start(t);
  // The sign-in library has made the person, and nothing else was done.
  await sql`delete from organization`.execute(service.database);
  await sql`update person set joined_at = null`.execute(service.database);
  const answers = await Promise.all([1, 2, 3].map(() => owner.request("GET", "/api/forms")));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  const rows = await service.database.selectFrom("member").selectAll().execute();
  assert.deepEqual(
    rows.map(({ organization_id, person_id, role }) => [organization_id, person_id, role]),
    [[owner.id, owner.id, "owner"]],
  );
  const organizations = await service.database.selectFrom("organization").select(["id", "name", "plan"]).execute();
  assert.deepEqual(
    organizations.map(({ id, name, plan }) => [id, name, plan]),
    [[owner.id, "Person", "free"]],
  );
});

test("a member of a role does what it allows in the organization's forms, and keeps an organization of their own", async (t) => {
  const { service, owner } = await start(t);
  const formId = await createForm(owner, {});
  const manager = await addPerson(service, owner, "manager@example.com", { role: "manager" });
  assert.equal((await manager.request("GET", `/api/forms/${formId}`)).body.form.id, formId);
  await switchTo(manager, manager.id);
  assert.equal((await manager.request("GET", `/api/forms/${formId}`)).status, 404);
  const own = await createForm(manager, {});
  assert.equal((await owner.request("GET", `/api/forms/${own}`)).status, 404);
  await switchTo(manager, owner.id);
  const list = (await manager.request("GET", "/api/organizations")).body.organizations;
  assert.deepEqual(
    list.map(({ id, role, current }: Record<string, unknown>) => [id, role, current]),
    [
      [manager.id, "owner", false],
      [owner.id, "manager", true],
    ],
  );
});

test("a reader's lists have the named forms alone, whatever is asked", async (t) => {
  const { service, owner } = await start(t);
  const [one, two, three] = [await createForm(owner, {}), await createForm(owner, {}), await createForm(owner, {})];
  const reader = await addPerson(service, owner, "reader@example.com", { role: "reader", forms: [one, three] });
  const shown = async () => {
    const { body } = await reader.request("GET", "/api/forms?limit=1");
    const next = await reader.request("GET", `/api/forms?limit=1&cursor=${body.nextCursor}`);
    return [body.total, [...body.forms, ...next.body.forms].map(({ id }: { id: string }) => id)];
  };
  assert.deepEqual(await shown(), [2, [three, one]]);
  assert.equal((await change(owner, reader, { forms: [two] })).status, 200);
  assert.deepEqual(
    (await reader.request("GET", "/api/forms")).body.forms.map(({ id }: { id: string }) => id),
    [two],
  );
  assert.equal((await change(owner, reader, { forms: [] })).status, 200);
  assert.deepEqual((await reader.request("GET", "/api/forms")).body, { forms: [], total: 0, nextCursor: null });
});

test("managers give and end the rights of readers and developers alone; owners those of everybody", async (t) => {
  const { service, owner } = await start(t);
  const formId = await createForm(owner, {});
  const roles = ["manager", "manager", "auditor", "reader"] as const;
  const [manager, other, auditor, reader] = (await Promise.all(
    roles.map((role, index) =>
      addPerson(service, owner, `${role}-${index}@example.com`, {
        role,
        ...(role === "reader" && { forms: [formId] }),
      }),
    ),
  )) as [TestAccount, TestAccount, TestAccount, TestAccount];
  for (const role of ["owner", "manager", "auditor"])
    assert.equal(
      await codeOf(manager.request("POST", "/api/invitations", { email: "x@example.com", role })),
      "403 role_above",
    );
  for (const member of [owner, other, auditor, manager]) {
    assert.equal(await codeOf(change(manager, member, { role: "reader", forms: [formId] })), "403 role_above");
    assert.equal(await codeOf(remove(manager, member)), "403 role_above");
  }
  assert.equal(await codeOf(change(manager, reader, { role: "manager" })), "403 role_above");
  assert.equal(await codeOf(change(manager, reader, { role: "developer" })), 200);
  const { key } = (await owner.request("POST", "/api/api-keys", { name: "Key" })).body;
  assert.equal(await codeOf(manager.request("DELETE", `/api/api-keys/${key.id}`)), "403 api_key_foreign");
  assert.equal(await codeOf(remove(manager, reader)), 200);
  assert.equal(await codeOf(change(owner, manager, { role: "auditor" })), 200);
  assert.equal(await codeOf(remove(owner, other)), 200);
});

test("the last owner can't leave, be demoted or be removed; a disabled one counts for none", async (t) => {
  const { service, owner } = await start(t);
  const second = await addPerson(service, owner, "second@example.com", { role: "owner" });
  await service.database.updateTable("person").set({ disabled_at: 1 }).where("id", "=", second.id).execute();
  assert.equal(await codeOf(owner.request("POST", "/api/members/leave")), "409 last_owner");
  assert.equal(await codeOf(change(owner, owner, { role: "manager" })), "409 last_owner");
  assert.equal(await codeOf(remove(owner, owner)), "409 last_owner");
  assert.equal(await codeOf(remove(owner, second)), 200);
  assert.equal(await codeOf(owner.request("POST", "/api/members/leave")), "409 last_owner");
});

test("of two owners who remove each other at the same time one stays", async (t) => {
  const { service, owner } = await start(t);
  const second = await addPerson(service, owner, "second@example.com", { role: "owner" });
  const answers = await Promise.all([remove(owner, second), remove(second, owner)]);
  assert.deepEqual(answers.map(({ status }) => status === 200).toSorted(), [false, true]);
  const left = await service.database
    .selectFrom("member")
    .where("organization_id", "=", owner.id)
    .selectAll()
    .execute();
  assert.deepEqual(
    left.map(({ role }) => role),
    ["owner"],
  );
});

test("who leaves the organization with their id signs in as before, with another id, and nothing of the organization changes its own", async (t) => {
  const { service, owner } = await start(t);
  const formId = await createForm(owner, {});
  const second = await addPerson(service, owner, "second@example.com", { role: "owner" });
  const created = await owner.request("POST", "/api/organizations", { name: "Another" });
  assert.equal((await owner.request("POST", "/api/members/leave")).status, 200);
  assert.equal(await codeOf(owner.request("GET", "/api/forms")), "403 organization_none");
  await switchTo(owner, created.body.organization.id);
  assert.equal((await owner.request("GET", "/api/forms")).status, 200);
  const body = { email: "owner@example.com", password: "correct horse battery" };
  const signedIn = await service.request("POST", "/api/auth/sign-in/email", { body });
  assert.equal(signedIn.status, 200);
  assert.notEqual(signedIn.body.user.id, owner.id);
  const { forms } = (await second.request("GET", "/api/forms")).body;
  assert.deepEqual(
    forms.map(({ id }: { id: string }) => id),
    [formId],
  );
  const { organizations } = (await second.request("GET", "/api/organizations")).body;
  assert.ok(organizations.some(({ id, name }: Record<string, unknown>) => id === owner.id && name === "Person"));
  // Nothing that the person does from now on is in it.
  const { entries } = (await second.request("GET", "/api/audit-log")).body;
  assert.equal(entries[0].action, "member.left");
});

test("a developer switches sealing neither off nor on, and points no webhook of a form elsewhere that may send what is not sealed", async (t) => {
  const { service, owner } = await start(t);
  const [sealed, plain] = [await createForm(owner, {}), await createForm(owner, { encryption: false })];
  const developer = await addPerson(service, owner, "dev@example.com", { role: "developer", forms: [sealed, plain] });
  const set = (formId: string, settings: object) =>
    codeOf(developer.request("PATCH", `/api/forms/${formId}`, { settings }));
  assert.equal(await set(sealed, { encryption: false }), "403 role_insufficient");
  assert.equal(await set(sealed, { webhookUrl }), 200);
  // After the sealing, submissions would go where a developer said: somebody who may read it has to agree.
  const unseal = (settings: object) =>
    codeOf(owner.request("PATCH", `/api/forms/${sealed}`, { settings: { encryption: false, ...settings } }));
  assert.equal(await unseal({}), "409 webhook_by_developer");
  assert.equal((await owner.request("GET", `/api/forms/${sealed}`)).body.form.settings.encryption, true);
  assert.equal(await unseal({ webhookUrl }), 200);
  assert.equal(await codeOf(owner.request("PATCH", `/api/forms/${sealed}`, { settings: { encryption: true } })), 200);
  assert.equal(await unseal({}), 200, "agreed to, once and for all");
  assert.equal(await set(plain, { webhookUrl }), "403 form_not_sealed");
  assert.equal(await set(plain, { encryption: true }), "403 role_insufficient");
  assert.equal(await codeOf(owner.request("PATCH", `/api/forms/${plain}`, { settings: { encryption: true } })), 200);
  assert.equal(await set(plain, { webhookUrl }), 200);
  assert.equal(await set(plain, { webhookUrl: null }), 200);
  await service.database
    .insertInto("submission")
    .values({
      form_id: plain,
      id: "sub_00000000000000000000000001",
      key_version: 1,
      version: "plain1",
      fields: "{}",
      timestamp: 0,
      received_at: 0,
    })
    .execute();
  assert.equal(await set(plain, { webhookUrl }), "403 form_not_sealed");
  assert.equal(await set(plain, { allowedOrigins: ["https://www.example.org"], webhookUrl: null }), 200);
  // The control: it is the role.
  assert.equal((await owner.request("PATCH", `/api/forms/${plain}`, { settings: { webhookUrl } })).status, 200);
});

test("an API key without permissions gets those of its maker's role, and none above it", async (t) => {
  const { service, owner } = await start(t);
  const developer = await addPerson(service, owner, "dev@example.com", { role: "developer", forms: [] });
  const { key } = (await developer.request("POST", "/api/api-keys", { name: "Key" })).body;
  assert.deepEqual(key.permissions, ["forms:read", "forms:write"]);
  const above = await developer.request("POST", "/api/api-keys", { name: "Key", permissions: ["submissions:read"] });
  assert.deepEqual([above.status, above.body.code], [400, "api_key_permission_above_role"]);
  await owner.request("POST", "/api/api-keys", { name: "Key of the owner" });
  const names = async (person: TestAccount) =>
    (await person.request("GET", "/api/api-keys")).body.keys.map(({ maker }: { maker: { id: string } }) => maker.id);
  assert.deepEqual(await names(owner), [owner.id, developer.id]);
  assert.deepEqual(await names(developer), [developer.id]);
});

test("everything about members is in the audit log, with the person who did it and without an address", async (t) => {
  const { service, owner } = await start(t);
  const second = await addPerson(service, owner, "second@example.com", { role: "manager" });
  await change(owner, second, { role: "owner" });
  await remove(second, owner);
  const { entries } = (await second.request("GET", "/api/audit-log")).body;
  const recorded = entries
    .filter(({ action }: { action: string }) => action.startsWith("member."))
    .map(({ action, actor, target }: Record<string, { personId: string; type: string }>) => [
      action,
      actor?.personId,
      target?.type,
    ]);
  assert.deepEqual(recorded, [
    ["member.removed", second.id, "member"],
    ["member.changed", owner.id, "member"],
    ["member.joined", second.id, "member"],
    ["member.invited", owner.id, "invitation"],
  ]);
  assert.ok(!JSON.stringify(entries).includes("@example.com"));
});

test("an hour after its sign-in a session invites, changes and removes nobody, makes no organization and leaves none", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const owner = await service.signUp("owner@example.com");
  const second = await addPerson(service, owner, "second@example.com", { role: "owner" });
  clock.advance(3_600_001);
  const invitation = { email: "x@example.com", role: "auditor" };
  for (const answer of [
    await owner.request("POST", "/api/invitations", invitation),
    await change(owner, second, { role: "auditor" }),
    await remove(owner, second),
    await owner.request("POST", "/api/organizations", { name: "Another" }),
    await second.request("POST", "/api/members/leave"),
  ])
    assert.deepEqual([answer.status, answer.body.code], [403, "session_stale"]);
});

test("of an organization whose id is guessed nothing is shown and nothing changes", async (t) => {
  const { service, owner } = await start(t);
  const stranger = await service.signUp("stranger@example.com");
  const unknown = owner.id.replace(/.$/, (last) => (last === "0" ? "1" : "0")) as AccountId;
  const [guessed, missing] = await Promise.all(
    [owner.id, unknown].map((id) => stranger.request("POST", `/api/organizations/${id}/switch`)),
  );
  assert.deepEqual([guessed?.status, guessed?.body], [404, missing?.body]);
  // Named in the header alone, it is not what the session acts for.
  const headers = { "sealpost-organization": owner.id };
  const meant = await service.request("PATCH", "/api/organization", {
    ...{ headers, token: stranger.token },
    body: { name: "Taken" },
  });
  assert.deepEqual([meant.status, meant.body.code], [403, "organization_changed"]);
  assert.equal(await codeOf(remove(stranger, owner)), "404 member_not_found");
  assert.equal(await codeOf(change(stranger, owner, { role: "auditor" })), "404 member_not_found");
});

test("a page that was left open changes nothing in the organization that its session was switched to since", async (t) => {
  const { service, owner } = await start(t);
  const { organization } = (await owner.request("POST", "/api/organizations", { name: "Another" })).body;
  const ask = (path: string, shown: string, body?: object) =>
    service.request(body === undefined ? "GET" : "POST", path, {
      ...{ token: owner.token, body },
      headers: { "sealpost-organization": shown },
    });
  const form = { name: "Meant for the first", settings: { encryption: false } };
  assert.equal((await ask("/api/forms", owner.id, form)).status, 200, "a control: it is the one");
  await switchTo(owner, organization.id);
  for (const answer of [
    await ask("/api/forms", owner.id, { ...form, name: "Again" }),
    await ask("/api/forms", owner.id),
    await ask("/api/api-keys", owner.id, { name: "Key" }),
    await ask("/api/forms", "no id"),
  ])
    assert.deepEqual([answer.status, answer.body.code], [403, "organization_changed"]);
  assert.equal((await ask("/api/organizations", owner.id)).status, 200, "what is about the person alone is answered");
  assert.deepEqual((await ask("/api/forms", organization.id)).body.forms, []);
  // An API key names its organization the same way.
  const { key } = (await owner.request("POST", "/api/api-keys", { name: "Key" })).body;
  const headers = { "sealpost-organization": owner.id };
  assert.equal((await service.request("GET", "/api/forms", { token: key.key, headers })).status, 403);
});

test("each setting of a form is changed by a developer if its declaration says so, and by a manager", async (t) => {
  const { service, owner } = await start(t);
  const manager = await addPerson(service, owner, "manager@example.com", { role: "manager" });
  const form = await createForm(owner, {});
  const developer = await addPerson(service, owner, "dev@example.com", { role: "developer", forms: [form] });
  const { key } = (await developer.request("POST", "/api/api-keys", { name: "Key", forms: [form] })).body;
  const byKey = (_method: string, path: string, body: object) =>
    service.request("PATCH", path, { token: key.key, body });
  const path = `/api/forms/${form}`;
  const refused = settingNames.filter((name) => !settings[name].isDevelopers);
  assert.deepEqual(refused, ["encryption", "piiStrip", "country", "piiTypes", "binDays"]);
  for (const name of settingNames) {
    const values = [...settings[name].examples, settings[name].default];
    const allowed = settings[name].isDevelopers ? 200 : "403 role_insufficient";
    for (const [index, value] of values.entries()) {
      const body = { settings: { [name]: value } };
      const ask = index % 2 === 0 ? developer.request : byKey;
      assert.equal(await codeOf(ask("PATCH", path, body)), allowed, `${name}: ${JSON.stringify(value)}`);
      // The control: it is the role. Unchanged, with others, it is nobody's change.
      assert.equal(await codeOf(manager.request("PATCH", path, body)), 200, name);
      assert.equal(await codeOf(ask("PATCH", path, body)), 200, `${name}, unchanged`);
    }
  }
});
