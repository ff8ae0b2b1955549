import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { createFakeClock, createTickingClock } from "../testing/fake-clock.ts";
import { createTestService, libraryPasswords, type TestAccount, type TestService } from "../testing/test-service.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { showCode, showWrongCode } from "./testing/authenticator.ts";

const email = "one@example.com";
const password = "correct horse battery";

/** The app's next code. The one that turned the second factor on is used up; one that is early is taken as well. */
const showNextCode = (uri: string) => showCode(uri, Date.now() + 30_000);

/** A browser: keeps the cookies that it is given. */
function createBrowser(service: TestService, cookies = new Map<string, string>()) {
  return {
    cookies,
    async post(path: string, body: object) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const headers = { origin: service.url, ...(cookie !== "" && { cookie }) };
      const answer = await service.request("POST", `/api/auth${path}`, { body, headers });
      for (const line of answer.headers.getSetCookie()) {
        const [pair = ""] = line.split(";");
        const [name = "", value = ""] = pair.split("=", 2);
        if (value === "" || /max-age=0/i.test(line)) cookies.delete(name);
        else cookies.set(name, value);
      }
      return answer;
    },
    isSignedIn: () => cookies.has("sealpost_session"),
  };
}
type Browser = ReturnType<typeof createBrowser>;

async function enable(service: TestService, account: TestAccount) {
  const [name = "", value = ""] = account.cookie.split("=", 2);
  const browser = createBrowser(service, new Map([[name, value]]));
  const enabled = await browser.post("/two-factor/enable", { password });
  assert.equal(enabled.status, 200, JSON.stringify(enabled.body));
  const { totpURI: uri, backupCodes } = enabled.body as { totpURI: string; backupCodes: string[] };
  const code = showCode(uri);
  const verified = await browser.post("/two-factor/verify-totp", { code });
  assert.equal(verified.status, 200, JSON.stringify(verified.body));
  return { browser, uri, backupCodes, code };
}

async function begin(service: TestService, address = email): Promise<Browser> {
  const browser = createBrowser(service);
  const begun = await browser.post("/sign-in/email", { email: address, password });
  assert.deepEqual([begun.status, begun.body.twoFactorRedirect], [200, true]);
  return browser;
}

/** Says that the new backup codes were seen: from then on they count. */
const keep = (browser: Browser, { body: { proposal } }: { readonly body: { readonly proposal?: string } }) =>
  browser.post("/two-factor/keep-backup-codes", { proposal });

async function listActions(service: TestService): Promise<readonly string[]> {
  const { rows } = await sql<{ action: string }>`
    select action from audit_entry where action <> 'sign_in.failed' order by occurred_at, id`.execute(service.database);
  return rows.map(({ action }) => action);
}

