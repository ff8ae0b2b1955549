import assert from "node:assert/strict";
import { createHook } from "node:async_hooks";
import { test } from "node:test";
import { sql } from "kysely";
import { createSoftwareAuthenticator } from "../passkeys/testing/software-authenticator.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { type Answer, createTestService, libraryPasswords, type TestService } from "../testing/test-service.ts";
import { showCode } from "./testing/authenticator.ts";

const email = "owner@example.com";
const password = "correct horse battery";
/** Less than the ten of a real service, because each costs a slow hash. */
const signInRate = 3;

/** A service that believes the address which a proxy on this machine names, so that tests can be many clients. */
async function createAttackedService(t: TestScope) {
  const service = await createTestService(t, {
    environment: { SEALPOST_TRUSTED_PROXIES: "127.0.0.1/32,::1/128" },
    signInRate,
  });
  const body = { email, password, setupToken: service.setupToken };
  const signedUp = await service.request("POST", "/api/auth/sign-up/email", { body });
  assert.equal(signedUp.status, 200);
  const session = signedUp.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return { service, browser: browserOf(signedUp), session };
}

function browserOf({ headers }: Answer): string {
  const line = headers.getSetCookie().find((cookie) => cookie.startsWith("sealpost_browser_")) ?? "";
  assert.match(line, /^sealpost_browser_[\w-]{10}=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/);
  return line.split(";")[0] ?? "";
}

interface Attempt {
  readonly from: string;
  readonly as?: string;
  readonly password?: string;
  readonly cookie?: string;
}

function signIn(service: TestService, { from, as = email, password: tried = password, cookie }: Attempt) {
  return service.request("POST", "/api/auth/sign-in/email", {
    body: { email: as, password: tried },
    headers: { "x-forwarded-for": from, ...(cookie !== undefined && { cookie, origin: service.url }) },
  });
}

async function hammer(service: TestService, as = email) {
  for (let number = 1; number <= signInRate + 2; number++)
    await signIn(service, { from: `203.0.113.${number}`, as, password: "guess number nine" });
}

test("a flood of sign-ins for an email address from many addresses is refused, and its owner can still sign in", async (t) => {
  const { service, browser } = await createAttackedService(t);
  await hammer(service);
  assert.equal((await signIn(service, { from: "203.0.113.99" })).status, 429);
  // The owner, in the browser that signed in before, from wherever.
  const answer = await signIn(service, { from: "198.51.100.7", cookie: browser });
  assert.equal(answer.status, 200);
  assert.ok(answer.headers.getSetCookie().some((cookie) => cookie.startsWith("sealpost_session=")));
  // Control: what lets the owner in is that very cookie.
  for (const cookie of [
    browser.slice(0, -1),
    browser.replace("=", "=x"),
    browser.replace("sealpost_browser_", "other_"),
  ])
    assert.equal((await signIn(service, { from: "198.51.100.8", cookie })).status, 429, cookie);
});

test("right sign-ins by a passkey count for their person, from however many addresses, and a flood of passwords stops none", async (t) => {
  const { service, session } = await createAttackedService(t);
  const passkey = createSoftwareAuthenticator(service.url);
  const post = (path: string, from: number, cookie: string, body: object = {}) =>
    service.request("POST", `/api/auth/passkeys${path}`, {
      body,
      headers: { cookie, origin: service.url, "x-forwarded-for": `203.0.113.${from}` },
    });
  const cookieOf = ({ headers }: Answer) => headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const adding = await post("/begin", 1, session);
  const added = await post("", 1, `${session}; ${cookieOf(adding)}`, passkey.create(adding.body.publicKey));
  assert.equal(added.status, 200, JSON.stringify(added.body));
  for (let number = 0; number <= signInRate; number++)
    await signIn(service, { from: "203.0.113.1", as: `guess${number}@example.com` });
  const statuses: number[] = [];
  for (let from = 1; from <= signInRate + 1; from++) {
    const begun = await post("/begin-sign-in", from, "");
    statuses.push((await post("/sign-in", from, cookieOf(begun), passkey.get(begun.body.publicKey))).status);
  }
  assert.deepEqual(statuses, [...Array<number>(signInRate).fill(200), 429]);
});

