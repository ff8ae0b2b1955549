import assert from "node:assert/strict";
import { test } from "node:test";
import { administer } from "../accounts/administer.ts";
import { showCode } from "../accounts/testing/authenticator.ts";
import { parseConfig } from "../config/config.ts";
import { startSmtpServer } from "../mail/testing/smtp-server.ts";
import { invite } from "../organizations/testing/test-organization.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestDatabase } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { createSignInBench, outcomeOf, password, type SignInBench, whoIs } from "./testing/sign-in-bench.ts";
import { createTestBrowser, type TestBrowser } from "./testing/test-browser.ts";
import { startTestProvider } from "./testing/test-provider.ts";

const hour = 3_600_000;
const ada = { sub: "ada", email: "ada@example.com", email_verified: true, name: "Ada" };

async function listIdentities(browser: TestBrowser) {
  const { status, body } = await browser.post("/api/auth/identities", {}, "GET");
  assert.equal(status, 200, JSON.stringify(body));
  return body.identities;
}

async function link(browser: TestBrowser): Promise<string> {
  return outcomeOf(await browser.signIn({}, "/api/auth/oidc/link"));
}

/** The status and the code of a request by a page. */
async function ask(browser: TestBrowser, method: string, path: string, body = {}): Promise<string> {
  const answer = await browser.post(path, body, method);
  return `${answer.status} ${answer.body?.code ?? ""}`.trim();
}

test("who they are is the provider's subject: an address that somebody has links nothing until they sign in and link it", async (t) => {
  const bench = await createSignInBench(t);
  const { provider, owner } = bench;
  provider.person = { ...ada, sub: "ada-at-the-house", email: " OWNER@example.com" };
  assert.equal(await bench.signIn(), "email_taken");
  assert.deepEqual(await bench.listActions(owner.id), ["account.created", "session.started"]);
  const browser = await bench.openOwnersBrowser();
  assert.deepEqual(await listIdentities(browser), []);
  assert.equal(await link(browser), "linked");
  assert.equal(await link(browser), "linked");
  const [identity] = await listIdentities(browser);
  assert.deepEqual([identity.name, identity.issuer, identity.usedAt], ["owner@example.com", provider.issuer, null]);
  // Whatever the provider says of their address from now on.
  provider.person = { sub: "ada-at-the-house", email: "new@example.com", email_verified: false };
  const other = bench.openBrowser();
  assert.equal(outcomeOf(await other.signIn({ next: "/account" })), "/account");
  assert.equal(await whoIs(other), "owner@example.com");
  assert.equal(await bench.countAccounts(), 1);
  // Nobody else links the same person, and nobody links two of one provider.
  await bench.service.signUp("second@example.com");
  assert.equal(await link(await bench.openOwnersBrowser("second@example.com")), "linked_elsewhere");
  provider.person = { ...ada, sub: "another" };
  assert.equal(await link(browser), "linked_already");
  const started = Array.from({ length: 3 }, () => "session.started");
  assert.deepEqual(await bench.listActions(owner.id), ["account.created", "identity.linked", ...started]);
});

test("a new person gets an account by their first sign-in; without a verified address it gets no notices and makes nothing", async (t) => {
  const smtp = await startSmtpServer(t);
  const bench = await createSignInBench(t, {
    SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
    SEALPOST_MAIL_FROM: "forms@example.com",
  });
  const { provider, service } = bench;
  provider.person = { sub: "nobody", name: "No Address" };
  assert.equal(await bench.signIn(), "email_missing");
  provider.person = { ...ada, email_verified: undefined };
  const browser = bench.openBrowser();
  assert.equal(outcomeOf(await browser.signIn()), "/");
  assert.equal(await ask(browser, "POST", "/api/forms", { name: "Form" }), "403 email_unverified");
  const row = await service.database
    .selectFrom("person")
    .select(["id", "verification", "name"])
    .where("email", "=", "ada@example.com")
    .executeTakeFirstOrThrow();
  assert.deepEqual([row.verification, row.name], ["needed", "Ada"]);
  assert.deepEqual(await bench.listActions(row.id), ["account.created", "identity.linked", "session.started"]);
  const email = await smtp.next();
  assert.deepEqual(email.to, ["ada@example.com"]);
  assert.match(email.text, /verify-email/);
  // The provider's own word verifies the same address later, and no other one.
  provider.person = { ...ada, email: "other@example.com" };
  assert.equal(outcomeOf(await browser.signIn()), "/");
  assert.equal(await ask(browser, "POST", "/api/forms", { name: "Form" }), "403 email_unverified");
  provider.person = ada;
  assert.equal(outcomeOf(await browser.signIn()), "/");
  assert.equal(await ask(browser, "POST", "/api/forms", { name: "Form" }), "200");
});

