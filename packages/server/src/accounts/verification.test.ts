import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import { startSmtpServer } from "../mail/testing/smtp-server.ts";
import { createStatementCuts } from "../testing/cut-statements.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { createAccountStateStore } from "./account-state-store.ts";

const password = "correct horse battery";

async function start(t: TestScope) {
  const smtp = await startSmtpServer(t);
  const clock = createFakeClock(Date.now());
  const environment = {
    SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
    SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
  };
  const service = await createTestService(t, { clock, environment });
  const operator = await service.signUp("operator@example.com");
  const post = (account: TestAccount, path: string, body: object = {}) =>
    service.request("POST", `/api/auth${path}`, { body, headers: { cookie: account.cookie, origin: service.url } });
  async function readLink(to: string): Promise<string> {
    const mail = await smtp.next();
    assert.deepEqual([mail.to, mail.headers.get("subject")], [[to], "Verify your email address"]);
    return new RegExp(`^${service.url}/verify-email#([\\w-]+)$`, "m").exec(mail.text)?.[1] ?? assert.fail(mail.text);
  }
  return { smtp, clock, service, operator, post, readLink };
}

test("where anybody may sign up an account makes no form, no API key and no second factor before its address is verified", async (t) => {
  const { service, operator, post, readLink } = await start(t);
  assert.equal((await operator.request("POST", "/api/forms", { name: "One" })).status, 200, "who has the set-up token");
  const account = await service.signUp("new@example.com");
  const token = await readLink("new@example.com");
  const message = "Verify your email address first: open the link in the mail that was sent to you";
  const form = await account.request("POST", "/api/forms", { name: "One" });
  assert.deepEqual([form.status, form.body], [403, { error: "forbidden", message, code: "email_unverified" }]);
  const key = await account.request("POST", "/api/api-keys", { name: "Key" });
  assert.deepEqual([key.status, key.body], [403, { error: message, code: "email_unverified" }]);
  assert.equal((await post(account, "/two-factor/enable", { password })).body.code, "email_unverified");
  assert.equal((await account.request("GET", "/api/forms")).status, 200);
  // A stranger who signed up with the address has the session, but not the mail; its owner has the mail, but not the session.
  const other = await service.signUp("other@example.com");
  await readLink("other@example.com");
  const foreign = await post(other, "/verification/confirm", { token });
  assert.deepEqual([foreign.status, foreign.body.message.includes("another account")], [400, true]);
  assert.equal((await service.request("POST", "/api/auth/verification/confirm", { body: { token } })).status, 401);
  assert.equal((await post(account, "/verification/confirm", { token: "never-was" })).status, 400);
  assert.equal((await account.request("POST", "/api/forms", { name: "One" })).status, 403);

  assert.equal((await post(account, "/verification/confirm", { token })).status, 200);
  assert.equal((await account.request("POST", "/api/forms", { name: "One" })).status, 200);
  assert.equal((await account.request("POST", "/api/api-keys", { name: "Key" })).status, 200);
  assert.equal((await post(account, "/verification/confirm", { token })).status, 400, "a link works once");
});

test("a link to verify an address is mailed three times an hour and ten a day, works for a day, and is not readable in the database", async (t) => {
  const { clock, service, post, readLink } = await start(t);
  const account = await service.signUp("new@example.com");
  const first = await readLink("new@example.com");
  const statuses = [];
  for (let index = 0; index < 3; index++) statuses.push((await post(account, "/verification/send")).status);
  assert.deepEqual(statuses, [200, 200, 429]);
  const rows = JSON.stringify(await service.database.selectFrom("verification").selectAll().execute());
  assert.ok(!rows.includes(first));
  clock.advance(24 * 3_600_000);
  assert.equal((await post(account, "/verification/confirm", { token: first })).status, 400);
});

test("an account that was there before verification is asked once, and none of its calls is refused", async (t) => {
  const { service, operator, post } = await start(t);
  // As the migration leaves it.
  await sql`update person set email_verified = (1 = 0)`.execute(service.database);
  const find = async () =>
    (
      await service.request("GET", "/api/auth/get-session", {
        headers: { cookie: operator.cookie, origin: service.url },
      })
    ).body.user;
  assert.equal((await find()).verification, "trusted");
  assert.equal((await operator.request("POST", "/api/api-keys", { name: "Key" })).status, 200);
  await post(operator, "/verification/skip");
  assert.equal((await find()).verification, "declined");
  assert.equal((await operator.request("POST", "/api/forms", { name: "One" })).status, 200);
});

test("without email, or where sign-up is not open, nobody has to verify an address", async (t) => {
  const service = await createTestService(t);
  await service.signUp();
  const account = await service.signUp();
  assert.equal((await account.request("POST", "/api/forms", { name: "One" })).status, 200);
});

test("whichever statement of a confirmation fails, the link is used up only where the address is verified", async (t) => {
  const cuts = createStatementCuts(t);
  const { service, readLink } = await start(t);
  const account = await service.signUp("new@example.com");
  const token = await readLink("new@example.com");
  const headers = { cookie: account.cookie, origin: service.url, "content-type": "application/json" };
  const url = "/api/auth/verification/confirm";
  const confirm = () =>
    Promise.resolve(service.app.inject({ method: "POST", url, headers, payload: JSON.stringify({ token }) }));
  const { isVerified } = createAccountStateStore(service.database);
  let tries = 0;
  // The last ones come after the commit.
  for (let isDone = false; !isDone; tries++) {
    const { result, isCut } = await cuts.atStatement(tries, confirm);
    assert.equal(result.statusCode, isCut ? 503 : 200, `cut at ${tries}: ${result.body}`);
    isDone = await isVerified(account.id as AccountId);
    assert.ok(isCut || isDone);
  }
  assert.ok(tries > 5, `a control: ${tries}`);
  assert.equal((await account.request("POST", "/api/forms", { name: "One" })).status, 200);
});
