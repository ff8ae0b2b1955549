import assert from "node:assert/strict";
import { test } from "node:test";
import { createPasswordQueue } from "../rate-limits/password-queue.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { holdTurns } from "../testing/hold-turns.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { type Answer, createTestService, type TestService, type TestServiceOptions } from "../testing/test-service.ts";

const email = "owner@example.com";
const password = "correct horse battery";
const newPassword = "another horse battery";
const signInRate = 3;

/** A service that takes the address that a proxy on this machine names, so that tests can be many clients. */
async function createService(t: TestScope, options: TestServiceOptions = {}) {
  const environment = { SEALPOST_TRUSTED_PROXIES: "127.0.0.1/32,::1/128", ...options.environment };
  const service = await createTestService(t, { signInRate, ...options, environment });
  const { browser, session } = await signUp(service, email);
  return { service, browser, session };
}

let address = 0;

function post(service: TestService, path: string, body: object, cookie?: string) {
  const headers = {
    "x-forwarded-for": `198.51.100.${++address % 250}`,
    ...(cookie && { cookie, origin: service.url }),
  };
  return service.request("POST", `/api/auth${path}`, { body, headers });
}

async function signUp(service: TestService, as: string) {
  const body = { email: as, password, setupToken: service.setupToken };
  const answer = await post(service, "/sign-up/email", body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return { browser: browserOf(answer), session: answer.headers.getSetCookie()[0]?.split(";")[0] ?? "" };
}

function signIn(service: TestService, { as = email, tried = password, cookie = "" }) {
  return post(service, "/sign-in/email", { email: as, password: tried }, cookie);
}

function browserOf({ headers }: Answer): string {
  const line = headers.getSetCookie().find((cookie) => cookie.startsWith("sealpost_browser_"));
  return line?.split(";")[0] ?? assert.fail("The answer makes no browser known");
}

/** Uses up the sign-ins of strangers. */
async function hammer(service: TestService, as = email) {
  while ((await signIn(service, { as, tried: "guess number nine" })).status !== 429);
}

test("an account with thirty known browsers keeps nobody else from signing in", async (t) => {
  const queue = createPasswordQueue({ runningMax: 1 });
  const seen = { count: 0, waiter: () => {} };
  const passwordQueue: typeof queue = {
    run(from, work) {
      const result = queue.run(from, work);
      seen.count += 1;
      seen.waiter();
      return result;
    },
  };
  const untilSeen = (count: number) =>
    new Promise<void>((resolve) => {
      seen.waiter = () => seen.count >= count && resolve();
      seen.waiter();
    });
  const { service, browser } = await createService(t, { signInRate: 40, passwordQueue });
  const as = "attacker@example.com";
  const browsers = [(await signUp(service, as)).browser];
  while (browsers.length < 30) browsers.push(browserOf(await signIn(service, { as })));
  assert.equal(new Set(browsers).size, 30);

  const free = holdTurns(1, (work) => queue.run("stranger", work));
  const before = seen.count;
  const flood = [...browsers, ...browsers].map((cookie) => signIn(service, { as, cookie, tried: "guess number nine" }));
  await untilSeen(before + flood.length);
  const own = Array.from({ length: 8 }, () => signIn(service, { cookie: browser }));
  await untilSeen(before + flood.length + own.length);
  free();
  assert.deepEqual(
    (await Promise.all(own)).map(({ status }) => status),
    Array(8).fill(200),
  );
  // Control: the flood was one.
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  assert.ok(statuses.filter((status) => status === 503).length >= 28, String(statuses));
});

test("all known browsers of an account together have three times the sign-ins of one", async (t) => {
  const signInRate = 4;
  const { service, browser } = await createService(t, { signInRate });
  const browsers = [browser];
  while (browsers.length < 4) browsers.push(browserOf(await signIn(service, {})));
  const statuses: number[] = [];
  for (const cookie of browsers)
    for (let number = 0; number < signInRate; number++)
      statuses.push((await signIn(service, { cookie, tried: "guess number nine" })).status);
  assert.deepEqual(statuses, [...Array(12).fill(401), ...Array(4).fill(429)]);
});

test("a new password ends every known browser but the one in which it was set", async (t) => {
  const { service, browser, session } = await createService(t);
  const other = browserOf(await signIn(service, {}));
  const body = { currentPassword: password, newPassword };
  const changed = await post(service, "/change-password", body, `${session}; ${browser}`);
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  await hammer(service);
  for (const cookie of [browser, other])
    assert.equal((await signIn(service, { cookie, tried: newPassword })).status, 429);
  assert.equal((await signIn(service, { cookie: browserOf(changed), tried: newPassword })).status, 200);
});

test("a browser is known for one account alone, and for 180 days", async (t) => {
  const clock = createFakeClock(Date.now());
  const { service, browser } = await createService(t, { clock });
  await hammer(service, "else@example.com");
  const other = { as: "else@example.com", cookie: browser };
  assert.equal((await signIn(service, other)).status, 429);
  await hammer(service);
  clock.advance(180 * 86_400_000 - 60_000);
  const renewed = await signIn(service, { cookie: browser });
  assert.equal(renewed.status, 200);
  clock.advance(120_000);
  assert.equal((await signIn(service, { cookie: browser })).status, 429);
  const next = browserOf(renewed);
  assert.equal(next.split(".")[0], browser.split(".")[0]);
  assert.equal((await signIn(service, { cookie: next })).status, 200);
});
