import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type AccountId, createId } from "@sealpost/wire";
import { purgeAccounts } from "../account-life/testing/purge-accounts.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { createUsageMeter } from "../quotas/usage-meter.ts";
import { createUsageStore } from "../quotas/usage-store.ts";
import { runCommand } from "../testing/run-command.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestDatabase } from "../testing/test-database.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { addPerson, invite, switchTo } from "./testing/test-organization.ts";

const mebibyte = 1_048_576;
const gibibyte = 1024 * mebibyte;
const day = 86_400_000;
const plain = { encryption: false, piiStrip: false, allowedOrigins: ["*"] };
const takeOver = "/api/usage/take-over";

interface Scene {
  readonly service: TestService;
  readonly folder: string;
  /** The one for whom the full organization counts, and who acts for it. */
  readonly former: TestAccount;
  /** Joined it as a reader. Acts for it, and owns another one, with their own id. */
  readonly other: TestAccount;
  readonly full: string;
}

/** Somebody has joined an organization as a reader, and its owner makes them an owner. */
async function start(t: TestContext, which: "first" | "second" = "first"): Promise<Scene> {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder, environment: { SEALPOST_QUOTAS: "on" } });
  const former = await service.signUp("former@example.com", "Mallory");
  const full = which === "first" ? former.id : await makeOrganization(former, "Full");
  await switchTo(former, full);
  const form = await createForm(former, plain);
  const other = await addPerson(service, former, "other@example.com", { role: "reader", forms: [form] }, "Clinic");
  assert.equal((await changeRole(former, other, "owner")).status, 200);
  return { service, folder, former, other, full };
}

async function makeOrganization(person: TestAccount, name: string): Promise<string> {
  const { status, body } = await person.request("POST", "/api/organizations", { name });
  assert.equal(status, 200, JSON.stringify(body));
  return body.organization.id;
}

const changeRole = (by: TestAccount, member: TestAccount, role: string) =>
  by.request("PATCH", `/api/members/${member.id}`, { role });

/** Fills an organization, as if it had been done over months. */
async function fill({ service }: Pick<Scene, "service">, organization: string, bytes: number, otherBytes = 0) {
  const { id } = await service.database
    .selectFrom("form")
    .select("id")
    .where("account_id", "=", organization)
    .executeTakeFirstOrThrow();
  await service.database.updateTable("form_count").set({ bytes }).where("form_id", "=", id).execute();
  await service.database.insertInto("counted_bytes").values({ owner_id: organization, bytes: otherBytes }).execute();
}

/** Another member of the full organization. */
const addOwner = ({ service, other }: Scene) => addPerson(service, other, "third@example.com", { role: "manager" });

const sharedOf = async ({ service }: Pick<Scene, "service">, organization: string) =>
  (await createUsageStore(service.database).findAccount(organization)).shared;

const usageOf = async (account: TestAccount) => (await account.request("GET", "/api/usage")).body.usage;

/** Each way in which the person for whom an organization counts stops being one of its owners. */
const ways: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  leaves: async ({ former }) => assert.equal((await former.request("POST", "/api/members/leave")).status, 200),
  "is removed": async ({ former, other }) =>
    assert.equal((await other.request("DELETE", `/api/members/${former.id}`)).status, 200),
  "gets another role": async ({ former, other }) =>
    assert.equal((await changeRole(other, former, "manager")).status, 200),
  "takes another role": async ({ former }) => assert.equal((await changeRole(former, former, "auditor")).status, 200),
  "takes another role, and is made an owner again": async ({ former, other }) => {
    assert.equal((await changeRole(former, former, "manager")).status, 200);
    assert.equal((await changeRole(other, former, "owner")).status, 200);
  },
  "deletes their account": async (scene) => {
    const { former } = scene;
    assert.equal((await former.request("POST", "/api/account/deletion?confirm=DELETE_ACCOUNT")).status, 200);
    await purgeAccounts(scene.service, Date.now() + 31 * day);
  },
  "leaves while the operator makes the other one an owner": async ({ service, folder, former, other, full }) => {
    assert.equal((await changeRole(former, other, "auditor")).status, 200);
    const environment = { SEALPOST_DATA: folder, ...(await createTestDatabase({ after: () => {} }, folder)) };
    const parameters = ["organization", "make-owner", "--id", full, "--email", "other@example.com"];
    const { code, stderr } = await runCommand(parameters, environment);
    assert.equal(code, 0, stderr);
    assert.equal((await service.request("POST", "/api/members/leave", { token: former.token })).status, 200);
  },
};

