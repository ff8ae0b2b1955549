import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { createTestService } from "../testing/test-service.ts";

const password = "correct horse battery";
const wrong = "guess number nine";

test("within a session passwords are counted for the account, from however many addresses, and the owner is notified once", async (t) => {
  const signInRate = 3;
  const environment = { SEALPOST_TRUSTED_PROXIES: "127.0.0.1/32,::1/128" };
  const service = await createTestService(t, { environment, signInRate });
  const signUp = async (email: string) => {
    const body = { email, password, setupToken: service.setupToken };
    const headers = { "x-forwarded-for": `192.0.2.${email.length}` };
    const answer = await service.request("POST", "/api/auth/sign-up/email", { body, headers });
    assert.equal(answer.status, 200);
    return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  };
  const [stolen, other] = [await signUp("owner@example.com"), await signUp("somebody@example.com")];
  let address = 0;
  const post = (path: string, body: object, cookie = stolen) => {
    const headers = { cookie, origin: service.url, "x-forwarded-for": `203.0.113.${++address}` };
    return service.request("POST", `/api/auth${path}`, { body, headers });
  };
  const change = { currentPassword: wrong, newPassword: "another horse battery" };
  const guesses: readonly (readonly [path: string, body: object])[] = [
    ["/two-factor/enable", { password: wrong }],
    ["/two-factor/generate-backup-codes", { password: wrong }],
    ["/change-password", change],
    // The fourth of three, and those after it.
    ["/two-factor/disable", { password: wrong }],
    ["/two-factor/enable", { password }],
    ["/two-factor/generate-backup-codes", { password }],
    ["/change-password", { ...change, currentPassword: password }],
  ];
  const statuses: number[] = [];
  for (const [path, body] of guesses) {
    const answer = await post(path, body);
    statuses.push(answer.status);
    if (answer.status === 429) assert.match(answer.headers.get("retry-after") ?? "", /^[1-9][0-9]?$/);
  }
  assert.deepEqual(statuses, [400, 400, 400, 429, 429, 429, 429]);
  const { rows } = await sql<{ actor: string; name: string }>`
    select actor, email as name from audit_entry join person on person.id = audit_entry.account_id
    where action = 'password.limited'`.execute(service.database);
  assert.deepEqual(
    rows.map(({ actor, name }) => [actor, name]),
    [["session", "owner@example.com"]],
  );
  // Another account has its own, and the owner gets rid of the thief without a password.
  assert.equal((await post("/two-factor/disable", { password }, other)).status, 200);
  assert.equal((await post("/revoke-other-sessions", {})).status, 200);
});

test("each route of sign-in counts as it should: a password for the sign-ins of an address, the rest for its requests", async (t) => {
  const environment = {
    SEALPOST_API_RATE: "1000",
    SEALPOST_SMTP_URL: "smtp://127.0.0.1:9?tls=off",
    SEALPOST_MAIL_FROM: "forms@example.com",
  };
  const service = await createTestService(t, { environment, signInRate: 100 });
  const expected = {
    "POST /sign-up/email": "sign-in",
    "POST /sign-in/email": "sign-in",
    "POST /change-password": "sign-in",
    "POST /request-password-reset": "sign-in",
    "POST /reset-password": "api",
    "POST /two-factor/enable": "sign-in",
    "POST /two-factor/disable": "sign-in",
    "POST /two-factor/generate-backup-codes": "sign-in",
    "POST /two-factor/verify-totp": "api",
    "POST /two-factor/verify-backup-code": "api",
    "POST /sign-out": "api",
    "POST /revoke-session": "api",
    "POST /revoke-other-sessions": "api",
    "GET /get-session": "api",
    "GET /list-sessions": "api",
    "GET /token": "api",
    "GET /jwks": "api",
  };
  const found: Record<string, string | undefined> = {};
  for (const route of Object.keys(expected)) {
    const [method = "", path = ""] = route.split(" ");
    const options = method === "POST" ? { body: {} } : {};
    const { headers } = await service.request(method, `/api/auth${path}`, options);
    found[route] = /^"([a-z-]+)";/.exec(headers.get("ratelimit-policy") ?? "")?.[1];
  }
  assert.deepEqual(found, expected);
});