test("a flood of sign-ins from the owner's own address does not stop the owner's known browser either", async (t) => {
  const { service, browser } = await createAttackedService(t);
  for (let number = 0; number < signInRate + 2; number++)
    await signIn(service, { from: "203.0.113.1", as: `nobody-${number}@example.com`, password: "guess number nine" });
  assert.equal((await signIn(service, { from: "203.0.113.1" })).status, 429);
  assert.equal((await signIn(service, { from: "203.0.113.1", cookie: browser })).status, 200);
  // Such a cookie is no ticket for other accounts.
  assert.equal((await signIn(service, { from: "203.0.113.1", as: "else@example.com", cookie: browser })).status, 429);
});

test("an attacker at the owner's address does not keep the owner's browser from entering the code", async (t) => {
  const { service, browser, session } = await createAttackedService(t);
  const post = (path: string, body: object, cookie: string, from: string) =>
    service.request("POST", `/api/auth/two-factor${path}`, {
      body,
      headers: { "x-forwarded-for": from, cookie, origin: service.url },
    });
  const { totpURI: uri } = (await post("/enable", { password }, session, "198.51.100.1")).body;
  assert.equal((await post("/verify-totp", { code: showCode(uri) }, session, "198.51.100.1")).status, 200);
  const from = "203.0.113.1";
  for (let number = 0; number < signInRate + 2; number++)
    await signIn(service, { from, as: `nobody-${number}@example.com`, password: "guess number nine" });
  const begun = await signIn(service, { from, cookie: browser });
  assert.equal(begun.body.twoFactorRedirect, true);
  const challenge = begun.headers.getSetCookie().find((cookie) => cookie.startsWith("sealpost_second_factor=")) ?? "";
  const cookie = `${browser}; ${challenge.split(";")[0]}`;
  assert.equal((await post("/verify-totp", { code: showCode(uri, Date.now() + 30_000) }, cookie, from)).status, 200);
});

test("a known browser has a number of sign-ins of its own, so a stolen cookie guesses no faster", async (t) => {
  const { service, browser } = await createAttackedService(t);
  for (let number = 0; number < signInRate; number++) {
    const guess = { from: `203.0.113.${number}`, password: "guess number nine", cookie: browser };
    assert.equal((await signIn(service, guess)).status, 401);
  }
  assert.equal((await signIn(service, { from: "203.0.113.50", cookie: browser })).status, 429);
  // And it does not use up the others'.
  assert.equal((await signIn(service, { from: "203.0.113.51" })).status, 200);
});

test("the owner is notified of too many sign-ins, once an hour; nothing is kept about an email address that nobody has", async (t) => {
  const { service } = await createAttackedService(t);
  await hammer(service, "nobody@example.com");
  await hammer(service);
  await hammer(service);
  const findActors = async () => {
    const entries = service.database.selectFrom("audit_entry").select("actor").where("action", "=", "sign_in.limited");
    return (await entries.execute()).map(({ actor }) => actor);
  };
  // It is written after the answer.
  while ((await findActors()).length === 0);
  assert.deepEqual(await findActors(), ["nobody"]);
  const all = JSON.stringify((await sql`select * from audit_entry`.execute(service.database)).rows);
  for (const text of ["203.0.113", "nobody@example.com"]) assert.ok(!all.includes(text), text);
});

/** How often the slow hash of passwords runs in here meanwhile: Node's own account of its jobs, not a clock. */
async function countHashes(work: () => Promise<unknown>): Promise<number> {
  let hashes = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === "SCRYPTREQUEST") hashes += 1;
    },
  }).enable();
  await work();
  hook.disable();
  return hashes;
}

test("an email address that nobody has costs one password hash, like a wrong password, and is answered alike", async (t) => {
  const service = await createTestService(t, { passwords: libraryPasswords });
  await service.signUp(email);
  const answers: Answer[] = [];
  const attempt = async (as: string) =>
    answers.push(await signIn(service, { from: "203.0.113.1", as, password: "not the password" }));
  assert.equal(await countHashes(() => attempt(email)), 1);
  assert.equal(await countHashes(() => attempt("nobody@example.com")), 1);
  // Control: what is refused before a password is looked at hashes nothing.
  assert.equal(await countHashes(() => attempt("not an address")), 0);
  const [wrong, unknown] = answers.map(({ status, body, headers }) => ({
    status,
    body,
    headers: [...headers].filter(([name]) => name !== "x-request-id" && name !== "date"),
  }));
  assert.equal(wrong?.status, 401);
  assert.deepEqual(unknown, wrong);
});
