import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { showCode } from "../accounts/testing/authenticator.ts";
import { createForm, postPlain } from "../forms/testing/test-form.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { addPerson } from "./testing/test-organization.ts";

const password = "correct horse battery";
const path = "/api/organization/second-factor";

/** Turns the second factor on in a browser of the account, whose session before ends. */
async function turnOn(service: TestService, { cookie, id }: TestAccount): Promise<TestAccount> {
  const post = (action: string, body: object) =>
    service.request("POST", `/api/auth/two-factor/${action}`, { body, headers: { cookie, origin: service.url } });
  const { totpURI } = (await post("enable", { password })).body;
  const turnedOn = await post("verify-totp", { code: showCode(totpURI) });
  assert.equal(turnedOn.status, 200, JSON.stringify(turnedOn.body));
  const [made = ""] =
    turnedOn.headers
      .getSetCookie()
      .find((line) => /session=[^;]/.test(line))
      ?.split(";") ?? [];
  const headers = { cookie: made, origin: service.url };
  const { token } = (await service.request("GET", "/api/auth/token", { headers })).body;
  return { id, cookie: made, token, request: (method, to, body) => service.request(method, to, { token, body }) };
}

test("from its date on an organization refuses who signed in without a second factor, and nothing else; nobody is locked out", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const signedUp = await service.signUp("owner@example.com");
  const formId = await createForm(signedUp, { encryption: false });
  const manager = await addPerson(service, signedUp, "manager@example.com", { role: "manager" });
  const { key } = (await manager.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  const from = clock.now() + dayMilliseconds;
  const refused = await signedUp.request("PUT", path, { requiredFrom: from });
  assert.deepEqual([refused.status, refused.body.code], [403, "second_factor_missing"], "without one of one's own");
  const owner = await turnOn(service, signedUp);
  const far = await owner.request("PUT", path, { requiredFrom: clock.now() + 400 * dayMilliseconds });
  assert.deepEqual([far.status, far.body.detailCodes], [400, { requiredFrom: "date_too_far" }]);
  assert.deepEqual((await owner.request("PUT", path, { requiredFrom: from })).body, { requiredFrom: from });
  const { organizations, secondFactor } = (await manager.request("GET", "/api/organizations")).body;
  const current = organizations.find((one: { current: boolean }) => one.current);
  assert.deepEqual([current.secondFactorRequiredFrom, secondFactor], [from, false], "so that pages can remind");
  assert.equal((await manager.request("GET", "/api/forms")).status, 200, "before the date");
  const { members } = (await owner.request("GET", "/api/members")).body;
  const withOne = members.filter(({ secondFactor }: { secondFactor: boolean }) => secondFactor);
  assert.deepEqual([members.length, withOne.length, withOne[0].id], [2, 1, owner.id]);

  clock.advance(dayMilliseconds);
  assert.equal((await manager.request("GET", "/api/organizations")).body.lacksSecondFactor, true);
  for (const [method, to] of [
    ["GET", "/api/forms"],
    ["GET", "/api/members"],
    ["PUT", path],
  ] as const) {
    const answer = await manager.request(method, to, method === "PUT" ? { requiredFrom: null } : undefined);
    assert.deepEqual([answer.status, answer.body.code], [403, "second_factor_required"], to);
  }
  assert.equal((await owner.request("GET", "/api/forms")).status, 200);
  assert.equal((await service.request("GET", "/api/forms", { token: key })).status, 200, "programs continue");
  await postPlain(service, formId); // visitors notice nothing
  assert.equal((await manager.request("GET", "/api/sessions")).status, 200, "one's own account stays open");
  assert.equal((await manager.request("POST", `/api/organizations/${manager.id}/switch`)).status, 200);
  assert.equal((await manager.request("GET", "/api/forms")).status, 200, "another organization");
  const headers = { cookie: manager.cookie, origin: service.url };
  const fresh = await service.request("POST", "/api/auth/freshen-session", { body: { password }, headers });
  assert.equal(fresh.status, 200);
  const mine = await createForm(manager, { encryption: false }, "Mine");
  await sql`update member set role = 'owner' where person_id = ${manager.id}`.execute(service.database);
  const brought = await manager.request("POST", `/api/forms/${mine}/hand-over`, { organizationId: owner.id });
  assert.deepEqual([brought.status, brought.body.code], [403, "second_factor_required"], "not from elsewhere either");
  const ready = await turnOn(service, manager);
  assert.equal((await ready.request("POST", `/api/organizations/${owner.id}/switch`)).status, 200);
  assert.equal((await ready.request("GET", "/api/forms")).status, 200, "with one of their own");
  const { entries } = (await owner.request("GET", "/api/audit-log")).body;
  const entry = entries.find(({ action }: { action: string }) => action.includes("second_factor_rule"));
  assert.deepEqual(entry.details.changes, [
    { setting: "secondFactorRequiredFrom", from: null, to: new Date(from).toISOString() },
  ]);
});

test("who lacks the second factor that their organization requires can leave it all the same, with a fresh sign-in; its last owner can't", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const owner = await service.signUp("owner@example.com");
  const member = await addPerson(service, owner, "member@example.com", { role: "manager" });
  await service.database
    .updateTable("organization")
    .set({ second_factor_from: 1 })
    .where("id", "=", owner.id)
    .execute();
  const leave = (account: TestAccount) => account.request("POST", "/api/members/leave");
  assert.equal((await member.request("GET", "/api/members")).body.code, "second_factor_required", "it is in force");
  assert.equal((await leave(owner)).status, 409);
  clock.advance(2 * 3_600_000);
  const { token } = (
    await service.request("GET", "/api/auth/token", { headers: { cookie: member.cookie, origin: service.url } })
  ).body;
  const stale = await service.request("POST", "/api/members/leave", { token });
  assert.deepEqual([stale.status, stale.body.code], [403, "session_stale"]);
  const headers = { cookie: member.cookie, origin: service.url };
  const fresh = await service.request("POST", "/api/auth/freshen-session", { body: { password }, headers });
  assert.equal(fresh.status, 200, JSON.stringify(fresh.body));
  assert.equal((await service.request("POST", "/api/members/leave", { token })).status, 200);
  const { organizations } = (await service.request("GET", "/api/organizations", { token })).body;
  assert.deepEqual(
    organizations.map(({ id }: { id: string }) => id),
    [member.id],
  );
});
