import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { showCode } from "../accounts/testing/authenticator.ts";
import { startSmtpServer } from "../mail/testing/smtp-server.ts";
import { invite } from "../organizations/testing/test-organization.ts";
import { onSqlite } from "../testing/test-database.ts";
import { createSignInBench, outcomeOf, password, whoIs } from "./testing/sign-in-bench.ts";

const eve = { sub: "eve", name: "Eve" };

test("who came by the provider with somebody else's address is out once its owner sets a password by email", async (t) => {
  const smtp = await startSmtpServer(t);
  const bench = await createSignInBench(t, {
    SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
    SEALPOST_MAIL_FROM: "forms@example.com",
  });
  bench.provider.person = { ...eve, email: "victim@example.com", email_verified: false };
  assert.equal(await bench.signIn(), "/");
  assert.match((await smtp.next()).text, /verify-email/);
  const victim = bench.openBrowser();
  const asked = await victim.post("/api/auth/request-password-reset", { email: "victim@example.com" });
  assert.equal(asked.status, 200);
  const token = /reset-password[#?/](?:token=)?([\w-]+)/.exec((await smtp.next()).text)?.[1];
  const body = { token, newPassword: password, revokeApiKeys: false };
  assert.equal((await victim.post("/api/auth/reset-password", body)).status, 200);
  const signedIn = await victim.post("/api/auth/sign-in/email", { email: "victim@example.com", password });
  assert.equal(signedIn.status, 200);
  assert.equal(await bench.signIn(), "email_taken");
});

test("an invitation makes no link that a stranger made inside an account outlive its new password", async (t) => {
  const bench = await createSignInBench(t);
  bench.provider.person = { ...eve, email: "eve@example.com", email_verified: true };
  const owner = await bench.openOwnersBrowser();
  assert.equal(outcomeOf(await owner.signIn({}, "/api/auth/oidc/link")), "linked");
  const stranger = await bench.service.signUp("stranger@example.com");
  const invitation = await invite(stranger, "owner@example.com", { role: "manager" });
  const browser = bench.openBrowser();
  assert.equal(outcomeOf(await browser.signIn({ invitation, next: "/account" })), "/account");
  assert.equal(await whoIs(browser), "owner@example.com");
  const change = { currentPassword: password, newPassword: "another horse battery" };
  assert.equal((await owner.post("/api/auth/change-password", change)).status, 200);
  assert.equal(await bench.signIn(), "/");
  assert.equal(await bench.countAccounts(), 3, "as a person of their own");
  // Where a second factor is required, the password alone links nothing to an account with a passkey.
  const { database } = bench.service;
  const person_id = bench.owner.id;
  await database.updateTable("organization").set({ second_factor_from: 1 }).where("id", "=", person_id).execute();
  const key = {
    id: "1",
    credential_id: "1",
    user_handle: "1",
    public_key: "1",
    counter: 0,
    transports: "[]",
    name: "1",
  };
  await database
    .insertInto("passkey")
    .values({ ...key, person_id, added_at: 1, used_at: null })
    .execute();
  const linking = await owner.post("/api/auth/oidc/link");
  assert.deepEqual([linking.status, linking.body.code], [403, "passkey_needed"]);
});

test("a sign-in by the provider that waits for a code ends when the provider is unlinked", async (t) => {
  const bench = await createSignInBench(t);
  bench.provider.person = { ...eve, email: "owner@example.com" };
  const owner = await bench.openOwnersBrowser();
  assert.equal(outcomeOf(await owner.signIn({}, "/api/auth/oidc/link")), "linked");
  const { totpURI } = (await owner.post("/api/auth/two-factor/enable", { password })).body;
  const turnedOn = await owner.post("/api/auth/two-factor/verify-totp", {
    code: showCode(totpURI, Date.now() - 30_000),
  });
  assert.equal(turnedOn.status, 200);
  const waiting = bench.openBrowser();
  assert.equal(outcomeOf(await waiting.signIn()), "code");
  const [identity] = (await owner.post("/api/auth/identities", {}, "GET")).body.identities;
  assert.equal((await owner.post(`/api/auth/identities/${identity.id}`, {}, "DELETE")).status, 200);
  assert.equal((await waiting.post("/api/auth/two-factor/verify-totp", { code: showCode(totpURI) })).status, 403);
  assert.equal(await whoIs(waiting), undefined);
});

test(
  "a sign-in by the provider in the moment in which the second factor is turned on opens nothing",
  onSqlite,
  async (t) => {
    const bench = await createSignInBench(t);
    const { database } = bench.service;
    bench.provider.person = { ...eve, email: "owner@example.com" };
    const owner = await bench.openOwnersBrowser();
    assert.equal(outcomeOf(await owner.signIn({}, "/api/auth/oidc/link")), "linked");
    await sql`create trigger meanwhile after insert on session begin
    update person set second_factor_enabled = 1 where id = new.person_id; end`.execute(database);
    assert.equal(await bench.signIn(), "expired");
    const opened = await database.selectFrom("session").select("id").where("identity_id", "is not", null).execute();
    assert.deepEqual(opened, []);
  },
);

test("nobody outlasts the group by inviting themselves", async (t) => {
  const bench = await createSignInBench(t, { SEALPOST_SIGNUP: "first", SEALPOST_OIDC_ALLOWED_GROUPS: "staff" });
  const staff = { ...eve, email: "eve@house.example", email_verified: true, groups: ["staff"] };
  const former = { ...staff, groups: ["choir"] };
  bench.provider.person = staff;
  const first = bench.openBrowser();
  assert.equal(outcomeOf(await first.signIn()), "/");
  // A second account, by an invitation to an organization of her own, which invites her address of the house.
  const invited = await first.post("/api/invitations", { email: "private@mail.example", role: "owner" });
  const invitation = String(invited.body.url).split("#")[1];
  const second = bench.openBrowser();
  const account = { name: "Eve", email: "private@mail.example", password, invitation };
  assert.equal((await second.post("/api/auth/sign-up/email", account)).status, 200);
  assert.equal((await second.post("/api/organizations", { name: "Eve's own" })).status, 200);
  const { organizations } = (await second.post("/api/organizations", {}, "GET")).body;
  const own = organizations.find(({ name }: { readonly name: string }) => name === "Eve's own");
  assert.equal((await second.post(`/api/organizations/${own.id}/switch`)).status, 200);
  const back = await second.post("/api/invitations", { email: "eve@house.example", role: "manager" });
  const link = { invitation: String(back.body.url).split("#")[1] };
  assert.equal(outcomeOf(await bench.openBrowser().signIn(link)), "/");
  bench.provider.person = former;
  assert.equal(await bench.signIn(), "not_in_group");
  assert.equal(await bench.signIn(link), "not_in_group");
  // Nor does somebody new come in by an organization that the operator has not named.
  bench.provider.person = { ...former, sub: "new", email: "new@house.example" };
  const other = await second.post("/api/invitations", { email: "new@house.example", role: "manager" });
  assert.equal(await bench.signIn({ invitation: String(other.body.url).split("#")[1] }), "inviter_not_trusted");
});