for (const [way, end] of Object.entries(ways))
  test(`an organization whose first owner ${way} takes no room from its next owner's other ones, until that owner says so`, async (t) => {
    // The person's id changes with the first one, which has it too.
    for (const which of way === "leaves" ? (["first", "second"] as const) : (["first"] as const)) {
      const scene = await start(t, which);
      const { service, other, full } = scene;
      const before = await sharedOf(scene, other.id);
      await fill(scene, full, gibibyte, gibibyte / 4);
      await end(scene);
      // The next owner has as much room as before; the organization itself is full.
      assert.deepEqual(await sharedOf(scene, other.id), before, which);
      const meter = createUsageMeter({ usage: createUsageStore(service.database), hasLeftMany: async () => false });
      assert.equal(await meter.hasRoomForOther(other.id as AccountId), true);
      assert.equal(await meter.hasRoomForOther(full as AccountId), false);
      await switchTo(other, full);
      const { shared } = await usageOf(other);
      assert.equal(shared.countsFor, "former_owner");
      assert.equal(
        shared.name,
        /^(deletes|leaves|is removed)/.test(way) ? null : "Mallory",
        "members alone have names",
      );
      assert.deepEqual([shared.percent, shared.otherPercent], [125, 100]);
      const refused = await other.request("POST", takeOver);
      assert.deepEqual([refused.status, refused.body.code], [409, "usage_too_large"], JSON.stringify(refused.body));
      await service.database.deleteFrom("counted_bytes").where("owner_id", "=", full).execute();
      await fill(scene, full, 100 * mebibyte);
      assert.equal((await other.request("POST", takeOver)).status, 200);
      assert.equal((await sharedOf(scene, other.id)).bytes, 100 * mebibyte);
      assert.equal((await usageOf(other)).shared.countsFor, "you");
      const { entries } = (await other.request("GET", "/api/audit-log")).body;
      const actions = entries.map(({ action }: { action: string }) => action);
      assert.ok(actions.includes("organization.usage_taken_over"), actions.join(" "));
    }
  });

test("a stranger who makes a reader the owner of two full organizations, and leaves, takes nothing from the reader's own", async (t) => {
  const folder = createTemporaryFolder(t);
  // Without quotas, so that nothing is remembered of a time before.
  const before = await createTestService(t, { folder });
  const victim = await before.signUp("victim@example.com", "Clinic");
  const clinic = await createForm(victim, plain);
  for (const number of [1, 2]) {
    const mallory = await before.signUp(`mallory-${number}@example.com`, "Mallory");
    const form = await createForm(mallory, plain);
    await fill({ service: before }, mallory.id, 0.5 * gibibyte, gibibyte / 4);
    const token = await invite(mallory, "victim@example.com", { role: "reader", forms: [form] });
    assert.equal((await victim.request("POST", "/api/invitations/accept", { token })).status, 200);
    assert.equal((await changeRole(mallory, victim, "owner")).status, 200);
    assert.equal((await mallory.request("POST", "/api/members/leave")).status, 200);
  }
  await switchTo(victim, victim.id);
  await before.stop();

  const service = await createTestService(t, { folder, environment: { SEALPOST_QUOTAS: "on" } });
  const ask = (method: string, path: string, body: object) =>
    service.request(method, path, { body, headers: { cookie: victim.cookie, origin: service.url } });
  const sent = await service.request("POST", `/api/forms/${clinic}/submissions`, {
    body: { payload: { encrypted: false, version: "plain1", fields: { message: "help" } } },
  });
  assert.equal(sent.status, 201, JSON.stringify(sent.body));
  const changes = [
    await ask("PATCH", `/api/forms/${clinic}`, { name: "Renamed" }),
    await ask("POST", "/api/api-keys", { name: "Key" }),
    await ask("POST", "/api/invitations", { email: "new@example.com", role: "manager" }),
  ];
  for (const { status, body } of changes) assert.equal(status, 200, JSON.stringify(body));
});

test("who was removed from what they made, and fills and leaves other organizations, stops none of its forms", async (t) => {
  const scene = await start(t);
  const { service, former: agency, other: client, full: site } = scene;
  await fill(scene, site, 100 * mebibyte);
  assert.equal((await client.request("DELETE", `/api/members/${agency.id}`)).status, 200);
  const puppet = await service.signUp("puppet@example.com");
  const trash = await makeOrganization(agency, "Trash");
  await switchTo(agency, trash);
  const form = await createForm(agency, plain);
  const token = await invite(agency, "puppet@example.com", { role: "reader", forms: [form] });
  assert.equal((await puppet.request("POST", "/api/invitations/accept", { token })).status, 200);
  assert.equal((await changeRole(agency, puppet, "owner")).status, 200);
  await fill(scene, trash, gibibyte);
  assert.equal((await agency.request("POST", "/api/members/leave")).status, 200);
  const mebibytes = async (id: string) => Math.floor((await sharedOf(scene, id)).bytes / mebibyte);
  assert.deepEqual([await mebibytes(site), await mebibytes(trash)], [100, 1024]);
  const send = async (organization: string) => {
    const { id } = await service.database
      .selectFrom("form")
      .select("id")
      .where("account_id", "=", organization)
      .executeTakeFirstOrThrow();
    const body = { payload: { encrypted: false, version: "plain1", fields: { message: "help" } } };
    const answer = await service.request("POST", `/api/forms/${id}/submissions`, { body });
    return `${answer.status} ${answer.body.code ?? ""}`;
  };
  assert.deepEqual([await send(site), await send(trash)], ["201 ", "503 quota_reached"]);
  await switchTo(client, site);
  const { shared } = await usageOf(client);
  assert.deepEqual([shared.countsFor, shared.name, shared.percent], ["former_owner", null, 9]);
  assert.deepEqual(shared.organizations, []);
});