test("until the first code was entered nothing changes; from then on the password alone signs nobody in", async (t) => {
  const service = await createTestService(t, { clock: createTickingClock() });
  const account = await service.signUp(email);
  const browser = createBrowser(service, new Map([account.cookie.split("=", 2) as [string, string]]));
  assert.equal((await browser.post("/two-factor/enable", { password: "not the password" })).status, 400);
  const { totpURI: uri } = (await browser.post("/two-factor/enable", { password })).body;
  assert.match(uri, /^otpauth:\/\/totp\/Sealpost:one%40example\.com\?secret=[A-Z2-7]+&issuer=Sealpost/);
  const early = createBrowser(service);
  await early.post("/sign-in/email", { email, password });
  assert.ok(early.isSignedIn());
  assert.equal((await browser.post("/two-factor/verify-totp", { code: showWrongCode(uri) })).status, 401);
  assert.equal((await browser.post("/two-factor/verify-totp", { code: showCode(uri) })).status, 200);
  assert.equal((await browser.post("/two-factor/enable", { password })).status, 409);

  const later = await begin(service);
  assert.ok(!later.isSignedIn());
  const cookie = [...later.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { cookie, "sec-fetch-site": "same-origin" };
  for (const path of ["/api/auth/token", "/api/forms"])
    assert.equal((await service.request("GET", path, { headers })).status, 401, path);
  assert.equal((await service.request("GET", "/api/auth/get-session", { headers })).body, null);

  const wrong = await later.post("/two-factor/verify-totp", { code: showWrongCode(uri) });
  const message = "The code is wrong or too old";
  const codes = { code: "code_wrong", detailCodes: { code: "code_wrong" } };
  assert.deepEqual(
    [wrong.status, wrong.body],
    [401, { error: "unauthorized", message, details: { code: message }, ...codes }],
  );
  assert.equal(
    (await later.post("/two-factor/verify-totp", { code: 123456 })).body.message,
    "The code is needed, as text",
  );
  assert.equal((await later.post("/two-factor/verify-totp", { code: showNextCode(uri) })).status, 200);
  assert.ok(later.isSignedIn());
  // The challenge is used up with it.
  assert.deepEqual(
    [...later.cookies.keys()].filter((name) => name.includes("second_factor")),
    [],
  );
  assert.deepEqual(await listActions(service), [
    "account.created",
    "session.started",
    "second_factor.begun",
    "session.started",
    "second_factor.enabled",
    "session.started",
  ]);
});

test("a sign-in by the password alone that is being checked while the second factor is turned on opens nothing", async (t) => {
  let meanwhile: (() => Promise<void>) | undefined;
  const verify: typeof libraryPasswords.verify = async (entered) => {
    const isRight = await libraryPasswords.verify(entered);
    const work = meanwhile;
    meanwhile = undefined;
    await work?.();
    return isRight;
  };
  const passwords = { hash: libraryPasswords.hash, verify };
  const service = await createTestService(t, { clock: createTickingClock(), passwords });
  const account = await service.signUp(email);
  const browser = createBrowser(service, new Map([account.cookie.split("=", 2) as [string, string]]));
  const { totpURI: uri } = (await browser.post("/two-factor/enable", { password })).body;
  const thief = createBrowser(service);
  meanwhile = async () => {
    assert.equal((await browser.post("/two-factor/verify-totp", { code: showCode(uri) })).status, 200);
  };
  const answer = await thief.post("/sign-in/email", { email, password });
  assert.deepEqual([answer.status, answer.body.code, thief.isSignedIn()], [403, "session_stale", false]);
  const { rows } = await sql`select id from session where person_id = ${account.id}`.execute(service.database);
  assert.equal(rows.length, 1, "the browser that turned it on");
});

test("a backup code signs in once, new ones end the old, and switching off makes the password enough again", async (t) => {
  const service = await createTestService(t, { clock: createTickingClock() });
  const { browser, uri, backupCodes } = await enable(service, await service.signUp(email));
  assert.equal(new Set(backupCodes).size, 10);
  for (const code of backupCodes) assert.match(code, /^[2-9a-hjkmnp-z]{5}-[2-9a-hjkmnp-z]{5}$/);
  const [first = "", second = ""] = backupCodes;
  const one = await begin(service);
  assert.equal((await one.post("/two-factor/verify-backup-code", { code: first })).status, 200);
  assert.ok(one.isSignedIn());
  const again = await begin(service);
  const used = await again.post("/two-factor/verify-backup-code", { code: first });
  assert.deepEqual([used.status, used.body.message], [401, "The backup code is wrong or was used before"]);

  const replaced = await browser.post("/two-factor/generate-backup-codes", { password, code: showNextCode(uri) });
  assert.equal(replaced.body.backupCodes.length, 10);
  assert.equal((await keep(browser, replaced)).status, 200);
  assert.equal((await again.post("/two-factor/verify-backup-code", { code: second })).status, 401);
  assert.equal(
    (await again.post("/two-factor/verify-backup-code", { code: replaced.body.backupCodes[0] })).status,
    200,
  );

  await begin(service);
  const [, , third] = replaced.body.backupCodes;
  assert.equal((await browser.post("/two-factor/disable", { password, code: third })).status, 200);
  const plain = createBrowser(service);
  await plain.post("/sign-in/email", { email, password });
  assert.ok(plain.isSignedIn());
  assert.equal((await plain.post("/two-factor/verify-totp", { code: showCode(uri) })).status, 400);
  assert.deepEqual((await listActions(service)).slice(4), [
    "second_factor.backup_code_used",
    "session.started",
    "second_factor.backup_codes_replaced",
    "second_factor.backup_code_used",
    "session.started",
    "second_factor.backup_code_used",
    "second_factor.disabled",
    "session.started",
  ]);
});

test("new backup codes count once they were seen, and those before until then; a repeated confirmation is answered alike, a late or foreign one not at all", async (t) => {
  let later = 0;
  const service = await createTestService(t, { clock: { now: () => Date.now() + later } });
  const { browser, backupCodes } = await enable(service, await service.signUp(email));
  const [first = "", second = "", third = "", fourth = "", fifth = ""] = backupCodes;
  const make = async (code: string) => {
    const made = await browser.post("/two-factor/generate-backup-codes", { password, code });
    assert.deepEqual([made.status, made.body.backupCodes.length], [200, 10]);
    return made;
  };
  const signIn = async (code: string) => (await begin(service)).post("/two-factor/verify-backup-code", { code });
  const outcome = async (answer: ReturnType<typeof keep>) => [(await answer).status, (await answer).body.code];
  // Its answer was lost: nobody has seen them, and none of them signs in.
  const lost = await make(first);
  assert.equal((await signIn(lost.body.backupCodes[0])).status, 401);
  assert.equal((await signIn(second)).status, 200);
  // A code was used since.
  assert.deepEqual(await outcome(keep(browser, lost)), [409, "backup_codes_late"]);
  const made = await make(third);
  later = 3_600_001;
  assert.deepEqual(await outcome(keep(browser, made)), [409, "backup_codes_late"]);
  const seen = await make(fourth);
  const changed = { body: { proposal: `${seen.body.proposal.slice(0, -2)}xx` } };
  assert.deepEqual(await outcome(keep(browser, changed)), [409, "backup_codes_late"]);
  assert.deepEqual(await outcome(keep(createBrowser(service), seen)), [401, "credential_invalid"]);
  for (const _again of [1, 2]) assert.equal((await keep(browser, seen)).status, 200);
  assert.equal((await signIn(fifth)).status, 401);
  assert.equal((await signIn(seen.body.backupCodes[0])).status, 200);
  // It would give the used one back.
  assert.deepEqual(await outcome(keep(browser, seen)), [409, "backup_codes_late"]);
  const replaced = (await listActions(service)).filter((one) => one === "second_factor.backup_codes_replaced");
  assert.equal(replaced.length, 1);
});

test("turning it off and new backup codes want the password and a code, unused; ten wrong ones lock all codes", async (t) => {
  const service = await createTestService(t, { clock: createTickingClock() });
  const { browser, uri, backupCodes, code: usedCode } = await enable(service, await service.signUp(email));
  const [backupCode = ""] = backupCodes;
  const wrong = "The code is wrong or too old, or was used before";
  const paths = ["/two-factor/generate-backup-codes", "/two-factor/disable"];
  for (const path of paths) {
    const none = await browser.post(path, {});
    assert.deepEqual([none.status, Object.keys(none.body.details)], [400, ["password", "code"]], path);
    const missing = await browser.post(path, { password });
    assert.deepEqual([missing.status, Object.keys(missing.body.details)], [400, ["code"]], path);
    assert.equal((await createBrowser(service).post(path, { password, code: backupCode })).status, 401);
  }
  const refused = await browser.post("/two-factor/disable", { password: "not the password", code: backupCode });
  assert.deepEqual([refused.status, refused.body.details], [400, { password: "The password is wrong" }]);
  // It has turned the second factor on.
  const used = await browser.post("/two-factor/generate-backup-codes", { password, code: usedCode });
  assert.deepEqual([used.status, used.body.details], [400, { code: wrong }]);
  await sql`update second_factor set failed_verifications = 8`.execute(service.database);
  for (const code of [showWrongCode(uri), "aaaaa-aaaaa"]) {
    const answer = await browser.post("/two-factor/disable", { password, code });
    assert.deepEqual([answer.status, answer.body.details], [400, { code: wrong }], code);
  }
  const locked = await browser.post("/two-factor/disable", { password, code: backupCode });
  assert.deepEqual([locked.status, locked.headers.get("retry-after")], [429, "900"]);
  assert.equal((await listActions(service)).at(-1), "second_factor.locked");
  assert.equal((await (await begin(service)).post("/two-factor/verify-totp", { code: "000000" })).status, 429);

  // The lock ends by itself, and counting starts over: nothing was taken away, no backup code used up.
  await sql`update second_factor set locked_until = ${new Date(Date.now() - 1).toISOString()}`.execute(
    service.database,
  );
  assert.equal((await browser.post("/two-factor/disable", { password, code: showWrongCode(uri) })).status, 400);
  const made = await browser.post("/two-factor/generate-backup-codes", { password, code: backupCode });
  assert.deepEqual([made.status, (await keep(browser, made)).status], [200, 200]);
  assert.equal((await browser.post("/two-factor/disable", { password, code: backupCode })).status, 400);
  assert.equal((await browser.post("/two-factor/disable", { password, code: showNextCode(uri) })).status, 200);
  assert.deepEqual((await listActions(service)).slice(-3), [
    "second_factor.backup_code_used",
    "second_factor.backup_codes_replaced",
    "second_factor.disabled",
  ]);
});

test("neither the secret of the second factor nor a backup code is readable in the database", async (t) => {
  const service = await createTestService(t, { clock: createTickingClock() });
  const { uri, backupCodes } = await enable(service, await service.signUp(email));
  const secret = new URL(uri).searchParams.get("secret") ?? "";
  assert.ok(secret.length >= 32);
  const plain = Buffer.from(
    (
      Array.from(secret, (letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"))
        .join("")
        .match(/.{8}/g) ?? []
    ).map((byte) => Number.parseInt(byte, 2)),
  ).toString();
  assert.match(plain, /^[\w-]{32}$/);
  for (const { name } of await service.database.introspection.getTables()) {
    const content = JSON.stringify((await sql`select * from ${sql.table(name)}`.execute(service.database)).rows);
    for (const text of [secret, plain, ...backupCodes]) assert.ok(!content.includes(text), `${name} holds ${text}`);
  }
});

test("after five wrong codes the password is asked for again, and after ten in a row no code is taken for a while", async (t) => {
  const service = await createTestService(t, { clock: createTickingClock() });
  const { uri } = await enable(service, await service.signUp(email));
  const wrong = showWrongCode(uri);
  const browser = await begin(service);
  for (let round = 0; round < 5; round++)
    assert.equal((await browser.post("/two-factor/verify-totp", { code: wrong })).status, 401);
  const sixth = await browser.post("/two-factor/verify-totp", { code: showCode(uri) });
  assert.deepEqual([sixth.status, sixth.body.message], [403, "Too many wrong codes: sign in again"]);
  assert.equal((await browser.post("/two-factor/verify-totp", { code: showCode(uri) })).status, 403);
  const other = await begin(service);
  for (let round = 0; round < 5; round++)
    assert.equal((await other.post("/two-factor/verify-totp", { code: wrong })).status, 401);
  const locked = await (await begin(service)).post("/two-factor/verify-totp", { code: showCode(uri) });
  assert.deepEqual([locked.status, locked.body.error, locked.headers.get("retry-after")], [429, "rate_limited", "900"]);
  assert.equal((await listActions(service)).filter((action) => action === "second_factor.locked").length, 1);
});

test("a lock from while the clock was ahead is over once the clock is right", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const { uri, backupCodes } = await enable(service, await service.signUp(email));
  const [backupCode = ""] = backupCodes;
  const signIn = async (path: string, code: string) => (await (await begin(service)).post(path, { code })).status;
  clock.jump(dayMilliseconds);
  for (let wrong = 0; wrong < 10; wrong++) await signIn("/two-factor/verify-totp", showWrongCode(uri));
  assert.equal(await signIn("/two-factor/verify-backup-code", backupCode), 429);
  clock.jump(-dayMilliseconds);
  clock.advance(16 * 60_000);
  assert.equal(await signIn("/two-factor/verify-backup-code", backupCode), 200);
});

/** Ways to write the cookie of a challenge. The library reads some of them. */
const spellings: Readonly<Record<string, (name: string, value: string) => string>> = {
  "after another whose name ends like it": (name, value) => `x_${name}=2fa-x; ${name}=${value}`,
  "after another of its name that is made up": (name, value) => `${name}=2fa-x.y; ${name}=${value}`,
  "before another of its name": (name, value) => `${name}=${value}; ${name}=2fa-x.y`,
  "with its first character encoded": (name, value) => `${name}=%32${value.slice(1)}`,
  decoded: (name, value) => `${name}=${decodeURIComponent(value)}`,
  "in quotation marks": (name, value) => `${name}="${value}"`,
  "with spaces around it": (name, value) => ` ${name} = ${value} ; other`,
  "in a value of another": (name, value) => `other="; ${name}=${value}"`,
  "without a space": (name, value) => `a=b;${name}=${value};c=d`,
  "with a name in capitals": (name, value) => `${name.toUpperCase()}=${value}`,
  "with the prefixes of HTTPS": (name, value) => `__Secure-${name}=${value}; __Host-${name}=${value}`,
};

test("however its cookie is written, a wrong code to a challenge is counted, locks and is in the log, or is not compared", async (t) => {
  const service = await createTestService(t, { clock: createTickingClock() });
  for (const [index, [what, spell]] of Object.entries(spellings).entries()) {
    const own = `number-${index}@example.com`;
    const locksBefore = await countLocks(service);
    const { uri } = await enable(service, await service.signUp(own));
    const send = async (browser: Browser, code: string) => {
      const value = browser.cookies.get("sealpost_second_factor") ?? assert.fail();
      const headers = { origin: service.url, cookie: spell("sealpost_second_factor", value) };
      return service.request("POST", "/api/auth/two-factor/verify-totp", { body: { code }, headers });
    };
    let compared = 0;
    for (let signIn = 0; signIn < 4; signIn++) {
      const browser = await begin(service, own);
      for (let one = 0; one < 5; one++) compared += (await send(browser, showWrongCode(uri))).status === 401 ? 1 : 0;
    }
    assert.ok(compared === 10 || compared === 0, `${what}: ${compared} were compared`);
    const locked = (await countLocks(service)) - locksBefore;
    assert.equal(locked > 0, compared > 0, `${what}: the lock is in the log`);
    const status = (await send(await begin(service, own), showNextCode(uri))).status;
    assert.equal(status, compared > 0 ? 429 : 403, `${what}: the right code afterwards`);
  }
});

async function countLocks(service: TestService): Promise<number> {
  return (await listActions(service)).filter((action) => action === "second_factor.locked").length;
}

test("a challenge is worth nothing to another account, nor made up, nor without its signature", async (t) => {
  const service = await createTestService(t, { clock: createTickingClock() });
  const { uri } = await enable(service, await service.signUp(email));
  const browser = await begin(service);
  const value = browser.cookies.get("sealpost_second_factor") ?? "";
  assert.match(decodeURIComponent(value), /^2fa-[\w-]+\./);
  for (const made of ["", "2fa-abc.def", value.split(".")[0] ?? "", `x${value}`]) {
    const forged = createBrowser(service, new Map([["sealpost_second_factor", made]]));
    const answer = await forged.post("/two-factor/verify-totp", { code: showCode(uri) });
    assert.equal(answer.status, 403, made);
    assert.ok(!forged.isSignedIn());
  }
  // Control: the real one opens.
  assert.equal((await browser.post("/two-factor/verify-totp", { code: showNextCode(uri) })).status, 200);
});

test("a code of the app signs in once, also when two send it at the same moment; the next one signs in again", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const service = await createTestService(t);
  const { uri } = await enable(service, await service.signUp(email));
  t.mock.timers.tick(30_000);
  const code = showCode(uri);
  const browsers = [await begin(service), await begin(service)];
  const answers = await Promise.all(browsers.map((browser) => browser.post("/two-factor/verify-totp", { code })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403]);
  const refused = answers.find(({ status }) => status === 403);
  assert.equal(refused?.body.message, "This code was used before: sign in again, with the next one");
  assert.equal(browsers.filter((browser) => browser.isSignedIn()).length, 1);
  // The one that turned the second factor on, and the one that was first.
  assert.equal((await sql`select id from session`.execute(service.database)).rows.length, 2);
  t.mock.timers.tick(30_000);
  const later = await begin(service);
  assert.equal((await later.post("/two-factor/verify-totp", { code: showCode(uri) })).status, 200);
});

test("the code that turned the second factor on neither signs in nor is taken again; the next one is", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const service = await createTestService(t);
  const { browser, uri } = await enable(service, await service.signUp(email));
  const code = showCode(uri);
  const watcher = await begin(service);
  const refused = await watcher.post("/two-factor/verify-totp", { code });
  assert.deepEqual(
    [refused.status, refused.body.message],
    [403, "This code was used before: sign in again, with the next one"],
  );
  assert.ok(!watcher.isSignedIn());
  const again = await browser.post("/two-factor/verify-totp", { code });
  assert.deepEqual([again.status, again.body.message], [403, "This code was used before: enter the next one"]);
  assert.ok(browser.isSignedIn());
  t.mock.timers.tick(30_000);
  const owner = await begin(service);
  assert.equal((await owner.post("/two-factor/verify-totp", { code: showCode(uri) })).status, 200);
  // A code entered within a session signs nobody in either.
  t.mock.timers.tick(30_000);
  assert.equal((await browser.post("/two-factor/verify-totp", { code: showCode(uri) })).status, 200);
  assert.equal((await (await begin(service)).post("/two-factor/verify-totp", { code: showCode(uri) })).status, 403);
});