test("a member of an allowed group comes in where sign-up is closed; removed from it, they are out when the session ends at the latest", async (t) => {
  const bench = await createSignInBench(t, {
    SEALPOST_SIGNUP: "first",
    SEALPOST_OIDC_ALLOWED_GROUPS: "board, council",
  });
  const { provider } = bench;
  const member = { ...ada, groups: ["choir", "council"] };
  provider.person = { ...ada, groups: ["choir"] };
  assert.equal(await bench.signIn(), "not_in_group");
  provider.person = ada;
  assert.equal(await bench.signIn(), "groups_missing");
  assert.equal(await bench.countAccounts(), 1);
  provider.person = member;
  const browser = bench.openBrowser();
  assert.equal(outcomeOf(await browser.signIn()), "/");
  const token = (await browser.post("/api/auth/token", {}, "GET")).body.token;
  const useToken = () => bench.service.request("GET", "/api/forms", { token });

  provider.person = { ...ada, groups: [] };
  assert.equal(await bench.signIn(), "not_in_group");
  bench.setAhead(11 * hour);
  assert.equal(await ask(browser, "GET", "/api/forms"), "200");
  // Not through what the sign-in library answers by itself either, however busy the session was.
  bench.setAhead(12 * hour);
  assert.equal((await useToken()).status, 401);
  assert.equal(await ask(browser, "GET", "/api/forms"), "401 credential_invalid");
  assert.equal(await whoIs(browser), undefined);
  bench.setAhead(0);
  assert.equal(await ask(browser, "GET", "/api/forms"), "401 credential_invalid");
  assert.equal(await bench.signIn(), "not_in_group");
  provider.person = member;
  assert.equal(await bench.signIn(), "/");
  assert.equal(await bench.countAccounts(), 2);
});

test("where sign-up is closed and no group is named, only who was invited comes in, with the invited address alone", async (t) => {
  const bench = await createSignInBench(t, { SEALPOST_SIGNUP: "first" });
  const { provider, owner } = bench;
  provider.person = ada;
  assert.equal(await bench.signIn(), "not_admitted");
  const invitation = await invite(owner, "ada@example.com", { role: "manager" });
  provider.person = { ...ada, email: "eve@example.com" };
  assert.equal(await bench.signIn({ invitation }), "invitation_other_address");
  assert.equal(await bench.signIn({ invitation: "made-up" }), "invitation_ended");
  provider.person = ada;
  assert.equal(await bench.signIn({ invitation }), "/");
  const { members } = (await owner.request("GET", "/api/members")).body;
  assert.deepEqual(members.map(({ role }: { readonly role: string }) => role).toSorted(), ["manager", "owner"]);
  // Used up, and needed no more.
  provider.person = { ...ada, sub: "second", email: "second@example.com" };
  assert.equal(await bench.signIn({ invitation }), "invitation_ended");
  provider.person = ada;
  assert.equal(await bench.signIn(), "/");
  assert.equal(await bench.countAccounts(), 2);
});

test("nobody becomes the first account of an instance by their provider", async (t) => {
  const provider = await startTestProvider(t);
  const service = await createTestService(t, { environment: provider.environment });
  await provider.admit(service.url);
  provider.person = ada;
  assert.equal(outcomeOf(await createTestBrowser(service).signIn()), "first_account");
  assert.deepEqual(await service.database.selectFrom("person").select("id").execute(), []);
});

