import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { createAccountStore } from "../accounts/account-store.ts";
import type { Database } from "../database/database.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { createTestBrowser, type TestBrowser } from "../oidc/testing/test-browser.ts";
import { createMemberStore } from "../organizations/member-store.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { type Clock, dayMilliseconds as day } from "../time/clock.ts";
import { createAccountDeletions } from "./account-deletions.ts";
import { purgeAccounts } from "./testing/purge-accounts.ts";

const email = "leaver@example.com";
const deletion = "/api/account/deletion";

async function signIn(service: TestService): Promise<TestBrowser> {
  const browser = createTestBrowser(service);
  const { status } = await browser.post("/api/auth/sign-in/email", { email, password: "correct horse battery" });
  assert.equal(status, 200);
  return browser;
}

const leave = async (browser: TestBrowser): Promise<number> =>
  (await browser.post(`${deletion}?confirm=DELETE_ACCOUNT`, {})).body.deletedAt;

async function create(t: TestContext) {
  const clock = createFakeClock();
  const service = await createTestService(t, { clock });
  const person = await service.signUp(email);
  const { database } = service;
  const dates = async () => ({
    person: (await database.selectFrom("person").select("leaves_at").execute()).map((row) => row.leaves_at),
    organizations: (await database.selectFrom("organization").select("ends_at").execute()).map((row) => row.ends_at),
  });
  return { clock, service, person, database, dates };
}

function createDeletions(database: Database, clock: Clock) {
  return createAccountDeletions({
    ...{ database, accounts: createAccountStore(database), members: createMemberStore(database), clock },
    sendSecurityMail: async () => {},
  });
}

test("a deletion that is asked for again, as after a lost answer, keeps its date, and the account is kept with all that would have gone", async (t) => {
  const { clock, service, person, database, dates } = await create(t);
  const formId = await createForm(person, { encryption: false });
  const first = await leave(await signIn(service));
  clock.advance(1000);
  assert.equal(await leave(await signIn(service)), first);
  assert.deepEqual(await dates(), { person: [first], organizations: [first] });
  const asked = await database
    .selectFrom("audit_entry")
    .select("id")
    .where("action", "=", "account.deletion_requested")
    .execute();
  assert.equal(asked.length, 1);
  const browser = await signIn(service);
  assert.equal((await browser.post(deletion, {}, "DELETE")).body.account.deletedAt, null);
  assert.deepEqual(await dates(), { person: [null], organizations: [null] });
  await purgeAccounts(service, first + day);
  assert.equal((await browser.post(`/api/forms/${formId}`, {}, "GET")).status, 200);

  // The operator's command needs no other date to come first.
  await leave(browser);
  const deletions = createDeletions(database, clock);
  await deletions.leave(person.id as AccountId, { type: "operator" }, 0); // the service made it
  await purgeAccounts(service, clock.now());
  assert.deepEqual(await dates(), { person: [], organizations: [] });
});

test("an organization that a person makes, or keeps alone, while their account is to be deleted goes with the account", async (t) => {
  const { service, dates } = await create(t);
  const at = await leave(await signIn(service));
  const browser = await signIn(service);
  assert.equal((await browser.post("/api/organizations", { name: "Later" })).status, 200);
  assert.deepEqual((await browser.post("/api/organization/deletion", {}, "DELETE")).body, { deletedAt: null });
  assert.deepEqual((await dates()).organizations, [null, null], "a control");
  await purgeAccounts(service, at - 1);
  assert.equal((await dates()).person.length, 1);
  await purgeAccounts(service, at);
  assert.deepEqual(await dates(), { person: [], organizations: [] });
});

test("who looks at once after another owner came reads that the organization stays, however many forms were counted before", async (t) => {
  const { clock, service, person, database } = await create(t);
  const look = async () => (await deletions.look(person.id as AccountId)).organizations.map(({ fate }) => fate); // the service made it
  const deletions = createDeletions(database, clock);
  // As many as are counted once in minutes.
  await database.updateTable("account_count").set({ forms: 10_000_000 }).execute();
  assert.deepEqual(await look(), ["deleted"]);
  await addPerson(service, person, "other@example.com", { role: "owner" });
  assert.deepEqual(await look(), ["left"]);
});
