import assert from "node:assert/strict";
import { test } from "node:test";
import { createStatementCuts } from "../testing/cut-statements.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService } from "../testing/test-service.ts";

const password = "correct horse battery";

test("the session cookie counts only for our own pages", async (t) => {
  const service = await createTestService(t);
  const { cookie } = await service.signUp();
  const port = new URL(service.url).port;
  const rows: readonly (readonly [method: string, headers: Record<string, string>, status: number])[] = [
    ["GET", {}, 401],
    ["GET", { origin: `http://localhost:${port}` }, 200],
    ["GET", { origin: `http://127.0.0.1:${port}` }, 200],
    ["GET", { origin: `https://localhost:${port}` }, 401],
    ["GET", { origin: "http://localhost" }, 401],
    ["GET", { origin: "https://evil.example" }, 401],
    ["GET", { origin: "null" }, 401],
    ["GET", { "sec-fetch-site": "same-origin" }, 200],
    ["GET", { "sec-fetch-site": "same-site" }, 401],
    ["GET", { "sec-fetch-site": "cross-site" }, 401],
    ["GET", { "sec-fetch-site": "none" }, 401],
    ["GET", { "sec-fetch-site": "same-origin", origin: "https://evil.example" }, 401],
    ["POST", {}, 401],
    ["POST", { "sec-fetch-site": "same-origin" }, 401],
    ["POST", { origin: "https://evil.example" }, 401],
    ["POST", { origin: `http://localhost:${port}` }, 200],
  ];
  for (const [method, headers, status] of rows) {
    const answer = await service.request(method, "/api/forms", {
      headers: { cookie, ...headers },
      body: method === "POST" ? { name: "Contact" } : undefined,
    });
    assert.equal(answer.status, status, `${method} ${JSON.stringify(headers)}`);
  }
});

test("whichever query of a request fails alone, nobody with a valid credential is refused as if they had none", async (t) => {
  const cuts = createStatementCuts(t);
  const service = await createTestService(t);
  const { token, cookie, request } = await service.signUp();
  const made = await request("POST", "/api/api-keys", { name: "Program" });
  const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });
  const own = { cookie, origin: service.url };
  const asked: readonly (readonly [method: "GET" | "POST", url: string, headers: Record<string, string>])[] = [
    ["GET", "/api/forms", bearer(token)],
    ["GET", "/api/forms", bearer(made.body.key.key)],
    ["GET", "/api/forms", own],
    ["GET", "/api/auth/get-session", own],
    ["GET", "/api/auth/token", own],
    ["GET", "/api/auth/list-sessions", own],
    ["POST", "/api/auth/freshen-session", own],
    ["POST", "/api/auth/two-factor/enable", own],
  ];
  for (const [method, url, given] of asked) {
    const headers = { ...given, ...(method === "POST" && { "content-type": "application/json" }) };
    const sent = method === "POST" ? { payload: JSON.stringify({ password }) } : {};
    for (let index = 0, isCut = true; isCut; index++) {
      const { result, ...cut } = await cuts.atStatement(index, () =>
        Promise.resolve(service.app.inject({ method, url, headers, ...sent })),
      );
      isCut = cut.isCut;
      const what = `${method} ${url} with ${Object.keys(given)[0]}, cut at ${index}: ${result.statusCode} ${result.body}`;
      assert.equal(result.statusCode, isCut ? 503 : 200, what);
      if (!isCut) assert.ok(index >= 2 && result.body !== "null", what);
    }
  }
});

test("what tells of a session, or gives its token, takes the cookie from our own pages alone as well", async (t) => {
  const service = await createTestService(t);
  const { cookie } = await service.signUp();
  const rows: readonly (readonly [headers: Record<string, string>, status: number])[] = [
    [{}, 401],
    [{ "sec-fetch-site": "cross-site" }, 401],
    [{ "sec-fetch-site": "same-site" }, 401],
    [{ "sec-fetch-site": "none" }, 401],
    [{ "sec-fetch-site": "same-origin" }, 200],
    [{ origin: service.url }, 200],
  ];
  for (const path of ["/token", "/list-sessions", "/get-session"])
    for (const [headers, status] of rows) {
      const answer = await service.request("GET", `/api/auth${path}`, { headers: { cookie, ...headers } });
      assert.equal(answer.status, status, `${path} ${JSON.stringify(headers)}`);
      if (status === 401) assert.equal(answer.body.error, "unauthorized");
      else assert.ok(answer.body.token ?? answer.body.session ?? answer.body[0]);
    }
  // Requests without a session are open to everybody.
  assert.equal((await service.request("GET", "/api/auth/jwks", { headers: { cookie } })).status, 200);
  assert.equal((await service.request("GET", "/api/auth/get-session")).body, null);
});

