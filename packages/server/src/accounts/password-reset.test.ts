import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { startSmtpServer } from "../mail/testing/smtp-server.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { createTestService } from "../testing/test-service.ts";
import { showCode, showWrongCode } from "./testing/authenticator.ts";

const password = "correct horse battery";
const newPassword = "another horse battery";
const email = "owner@example.com";

async function startMailing(t: TestScope, signInRate?: number) {
  const smtp = await startSmtpServer(t);
  const service = await createTestService(t, {
    environment: {
      SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
      SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
    },
    ...(signInRate !== undefined && { signInRate }),
  });
  const post = (path: string, body: object, headers = {}) =>
    service.request("POST", `/api/auth${path}`, { body, headers });
  /** Asks, and follows the mail. */
  async function askForToken(): Promise<string> {
    assert.equal((await post("/request-password-reset", { email })).status, 200);
    let mail = await smtp.next();
    while (mail.headers.get("subject") !== "Set a new password") mail = await smtp.next();
    const { text } = mail;
    return new RegExp(`^${service.url}/reset-password#(\\w+)$`, "m").exec(text)?.[1] ?? assert.fail(text);
  }
  return { smtp, service, post, askForToken };
}

test("the mailed link sets a new password once, and ends every session and its tokens", async (t) => {
  const { service, post, askForToken } = await startMailing(t);
  const account = await service.signUp(email);
  const token = await askForToken();
  assert.equal((await account.request("GET", "/api/forms")).status, 200, "asking changes nothing");
  const short = await post("/reset-password", { token, newPassword: "short" });
  assert.deepEqual([short.status, short.body.message], [400, "The password must have at least 10 characters"]);
  const blank = await post("/reset-password", { token, newPassword: " ".repeat(12) });
  assert.deepEqual([blank.status, Object.keys(blank.body.details)], [400, ["newPassword"]]);
  const { key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  const done = await post("/reset-password", { token, newPassword });
  assert.deepEqual([done.status, done.body], [200, { status: true }]);
  assert.equal((await account.request("GET", "/api/forms")).status, 401);
  assert.equal((await service.request("GET", "/api/forms", { token: key })).status, 401);
  const byCookie = { cookie: account.cookie, "sec-fetch-site": "same-origin" };
  assert.equal((await service.request("GET", "/api/forms", { headers: byCookie })).status, 401);
  assert.equal((await post("/sign-in/email", { email, password })).status, 401);
  assert.equal((await post("/sign-in/email", { email, password: newPassword })).status, 200);
  for (const used of [token, "never-was", ""]) {
    const again = await post("/reset-password", { token: used, newPassword: password });
    assert.deepEqual([again.status, again.body.error], [400, "bad_request"], used);
  }
  assert.equal((await post("/sign-in/email", { email, password: newPassword })).status, 200);
  const entries = await service.database.selectFrom("audit_entry").select(["action", "actor"]).execute();
  assert.deepEqual(
    entries.filter(({ action }) => action.startsWith("password.")).map(({ action, actor }) => [action, actor]),
    [["password.reset_by_mail", "nobody"]],
  );
});

test("a reset by email keeps the API keys only on request, and notifies of both", async (t) => {
  const { smtp, service, post, askForToken } = await startMailing(t);
  const account = await service.signUp(email);
  const { key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  const isAlive = async () => (await service.request("GET", "/api/forms", { token: key })).status === 200;
  const reset = { newPassword, revokeApiKeys: false };
  assert.equal((await post("/reset-password", { ...reset, token: "x", revokeApiKeys: "no" })).status, 400);
  await post("/reset-password", { ...reset, token: await askForToken() });
  assert.equal(await isAlive(), true);
  await post("/reset-password", { newPassword, token: await askForToken() });
  assert.equal(await isAlive(), false);
  const rows = await service.database.selectFrom("mail").select("details").where("kind", "=", "security").execute();
  const notified = rows.map(({ details }) => JSON.parse(details)).filter(({ event }) => event === "password_reset");
  assert.equal(notified.at(-1)?.count, 1);
  assert.ok(smtp.emails.some(({ text }) => text.includes("revoked no API keys")));
  assert.ok(smtp.emails.every(({ raw }) => !raw.includes(key)));
});

test("an unknown address gets the same answer as a known one, and no mail", async (t) => {
  const { smtp, service, post } = await startMailing(t);
  await service.signUp(email);
  const [unknown, known] = [
    await post("/request-password-reset", { email: "nobody@example.com" }),
    await post("/request-password-reset", { email }),
  ];
  assert.deepEqual([unknown.status, unknown.body], [200, { status: true }]);
  assert.deepEqual([known.status, known.body], [unknown.status, unknown.body]);
  const names = (headers: Headers) => [...headers.keys()].toSorted();
  assert.deepEqual(names(known.headers), names(unknown.headers));
  assert.deepEqual((await smtp.next()).to, [email]);
  assert.equal(smtp.emails.length, 1);
});

test("the first link that is used ends the others", async (t) => {
  const { service, post, askForToken } = await startMailing(t);
  await service.signUp(email);
  const [one, two] = [await askForToken(), await askForToken()];
  assert.equal((await post("/reset-password", { token: two, newPassword })).status, 200);
  assert.equal((await post("/reset-password", { token: one, newPassword: password })).status, 400);
  assert.equal((await post("/sign-in/email", { email, password: newPassword })).status, 200);
});

test("of two who follow one link at the same moment, one sets the password", async (t) => {
  const { service, post, askForToken } = await startMailing(t);
  await service.signUp(email);
  const token = await askForToken();
  const passwords = ["one horse battery", "two horse battery"];
  const answers = await Promise.all(passwords.map((wanted) => post("/reset-password", { token, newPassword: wanted })));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400]);
  const set = passwords[answers.findIndex(({ status }) => status === 200)];
  assert.equal((await post("/sign-in/email", { email, password: set })).status, 200);
});

