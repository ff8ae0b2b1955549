import assert from "node:assert/strict";
import { test } from "node:test";
import { administer } from "../accounts/administer.ts";
import { showCode } from "../accounts/testing/authenticator.ts";
import { parseConfig } from "../config/config.ts";
import { startSmtpServer } from "../mail/testing/smtp-server.ts";
import { whoIs } from "../oidc/testing/sign-in-bench.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestDatabase } from "../testing/test-database.ts";
import { add, createPasskeyBench, list, outcomeOf, password, path, use } from "./testing/passkey-bench.ts";

test("a passkey signs in without password and code, counts as the second factor, and opens nothing once it was removed", async (t) => {
  const { owner, createAuthenticator, openBrowser, signIn, listActions, setAhead } = await createPasskeyBench(t);
  const browser = await signIn();
  const [phone, laptop] = [createAuthenticator(), createAuthenticator()];
  const added = await add(browser, phone);
  assert.deepEqual([added.status, added.body.passkey.name, added.body.passkey.usedAt], [200, "Passkey", null]);
  assert.equal(outcomeOf(await add(browser, laptop)), "200");
  const [{ id }, other] = await list(browser);
  const rename = async (name: string) => browser.post(`${path}/${id}`, { name }, "PATCH");
  assert.equal((await rename(" Old phone ")).body.passkey.name, "Old phone");
  for (const name of ["", "  ", "two\nlines", "x".repeat(61)])
    assert.equal(outcomeOf(await rename(name)), "400 passkey_name_wrong", name);

  // With a second factor on, the password alone is not enough; a passkey is.
  const { totpURI } = (await browser.post("/api/auth/two-factor/enable", { password })).body;
  const code = showCode(totpURI);
  assert.equal(outcomeOf(await browser.post("/api/auth/two-factor/verify-totp", { code })), "200");
  const guest = openBrowser();
  assert.equal(outcomeOf(await use(guest, phone)), "200");
  assert.equal(await whoIs(guest), "owner@example.com");
  assert.equal((await guest.post("/api/organizations", {}, "GET")).body.secondFactor, true);
  assert.equal(typeof (await list(guest))[0].usedAt, "number");
  // It is the password and the code in one, for what needs a fresh sign-in too.
  setAhead(61 * 60_000);
  assert.equal(outcomeOf(await guest.post(`${path}/begin`)), "403 session_stale");
  assert.equal(outcomeOf(await use(guest, laptop, {}, "confirm")), "200");
  assert.equal(outcomeOf(await guest.post(`${path}/begin`)), "200");

  // The thief has the lost phone.
  const thief = openBrowser();
  assert.equal(outcomeOf(await use(thief, phone)), "200");
  assert.equal(outcomeOf(await guest.post(`${path}/${id}`, {}, "DELETE")), "200");
  assert.equal(outcomeOf(await guest.post(`${path}/${id}`, {}, "DELETE")), "404 passkey_not_found");
  assert.equal(outcomeOf(await rename("Gone")), "404 passkey_not_found");
  assert.equal(await whoIs(thief), undefined, "what it had opened");
  assert.equal(outcomeOf(await use(thief, phone)), "401 passkey_unknown");
  assert.deepEqual(
    (await list(guest)).map((one: { id: string }) => one.id),
    [other.id],
  );
  const exported = await guest.post("/api/account/export", {}, "GET");
  assert.deepEqual(
    exported.body.passkeys.map((one: { credentialId: string }) => one.credentialId),
    [laptop.credentialId],
  );
  const actions = await listActions(owner.id);
  assert.equal(actions.filter((action) => action === "passkey.added").length, 2);
  assert.equal(actions.filter((action) => action === "passkey.removed").length, 1);
});

test("a required second factor may be a passkey; the password alone then adds none, and the last one stays", async (t) => {
  const { service, owner, createAuthenticator, signIn } = await createPasskeyBench(t);
  const boss = await signIn();
  assert.equal(outcomeOf(await add(boss, createAuthenticator())), "200");
  const rule = { requiredFrom: Date.now() - 1 };
  const headers = { origin: service.url, cookie: boss.cookiesOf(service.url) };
  const member = await addPerson(service, owner, "member@example.com", { role: "manager" });
  // Adding it was enough: who has just added a passkey has it.
  const required = await service.request("PUT", "/api/organization/second-factor", { body: rule, headers });
  assert.equal(required.status, 200, JSON.stringify(required.body));
  assert.equal((await member.request("GET", "/api/forms")).body.code, "second_factor_required");

  const first = createAuthenticator();
  const browser = await signIn("member@example.com");
  assert.equal((await browser.post(`/api/organizations/${owner.id}/switch`)).status, 200);
  // Begun by a thief of the password before there is a passkey.
  const early = await signIn("member@example.com");
  const { totpURI } = (await early.post("/api/auth/two-factor/enable", { password })).body;
  const forms = async (of: typeof browser) => outcomeOf(await of.post("/api/forms", {}, "GET"));
  assert.equal(await forms(browser), "403 second_factor_required");
  assert.equal(outcomeOf(await add(browser, first)), "200");
  assert.equal(await forms(browser), "200");
  const { members } = (await boss.post("/api/members", {}, "GET")).body;
  assert.deepEqual(
    members.map((one: { secondFactor: boolean }) => one.secondFactor),
    [true, true],
  );

  // A thief of the password.
  const thief = await signIn("member@example.com");
  await thief.post(`/api/organizations/${owner.id}/switch`);
  assert.equal(await forms(thief), "403 second_factor_required");
  assert.equal(outcomeOf(await add(thief, createAuthenticator())), "403 passkey_needed");
  assert.equal(outcomeOf(await thief.post("/api/auth/two-factor/enable", { password })), "403 passkey_needed");
  const code = showCode(totpURI);
  assert.equal(outcomeOf(await early.post("/api/auth/two-factor/verify-totp", { code })), "403 passkey_needed");
  const theft = { currentPassword: password, newPassword: "another horse battery" };
  assert.equal(outcomeOf(await thief.post("/api/auth/change-password", theft)), "403 passkey_needed");
  const [{ id }] = await list(thief);
  assert.equal(outcomeOf(await thief.post(`${path}/${id}`, {}, "DELETE")), "409 passkey_last");
  assert.equal((await list(thief)).length, 1);
  // Its owner, in the same browser.
  assert.equal(outcomeOf(await use(thief, first, {}, "confirm")), "200");
  assert.equal(await forms(thief), "200");
  // Who steals that session and knows the password has only the password to make it fresh with.
  assert.equal(outcomeOf(await thief.post("/api/auth/freshen-session", { password })), "403 passkey_needed");
  assert.equal(outcomeOf(await add(thief, createAuthenticator())), "200");
  assert.equal(outcomeOf(await thief.post(`${path}/${id}`, {}, "DELETE")), "200", "not the last any more");
  assert.equal(await forms(thief), "403 second_factor_required", "its own second factor is gone");
  assert.equal(await whoIs(browser), undefined, "what the removed one had confirmed");

  // Operators.
  await service.database.updateTable("person").set({ operator_since: 1 }).where("id", "=", owner.id).execute();
  const accounts = await boss.post("/api/instance/accounts", {}, "GET");
  assert.deepEqual([outcomeOf(accounts), accounts.body.accounts[0]?.secondFactor], ["200", true]);
  const byPassword = await signIn();
  assert.equal(outcomeOf(await byPassword.post("/api/instance/accounts", {}, "GET")), "403 operator_second_factor");
});