test("HEAD answers like GET on every address of accounts, without the body, and takes the cookie from our own pages alone", async (t) => {
  const service = await createTestService(t);
  const { cookie } = await service.signUp();
  const own = { cookie, "sec-fetch-site": "same-origin" };
  for (const path of ["/token", "/list-sessions", "/get-session", "/jwks", "/sign-in/email", "/nothing"])
    for (const headers of [own, { ...own, "sec-fetch-site": "cross-site" }, {}]) {
      const [get, head] = await Promise.all(
        ["GET", "HEAD"].map((method) => service.request(method, `/api/auth${path}`, { headers })),
      );
      assert.equal(head?.status, get?.status, `${path} ${JSON.stringify(headers)}`);
      assert.equal(head?.body, "");
    }
});

test("a changed or made-up cookie is worth nothing", async (t) => {
  const service = await createTestService(t);
  const { cookie } = await service.signUp();
  const [name, value = ""] = cookie.split("=");
  const token = decodeURIComponent(value).split(".")[0];
  for (const made of [`${name}=`, `${name}=${token}`, `${name}=${token}.AAAA`, `${name}=x${value}`, `other=${value}`]) {
    const headers = { cookie: made, "sec-fetch-site": "same-origin" };
    assert.equal((await service.request("GET", "/api/forms", { headers })).status, 401, made);
  }
});

test("an Authorization header that is no good is not rescued by a cookie", async (t) => {
  const service = await createTestService(t);
  const { cookie } = await service.signUp();
  const headers = { cookie, "sec-fetch-site": "same-origin", authorization: "Bearer nothing" };
  assert.equal((await service.request("GET", "/api/forms", { headers })).status, 401);
});

test("signing out ends the session's token at once, and only that session's", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp("one@example.com");
  const body = { email: "one@example.com", password };
  const other = await service.request("POST", "/api/auth/sign-in/email", { body });
  const otherCookie = other.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const issued = await service.request("GET", "/api/auth/token", {
    headers: { cookie: otherCookie, origin: service.url },
  });
  assert.equal((await account.request("GET", "/api/forms")).status, 200);
  const out = await service.request("POST", "/api/auth/sign-out", {
    headers: { cookie: account.cookie, origin: service.url },
  });
  assert.equal(out.status, 200);
  assert.equal((await account.request("GET", "/api/forms")).status, 401);
  const withCookie = { cookie: account.cookie, "sec-fetch-site": "same-origin" };
  assert.equal((await service.request("GET", "/api/forms", { headers: withCookie })).status, 401);
  assert.equal((await service.request("GET", "/api/auth/token", { headers: withCookie })).status, 401);
  assert.equal((await service.request("GET", "/api/forms", { token: issued.body.token })).status, 200);
});

test("a changed password ends every other session and its tokens, whatever the request says", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp("one@example.com");
  const stranger = await service.signUp("two@example.com");
  const signIn = async (attempt: string) => {
    const body = { email: "one@example.com", password: attempt };
    const answer = await service.request("POST", "/api/auth/sign-in/email", { body });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  };
  const read = async (cookie: string) => {
    const headers = { cookie, "sec-fetch-site": "same-origin" };
    return (await service.request("GET", "/api/forms", { headers })).status;
  };
  const bodies = [{}, { revokeOtherSessions: false }, { revokeOtherSessions: true }];
  let currentPassword = password;
  for (const [index, more] of bodies.entries()) {
    const [mine, other] = [await signIn(currentPassword), await signIn(currentPassword)];
    const newPassword = `another horse battery ${index}`;
    const changed = await service.request("POST", "/api/auth/change-password", {
      body: { currentPassword, newPassword, ...more },
      headers: { cookie: mine, origin: service.url },
    });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    assert.equal(await read(other), 401, JSON.stringify(more));
    assert.equal((await account.request("GET", "/api/forms")).status, 401);
    // The person who changed it continues, in a new session.
    assert.equal(await read(mine), 401);
    assert.equal(await read(changed.headers.getSetCookie()[0]?.split(";")[0] ?? ""), 200);
    currentPassword = newPassword;
  }
  assert.equal((await stranger.request("GET", "/api/forms")).status, 200);
});

