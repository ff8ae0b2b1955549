import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import { createMadeUpEnvelope } from "../../../../tests/support/made-up-envelope.ts";
import { countedTables, rowBytes } from "../database/counted-tables.ts";
import { createRow, createWorld } from "../database/testing/fill-tables.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { foldAll } from "./testing/fold-all.ts";
import { createUsageMeter } from "./usage-meter.ts";
import { createUsageStore } from "./usage-store.ts";

type RowTable = (typeof countedTables)[number]["bytes"];

function expectedOf({ columns }: RowTable, row: Readonly<Record<string, unknown>>): number {
  return columns.reduce((sum, column) => sum + Buffer.from((row[column] ?? "") as string).length, rowBytes);
}

test("bytes of each table count for their account while they are stored", async (t) => {
  const { database, person, form, other } = await setUp(t);
  const world = { ...createWorld(), person, organization: person, form };
  const columnsOf = new Map((await database.introspection.getTables()).map(({ name, columns }) => [name, columns]));
  // Memberships last: heads go with them.
  const isLast = ({ table }: (typeof countedTables)[number]) => Number(table === "member");
  for (const { table, bytes: counted } of countedTables.toSorted((one, other) => isLast(one) - isLast(other))) {
    const before = await other();
    // There already, for a person's own organization.
    if (table === "member") await database.deleteFrom("member").where("person_id", "=", person).execute();
    const empty = table === "member" ? await other() : before;
    const row = createRow(table, columnsOf.get(table) ?? [], { world, other: world, lead: undefined });
    const target = sql.table(table);
    const names = Object.keys(row);
    await sql`insert into ${target} (${sql.join(names.map((name) => sql.ref(name)))}) values (${sql.join(Object.values(row))})`.execute(
      database,
    );
    assert.equal((await other()) - empty, expectedOf(counted, row), `${table}: inserted`);
    const [first = ""] = counted.columns;
    const key = sql`${sql.ref(counted.owner)} = ${row[counted.owner]} and ${sql.ref(first)} = ${row[first]}`;
    const changed = { ...row, [first]: typeof row[first] === "string" ? "other" : Buffer.from("other") };
    await sql`update ${target} set ${sql.ref(first)} = ${changed[first]} where ${key}`.execute(database);
    assert.equal((await other()) - empty, expectedOf(counted, changed), `${table}: changed`);
    await sql`delete from ${target} where ${sql.ref(counted.owner)} = ${row[counted.owner]} and ${sql.ref(first)} = ${changed[first]}`.execute(
      database,
    );
    assert.equal(await other(), empty, `${table}: removed`);
  }
});

async function setUp(t: Parameters<typeof createTestService>[0]) {
  const service = await createTestService(t);
  const account = await service.signUp();
  const form = await createForm(account);
  const usage = createUsageStore(service.database);
  return {
    database: service.database,
    ...{ account, form, person: account.id, usage },
    other: async () => {
      const { otherBytes, logBytes } = await usage.findAccount(account.id);
      return otherBytes + logBytes;
    },
  };
}

test("an organization that is deleted gives all bytes back, and folding changes no sum", async (t) => {
  const { database, account, person, form, other } = await setUp(t);
  const before = await other();
  assert.ok(before > 0);
  await foldAll(database);
  assert.equal(await other(), before);
  for (let number = 0; number < 20; number++)
    await account.request("PATCH", `/api/forms/${form}`, {
      settings: { allowedOrigins: [`https://${number}.example.com`] },
    });
  const full = await other();
  assert.ok(full > before);
  await foldAll(database);
  assert.equal(await other(), full);
  const owners = await database.selectFrom("counted_bytes").select("owner_id").execute();
  assert.ok(owners.filter(({ owner_id }) => owner_id === person).length <= 8);
  for (const { table } of countedTables)
    if (table !== "form") await sql`delete from ${sql.table(table)}`.execute(database);
  await sql`delete from form`.execute(database);
  const { rows } = await sql<{ bytes: number }>`select coalesce(sum(bytes), 0) as bytes from counted_bytes`.execute(
    database,
  );
  assert.equal(Number(rows[0]?.bytes), 0);
});

test("what fills an organization besides submissions is bounded, and counts together for all organizations of its owner", async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_QUOTAS: "on" } });
  const account = await service.signUp();
  const { database } = service;
  const used = async () => (await account.request("GET", "/api/usage")).body.usage;
  const before = await used();
  const bytes = 268_435_456;
  await database.insertInto("counted_bytes").values({ owner_id: account.id, bytes }).execute();
  const after = await used();
  assert.deepEqual([after.otherBytes - before.otherBytes, after.bytes], [bytes, 0]);

  const usage = createUsageStore(database);
  const second = (await account.request("POST", "/api/organizations", { name: "Second" })).body.organization.id;
  const hasRoom = (id: string) =>
    createUsageMeter({ usage, hasLeftMany: async () => false }).hasRoomForOther(id as AccountId);
  for (const id of [account.id, second]) {
    const { shared, bytesMax } = await usage.findAccount(id);
    assert.ok(shared.otherBytes >= bytes && bytesMax === 1_073_741_824, id);
  }
  assert.deepEqual([await hasRoom(account.id), await hasRoom(second)], [false, true], "a small part is its own");
  await database.insertInto("counted_bytes").values({ owner_id: second, bytes: 16_777_216 }).execute();
  assert.equal(await hasRoom(second), false);
  // An organization with a plan of its own has its own room.
  await database.updateTable("organization").set({ plan: "pro" }).where("id", "=", second).execute();
  assert.equal(await hasRoom(second), true);
  const token: string = (await account.request("POST", "/api/api-keys", { name: "Key" })).body.key.key;
  const refused = await service.request("POST", "/api/forms", { token, body: { name: "One more" } });
  assert.deepEqual([refused.status, refused.body.code], [503, "organization_full"]);
});

