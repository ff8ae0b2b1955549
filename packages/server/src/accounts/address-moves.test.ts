import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "../config/config.ts";
import { startSmtpServer } from "../mail/testing/smtp-server.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { createTestDatabase } from "../testing/test-database.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { dayMilliseconds as day } from "../time/clock.ts";
import { administer } from "./administer.ts";
import { showCode } from "./testing/authenticator.ts";

const password = "correct horse battery";
const address = "/api/account/address";

/** Invites somebody to be an owner, who accepts. */
async function letIn(by: TestAccount, guest: TestAccount, email: string): Promise<void> {
  const invited = await by.request("POST", "/api/invitations", { email, role: "owner" });
  assert.equal(invited.status, 200, JSON.stringify(invited.body));
  const token = String(invited.body.url).split("#")[1];
  assert.equal((await guest.request("POST", "/api/invitations/accept", { token })).status, 200);
}

async function start(t: TestScope) {
  const smtp = await startSmtpServer(t);
  const clock = createFakeClock(Date.now());
  const environment = {
    SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
    SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
  };
  const service = await createTestService(t, { clock, environment });
  const person = await service.signUp("old@example.com");
  /** The next emails, by their recipients: the token of the link, where there is one. */
  async function readEmails(count: number): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (let index = 0; index < count; index++) {
      const { to, text } = await smtp.next();
      found.set(to.join(), new RegExp(`^${service.url}/address#([\\w-]+)$`, "m").exec(text)?.[1] ?? text);
    }
    return found;
  }
  const post = (path: string, body: object, account?: TestAccount) =>
    service.request("POST", `/api/auth${path}`, {
      body,
      headers: { origin: service.url, ...(account && { cookie: account.cookie }) },
    });
  const signIn = (email: string) => post("/sign-in/email", { email, password });
  return { smtp, clock, service, person, readEmails, post, signIn };
}

test("an account moves when both addresses have confirmed it, in a session of the account; the one before undoes it within seven days", async (t) => {
  const { clock, service, person, readEmails, post, signIn } = await start(t);
  const stranger = await service.signUp("stranger@example.com");
  await readEmails(1);
  assert.equal(
    (await person.request("POST", address, { email: "old@example.com" })).body.detailCodes.email,
    "address_is_same",
  );
  assert.equal((await person.request("POST", address, { email: "no address" })).status, 400);
  const begun = await person.request("POST", address, { email: "New@example.com" });
  assert.equal(begun.body.account.move.email, "new@example.com");
  const links = await readEmails(2);
  const [before, after] = [links.get("old@example.com") ?? "", links.get("new@example.com") ?? ""];
  assert.equal((await person.request("GET", "/api/account")).body.account.move.email, "new@example.com");
  // Who opens every link does not give their address to a stranger's account.
  assert.equal((await post("/address/confirm", { token: after })).status, 401);
  assert.equal((await post("/address/confirm", { token: after }, stranger)).status, 400);
  assert.deepEqual((await post("/address/confirm", { token: after }, person)).body, { status: "waiting" });
  assert.equal((await post("/address/confirm", { token: after }, person)).status, 400, "a link works once");
  assert.equal((await signIn("new@example.com")).status, 401);
  assert.deepEqual((await post("/address/confirm", { token: before }, person)).body, { status: "moved" });
  const undo = (await readEmails(1)).get("old@example.com") ?? "";
  assert.deepEqual([(await signIn("new@example.com")).status, (await signIn("old@example.com")).status], [200, 401]);
  assert.equal((await person.request("GET", "/api/account")).body.account.move, null);
  // Not moved on before the address before has had its time, and nobody else gets it.
  assert.equal(
    (await person.request("POST", address, { email: "third@example.com" })).body.code,
    "address_moved_lately",
  );
  const taking = await post("/sign-up/email", { name: "Thief", email: "Old@example.com", password });
  assert.equal(taking.body.code, "account_exists");
  const config = parseConfig({ ...(await createTestDatabase(t, service.folder)), SEALPOST_DATA: service.folder });
  const account = { email: "Old@example.com", name: "", password, plan: "free" } as const;
  await assert.rejects(
    administer(config, (accounts) => accounts.create(account)),
    /was another account's address, which can still take it back/,
  );

  const { body: made } = await person.request("POST", "/api/api-keys", { name: "Thief's" });
  // The thief turns on a second factor and adds a co-owner, who invites another.
  const helper = await service.signUp("helper@example.com");
  const friend = await service.signUp("friend@example.com");
  await service.database.updateTable("person").set({ verification: "trusted" }).execute();
  await letIn(person, helper, "helper@example.com");
  assert.equal((await helper.request("POST", `/api/organizations/${person.id}/switch`)).status, 200);
  await letIn(helper, friend, "friend@example.com");
  const browser = { cookie: person.cookie, origin: service.url };
  const enabled = await service.request("POST", "/api/auth/two-factor/enable", {
    headers: browser,
    body: { password },
  });
  const code = showCode(enabled.body.totpURI);
  const turnedOn = await service.request("POST", "/api/auth/two-factor/verify-totp", {
    headers: browser,
    body: { code },
  });
  assert.equal(turnedOn.status, 200, JSON.stringify(turnedOn.body));
  assert.deepEqual((await post("/address/refuse", { token: undo })).body, { status: "undone" });
  assert.equal((await person.request("GET", "/api/account")).status, 401, "sessions ended");
  assert.equal((await service.request("GET", "/api/forms", { token: made.key.key })).status, 401, "keys are revoked");
  for (const email of ["old@example.com", "new@example.com"])
    assert.equal((await signIn(email)).status, 401, "the password is forgotten: a stranger knew it");
  assert.equal((await post("/request-password-reset", { email: "old@example.com" })).status, 200);
  // An email about the new API key may come before.
  let token: string | undefined;
  while (token === undefined) token = /reset-password#([\w-]+)/.exec([...(await readEmails(1)).values()].join())?.[1];
  assert.equal((await post("/reset-password", { token, newPassword: "another horse battery" })).status, 200);
  const back = await post("/sign-in/email", { email: "old@example.com", password: "another horse battery" });
  assert.deepEqual([back.status, back.body.twoFactorRedirect], [200, undefined], "no code of the thief's app");
  for (const one of [helper, friend])
    assert.equal((await one.request("POST", `/api/organizations/${person.id}/switch`)).status, 404);
  clock.advance(8 * day);
  assert.equal((await post("/address/refuse", { token: undo })).status, 400);
});