test("a session that has run out is refused, its token too", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  assert.equal((await account.request("GET", "/api/forms")).status, 200);
  // The library counts its seven days by the system clock, which advances during the sign-up.
  clock.advance(7 * 24 * 3_600_000 + 3_600_000);
  assert.equal((await account.request("GET", "/api/forms")).status, 401);
});

test("a token of another instance, an unsigned one and a changed one are refused", async (t) => {
  const [service, other] = [await createTestService(t), await createTestService(t)];
  const [account, stranger] = [await service.signUp(), await other.signUp()];
  const [header, payload, signature] = account.token.split(".");
  const none = Buffer.from('{"alg":"none"}').toString("base64url");
  const claims = JSON.parse(Buffer.from(payload ?? "", "base64url").toString());
  const later = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 3600 })).toString("base64url");
  for (const token of [
    stranger.token,
    `${none}.${payload}.`,
    `${none}.${payload}.${signature}`,
    `${header}.${later}.${signature}`,
    `${header}.${payload}.`,
    `${header}.${payload}`,
    "a.b.c",
  ]) {
    assert.equal((await service.request("GET", "/api/forms", { token })).status, 401, token);
  }
  assert.equal(claims.exp - claims.iat, 15 * 60);
});

test("the cookie is out of reach of scripts and of other sites, and bound to the host under HTTPS", async (t) => {
  const plain = await createTestService(t);
  const signUp = { email: "one@example.com", password };
  const answer = await plain.request("POST", "/api/auth/sign-up/email", {
    body: { ...signUp, setupToken: plain.setupToken },
  });
  const [cookie = ""] = answer.headers.getSetCookie();
  assert.match(cookie, /^sealpost_session=/);
  for (const attribute of [/; HttpOnly/i, /; SameSite=Lax/i, /; Path=\//i]) assert.match(cookie, attribute);
  assert.doesNotMatch(cookie, /; Domain=/i);

  const secure = await createTestService(t, { environment: { SEALPOST_BASE_URL: "https://forms.example.com" } });
  const under = await secure.app.inject({
    method: "POST",
    url: "/api/auth/sign-up/email",
    headers: { host: "forms.example.com" },
    payload: { ...signUp, setupToken: secure.setupToken },
  });
  assert.equal(under.statusCode, 200, under.body);
  const [secureCookie = ""] = [under.headers["set-cookie"]].flat();
  assert.match(secureCookie, /^__Host-sealpost_session=/);
  for (const attribute of [/; Secure/i, /; HttpOnly/i, /; Path=\/(;|$)/i]) assert.match(secureCookie, attribute);
});

test("a changed password revokes every API key unless the request keeps them, and tells how many", async (t) => {
  const service = await createTestService(t);
  let { cookie } = await service.signUp("one@example.com");
  const post = async (path: string, body: object) => {
    const answer = await service.request("POST", path, { headers: { cookie, origin: service.url }, body });
    cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? cookie;
    return answer.body;
  };
  const { key } = (await post("/api/api-keys", { name: "Key" })).key;
  const isAlive = async () => (await service.request("GET", "/api/forms", { token: key })).status === 200;
  const path = "/api/auth/change-password";
  const [first, second] = [password, "another horse battery"];
  const kept = await post(path, { currentPassword: first, newPassword: second, revokeApiKeys: false });
  assert.deepEqual([kept.apiKeysRevoked, await isAlive()], [0, true]);
  const odd = await post(path, { currentPassword: second, newPassword: first, revokeApiKeys: "no" });
  assert.deepEqual(Object.keys(odd.details), ["revokeApiKeys"]);
  const revoked = await post(path, { currentPassword: second, newPassword: first });
  assert.deepEqual([revoked.apiKeysRevoked, await isAlive()], [1, false]);
  const entries = await service.database.selectFrom("audit_entry").select("action").execute();
  assert.equal(entries.filter(({ action }) => action === "api_key.revoked").length, 1);
});
