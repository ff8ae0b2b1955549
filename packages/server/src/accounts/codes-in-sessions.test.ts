import assert from "node:assert/strict";
import { test } from "node:test";
import { listRoutes } from "../../../../tests/contract/operations.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { showCode, showWrongCode } from "./testing/authenticator.ts";

const password = "correct horse battery";

/** A new person with a second factor, in the session that turned it on. */
async function enable(
  service: TestService,
): Promise<{ readonly account: TestAccount; readonly uri: string; readonly cookie: string }> {
  const account = await service.signUp();
  const post = (path: string, cookie: string, body: object) =>
    service.request("POST", `/api/auth${path}`, { body, headers: { cookie, origin: service.url } });
  const { body } = await post("/two-factor/enable", account.cookie, { password });
  const verified = await post("/two-factor/verify-totp", account.cookie, { code: showCode(body.totpURI) });
  assert.equal(verified.status, 200, JSON.stringify(verified.body));
  const pairs = verified.headers.getSetCookie().map((line) => line.split(";")[0] ?? "");
  return { account, uri: body.totpURI, cookie: pairs.filter((pair) => /_session=./.test(pair)).join("; ") };
}

test("every route that takes a code within a session compares ten in a row, locks all codes then, and the audit log counts the wrong ones and names the session", async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_API_RATE: "0" } });
  const routes = listRoutes(service.app).filter((route) => /^POST \/api\/auth\//.test(route));
  assert.ok(routes.length > 15, "a control");
  const taking: string[] = [];
  for (const route of routes) {
    const { account, uri, cookie } = await enable(service);
    const path = route.replace("POST ", "");
    const wrong = { password, code: showWrongCode(uri), backupCode: "wrong" };
    const ask = (code = wrong.code) =>
      service.request("POST", path, { body: { ...wrong, code }, headers: { cookie, origin: service.url } });
    const first = await ask();
    if (!/\bcode is wrong/.test(JSON.stringify(first.body))) continue;
    taking.push(path.replace("/api/auth", ""));
    const statuses = [first.status];
    for (let number = 1; number < 12; number += 1) statuses.push((await ask()).status);
    const refused = first.status;
    assert.deepEqual(statuses, [...Array(10).fill(refused), 429, 429], path);
    assert.equal((await ask(showCode(uri, Date.now() + 30_000))).status, 429, `${path}: no code is taken now`);
    const issued = await service.request("GET", "/api/auth/token", { headers: { cookie, origin: service.url } });
    const { entries } = (await service.request("GET", "/api/audit-log", { token: issued.body.token })).body;
    for (const action of ["sign_in.failed", "second_factor.locked"]) {
      const found = entries.filter((entry: { action: string }) => entry.action === action);
      assert.equal(found.length, 1, `${path}: ${action}`);
      assert.partialDeepStrictEqual(found[0].actor, { type: "session", personId: account.id }, `${path}: ${action}`);
    }
  }
  assert.deepEqual(taking.toSorted(), [
    "/freshen-session",
    "/two-factor/disable",
    "/two-factor/generate-backup-codes",
    "/two-factor/verify-backup-code",
    "/two-factor/verify-totp",
  ]);
});
