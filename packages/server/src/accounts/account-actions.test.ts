import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { createTickingClock } from "../testing/fake-clock.ts";
import { onSqlite } from "../testing/test-database.ts";
import { type Answer, createTestService, type TestService } from "../testing/test-service.ts";

const email = "one@example.com";
const password = "correct horse battery";

function cookieOf({ headers }: Answer): string {
  return headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

function post(service: TestService, path: string, body: object, cookie?: string) {
  const headers = { origin: service.url, ...(cookie !== undefined && { cookie }) };
  return service.request("POST", `/api/auth${path}`, { body, headers });
}

async function signIn(service: TestService, attempt = password) {
  const answer = await post(service, "/sign-in/email", { email, password: attempt });
  assert.equal(answer.status, 200);
  const cookie = cookieOf(answer);
  return { cookie, ...(await findSession(service, cookie)) };
}

async function findSession(service: TestService, cookie: string) {
  const headers = { cookie, origin: service.url };
  const { session } = (await service.request("GET", "/api/auth/get-session", { headers })).body;
  return { token: session.token as string, id: session.id as string };
}

async function listActions(service: TestService) {
  const { rows } = await sql<{ action: string; actor_id: string; target_id: string | null }>`
    select action, actor_id, target_id from audit_entry where action <> 'sign_in.failed' order by occurred_at`.execute(
    service.database,
  );
  return rows.map(({ action, actor_id, target_id }) => [action, actor_id, target_id]);
}

test("signing in and out, passwords and ended sessions are recorded with the session that did it", async (t) => {
  const service = await createTestService(t, { clock: createTickingClock() });
  const signedUp = await service.signUp(email);
  const [one, two, three] = [await signIn(service), await signIn(service), await signIn(service)];
  assert.equal((await post(service, "/revoke-session", { token: two.token }, one.cookie)).status, 200);
  assert.equal((await post(service, "/revoke-other-sessions", {}, one.cookie)).status, 200);
  const change = { currentPassword: password, newPassword: "another horse battery" };
  const changed = await post(service, "/change-password", change, one.cookie);
  assert.equal(changed.status, 200);
  const next = await findSession(service, cookieOf(changed));
  assert.equal((await post(service, "/sign-out", {}, cookieOf(changed))).status, 200);
  assert.deepEqual((await listActions(service)).slice(2), [
    ["session.started", one.id, null],
    ["session.started", two.id, null],
    ["session.started", three.id, null],
    ["session.revoked", one.id, two.id],
    ["session.others_revoked", one.id, null],
    ["password.changed", one.id, null],
    ["session.ended", next.id, null],
  ]);
  const people = await service.database.selectFrom("audit_entry").select("person_id").distinct().execute();
  const ids = people.map(({ person_id }) => person_id);
  assert.deepEqual(ids, [signedUp.id], "each entry says whose session it was");
});

test("refused actions, actions without a sign-in and another account's session are not recorded as done", async (t) => {
  const service = await createTestService(t, { clock: createTickingClock() });
  await service.signUp(email);
  const stranger = await service.signUp("two@example.com");
  const one = await signIn(service);
  const before = await listActions(service);
  const wrong = { currentPassword: "not the password", newPassword: "another horse battery" };
  assert.equal((await post(service, "/change-password", wrong, one.cookie)).status, 400);
  assert.equal((await post(service, "/sign-in/email", { email, password: "not the password" })).status, 401);
  await post(service, "/sign-out", {});
  await post(service, "/revoke-session", { token: one.token }, stranger.cookie);
  assert.deepEqual(await listActions(service), before);
  // Whose session it was is still signed in; and there is no second factor to turn off.
  assert.equal((await post(service, "/two-factor/disable", { password }, one.cookie)).status, 200);
  assert.deepEqual(await listActions(service), before);
});

test("a sign-in whose entry can't be written is not handed out", async (t) => {
  const service = await createTestService(t);
  await service.signUp(email);
  await sql`alter table audit_entry rename to elsewhere`.execute(service.database);
  const refused = await post(service, "/sign-in/email", { email, password });
  assert.deepEqual([refused.status, refused.headers.getSetCookie()], [500, []]);
  await sql`alter table elsewhere rename to audit_entry`.execute(service.database);
  await signIn(service);
});

test("a changed password ends links and sign-ins that were begun by the one before", async (t) => {
  const service = await createTestService(t);
  const { id } = await service.signUp(email);
  const one = await signIn(service);
  const at = new Date().toISOString();
  const expiresAt = new Date(Date.now() + 600_000).toISOString();
  for (const identifier of ["2fa-begun", "a-link", "a-used-code"]) {
    const row = { id: identifier.replace("a-link", "its-id").replace("2fa", "row"), identifier, value: id };
    await service.database
      .insertInto("verification")
      .values({ ...row, expires_at: expiresAt, created_at: at, updated_at: at })
      .execute();
  }
  const change = { currentPassword: password, newPassword: "another horse battery" };
  assert.equal(
    (await post(service, "/change-password", { ...change, currentPassword: "wrong" }, one.cookie)).status,
    400,
  );
  const list = async () => {
    const rows = await service.database.selectFrom("verification").select("identifier").execute();
    return rows.map(({ identifier }) => identifier).toSorted();
  };
  assert.deepEqual(await list(), ["2fa-begun", "a-link", "a-used-code"]);
  assert.equal((await post(service, "/change-password", change, one.cookie)).status, 200);
  // It is remembered that a used code was used.
  assert.deepEqual(await list(), ["a-used-code"]);
});

test("a sign-in by a password that was replaced while it was checked opens no session", onSqlite, async (t) => {
  const service = await createTestService(t);
  await service.signUp(email);
  const count = async () => (await service.database.selectFrom("session").select("id").execute()).length;
  const before = await count();
  await sql`create trigger replaced after insert on session begin
    update credential set password = 'another'; end`.execute(service.database);
  const refused = await post(service, "/sign-in/email", { email, password });
  assert.deepEqual([refused.status, refused.headers.getSetCookie()], [401, []]);
  assert.equal(await count(), before);
});