/** Turns the second factor on. Gives the address of its secret. */
async function turnOn(browser: TestBrowser): Promise<string> {
  const begun = await browser.post("/api/auth/two-factor/enable", { password });
  assert.equal(begun.status, 200, JSON.stringify(begun.body));
  const code = showCode(begun.body.totpURI, Date.now() - 30_000);
  assert.equal(await ask(browser, "POST", "/api/auth/two-factor/verify-totp", { code }), "200");
  return begun.body.totpURI;
}

async function linkOwner(bench: SignInBench): Promise<TestBrowser> {
  bench.provider.person = ada;
  const browser = await bench.openOwnersBrowser();
  assert.equal(await link(browser), "linked");
  return browser;
}

test("the provider is no second factor unless the operator says so: the code is asked for, and the session still ends in time", async (t) => {
  const bench = await createSignInBench(t);
  const uri = await turnOn(await linkOwner(bench));
  bench.provider.person = { ...ada, amr: ["pwd", "mfa"] };
  const browser = bench.openBrowser();
  const end = await browser.signIn({ next: "/account" });
  assert.deepEqual([outcomeOf(end), end.searchParams.get("next")], ["code", "/account"]);
  assert.equal(await whoIs(browser), undefined);
  assert.equal(await ask(browser, "POST", "/api/auth/two-factor/verify-totp", { code: showCode(uri) }), "200");
  assert.equal(await whoIs(browser), "owner@example.com");
  assert.equal(await ask(browser, "GET", "/api/forms"), "200");
  bench.setAhead(12 * hour);
  assert.equal(await ask(browser, "GET", "/api/forms"), "401 credential_invalid");
});

test("with the operator's word the provider's second factor counts, by `amr` only where the provider asked for one", async (t) => {
  const bench = await createSignInBench(t, { SEALPOST_OIDC_SECOND_FACTOR: "amr" });
  await turnOn(await linkOwner(bench));
  assert.equal(await bench.signIn(), "code");
  bench.provider.person = { ...ada, amr: ["pwd", "mfa"] };
  assert.equal(await bench.signIn(), "/");
  const row = await bench.service.database
    .selectFrom("session")
    .select("second_factor")
    .where("identity_id", "is not", null)
    .executeTakeFirstOrThrow();
  assert.equal(row.second_factor, "provider");
});

test("a session is made fresh again at the provider, by the same person who really signs in there", async (t) => {
  const bench = await createSignInBench(t);
  const { provider } = bench;
  const browser = await linkOwner(bench);
  const stale = async () => ask(browser, "POST", "/api/api-keys", { name: "K" });
  await bench.service.database
    .updateTable("session")
    .set({ authenticated_at: Date.now() - 2 * hour })
    .execute();
  assert.equal(await stale(), "403 session_stale");
  assert.equal(await ask(browser, "POST", "/api/auth/oidc/link"), "403 session_stale");
  const confirm = async () => outcomeOf(await browser.signIn({ next: "/api-keys" }, "/api/auth/oidc/confirm"));
  provider.person = { ...ada, sub: "eve" };
  assert.equal(await confirm(), "other_person");
  provider.person = ada;
  provider.tamper = ({ header, claims: { auth_time: _, ...claims } }) => ({ header, claims });
  assert.equal(await confirm(), "not_fresh");
  provider.tamper = ({ header, claims }) => ({
    header,
    claims: { ...claims, auth_time: Number(claims.auth_time) - 600 },
  });
  assert.equal(await confirm(), "not_fresh");
  assert.equal(await stale(), "403 session_stale");
  provider.tamper = undefined;
  assert.equal(await confirm(), "/api-keys");
  assert.equal(await stale(), "200");
  // A sign-in of which the provider does not say when the password was entered is no fresh one.
  provider.tamper = ({ header, claims: { auth_time: _, ...claims } }) => ({ header, claims });
  const other = bench.openBrowser();
  await other.signIn();
  assert.equal(await ask(other, "POST", "/api/api-keys", { name: "L" }), "403 session_stale");
  // A way that began in one session does not end in another.
  provider.tamper = undefined;
  const answer = await browser.fetchAnswer({}, "/api/auth/oidc/confirm");
  assert.equal(await ask(browser, "POST", "/api/auth/sign-in/email", { email: "owner@example.com", password }), "200");
  assert.equal(outcomeOf(await browser.go(answer.href)), "session_changed");
});