test("what somebody left behind counts among their fifty organizations, until an owner takes it over or their account is gone", async (t) => {
  const scene = await start(t);
  const { service, former, other, full } = scene;
  const { database } = service;
  // The other one's, the way they all were made, and as many as one person may have.
  for (let number = 1; number < 50; number++)
    await database
      .insertInto("organization")
      .values({ id: createId("account"), name: "More", plan: "free", created_at: 0, counts_for: former.id })
      .execute();
  const make = async (person: TestAccount) => {
    const { status, body } = await person.request("POST", "/api/organizations", { name: "One more" });
    return `${status} ${body.code}`;
  };
  const take = async () => {
    const { status, body } = await other.request("POST", takeOver);
    return `${status} ${body.code}`;
  };
  assert.equal(await make(former), "409 too_many_organizations");
  assert.equal((await former.request("POST", "/api/members/leave")).status, 200);
  assert.equal(await make(former), "409 too_many_organizations", "it counts on, though the person has another id now");
  await switchTo(other, full);
  // Nobody gathers more by taking over and leaving.
  await database.updateTable("organization").set({ left_by: other.id }).where("name", "=", "More").execute();
  assert.equal(await take(), "409 too_many_organizations");
  await database.updateTable("organization").set({ left_by: null }).where("name", "=", "More").execute();
  assert.equal(await take(), "200 undefined");
  assert.equal(await make(former), "200 undefined");
  // One that somebody left themselves counts already.
  assert.equal((await changeRole(other, await addOwner(scene), "owner")).status, 200);
  assert.equal((await changeRole(other, other, "auditor")).status, 200);
  const [row] = await database.selectFrom("organization").select("left_by").where("id", "=", full).execute();
  assert.equal(row?.left_by, other.id);
  assert.equal((await other.request("POST", "/api/account/deletion?confirm=DELETE_ACCOUNT")).status, 200);
  await purgeAccounts(service, Date.now() + 31 * day);
  const [after] = await database
    .selectFrom("organization")
    .select(["counts_for", "left_by"])
    .where("id", "=", full)
    .execute();
  assert.deepEqual([after?.counts_for, after?.left_by], [null, null]);
});

test("what counts for an owner is taken from nobody, and one with room of its own counts for nobody", async (t) => {
  const scene = await start(t);
  const { service, former, other, full } = scene;
  const take = async (account: TestAccount) => {
    const { status, body } = await account.request("POST", takeOver);
    return `${status} ${body.code}`;
  };
  assert.equal(await take(other), "409 usage_of_owner");
  assert.equal(await take(former), "200 undefined");
  const [seen, own] = [await usageOf(other), await usageOf(former)];
  assert.deepEqual([seen.shared.countsFor, seen.shared.name], ["owner", "Mallory"]);
  assert.deepEqual(
    seen.shared.organizations.map(({ id }: { id: string }) => id),
    [full],
  );
  assert.deepEqual([own.shared.countsFor, own.shared.name], ["you", "Mallory"]);
  // Other organizations of the same person are nobody's business: no names, and no number of bytes.
  const hidden = await makeOrganization(former, "Hidden");
  assert.deepEqual((await usageOf(other)).shared.organizations.length, 1);
  const shown = (await usageOf(former)).shared.organizations.map(({ id }: { id: string }) => id);
  assert.deepEqual(shown.toSorted(), [full, hidden].toSorted());
  assert.equal((await changeRole(former, other, "manager")).status, 200);
  const asManager = (await usageOf(other)).shared;
  assert.deepEqual([asManager.name, asManager.organizations], [null, []]);
  await service.database.updateTable("organization").set({ plan: "pro" }).where("id", "=", full).execute();
  assert.equal((await usageOf(former)).shared, null);
  assert.equal(await take(former), "409 usage_of_nobody");
});
