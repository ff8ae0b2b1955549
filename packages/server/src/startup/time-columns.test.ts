import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { ApiKeyId } from "@sealpost/wire";
import { sql } from "kysely";
import { createApiKeyStore } from "../api-keys/api-key-store.ts";
import { createWorld, fillTables } from "../database/testing/fill-tables.ts";
import { openMigratedDatabase } from "../database/testing/migrated-database.ts";
import { createPurgeSteps, purgeAll } from "../retention/purge-worker.ts";
import { listTables } from "../testing/list-tables.ts";
import { dayMilliseconds as day } from "../time/clock.ts";
import { aheadColumns, setAheadRight } from "./ahead-rows-store.ts";
import { createStepDependencies } from "./testing/purge-later.ts";
import { compared, numbers, uncompared } from "./testing/time-columns.ts";

const sources = `${import.meta.dirname}/..`;
const year = 365 * day;

test("every column that can hold a time has a row that says what a clock that is a year ahead does with it", async (t) => {
  const database = await openMigratedDatabase(t);
  const names = await listTables(database);
  const tables = (await database.introspection.getTables()).filter(({ name }) => names.includes(name));
  const all = tables.flatMap(({ name: table, columns }) =>
    columns.map(({ name, dataType }) => ({ column: `${table}.${name}`, dataType })),
  );
  const columns = all
    .filter(({ dataType }) => /bigint|int8|date|timestamp/i.test(dataType))
    .map(({ column }) => column);
  const known = [...compared.flatMap(({ columns: of }) => of), ...uncompared, ...numbers];
  assert.deepEqual(known.toSorted(), [...new Set(known)].toSorted(), "each once");
  assert.deepEqual(
    columns.filter((column) => !known.includes(column)),
    [],
    "these need a row in testing/time-columns.ts",
  );
  const kept = known.filter((column) => names.includes(column.split(".")[0] ?? ""));
  assert.deepEqual(
    kept.filter((known) => !all.some(({ column }) => column === known)),
    [],
    "these are no columns",
  );
});

test("each row of a time that is compared with now names a test", () => {
  for (const { does, shownBy } of compared) {
    const source = readFileSync(`${sources}/${shownBy.file}`, "utf8");
    assert.ok(source.includes(shownBy.title), `${does}: ${shownBy.file} has no test “${shownBy.title} …”`);
  }
});

/** Looks back by a day that need no upper end. */
const withoutEnd: Readonly<Record<string, string>> = {
  "mail/notice-share-store.ts": "asks for what came before a notice",
  "audit-log/own-entries-store.ts": "chooses API keys, whose entries are counted with an end",
};

test("every bound of a day counts what came in while it waited, and nothing from later: a clock that was ahead would use it up for as long", () => {
  const since = /"[a-z.]*(?:created_at|occurred_at|added_at)", ">", [\w.]+ - dayMilliseconds\)/g;
  const open: string[] = [];
  let count = 0;
  for (const file of globSync("**/*.ts", { cwd: sources, exclude: ["**/*.test.ts", "**/testing/**"] })) {
    const source = readFileSync(`${sources}/${file}`, "utf8");
    for (const { index } of source.matchAll(since)) {
      count += 1;
      if (!/"<=", \w+ \+ waitedMax\)/.test(source.slice(index, index + 250))) open.push(file);
    }
  }
  assert.ok(count > 8, String(count));
  assert.deepEqual(open.toSorted(), Object.keys(withoutEnd).toSorted());
});

test("times that a clock has written which was a year ahead become those of now once it is trusted", async (t) => {
  const database = await openMigratedDatabase(t);
  const [world, other] = [createWorld(), createWorld()];
  await fillTables(database, world, other);
  const now = Date.now();
  const setTo = async (ahead: number) => {
    for (const { table, column, lasts } of aheadColumns)
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.lit(now + lasts + ahead)}`.execute(database);
  };
  const read = async () => {
    const found: string[] = [];
    for (const { table, column, lasts } of aheadColumns) {
      const { rows } = await sql<{ time: number }>`
        select ${sql.ref(column)} as time from ${sql.table(table)}`.execute(database);
      assert.ok(rows.length > 0, table);
      for (const { time } of rows)
        if (Number(time) > now + lasts + 60_000 || Number(time) < now + lasts) found.push(`${table}.${column}`);
    }
    return found;
  };
  await database.deleteFrom("verification").execute();
  await setTo(year);
  assert.equal(
    await setAheadRight(database, now, undefined),
    false,
    "no clock was ahead: it was set back, and is believed",
  );
  await setTo(2 * year);
  assert.equal(await setAheadRight(database, now, now + year), false, "they are from another time");
  await setTo(0);
  assert.equal(await setAheadRight(database, now, now + year), false, "none of them is ahead");
  await setTo(year);
  const at = new Date(now + year).toISOString();
  const rowOf = (id: string, identifier: string) => ({
    ...{ id, identifier, value: "", expires_at: at, created_at: at, updated_at: at },
  });
  await database
    .insertInto("verification")
    .values([rowOf("a code that was used", "a code that was used"), rowOf("a link", "reset-password:")])
    .execute();
  assert.equal(await setAheadRight(database, now, now + year), true);
  assert.deepEqual(await read(), []);
  const left = await database.selectFrom("verification").select("id").execute();
  assert.deepEqual(
    left.map(({ id }) => id),
    ["a code that was used"],
  );
  assert.equal(await setAheadRight(database, now, now + year), false);
});

test("reminders wait until the clock is trusted: each is sent once", async (t) => {
  const database = await openMigratedDatabase(t);
  let reminded = 0;
  const remind = async () => {
    reminded += 1;
    return false;
  };
  const steps = createPurgeSteps({ ...createStepDependencies({ database }), remind });
  const run = { steps, now: Date.now(), wakeDeliveries: () => {}, isStopped: () => false };
  await purgeAll({ ...run, isTrusted: false });
  assert.equal(reminded, 0);
  await purgeAll({ ...run, isTrusted: true });
  assert.equal(reminded, 1);
});

test("the last use of an API key from while the clock was ahead is written again at the next one", async (t) => {
  const database = await openMigratedDatabase(t);
  await fillTables(database, createWorld(), createWorld());
  const apiKeys = createApiKeyStore(database);
  const found = await database.selectFrom("api_key").select("id").executeTakeFirstOrThrow();
  const id = found.id as ApiKeyId; // of a row that is made up
  const now = Date.now();
  await apiKeys.noteUse(id, now + year, now + year - 60_000);
  await apiKeys.noteUse(id, now, now - 60_000);
  const row = await database
    .selectFrom("api_key")
    .select("last_used_at")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  assert.equal(Number(row.last_used_at), now);
});
