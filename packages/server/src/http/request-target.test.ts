import assert from "node:assert/strict";
import { Agent, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { sql } from "kysely";
import { passedThrough } from "../accounts/passed-through.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { createTestService, type TestService, testPassword } from "../testing/test-service.ts";
import { toOriginForm } from "./request-target.ts";

/** With a target that `fetch` would write in another way. */
async function ask(
  { url }: TestService,
  method: string,
  path: string,
  {
    headers,
    body,
    agent,
  }: { readonly headers?: Record<string, string>; readonly body?: string; readonly agent?: Agent },
) {
  const asked = request({ host: "127.0.0.1", port: new URL(url).port, method, path, headers, agent });
  asked.end(body);
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    asked.on("response", resolve).on("error", reject),
  );
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

/** Some of the sign-in library's own are closed to everybody outside. */
const libraryPaths = [
  ...passedThrough.map(([, path]) => path),
  ...[
    "/verify-password",
    "/update-user",
    "/delete-user",
    "/change-email",
    "/two-factor/get-totp-uri",
    "/revoke-sessions",
  ],
];

/** Each lets one reader end the path where another continues. */
const joints = ["#", "#/", "#?", "\\", "/\\", "?x=1#", "#/%2e%2e"] as const;
/** Nobody makes another path with these. */
const harmless = ["%23", ";", "%5c", "/%2e%2e", "%2f", "?"] as const;

test("no target leads a request to another path of the sign-in library than that of its route", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const headers = { cookie: account.cookie, origin: service.url, "content-type": "application/json" };
  const countSessions = () => sql`select id, authenticated_at from session`.execute(service.database);
  const before = await countSessions();
  const body = JSON.stringify({ password: "not the password", code: "123456" });
  for (const [index, [method, path]] of passedThrough.entries())
    for (const [place, joint] of [...joints, ...harmless].entries()) {
      const other = libraryPaths[(index * (joints.length + harmless.length) + place) % libraryPaths.length];
      const target = `/api/auth${path}${joint}${"/..".repeat(path.split("/").length)}${other}`;
      const answer = await ask(service, method, target, { headers, agent, ...(method === "POST" && { body }) });
      // A query is one, whatever is in it: then the route itself answers.
      if (joint === "?" && !joints.includes(joint as never)) continue;
      const isJoint = joints.includes(joint as (typeof joints)[number]);
      assert.deepEqual([target, answer.status], [target, isJoint ? 400 : 404]);
    }
  assert.ok((await countSessions()).rows.length <= before.rows.length);
});

test("a session that is no longer fresh does not become so by an address of two parts", async (t) => {
  const service = await createTestService(t);
  const { cookie } = await service.signUp();
  await sql`update session set authenticated_at = authenticated_at - 10800000`.execute(service.database);
  const headers = { cookie, origin: service.url, "content-type": "application/json" };
  const at = "/api/auth/two-factor/enable#/../../revoke-other-sessions";
  assert.equal((await ask(service, "POST", at, { headers, body: "{}" })).status, 400);
  const { body: token } = await service.request("GET", "/api/auth/token", {
    headers: { cookie, "sec-fetch-site": "same-origin" },
  });
  const made = await service.request("POST", "/api/api-keys", { token: token.token, body: { name: "stolen" } });
  assert.deepEqual([made.status, made.body.code], [403, "session_stale"]);
});

test("the name of a server in a target is nobody's, in routes, redirects and errors", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const authorization = `Bearer ${account.token}`;
  const urlencoded = { "content-type": "application/x-www-form-urlencoded" };
  const credentials = JSON.stringify({ email: "person-1@example.com", password: testPassword });
  for (const [method, path, headers, body] of [
    ["GET", "/health/live", {}, undefined],
    ["GET", "/api/forms", { authorization }, undefined],
    ["GET", "/api/forms/", { authorization }, undefined],
    ["GET", "/nothing", { accept: "text/html" }, undefined],
    ["GET", "/account/", { accept: "text/html" }, undefined],
    ["GET", "/docs/", {}, undefined],
    ["POST", `/f/${formId}`, urlencoded, "email=a%40example.com"],
    ["POST", `/f/${formId}`, urlencoded, "email=a%40example.com&_gotcha=1"],
    ["POST", "/api/auth/sign-in/email", { "content-type": "application/json" }, credentials],
  ] as const) {
    const own = await ask(service, method, path, { headers, ...(body && { body }) });
    for (const authority of ["http://evil.example", "https://evil.example:8443", "HTTP://a@evil.example"]) {
      const answer = await ask(service, method, `${authority}${path}`, { headers, ...(body && { body }) });
      assert.deepEqual([path, answer.status, answer.headers.location], [path, own.status, own.headers.location]);
      assert.doesNotMatch(`${JSON.stringify(answer.headers)}${answer.body}`, /evil/);
    }
  }
});

test("a target becomes that of the same resource without the server's name", () => {
  for (const [target, expected] of [
    ["/a?b=http://c", "/a?b=http://c"],
    ["http://c/a?b", "/a?b"],
    ["https://c:1", "/"],
    ["http://c?b", "/?b"],
    ["http://c#b", "/#b"],
    ["*", "*"],
    ["//c/a", "//c/a"],
    ["ftp://c/a", "ftp://c/a"],
  ] as const)
    assert.equal(toOriginForm(target), expected);
});
