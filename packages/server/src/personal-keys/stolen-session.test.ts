import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { startSmtpServer } from "../mail/testing/smtp-server.ts";
import { createTestBrowser } from "../oidc/testing/test-browser.ts";
import { add, createPasskeyBench, use } from "../passkeys/testing/passkey-bench.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService } from "../testing/test-service.ts";
import { dayMilliseconds, hourMilliseconds } from "../time/clock.ts";
import { createPersonalKeyStore } from "./personal-key-store.ts";
import { copiesPath, createCopy, createKeyAndSheet, keyPath, makeKey, outcomeOf } from "./testing/key-bench.ts";

const password = "correct horse battery";
type Listed = { readonly id: string; readonly way: string; readonly removedAt: number | null };

test("a session that is older than an hour, or of an address that nobody verified, changes nothing about keys and copies", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const owner = await service.signUp();
  const [{ id } = { id: "" }] = await makeKey(owner, ["sheet", "sheet"]);
  const { halves, copy } = await createKeyAndSheet();
  const stranger = await service.signUp();
  await service.database
    .updateTable("person")
    .set({ verification: "needed", email_verified: false })
    .where("id", "=", stranger.id)
    .execute();
  const made = await stranger.request("POST", keyPath, { ...halves, copies: [copy] });
  assert.equal(outcomeOf(made), "403 email_unverified");

  clock.advance(hourMilliseconds + 1);
  for (const [method, path, body] of [
    ["POST", keyPath, { ...halves, copies: [copy] }],
    ["POST", copiesPath, createCopy("passphrase")],
    ["DELETE", `${copiesPath}/${id}`, undefined],
    ["POST", `${copiesPath}/${id}/restore`, undefined],
  ] as const)
    assert.equal(outcomeOf(await owner.request(method, path, body)), "403 session_stale", `${method} ${path}`);
  assert.equal((await owner.request("GET", `${copiesPath}/${id}`)).status, 200, "unlocking still works");
  const { body } = await owner.request("GET", keyPath);
  assert.deepEqual(
    body.copies.map(({ removedAt }: Listed) => removedAt),
    [null, null],
  );
});

test("a thief with a fresh session fills no places for good and removes no copy for good: within 30 days the owner restores it, and not after", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock, environment: { SEALPOST_SESSION_IDLE_MINUTES: "100000" } });
  const account = await service.signUp("owner@example.com");
  const [own] = await makeKey(account);
  assert.ok(own);
  const addJunk = async () => outcomeOf(await account.request("POST", copiesPath, createCopy("sheet")));
  for (let copies = 1; copies < 20; copies++) assert.equal(await addJunk(), "200");
  assert.equal(await addJunk(), "409 too_many_key_copies");
  const list = async (): Promise<readonly Listed[]> => (await account.request("GET", keyPath)).body.copies;
  const junk = (await list()).filter(({ id }) => id !== own.id).map(({ id }) => id);
  // The thief's own sheets open nothing of the owner's, but they count: so the owner's can be removed.
  const removed = (await account.request("DELETE", `${copiesPath}/${own.id}`)).body.copy;
  assert.deepEqual([removed.removedAt, removed.restorableUntil], [clock.now(), clock.now() + 30 * dayMilliseconds]);
  assert.equal(outcomeOf(await account.request("GET", `${copiesPath}/${own.id}`)), "404 key_copy_not_found");
  assert.equal(outcomeOf(await account.request("DELETE", `${copiesPath}/${own.id}`)), "404 key_copy_not_found");
  const refused = await account.request("POST", copiesPath, createCopy("sheet"));
  assert.equal(outcomeOf(refused), "429 too_many_key_copies_today", "to push out what was removed");
  assert.ok(Number(refused.headers.get("retry-after")) > 86_000);
  for (const id of junk.slice(1)) assert.equal((await account.request("DELETE", `${copiesPath}/${id}`)).status, 200);

  const signIn = async () => {
    const browser = createTestBrowser(service);
    const answer = await browser.post("/api/auth/sign-in/email", { email: "owner@example.com", password });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return browser;
  };
  const { purge } = createPersonalKeyStore(service.database);
  clock.advance(30 * dayMilliseconds - 1);
  const browser = await signIn();
  assert.equal(await purge(clock.now()), false);
  const restored = await browser.post(`${copiesPath}/${own.id}/restore`);
  assert.deepEqual([restored.status, restored.body.copy.removedAt, restored.body.copy.id], [200, null, own.id]);
  assert.equal((await browser.post(`${copiesPath}/${own.id}/restore`)).status, 200, "twice is once");
  assert.equal(outcomeOf(await browser.post(copiesPath, createCopy("passphrase"))), "200", "on another day");
  clock.advance(1);
  assert.equal(outcomeOf(await browser.post(`${copiesPath}/${junk[1]}/restore`)), "404 key_copy_not_found");
  const left = (await browser.post(keyPath, {}, "GET")).body.copies as readonly Listed[];
  assert.deepEqual(
    left
      .map(({ id }) => id)
      .slice(0, 2)
      .toSorted(),
    [own.id, junk[0] ?? ""].toSorted(),
  );
  assert.equal(left.length, 3);
  assert.equal(await purge(clock.now()), true);
  assert.equal(await purge(clock.now()), false);
  const rows = await service.database.selectFrom("key_copy").select("id").execute();
  assert.equal(rows.length, 3, "what nobody can restore is gone");
});

