import assert from "node:assert/strict";
import { statfs } from "node:fs/promises";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { sql } from "kysely";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { boundedActions } from "../audit-log/action-bounds.ts";
import type { AuditAction } from "../audit-log/audit-entry.ts";
import { createForm, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { parseExposition } from "../metrics/testing/exposition.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { openTestDatabase, testDatabaseKind } from "../testing/test-database.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { gibibyte } from "./quota.ts";
import { createStorageMeter } from "./storage-meter.ts";
import { findDisk, type Storage } from "./storage-store.ts";

const isPostgres = testDatabaseKind === "postgres";
const floor = isPostgres ? { SEALPOST_STORAGE_MAX: "1MiB" } : { SEALPOST_DISK_FREE_MIN: "900TiB" };
const metricsToken = "a-token-of-our-own-0123456789";
const payloadOf = (characters: number) => ({
  ...{ encrypted: false, version: "plain1" },
  fields: { message: "x".repeat(characters) },
});

async function post(service: TestService, form: string, { id = createId("submission"), characters = 10 } = {}) {
  const body = { id, keyVersion: 1, payload: payloadOf(characters) };
  return service.request("POST", `/api/forms/${form}/submissions`, { body });
}

test("below the floor nothing is accepted, and reading, repeating and deleting continue", async (t) => {
  const folder = createTemporaryFolder(t);
  const before = await createTestService(t, { folder });
  const account = await before.signUp();
  const settings = { encryption: false, piiStrip: false, allowedOrigins: ["*"] };
  const form = (await account.request("POST", "/api/forms", { name: "Form", settings })).body.form.id;
  const id = createId("submission");
  assert.equal((await post(before, form, { id })).status, 201);
  await before.stop();

  const environment = { ...floor, SEALPOST_METRICS_TOKEN: metricsToken };
  const service = await createTestService(t, { folder, environment });
  const refused = await post(service, form);
  assert.deepEqual(
    [refused.status, refused.headers.get("retry-after"), refused.body],
    [
      503,
      "300",
      {
        error: "unavailable",
        message: "The service has no room for submissions at the moment",
        code: "storage_full",
        full: true,
        retryAfter: 300,
      },
    ],
  );
  const page = await service.request("POST", `/f/${form}`, {
    body: "name=Ada",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  assert.equal(page.status, 503);
  assert.equal((await post(service, form, { id })).status, 200, "what is stored already is answered as stored");
  const { token } = account;
  const submissions = `/api/forms/${form}/submissions`;
  assert.equal((await service.request("GET", submissions, { token })).body.total, 1);
  assert.equal((await service.request("DELETE", `${submissions}/${id}`, { token })).status, 200);
  const { body } = await service.request("GET", "/metrics", { token: metricsToken });
  const { value } = parseExposition(body);
  assert.ok((value("sealpost_storage_left_bytes") ?? 0) < 0);
  assert.equal(value("sealpost_submissions_total", { outcome: "storage_full" }), 2);
});

test("below the floor nothing new is created, while ending things and signing in continue", async (t) => {
  const folder = createTemporaryFolder(t);
  const before = await createTestService(t, { folder, deliveries: silentWebhooks });
  const account = await before.signUp("owner@example.com");
  const form = await createForm(account, { encryption: false, webhookUrl, submissionsPerHour: 10 });
  const { key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body;
  await before.stop();

  const environment = { ...floor, SEALPOST_SIGNUP: "open" };
  const service = await createTestService(t, { folder, environment, deliveries: silentWebhooks });
  const { publicKey } = takeKeyPair();
  const body = { email: "other@example.com", password: "correct horse battery", name: "Other" };
  const path = `/api/forms/${form}`;
  const change = (settings: object) => ["PATCH", path, { settings }] as const;
  type Call = readonly [method: string, path: string, body?: object];
  const tell = async ([method, address, body]: Call) => {
    const { token } = account;
    const answer = await service.request(method, address, { token, ...(body !== undefined && { body }) });
    return [answer.status, answer.body.code, answer.headers.get("retry-after")];
  };
  const refused: readonly Call[] = [
    ["POST", "/api/forms", { name: "Another", publicKey }],
    ["POST", "/api/api-keys", { name: "Another" }],
    ["POST", "/api/auth/sign-up/email", body],
    ["POST", `${path}/rotate-keys`, { publicKey }],
    ["POST", `${path}/webhook/test`],
    ["POST", `${path}/webhook/logs/${createId("delivery")}/resend`],
    ["PATCH", path, { name: "Other name" }],
    change({ allowedOrigins: ["https://www.example.org"] }),
    change({ binDays: 31 }),
    change({ submissionsPerHour: null }),
    change({ webhookUrl: "https://other.example.com/" }),
    change({ binDays: 1, piiStrip: true }),
  ];
  for (const call of refused) assert.deepEqual(await tell(call), [503, "storage_full", "300"], JSON.stringify(call));
  const allowed: readonly Call[] = [
    change({ submissionsPerHour: 10 }),
    change({ binDays: 0, submissionsPerHour: 9, submissionBytesMax: 65_536, webhookUrl: null, encryption: true }),
    ["PUT", `${path}/retention`, { days: 7 }],
    ["PUT", `${path}/notifications`, { mail: false }],
    ["POST", `${path}/webhook-secret/rotate`, { revokePrevious: true }],
    ["DELETE", `/api/api-keys/${key.id}`],
    ["POST", "/api/auth/sign-in/email", { ...body, email: "owner@example.com" }],
    ["DELETE", `${path}?confirm=DELETE_FORM`],
  ];
  for (const call of allowed) assert.equal((await tell(call))[0], 200, JSON.stringify(call));
});

test("below the floor an account still ends things five thousand times a day at most, and confirms a session always", async (t) => {
  const folder = createTemporaryFolder(t);
  const before = await createTestService(t, { folder });
  const account = await before.signUp("owner@example.com");
  const form = await createForm(account, { submissionsPerHour: 1_000_000 });
  await before.stop();
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { folder, clock, environment: floor });
  const { database } = service;
  const entries = (action?: AuditAction) =>
    database
      .selectFrom("audit_entry")
      .select(({ fn }) => fn.countAll().as("count"))
      .where("actor", "=", "session")
      .where((query) => query("action", "in", action === undefined ? [...boundedActions] : [action]))
      .executeTakeFirstOrThrow()
      .then(({ count }) => Number(count));
  await sql`with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < 4982)
    insert into audit_entry (id, account_id, person_id, occurred_at, action, actor, change_number)
    select 'aud_' || number, ${account.id}, ${account.id}, cast(${clock.now() - 3_600_000} as bigint), 'mails.turned_on', 'session',
      number + (select coalesce(max(change_number), 0) from audit_entry where account_id = ${account.id})
    from numbers`.execute(database);
  const path = `/api/forms/${form}`;
  const send = async (method: string, address: string, body: object) =>
    (await service.request(method, address, { token: account.token, body })).status;
  const ways = [
    (turn: number) => send("PATCH", path, { settings: { submissionsPerHour: 1_000_000 - turn } }),
    (turn: number) => send("PUT", "/api/notifications", { mail: turn % 2 === 0 }),
    (turn: number) => send("PUT", `${path}/notifications`, { mail: turn % 2 === 0 }),
    (turn: number) => send("PUT", `${path}/retention`, { days: 1000 - turn }),
  ];
  const statuses = new Set<number>();
  for (let turn = 1; turn <= 10; turn++) for (const way of ways) statuses.add(await way(turn));
  assert.deepEqual(statuses, new Set([200, 429]), "each is allowed, until they are too many");
  assert.equal(await entries(), 5000, "all changes of this person together");
  for (const way of ways) assert.equal(await way(11), 429);

  const headers = { cookie: account.cookie, origin: service.url };
  const body = { password: "correct horse battery" };
  const confirm = () => service.request("POST", "/api/auth/freshen-session", { headers, body });
  for (let turn = 0; turn < 5; turn++) assert.equal((await confirm()).status, 200);
  assert.equal(await entries("session.confirmed"), 1, "an entry an hour");
  clock.advance(3_600_001);
  assert.equal((await confirm()).status, 200);
  assert.equal(await entries("session.confirmed"), 2);
});

test("the last room above the floor takes only small bodies, of addresses that sent fewer than ten in the hour", async (t) => {
  const folder = createTemporaryFolder(t);
  const proxies = "127.0.0.1/32,::1/128";
  const before = await createTestService(t, { folder });
  const account = await before.signUp();
  const settings = { encryption: false, piiStrip: false, allowedOrigins: ["*"] };
  const form = (await account.request("POST", "/api/forms", { name: "Form", settings })).body.form.id;
  await before.stop();
  const environment = { ...(await almostFull()), SEALPOST_TRUSTED_PROXIES: proxies };
  const service = await createTestService(t, { folder, environment });
  const from = (address: string, characters = 10) =>
    service.request("POST", `/api/forms/${form}/submissions`, {
      body: { payload: payloadOf(characters) },
      headers: { "x-forwarded-for": address },
    });
  assert.equal((await from("203.0.113.1", 70_000)).status, 503);
  for (let count = 2; count <= 10; count++) assert.equal((await from("203.0.113.1")).status, 201);
  assert.equal((await from("203.0.113.1")).status, 503);
  assert.equal((await from("203.0.113.2")).status, 201);
  const site = Array.from({ length: 21 }, (_, number) => `2001:db8:1:${number}::1`);
  for (const address of site.slice(0, 20)) assert.equal((await from(address)).status, 201);
  assert.equal((await from(site[20] ?? "")).status, 503, "a /56 has the room of two addresses");
  assert.equal((await from("2001:db9::1")).status, 201);

  async function almostFull(): Promise<Record<string, string>> {
    if (!isPostgres) {
      const { bavail, bsize } = await statfs(folder);
      const isSmall = bavail * bsize < gibibyte;
      return { SEALPOST_DISK_FREE_MIN: String(isSmall ? 1 : bavail * bsize - gibibyte / 2) };
    }
    const database = await openTestDatabase(t, folder);
    const { rows } = await sql<{ bytes: string }>`select pg_database_size(current_database()) as bytes`.execute(
      database,
    );
    await database.destroy();
    return { SEALPOST_STORAGE_MAX: String(Math.floor(Number(rows[0]?.bytes) * 1.03)) };
  }
});

test("pages that deleting has freed count as room, unless the disk itself is almost full", async (t) => {
  const dataFolder = createTemporaryFolder(t);
  const { bavail, bsize } = await statfs(dataFolder);
  const free = bavail * bsize;
  const left = async (diskFreeMin: number) =>
    (await findDisk({ dataFolder, diskFreeMin }, async () => 100 * gibibyte))?.leftBytes ?? 0;
  assert.ok((await left(Math.floor(free * 2))) > 0);
  assert.ok((await left(free * 5)) < 0);
  assert.equal(await findDisk({ dataFolder, diskFreeMin: 0 }, async () => 0), undefined);
});

test("between two looks at the disk no more is taken than an eighth of what was left", async () => {
  let leftBytes = 100_000_000;
  let time = 0;
  const changes: boolean[] = [];
  const storage = async (): Promise<Storage> => ({ leftBytes, reserveBytes: 1_000_000 });
  const meter = createStorageMeter({ measure: storage, onChange: (isFull) => changes.push(isFull), now: () => time });
  let taken = 0;
  while ((await meter.take(500_000)) !== "none") {
    taken += 500_000;
    leftBytes -= 500_000;
  }
  assert.ok(taken <= 100_000_000 && taken >= 98_000_000, String(taken));
  leftBytes = 50_000_000;
  assert.equal(await meter.take(1), "none", "remembered for some seconds");
  time += 5001;
  assert.equal(await meter.take(1), "plenty");
  assert.deepEqual(changes, [true, false]);
});