test("turning the second factor on ends every other session, and the browser that did it stays signed in", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp(email);
  const thief = createBrowser(service);
  await thief.post("/sign-in/email", { email, password });
  const { browser } = await enable(service, account);
  const read = async ({ cookies }: Browser) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return (await service.request("GET", "/api/forms", { headers: { cookie, origin: service.url } })).status;
  };
  assert.deepEqual([await read(browser), await read(thief)], [200, 401]);
  assert.equal((await account.request("GET", "/api/forms")).status, 401, "the token of the session before");
});

test("of any number of codes at once no more are compared than ten in a row", async (t) => {
  const service = await createTestService(t, { clock: createTickingClock() });
  const { browser, uri } = await enable(service, await service.signUp(email));
  const code = showWrongCode(uri);
  const challenges = await Promise.all(Array.from({ length: 16 }, () => begin(service)));
  const tries = [
    ...challenges.map((one) => one.post("/two-factor/verify-totp", { code })),
    ...Array.from({ length: 4 }, () => browser.post("/two-factor/disable", { password, code })),
  ];
  const statuses = (await Promise.all(tries)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 401 || status === 400).length, 10, statuses.join());
  assert.equal(statuses.filter((status) => status === 429).length, 10, statuses.join());
  const right = await (await begin(service)).post("/two-factor/verify-totp", { code: showNextCode(uri) });
  assert.equal(right.status, 429);
});