test("a new password that the audit log can't hear of is not set, and its link works again", async (t) => {
  const { service, post, askForToken } = await startMailing(t);
  const account = await service.signUp(email);
  const token = await askForToken();
  await sql`alter table audit_entry rename to elsewhere`.execute(service.database);
  assert.equal((await post("/reset-password", { token, newPassword })).status, 500);
  await sql`alter table elsewhere rename to audit_entry`.execute(service.database);
  assert.equal((await post("/sign-in/email", { email, password: newPassword })).status, 401);
  assert.equal((await account.request("GET", "/api/forms")).status, 200);
  assert.equal((await post("/reset-password", { token, newPassword })).status, 200);
  assert.equal((await account.request("GET", "/api/forms")).status, 401);
});

test("a new password ends sign-ins that wait for a code, and lifts no lock on codes", async (t) => {
  const { service, post, askForToken } = await startMailing(t);
  const byCookie = { cookie: (await service.signUp(email)).cookie, origin: service.url };
  const enabled = await post("/two-factor/enable", { password }, byCookie);
  const uri: string = enabled.body.totpURI;
  assert.equal((await post("/two-factor/verify-totp", { code: showCode(uri) }, byCookie)).status, 200);
  const begin = async (by: string) => {
    const begun = await post("/sign-in/email", { email, password: by });
    const lines = begun.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");
    const challenge = lines.find((line) => line.includes("second_factor="));
    return { cookie: challenge ?? assert.fail(JSON.stringify(begun.body)), origin: service.url };
  };
  const next = () => ({ code: showCode(uri, Date.now() + 30_000) });

  const before = await begin(password);
  await post("/reset-password", { token: await askForToken(), newPassword });
  assert.equal((await post("/two-factor/verify-totp", next(), before)).status, 403);

  for (let sign = 0; sign < 2; sign++) {
    const guessing = await begin(newPassword);
    for (let count = 0; count < 5; count++)
      assert.equal((await post("/two-factor/verify-totp", { code: showWrongCode(uri) }, guessing)).status, 401);
  }
  await post("/reset-password", { token: await askForToken(), newPassword: password });
  assert.equal((await post("/two-factor/verify-totp", next(), await begin(password))).status, 429);
});

test("who reads the database can't set a password", async (t) => {
  const { service, askForToken } = await startMailing(t);
  await service.signUp(email);
  const token = await askForToken();
  for (const table of ["mail", "verification"] as const) {
    const rows = JSON.stringify(await service.database.selectFrom(table).selectAll().execute());
    assert.ok(rows.length > 2 && !rows.includes(token), table);
  }
});

test("a reset is asked for from our own pages, with one address, and not without end", async (t) => {
  const { service, post } = await startMailing(t, 10);
  await service.signUp(email);
  const foreign = { origin: "https://evil.example" };
  assert.equal((await post("/request-password-reset", { email }, foreign)).status, 403);
  assert.equal((await post("/reset-password", { token: "x", newPassword }, foreign)).status, 403);
  for (const body of [{}, { email: 1 }, { email: "nobody" }, { email: [email] }, { email: `${"x".repeat(400)}@b.c` }])
    assert.equal((await post("/request-password-reset", body)).status, 400, JSON.stringify(body));
  let answer = await post("/request-password-reset", { email });
  for (let index = 0; index < 10 && answer.status === 200; index++)
    answer = await post("/request-password-reset", { email });
  assert.equal(answer.status, 429);
});

test("an instance without email offers no reset", async (t) => {
  const service = await createTestService(t);
  await service.signUp(email);
  for (const path of ["/request-password-reset", "/reset-password"]) {
    const { status } = await service.request("POST", `/api/auth${path}`, { body: { email, token: "x", newPassword } });
    assert.equal(status, 404, path);
  }
});