test("a stranger who had an account keeps no passkey, and a passkey lets nobody in whom the password would not", async (t) => {
  const smtp = await startSmtpServer(t);
  const database = await createTestDatabase(t, createTemporaryFolder(t));
  const bench = await createPasskeyBench(t, {
    ...database,
    SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
    SEALPOST_MAIL_FROM: "forms@example.com",
  });
  const { service, createAuthenticator, openBrowser, signIn } = bench;
  // Nobody adds one to an address that they have not shown to be theirs.
  await service.database.updateTable("person").set({ verification: "needed" }).execute();
  const [mine, strangers] = [createAuthenticator(), createAuthenticator()];
  assert.equal(outcomeOf(await add(await signIn(), strangers)), "403 email_unverified");
  await service.database.updateTable("person").set({ verification: "trusted" }).execute();

  // A new password from a session that a passkey has opened keeps this one alone.
  const browser = await signIn();
  assert.equal(outcomeOf(await add(browser, mine)), "200");
  assert.equal(outcomeOf(await add(await signIn(), strangers)), "200");
  const change = { currentPassword: password, newPassword: "another horse battery" };
  assert.equal(outcomeOf(await browser.post("/api/auth/change-password", change)), "200");
  assert.equal((await browser.post("/api/organizations", {}, "GET")).body.secondFactor, true);
  assert.equal((await list(browser)).length, 1);
  assert.equal(outcomeOf(await use(openBrowser(), strangers)), "401 passkey_unknown");
  assert.equal(outcomeOf(await use(openBrowser(), mine)), "200");
  const back = { currentPassword: change.newPassword, newPassword: password, revokeApiKeys: false };
  assert.equal(outcomeOf(await add(browser, strangers)), "200");
  assert.equal(outcomeOf(await browser.post("/api/auth/change-password", back)), "200");
  assert.equal((await list(browser)).length, 2, "where what was made stays");

  // The link for a forgotten password, and the operator's new password.
  const asked = await openBrowser().post("/api/auth/request-password-reset", { email: "owner@example.com" });
  assert.equal(asked.status, 200);
  let mail = await smtp.next();
  const subjects = [];
  while (!/reset-password/.test(mail.text)) {
    subjects.push(mail.headers.get("subject"));
    mail = await smtp.next();
  }
  assert.ok(subjects.includes("A passkey was added to your account"), subjects.join());
  const token = /reset-password#(\w+)/.exec(mail.text)?.[1];
  assert.equal((await openBrowser().post("/api/auth/reset-password", { token, newPassword: password })).status, 200);
  assert.equal(outcomeOf(await use(openBrowser(), mine)), "401 passkey_unknown");

  const config = parseConfig({ ...database, SEALPOST_DATA: service.folder });
  const again = await signIn();
  assert.equal(outcomeOf(await add(again, mine)), "200");
  const resetSecondFactor = () => administer(config, (accounts) => accounts.resetSecondFactor("owner@example.com"));
  await resetSecondFactor();
  assert.equal(outcomeOf(await use(openBrowser(), mine)), "401 passkey_unknown");
  await assert.rejects(resetSecondFactor(), /has no second factor/);

  // Who waits for the deletion may come back; who is disabled comes in by nothing.
  const last = await signIn();
  assert.equal(outcomeOf(await add(last, mine)), "200");
  const leaving = await last.post("/api/account/deletion?confirm=DELETE_ACCOUNT");
  assert.equal(leaving.status, 200, JSON.stringify(leaving.body));
  const returned = openBrowser();
  assert.equal(outcomeOf(await use(returned, mine)), "200");
  assert.equal(await whoIs(returned), "owner@example.com");
  await service.database.updateTable("person").set({ disabled_at: Date.now() }).execute();
  assert.equal(outcomeOf(await use(openBrowser(), mine)), "403 account_disabled");
});