test("where a code is asked for, the provider alone makes no session fresh", async (t) => {
  const bench = await createSignInBench(t);
  const browser = await linkOwner(bench);
  await turnOn(browser);
  await bench.service.database
    .updateTable("session")
    .set({ authenticated_at: Date.now() - 2 * hour })
    .execute();
  const confirm = async () => outcomeOf(await browser.signIn({ next: "/api-keys" }, "/api/auth/oidc/confirm"));
  assert.equal(await confirm(), "code_needed");
  assert.equal(await ask(browser, "POST", "/api/api-keys", { name: "K" }), "403 session_stale");
});

test("who leaves the organization with their id is still who signs in with the provider", async (t) => {
  const bench = await createSignInBench(t);
  const browser = await linkOwner(bench);
  const second = await bench.service.signUp("second@example.com");
  const token = await invite(bench.owner, "second@example.com", { role: "owner" });
  assert.equal((await second.request("POST", "/api/invitations/accept", { token })).status, 200);
  assert.equal(await ask(browser, "POST", "/api/members/leave"), "200");
  const again = bench.openBrowser();
  assert.equal(outcomeOf(await again.signIn({ next: "/account" })), "/account");
  assert.equal(await whoIs(again), "owner@example.com");
  assert.equal((await listIdentities(again)).length, 1);
});

test("where the operator wants it, signing out leads to the provider's own page, for a session that it opened", async (t) => {
  const bench = await createSignInBench(t, { SEALPOST_OIDC_SIGN_OUT: "on" });
  const { provider, service } = bench;
  const browser = await linkOwner(bench);
  const find = async (at: TestBrowser) => (await at.post("/api/auth/oidc/sign-out-page")).body.url;
  assert.equal(await find(browser), null);
  const other = bench.openBrowser();
  await other.signIn();
  const page = new URL(await find(other));
  assert.equal(page.origin, provider.issuer);
  assert.equal(page.searchParams.get("client_id"), "sealpost");
  assert.equal(page.searchParams.get("post_logout_redirect_uri"), `${service.url}/sign-in`);
});

test("unlinking ends the sessions that the provider opened, and never takes the last way in", async (t) => {
  const bench = await createSignInBench(t);
  const { provider, owner } = bench;
  const browser = await linkOwner(bench);
  const byProvider = bench.openBrowser();
  await byProvider.signIn();
  assert.equal(await ask(byProvider, "GET", "/api/forms"), "200");
  const [{ id }] = await listIdentities(browser);
  const unlink = (at: TestBrowser, one: string) => ask(at, "DELETE", `/api/auth/identities/${one}`);
  await bench.service.signUp("second@example.com");
  assert.equal(await unlink(await bench.openOwnersBrowser("second@example.com"), id), "404 identity_not_found");
  assert.equal(await unlink(browser, "of nobody"), "404 identity_not_found");
  assert.equal(await unlink(browser, id), "200");
  assert.equal(await unlink(browser, id), "404 identity_not_found");
  assert.equal(await ask(byProvider, "GET", "/api/forms"), "401 credential_invalid");
  assert.equal(await ask(browser, "GET", "/api/forms"), "200");
  assert.ok((await bench.listActions(owner.id)).includes("identity.unlinked"));
  // The address was not what linked them.
  assert.equal(await bench.signIn(), "/");
  const only = bench.openBrowser();
  await only.signIn();
  assert.equal(await whoIs(only), "ada@example.com");
  const [{ id: last }] = await listIdentities(only);
  assert.equal(await unlink(only, last), "409 last_way_in");
  assert.equal((await listIdentities(only)).length, 1);
  provider.person = ada;
  assert.equal(await bench.signIn(), "/");
});

