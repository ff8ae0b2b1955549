import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { sql } from "kysely";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { hourMilliseconds } from "../time/clock.ts";

const email = "one@example.com";
const password = "correct horse battery";
const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0";

async function signIn(service: TestService, userAgent: string) {
  const headers = { origin: service.url, "user-agent": userAgent };
  const answer = await service.request("POST", "/api/auth/sign-in/email", { body: { email, password }, headers });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const [cookie = ""] = answer.headers.getSetCookie()[0]?.split(";") ?? [];
  const ask = (method: string, path: string) =>
    service.request(method, path, { headers: { cookie, origin: service.url } });
  return { ask, token: (await ask("GET", "/api/auth/token")).body.token as string };
}

test("a person sees where they are signed in by a coarse name, ends one session or all others, and their tokens with them", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const account = await service.signUp(email);
  const other = await service.signUp("other@example.com");
  clock.advance(1); // entries of one moment have no order
  const phone = await signIn(service, firefox);
  const list = async () => (await account.request("GET", "/api/sessions")).body.sessions;
  const [newest, first, ...more] = await list();
  assert.deepEqual(
    [newest.browser, newest.system, newest.current, first.browser, first.current, more],
    ["firefox", "windows", false, "program", true, []],
  );
  const { rows } = await sql<{ browser: string }>`select * from session where id = ${newest.id}`.execute(
    service.database,
  );
  assert.ok(!JSON.stringify(rows).includes("Gecko"), "nothing else of the browser is kept");
  for (const id of ["made-up", "%00", (await other.request("GET", "/api/sessions")).body.sessions[0].id]) {
    const answer = await account.request("DELETE", `/api/sessions/${id}`);
    assert.deepEqual([answer.status, answer.body.code], [404, "session_not_found"]);
  }
  assert.equal((await account.request("DELETE", `/api/sessions/${newest.id}`)).status, 200);
  assert.equal((await phone.ask("GET", "/api/forms")).status, 401);
  assert.equal((await service.request("GET", "/api/forms", { token: phone.token })).status, 401, "its token");
  clock.advance(1);
  const tablet = await signIn(service, firefox);
  await signIn(service, "");
  assert.deepEqual((await account.request("POST", "/api/sessions/end-others")).body, { ended: 2 });
  assert.deepEqual((await account.request("POST", "/api/sessions/end-others")).body, { ended: 0 });
  assert.equal((await service.request("GET", "/api/forms", { token: tablet.token })).status, 401);
  assert.equal((await other.request("GET", "/api/forms")).status, 200, "another person's session");
  const { entries } = (await account.request("GET", "/api/audit-log")).body;
  const actions = entries.map(({ action }: { action: string }) => action);
  assert.deepEqual(actions.filter((action: string) => /revoked/.test(action)).toSorted(), [
    "session.others_revoked",
    "session.revoked",
  ]);
});

test("a session ends when it was not used for long enough, and when it is old enough, for its tokens and the sign-in library too", async (t) => {
  const clock = createFakeClock(Date.now());
  const environment = { SEALPOST_SESSION_IDLE_MINUTES: "60", SEALPOST_SESSION_MAX_HOURS: "3" };
  const service = await createTestService(t, { clock, environment });
  await service.signUp(email);
  const browser = await signIn(service, firefox);
  const use = async (session = browser) => (await session.ask("GET", "/api/forms")).status;
  const lastUse = async () => {
    const { rows } = await sql<{ at: number }>`select max(last_used_at) as at from session`.execute(service.database);
    return Number(rows[0]?.at);
  };
  // A clock that jumps by less than the limit, forth and back, ends nothing.
  clock.advance(hourMilliseconds);
  assert.equal(await use(), 200);
  while ((await lastUse()) !== clock.now()) await new Promise((resolve) => setImmediate(resolve));
  clock.advance(-hourMilliseconds);
  assert.equal(await use(), 200);
  while ((await lastUse()) !== clock.now()) await new Promise((resolve) => setImmediate(resolve));
  clock.advance(hourMilliseconds + 1);
  assert.equal(await use(), 401);
  assert.equal((await service.request("GET", "/api/forms", { token: browser.token })).status, 401);
  assert.equal((await browser.ask("GET", "/api/auth/get-session")).body, null, "the library does not know the limit");
  assert.equal((await browser.ask("GET", "/api/auth/token")).status, 401);
  const worker = await signIn(service, firefox);
  for (let hours = 0; hours < 3; hours++) {
    assert.equal(await use(worker), 200);
    while ((await lastUse()) !== clock.now()) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(hourMilliseconds);
  }
  assert.equal(await use(worker), 200, "a control: it is not too old yet");
  clock.advance(1);
  assert.equal(await use(worker), 401, "it was used all the time");
});

test("an account, its session, its organization and the membership of their owner are from the moment that the service's clock shows", async (t) => {
  const clock = createFakeClock(Date.UTC(2025, 4, 2, 9));
  const service = await createTestService(t, { clock });
  const account = await service.signUp(email);
  const { sessions } = (await account.request("GET", "/api/sessions")).body;
  const { organizations } = (await account.request("GET", "/api/organizations")).body;
  const { members } = (await account.request("GET", "/api/members")).body;
  const dates = [sessions[0].createdAt, organizations[0].since, members[0].since];
  assert.deepEqual(dates, [clock.now(), clock.now(), clock.now()]);
  const timeOf = (id: string) => id.slice(0, "acc_".length + 10); // 48 bits
  assert.equal(timeOf(account.id), timeOf(createId("account", clock.now())));
});