test("an address that was never confirmed is free once the account has moved, and gets no email about it", async (t) => {
  const { service, readEmails, post } = await start(t);
  const squatter = await service.signUp("victim@example.com");
  await readEmails(1);
  await service.database.updateTable("person").set({ verification: "needed" }).execute();
  assert.equal((await squatter.request("POST", address, { email: "squatter@example.com" })).status, 200);
  const links = await readEmails(1);
  assert.deepEqual([...links.keys()], ["squatter@example.com"]);
  const token = links.get("squatter@example.com");
  assert.deepEqual((await post("/address/confirm", { token }, squatter)).body, { status: "moved" });
  const victim = await post("/sign-up/email", { name: "Victim", email: "victim@example.com", password });
  assert.equal(victim.status, 200, JSON.stringify(victim.body));
  const since = service.database.selectFrom("mail").select("account_id").where("kind", "=", "address");
  assert.equal((await since.execute()).length, 1, "none but the one to the new address");
});

test("whether an address has an account shows nowhere but in its own mailbox, and such a move is never made", async (t) => {
  const { service, person, readEmails, post } = await start(t);
  await service.signUp("taken@example.com");
  await readEmails(1);
  const begun = await person.request("POST", address, { email: "taken@example.com" });
  assert.equal(begun.body.account.move.email, "taken@example.com");
  const emails = await readEmails(2);
  assert.match(emails.get("taken@example.com") ?? "", /has an account there already, so nothing was changed/);
  assert.equal((await person.request("GET", "/api/account")).body.account.move.email, "taken@example.com");
  const token = emails.get("old@example.com") ?? "";
  assert.deepEqual((await post("/address/confirm", { token }, person)).body, { status: "waiting" });
  assert.equal((await person.request("GET", "/api/account")).body.account.email, "old@example.com");
});

test("a move that waits ends with a refusal, a cancel, a new password and a day; asking wants a fresh sign-in, and emails have a bound", async (t) => {
  const { clock, service, person, readEmails, post } = await start(t);
  const begin = async (email: string) => {
    assert.equal((await person.request("POST", address, { email })).status, 200);
    return (await readEmails(2)).get("old@example.com") ?? "";
  };
  const refused = await begin("one@example.com");
  assert.deepEqual((await post("/address/refuse", { token: refused })).body, { status: "refused" });
  assert.equal((await post("/address/confirm", { token: refused }, person)).status, 400);
  // Who mistyped the address asks again: each move has both of its emails, or is refused.
  for (const email of ["two@example.com", "three@example.com"]) {
    assert.notEqual(await begin(email), "");
    assert.equal((await person.request("DELETE", address)).body.account.move, null);
  }
  assert.equal((await person.request("POST", address, { email: "four@example.com" })).status, 429);
  const changed = await post(
    "/change-password",
    { currentPassword: password, newPassword: "another horse battery" },
    person,
  );
  assert.equal(changed.status, 200);
  assert.equal(await service.database.selectFrom("address_move").selectAll().executeTakeFirst(), undefined);
  clock.advance(61 * 60_000);
  const cookie = changed.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const stale = await service.request("POST", address, {
    body: { email: "late@example.com" },
    headers: { cookie, origin: service.url },
  });
  assert.deepEqual([stale.status, stale.body.code], [403, "session_stale"]);
});

test("where no emails are sent the person is sent to the operator, whose command moves the account", async (t) => {
  const service = await createTestService(t);
  const person = await service.signUp("old@example.com");
  const { status, body } = await person.request("POST", address, { email: "new@example.com" });
  assert.deepEqual([status, body.code], [409, "address_move_without_mail"]);
});