test("where a second factor is required, the password alone neither fetches nor changes a copy of who has a passkey", async (t) => {
  const { service, createAuthenticator, signIn } = await createPasskeyBench(t);
  const [browser, authenticator] = [await signIn(), createAuthenticator()];
  assert.equal((await add(browser, authenticator)).status, 200);
  const headers = { origin: service.url, cookie: browser.cookiesOf(service.url) };
  const rule = { requiredFrom: Date.now() - 1 };
  assert.equal((await service.request("PUT", "/api/organization/second-factor", { body: rule, headers })).status, 200);
  const [copy] = await makeKey({ request: (method, path, body) => service.request(method, path, { body, headers }) });
  const thief = await signIn();
  for (const [method, path, body] of [
    ["GET", `${copiesPath}/${copy?.id}`, {}],
    ["POST", copiesPath, createCopy("passphrase")],
    ["DELETE", `${copiesPath}/${copy?.id}`, {}],
    ["POST", `${copiesPath}/${copy?.id}/restore`, {}],
    ["GET", "/api/account/export", {}],
  ] as const)
    assert.equal(outcomeOf(await thief.post(path, body, method)), "403 passkey_needed", `${method} ${path}`);
  assert.equal((await use(thief, authenticator, {}, "confirm")).status, 200);
  assert.equal((await thief.post(`${copiesPath}/${copy?.id}`, {}, "GET")).status, 200);
});

test("a change of copies is in the log and in an email, or did not happen, and a password that is set by email changes none", async (t) => {
  const smtp = await startSmtpServer(t);
  const environment = {
    SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
    SEALPOST_MAIL_FROM: "a@example.com",
  };
  const service = await createTestService(t, { environment });
  const account = await service.signUp("owner@example.com");
  await service.database.updateTable("person").set({ verification: "trusted", email_verified: true }).execute();
  const [sheet] = await makeKey(account, ["sheet", "passphrase"]);
  const device = (await account.request("POST", copiesPath, createCopy("device", "My secret name"))).body.copy;
  assert.equal((await account.request("DELETE", `${copiesPath}/${device.id}`)).status, 200);
  assert.equal((await account.request("POST", `${copiesPath}/${device.id}/restore`)).status, 200);

  // Without the email nothing is changed, and nothing recorded.
  const actions = () =>
    service.database.selectFrom("audit_entry").selectAll().where("action", "like", "key_copy.%").execute();
  const before = await actions();
  assert.ok(!JSON.stringify(before).includes("My secret name"));
  await sql`alter table mail rename to mail_away`.execute(service.database);
  assert.equal((await account.request("POST", copiesPath, createCopy("passphrase"))).status, 500);
  assert.equal((await account.request("DELETE", `${copiesPath}/${device.id}`)).status, 500);
  await sql`alter table mail_away rename to mail`.execute(service.database);
  const kept: readonly Listed[] = (await account.request("GET", keyPath)).body.copies;
  assert.deepEqual(
    kept.map(({ removedAt }) => removedAt),
    [null, null, null],
  );
  assert.equal((await actions()).length, before.length);

  const guest = createTestBrowser(service);
  assert.equal((await guest.post("/api/auth/request-password-reset", { email: "owner@example.com" })).status, 200);
  const sent = [await smtp.next()];
  while (!sent.some(({ text }) => text.includes("reset-password#"))) sent.push(await smtp.next());
  const token = /reset-password#(\w+)/.exec(sent.at(-1)?.text ?? "")?.[1];
  const newPassword = "another horse battery";
  const reset = await guest.post("/api/auth/reset-password", { token, newPassword });
  assert.equal(reset.status, 200, JSON.stringify(reset.body));
  assert.equal(
    (await guest.post("/api/auth/sign-in/email", { email: "owner@example.com", password: newPassword })).status,
    200,
  );
  assert.deepEqual((await guest.post(keyPath, {}, "GET")).body.copies, kept);
  assert.equal((await guest.post(`${copiesPath}/${sheet?.id}`, {}, "GET")).status, 200);
  const textOf = async (subject: string): Promise<string> => {
    for (;;) {
      const mail = sent.find(({ headers }) => headers.get("subject") === subject);
      if (mail !== undefined) return mail.text;
      sent.push(await smtp.next(subject));
    }
  };
  assert.match(
    await textOf("A personal key was made in your account"),
    /If it was not you, the key is somebody else's/,
  );
  assert.match(await textOf("A way to unlock your personal key was added"), /remove it on this page/);
  assert.match(await textOf("A way to unlock your personal key was removed"), /restore it on this page within 30 days/);
  assert.match(await textOf("A way to unlock your personal key was restored"), /If it was not you, remove it/);
  assert.ok(!sent.some(({ raw }) => raw.includes("My secret name")), "no names of the person's own");
});
