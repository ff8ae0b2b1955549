import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestScope } from "../testing/temporary-folder.ts";
import { createTestService } from "../testing/test-service.ts";
import { startSmtpServer } from "./testing/smtp-server.ts";

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
    const { text } = await smtp.next();
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
  const done = await post("/reset-password", { token, newPassword });
  assert.deepEqual([done.status, done.body], [200, { status: true }]);
  assert.equal((await account.request("GET", "/api/forms")).status, 401);
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
  assert.equal(smtp.mails.length, 1);
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

test("an instance without mails offers no reset", async (t) => {
  const service = await createTestService(t);
  await service.signUp(email);
  for (const path of ["/request-password-reset", "/reset-password"]) {
    const { status } = await service.request("POST", `/api/auth${path}`, { body: { email, token: "x", newPassword } });
    assert.equal(status, 404, path);
  }
});