/** Half of a free plan's gibibyte: what owners with a session may fill besides submissions. */
const halfBytes = 536_870_912;

test("log entries take no room from visitors, and neither they nor what members have filled keep an owner from the way out", async (t) => {
  const folder = createTemporaryFolder(t);
  const before = await createTestService(t, { folder });
  const owner = await before.signUp("owner@example.com");
  const form = await createForm(owner, { encryption: false });
  const manager = await addPerson(before, owner, "manager@example.com", { role: "manager" });
  const fill = (owner_id: string, bytes: number) =>
    before.database.insertInto("counted_bytes").values({ owner_id, bytes }).execute();
  await fill(owner.id, 0.375 * 2 * halfBytes);
  await fill(`log ${owner.id}`, 2 * halfBytes - 100_000);
  await before.stop();

  const service = await createTestService(t, { folder, environment: { SEALPOST_QUOTAS: "on" } });
  const ask = async ({ cookie }: TestAccount, method: string, path: string, body?: object) => {
    const answer = await service.request(method, path, { body, headers: { cookie, origin: service.url } });
    return `${answer.status} ${answer.body.code ?? ""}`.trim();
  };
  const fields = { a: "hello" };
  const visit = { payload: { encrypted: false, version: "plain1", fields } };
  assert.equal((await service.request("POST", `/api/forms/${form}/submissions`, { body: visit })).status, 201);
  const wayOut = [
    ["POST", `/api/forms/${form}/rotate-keys`, {}],
    ["PATCH", `/api/forms/${form}`, { settings: { allowedOrigins: ["https://own.example.com"] } }],
    ["POST", "/api/invitations", { email: "another@example.com", role: "reader", forms: [form] }],
    ["POST", "/api/forms", { name: "Another" }],
  ] as const;
  for (const [method, path, body] of wayOut) {
    assert.equal(await ask(manager, method, path, body), "503 organization_full", path);
    assert.equal(await ask(owner, method, path, body), "200", path);
  }
  assert.equal(await ask(owner, "DELETE", `/api/members/${manager.id}`), "200");
});

test("in a full organization no form is changed, but for less, and its keys can still be rotated", async (t) => {
  const folder = createTemporaryFolder(t);
  const before = await createTestService(t, { folder });
  const account = await before.signUp();
  const path = `/api/forms/${await createForm(account)}`;
  await before.database.insertInto("counted_bytes").values({ owner_id: account.id, bytes: halfBytes }).execute();
  await before.stop();

  const service = await createTestService(t, { folder, environment: { SEALPOST_QUOTAS: "on" } });
  const ask = (method: string, at: string, body: object) =>
    service.request(method, at, { body, headers: { cookie: account.cookie, origin: service.url } });
  const refused = await ask("PATCH", path, { settings: { allowedOrigins: ["https://one.example.com"] } });
  assert.deepEqual([refused.status, refused.body.code], [503, "organization_full"]);
  assert.equal((await ask("PATCH", path, { settings: { binDays: 1 } })).status, 200);
  assert.equal((await ask("POST", `${path}/rotate-keys`, {})).status, 200);
});

test("revisions of an envelope count, and in a full organization one is taken that is no larger, in the place of older ones", async (t) => {
  const folder = createTemporaryFolder(t);
  const before = await createTestService(t, { folder });
  const account = await before.signUp();
  const form = await createForm(account);
  const headers = { cookie: account.cookie };
  const put = async (service: TestService, bytes: number) => {
    const own = { ...headers, origin: service.url };
    const path = `/api/forms/${form}/envelopes/1`;
    const { headers: known } = await service.request("GET", path, {
      headers: { ...own, "sec-fetch-site": "same-origin" },
    });
    const etag = known.get("etag");
    const seen: Record<string, string> = etag === null ? { "if-none-match": "*" } : { "if-match": etag };
    return service.request("PUT", path, {
      body: { envelope: createMadeUpEnvelope(bytes) },
      headers: { ...own, ...seen },
    });
  };
  const stored = async () => (await createUsageStore(before.database).findAccount(account.id)).otherBytes;
  const empty = await stored();
  for (let revision = 1; revision <= 4; revision++) assert.equal((await put(before, 50_000)).status, 200);
  const added = (await stored()) - empty;
  assert.ok(added > 4 * 50_000 && added < 4 * 52_000, String(added));
  await before.database.insertInto("counted_bytes").values({ owner_id: account.id, bytes: halfBytes }).execute();
  await before.stop();

  const service = await createTestService(t, { folder, environment: { SEALPOST_QUOTAS: "on" } });
  const larger = await put(service, 51_000);
  assert.deepEqual([larger.status, larger.body.code], [503, "organization_full"]);
  assert.equal((await put(service, 50_000)).status, 200);
  const rows = await service.database.selectFrom("envelope").select("revision").orderBy("revision").execute();
  assert.deepEqual(
    rows.map(({ revision }) => revision),
    [4, 5],
  );
});
