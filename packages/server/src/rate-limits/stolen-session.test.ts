import assert from "node:assert/strict";
import { test } from "node:test";
import { type Answer, createTestService, type TestService } from "../testing/test-service.ts";

const email = "owner@example.com";
const password = "correct horse battery";

/** A session in a browser of its own, at an address of its own. */
interface Browser {
  ask(method: string, path: string, body?: object): Promise<Pick<Answer, "status" | "body">>;
}

async function signIn(service: TestService, network: number): Promise<Browser> {
  const from = { "x-forwarded-for": `203.0.113.${network}` };
  const signedIn = await service.request("POST", "/api/auth/sign-in/email", {
    body: { email, password },
    headers: from,
  });
  assert.equal(signedIn.status, 200);
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const headers = { cookie, origin: service.url, ...from };
  return { ask: (method, path, body) => service.request(method, path, { body, headers }) };
}

/** Everything by which a person takes something away from somebody who has one of their sessions. */
const endings: readonly (readonly [method: string, path: string, body?: object])[] = [
  ["GET", "/api/sessions"],
  ["DELETE", "/api/sessions/:id"],
  ["DELETE", "/api/api-keys/:id"],
  ["POST", "/api/auth/freshen-session", { password }],
  ["POST", "/api/auth/revoke-other-sessions", {}],
  ["POST", "/api/sessions/end-others"],
  // Last: it gives the browser another session.
  ["POST", "/api/auth/change-password", { currentPassword: password, newPassword: "another horse battery" }],
];

test("whatever one session has used up, another one of the same person lists and ends sessions, revokes API keys and changes the password", async (t) => {
  const environment = { SEALPOST_API_RATE: "3", SEALPOST_TRUSTED_PROXIES: "127.0.0.1/32,::1/128" };
  const service = await createTestService(t, { environment, signInRate: 4, apiKeyRate: 3 });
  const body = { email, password, setupToken: service.setupToken };
  const headers = { "x-forwarded-for": "192.0.2.9" };
  assert.equal((await service.request("POST", "/api/auth/sign-up/email", { body, headers })).status, 200);
  const wrong: Readonly<Record<string, object>> = {
    "/api/auth/change-password": { currentPassword: "not the password", newPassword: "another horse battery" },
    "/api/auth/freshen-session": { password: "not the password" },
  };
  const spent = [
    ["GET", "/api/account"],
    ["GET", "/api/api-keys"],
    ...endings.filter(([, path]) => !path.endsWith("others") && !path.endsWith("other-sessions")),
  ] as const;
  const refused: string[] = [];
  const [thief, owner] = [await signIn(service, 1), await signIn(service, 2)];
  const made = await owner.ask("POST", "/api/api-keys", { name: "Key" });
  const { sessions } = (await owner.ask("GET", "/api/sessions")).body;
  const idOf: Readonly<Record<string, string>> = {
    "/api/sessions/:id": sessions.find(({ current }: { current: boolean }) => !current).id,
    "/api/api-keys/:id": made.body.key.id,
  };
  for (const [method, path] of spent) {
    const statuses: number[] = [];
    for (let times = 0; times < 70 && statuses.at(-1) !== 429; times++)
      statuses.push((await thief.ask(method, path.replace(":id", "made-up"), wrong[path])).status);
    assert.equal(statuses.at(-1), 429, `${method} ${path} has a rate`);
  }
  for (const [method, path, given] of endings) {
    const { status } = await owner.ask(method, path.replace(/\/:id$/, `/${idOf[path] ?? ""}`), given);
    if (status !== 200) refused.push(`${method} ${path}: ${status}`);
  }
  assert.deepEqual(refused, []);
});