test("a link made inside the account ends with the password that revokes the API keys; the one that the account was made with stays", async (t) => {
  const database = await createTestDatabase(t, createTemporaryFolder(t));
  const bench = await createSignInBench(t, database);
  const { provider, service, owner } = bench;
  const browser = await linkOwner(bench);
  const change = { currentPassword: password, newPassword: "another horse battery", revokeApiKeys: false };
  assert.equal(await ask(browser, "POST", "/api/auth/change-password", change), "200");
  assert.equal(await bench.signIn({ next: "/account" }), "/account");
  const back = { currentPassword: change.newPassword, newPassword: password };
  assert.equal(await ask(browser, "POST", "/api/auth/change-password", back), "200");
  assert.deepEqual(await listIdentities(browser), []);
  assert.ok((await bench.listActions(owner.id)).includes("identity.unlinked"));

  // Who came by the provider has no password; the operator gives them one, and the provider stays.
  provider.person = { ...ada, sub: "grace", email: "grace@example.com" };
  const grace = bench.openBrowser();
  assert.equal(outcomeOf(await grace.signIn()), "/");
  const signIn = () =>
    ask(bench.openBrowser(), "POST", "/api/auth/sign-in/email", { email: "grace@example.com", password });
  assert.equal(await signIn(), "401 sign_in_wrong");
  const config = parseConfig({ ...database, SEALPOST_DATA: service.folder });
  await administer(config, (accounts) => accounts.resetPassword("grace@example.com", password, false));
  assert.equal(await ask(grace, "GET", "/api/forms"), "401 credential_invalid");
  assert.equal(await signIn(), "200");
  assert.equal(outcomeOf(await grace.signIn({ next: "/account" })), "/account");
  await service.database.updateTable("person").set({ disabled_at: Date.now() }).execute();
  assert.equal(await bench.signIn(), "disabled");
});

test("two tabs sign in one after the other, and no link from elsewhere ends a sign-in that is on its way", async (t) => {
  const bench = await createSignInBench(t);
  const { provider, service } = bench;
  provider.person = ada;
  assert.equal(await bench.signIn(), "/");
  const browser = bench.openBrowser();
  const [first, second] = [await browser.fetchAnswer({ next: "/account" }), await browser.fetchAnswer()];
  for (const query of [
    "",
    "?",
    "?state=",
    "?state=made-up-by-another-page",
    "?error=access_denied&state=1234567890123456",
  ])
    assert.equal(outcomeOf(await browser.go(`${service.url}/api/auth/oidc/callback${query}`)), "expired", query);
  assert.equal(outcomeOf(await browser.go(first.href)), "/account");
  assert.equal(outcomeOf(await browser.go(second.href)), "/");
  // Used up, and the page stays signed in.
  assert.equal(outcomeOf(await browser.go(first.href)), "expired");
  assert.equal(await whoIs(browser), "ada@example.com");
  assert.doesNotMatch(browser.cookiesOf(service.url), /sealpost_oidc/);
  // A page that opens one after the other fills no browser's cookies: the oldest give way.
  const answers = [];
  for (let count = 0; count < 6; count++) answers.push(await browser.fetchAnswer());
  assert.equal(browser.cookiesOf(service.url).match(/sealpost_oidc/g)?.length, 4);
  const outcomes = [];
  for (const answer of answers) outcomes.push(outcomeOf(await browser.go(answer.href)));
  assert.deepEqual(outcomes, ["expired", "expired", "/", "/", "/", "/"]);
});

test("signing in again ends the session that the browser had, whichever way it goes", async (t) => {
  const bench = await createSignInBench(t);
  const { provider, service } = bench;
  provider.person = ada;
  const browser = bench.openBrowser();
  const ways: readonly (() => Promise<unknown>)[] = [
    () => browser.signIn(),
    () => browser.signIn(),
    () => browser.post("/api/auth/sign-in/email", { email: "owner@example.com", password }),
    () => browser.post("/api/auth/sign-in/email", { email: "owner@example.com", password }),
    () => browser.signIn(),
  ];
  const countSessions = async () => (await service.database.selectFrom("session").select("id").execute()).length;
  const before = await countSessions();
  for (const way of ways) {
    await way();
    assert.equal(await countSessions(), before + 1);
  }
  // A sign-in that comes to nothing leaves it.
  await browser.post("/api/auth/sign-in/email", { email: "owner@example.com", password: "a wrong horse battery" });
  assert.equal(await whoIs(browser), "ada@example.com");
});
