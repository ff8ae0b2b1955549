import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { sql } from "kysely";
import { createTestService, type TestService } from "../testing/test-service.ts";

const password = "correct horse battery";

function signUp(service: TestService, body: object, headers: Readonly<Record<string, string>> = {}) {
  return service.request("POST", "/api/auth/sign-up/email", {
    body: { password, setupToken: service.setupToken, ...body },
    headers,
  });
}

async function countAccounts({ database }: TestService): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from person`.execute(database);
  return Number(rows[0]?.count);
}

test("by default the first account closes the sign-up", async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_SIGNUP: "first" } });
  assert.equal((await signUp(service, { email: "one@example.com" })).status, 200);
  const second = await signUp(service, { email: "two@example.com" });
  assert.deepEqual(
    [second.status, second.body],
    [403, { error: "forbidden", message: "Sign-up is closed on this instance", code: "sign_up_closed" }],
  );
  assert.equal(await countAccounts(service), 1);
});

test("of ten simultaneous first sign-ups one makes an account", async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_SIGNUP: "first" } });
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => signUp(service, { email: `person-${index}@example.com` })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(403)]);
  assert.equal(await countAccounts(service), 1);
  const { rows } = await sql`select id from credential`.execute(service.database);
  assert.equal(rows.length, 1);
});

test("of ten simultaneous sign-ups with one address one makes an account, and the others learn what a later one does", async (t) => {
  const sent = { email: "one@example.com" };
  for (const mode of ["open", "first"]) {
    const service = await createTestService(t, { environment: { SEALPOST_SIGNUP: mode } });
    if (mode === "open") await signUp(service, { email: "somebody@example.com" });
    const answers = await Promise.all(Array.from({ length: 10 }, () => signUp(service, sent)));
    const later = await signUp(service, sent);
    assert.equal(later.body.code, mode === "open" ? "account_exists" : "sign_up_closed");
    const refused = answers.filter(({ status }) => status !== 200);
    assert.equal(refused.length, 9);
    for (const { status, body } of refused) assert.deepEqual([status, body], [later.status, later.body]);
    assert.equal(await countAccounts(service), mode === "open" ? 2 : 1);
  }
});

test("a closed instance takes nobody, and an open one everybody once", async (t) => {
  const closed = await createTestService(t, { environment: { SEALPOST_SIGNUP: "closed" } });
  assert.equal((await signUp(closed, { email: "one@example.com" })).status, 403);
  assert.equal(await countAccounts(closed), 0);
  const open = await createTestService(t, { environment: { SEALPOST_SIGNUP: "open" } });
  assert.equal((await signUp(open, { email: "one@example.com" })).status, 200);
  assert.equal((await signUp(open, { email: "two@example.com" })).status, 200);
  const again = await signUp(open, { email: "ONE@example.com" });
  const message = "There is an account with this email address already";
  const codes = { code: "account_exists", detailCodes: { email: "account_exists" } };
  assert.deepEqual(
    [again.status, again.body],
    [409, { error: "conflict", message, details: { email: message }, ...codes }],
  );
});

test("the first account needs the set-up token, whatever a request says about its host and its sender", async (t) => {
  const service = await createTestService(t);
  const one = { email: "one@example.com" };
  for (const headers of [{}, { host: "localhost" }, { "x-forwarded-for": "203.0.113.1" }, { via: "1.1 proxy" }]) {
    for (const setupToken of [undefined, "guess", [service.setupToken]]) {
      const answer = await signUp(service, { ...one, setupToken }, headers);
      assert.equal(answer.status, 403, JSON.stringify(headers));
      assert.match(answer.body.message, /setupToken/);
    }
  }
  assert.equal(await countAccounts(service), 0);
  assert.equal((await signUp(service, one)).status, 200);
  const open = await signUp(service, { email: "two@example.com", setupToken: undefined });
  assert.equal(open.status, 200, "a later one does not, where sign-up is open");
});

test("nobody chooses the own plan, id or anything else at sign-up", async (t) => {
  const service = await createTestService(t);
  const wishes = { plan: "enterprise", id: "acc_mine", emailVerified: true, signUpSlot: "first", role: "admin" };
  const answer = await signUp(service, { email: "one@example.com", name: "One", ...wishes });
  assert.equal(answer.status, 200);
  const { rows } = await sql<Record<string, unknown>>`
    select person.*, organization.plan from person inner join organization on organization.id = person.id`.execute(
    service.database,
  );
  assert.equal(rows[0]?.plan, "free");
  assert.match(String(rows[0]?.id), /^acc_[0-9a-z]{26}$/);
  assert.equal(Boolean(rows[0]?.email_verified), true, "the set-up token says so, not the request");
  assert.equal(rows[0]?.sign_up_slot, null);
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  for (const path of ["/api/auth/update-user", "/api/auth/change-email"]) {
    const changed = await service.request("POST", path, { body: { plan: "pro" }, headers: { cookie } });
    assert.equal(changed.status, 404);
  }
});

test("a new account gets the configured plan", async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_DEFAULT_PLAN: "pro" } });
  await service.signUp();
  const { rows } = await sql<{ plan: string }>`select plan from organization`.execute(service.database);
  assert.deepEqual(
    rows.map(({ plan }) => plan),
    ["pro"],
  );
});

test("no address and no user agent of a client is kept", async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_TRUSTED_PROXIES: "127.0.0.1/32,::1/128" } });
  const headers = { "x-forwarded-for": "203.0.113.77", "user-agent": "Mozilla/5.0 (Telltale)" };
  await signUp(service, { email: "one@example.com", setupToken: service.setupToken }, headers);
  await service.request("POST", "/api/auth/sign-in/email", { body: { email: "one@example.com", password }, headers });
  await service.request("POST", "/api/auth/sign-in/email", {
    body: { email: "one@example.com", password: "wrong password" },
    headers,
  });
  const { rows } = await sql<Record<string, unknown>>`select * from session`.execute(service.database);
  assert.equal(rows.length, 2);
  for (const row of rows) assert.deepEqual([row.ip_address, row.user_agent], [null, null]);
  // Nowhere else either.
  for (const { name } of await service.database.introspection.getTables()) {
    const content = JSON.stringify((await sql`select * from ${sql.table(name)}`.execute(service.database)).rows);
    assert.ok(!content.includes("203.0.113.77") && !content.includes("Telltale"), name);
  }
});

test("a wrong password and an unknown email address are answered alike", async (t) => {
  const service = await createTestService(t);
  await service.signUp("one@example.com");
  const attempt = (email: string) =>
    service.request("POST", "/api/auth/sign-in/email", { body: { email, password: "not the password" } });
  const [wrong, unknown] = [await attempt("one@example.com"), await attempt("two@example.com")];
  assert.deepEqual(
    [wrong.status, wrong.body],
    [401, { error: "unauthorized", message: "Email address or password is wrong", code: "sign_in_wrong" }],
  );
  assert.deepEqual([unknown.status, unknown.body], [wrong.status, wrong.body]);
  const comparable = ({ headers }: { headers: Headers }) =>
    [...headers].filter(([name]) => name !== "x-request-id" && name !== "date");
  assert.deepEqual(comparable(unknown), comparable(wrong));
});

test("a callbackURL is ignored: no answer redirects anywhere or repeats it", async (t) => {
  const service = await createTestService(t);
  const callbackURL = "https://evil.example/welcome";
  const headers = { origin: service.url };
  const signedUp = await signUp(service, { email: "one@example.com", callbackURL }, headers);
  const body = { email: "one@example.com", password, callbackURL };
  const signedIn = await service.request("POST", "/api/auth/sign-in/email", { body, headers });
  const inQuery = await service.request(
    "POST",
    `/api/auth/sign-in/email?callbackURL=${encodeURIComponent(callbackURL)}`,
    { body: { email: "one@example.com", password }, headers },
  );
  for (const answer of [signedUp, signedIn, inQuery]) {
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("location"), null);
    assert.ok(!JSON.stringify(answer.body).includes("evil"));
    assert.ok(!JSON.stringify([...answer.headers]).includes("evil"));
    assert.notEqual(answer.body.redirect, true);
  }
});

test("a page of another origin can sign nobody in, up or out", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp("one@example.com");
  for (const origin of ["https://evil.example", "null", `${service.url}.evil.example`, "http://localhost:1"]) {
    const headers = { origin };
    const up = await signUp(service, { email: "two@example.com" }, headers);
    const into = await service.request("POST", "/api/auth/sign-in/email", {
      body: { email: "one@example.com", password },
      headers,
    });
    const out = await service.request("POST", "/api/auth/sign-out", {
      headers: { ...headers, cookie: account.cookie },
    });
    for (const answer of [up, into, out]) {
      assert.equal(answer.status, 403, origin);
      assert.deepEqual(answer.headers.getSetCookie(), []);
    }
  }
  assert.equal(await countAccounts(service), 1);
  assert.equal((await account.request("GET", "/api/forms")).status, 200);
});

test("a name that no database would give back as it was is refused", async (t) => {
  const service = await createTestService(t);
  const [wrong, hidden] = ["account_name_wrong", "account_name_control_characters"];
  const names = { "One\u0000": hidden, "One\ud800": wrong, "One\u001b[2J": hidden, ["x".repeat(101)]: wrong };
  for (const [name, code] of Object.entries(names)) {
    const answer = await signUp(service, { email: "one@example.com", name });
    assert.deepEqual([answer.status, answer.body.code], [400, code], name);
  }
  assert.equal(await countAccounts(service), 0);
});

test("the password must have 10 to 128 characters", async (t) => {
  const service = await createTestService(t);
  const rows: readonly (readonly [length: number, status: number])[] = [
    [9, 400],
    [10, 200],
    [128, 200],
    [129, 400],
  ];
  for (const [length, status] of rows) {
    const answer = await signUp(service, {
      email: `person-${length}@example.com`,
      // Hard to guess at each length.
      password: createHash("sha512").update("password").digest("base64url").repeat(2).slice(0, length),
    });
    assert.equal(answer.status, status, String(length));
    if (status === 400) assert.match(answer.body.message, /^The password must have at (least 10|most 128) characters$/);
  }
});

test("a sign-up names every invalid field: a blank name, a password of spaces or of one character", async (t) => {
  const service = await createTestService(t);
  const refuse = async (body: object) => {
    const { status, body: said } = await signUp(service, { name: "One", email: "one@example.com", ...body });
    assert.deepEqual([status, said.error, said.message], [400, "bad_request", Object.values(said.details).join(". ")]);
    return said.details;
  };
  const blank = "The name must not be blank";
  for (const name of ["", "   ", "\u00a0\u200b\u3000", "\u3164", "\u034f\ufe0f"])
    assert.deepEqual(await refuse({ name }), { name: blank }, JSON.stringify(name));
  const spaces = "The password must not be spaces alone";
  for (const all of [" ".repeat(12), "\u00a0 ".repeat(6)])
    assert.deepEqual(await refuse({ password: all }), { password: spaces });
  const repeated = { password: "The password must not be one character over and over" };
  assert.deepEqual(await refuse({ password: "a".repeat(20) }), repeated);
  assert.deepEqual(await refuse({ name: " ", email: "one", password: " ".repeat(10) }), {
    name: blank,
    email: "An email address is needed, such as you@example.com",
    password: spaces,
  });
  assert.equal(await countAccounts(service), 0);

  const kept = " a b c d e ";
  const { status, body } = await signUp(service, { name: "  One ", email: "one@example.com", password: kept });
  assert.deepEqual([status, body.user.name], [200, "One"]);
  const signIn = (attempt: string) =>
    service.request("POST", "/api/auth/sign-in/email", { body: { email: "one@example.com", password: attempt } });
  assert.equal((await signIn(kept)).status, 200, "spaces of a password are part of it");
  assert.equal((await signIn(kept.trim())).status, 401);
  const taken = await signUp(service, { name: "Two", email: "one@example.com" });
  assert.deepEqual([taken.status, Object.keys(taken.body.details)], [409, ["email"]]);
});

test("a changed password is held to the same rules, and an error is reported at its field", async (t) => {
  const service = await createTestService(t);
  const { cookie } = await service.signUp();
  const change = async (currentPassword: string, newPassword: string) => {
    const body = { currentPassword, newPassword };
    const headers = { cookie, origin: service.url };
    const answer = await service.request("POST", "/api/auth/change-password", { body, headers });
    return [answer.status, answer.body.details];
  };
  const spaces = { newPassword: "The password must not be spaces alone" };
  assert.deepEqual(await change(password, " ".repeat(12)), [400, spaces]);
  const same = { newPassword: "The new password must differ from the current one" };
  assert.deepEqual(await change(password, password), [400, same]);
  assert.deepEqual(await change("not the password", "another horse battery"), [
    400,
    { currentPassword: "The password is wrong" },
  ]);
  assert.equal((await change(password, "another horse battery"))[0], 200);
});

test("hostile bodies get a 4xx and make no account", async (t) => {
  const service = await createTestService(t);
  const email = "one@example.com";
  for (const body of [
    {},
    { email },
    { password },
    { email: { $ne: null }, password },
    { email: [email], password },
    { email: "not an address", password },
    { email, password: { length: 20 } },
    { email, password: null },
    { email: "one\u0000@example.com", password },
    "[]",
    '"text"',
    "null",
    `{"__proto__": {"email": "${email}", "password": "${password}"}}`,
  ]) {
    for (const path of ["/api/auth/sign-up/email", "/api/auth/sign-in/email"]) {
      const answer = await service.request("POST", path, { body });
      const text = `${path} ${JSON.stringify(body)}: ${answer.status}`;
      assert.ok(answer.status >= 400 && answer.status < 500 && answer.status !== 401, text);
    }
  }
  assert.equal(await countAccounts(service), 0);
});

test("a refused sign-up says whether the address or the password is invalid", async (t) => {
  const service = await createTestService(t);
  const address = "An email address is needed, such as you@example.com";
  const needed = "A password is needed, as text";
  const password = "correct horse battery";
  for (const [body, message] of [
    [{ email: "nope", password }, address],
    [{ email: "", password }, address],
    [{ email: "a@example.com", password: "short" }, "The password must have at least 10 characters"],
    [{ email: "a@example.com", password: "long".repeat(50) }, "The password must have at most 128 characters"],
    [{ email: "a@example.com" }, needed],
    [{ email: 5, password: 6 }, `${address}. ${needed}`],
  ] as const) {
    const answer = await service.request("POST", "/api/auth/sign-up/email", {
      body: { name: "A", setupToken: service.setupToken, ...body },
    });
    assert.deepEqual([answer.status, answer.body.message], [400, message], JSON.stringify(body));
  }
});
