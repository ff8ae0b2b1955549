import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AccountId, FormId } from "@sealpost/wire";
import { setEndsAt, setLeavesAt } from "../account-life/account-deletion-store.ts";
import { exportAccount } from "../account-life/account-export.ts";
import { purgeAccounts } from "../account-life/testing/purge-accounts.ts";
import { backUpTo, keepSecret, restoreTo, settings } from "../backup/testing/back-up.ts";
import { copyInstance } from "../copy/copy.ts";
import { createDeliveryRetentionStore } from "../deliveries/delivery-retention-store.ts";
import { createEnvelopeStore } from "../forms/envelope-store.ts";
import { changeFormHold } from "../forms/form-hold-store.ts";
import { createRemoveForm } from "../forms/form-removal-store.ts";
import { silentWebhooks } from "../forms/testing/test-form.ts";
import { createSingleRing } from "../instance/key-ring.ts";
import { createSecretBox } from "../instance/secret-box.ts";
import { createMailStore } from "../mail/mail-store.ts";
import { foldAll } from "../quotas/testing/fold-all.ts";
import { createPurgeStore } from "../retention/purge-store.ts";
import { purge } from "../retention/testing/purge.ts";
import { createBinStore } from "../submissions/bin-store.ts";
import { createSubmissionDeletionStore } from "../submissions/submission-deletion-store.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { copySqliteTemplate } from "../testing/sqlite-template.ts";
import { closeAtEnd, createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createDirectUrl, onPostgresAlone, openTestDatabase } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { dayMilliseconds as day } from "../time/clock.ts";
import { withoutTurns } from "../time/page-turns.ts";
import { type Database, openPostgres } from "./database.ts";
import { openSqlite } from "./open-sqlite.ts";
import type { OwnerTable, TableName } from "./table-record.ts";
import { copiedTables, recordOf, tableNames } from "./table-records.ts";
import { createWorld, fillTables, idOf, jobs, type World } from "./testing/fill-tables.ts";
import { openMigratedDatabase } from "./testing/migrated-database.ts";
import { idsOf, listLeftContent, ownedRows, type Row, type Rows, readBytes, readRows } from "./testing/table-rows.ts";

async function fillTwo(t: TestContext) {
  const database = await openMigratedDatabase(t);
  const [world, other] = [createWorld(), createWorld()];
  await fillTables(database, world, other);
  await fillTables(database, other, world);
  return { database, world, other };
}

interface Operation {
  readonly title: string;
  /** The row that it takes away. */
  readonly owner: OwnerTable;
  /** Other tables from which it removes rows of the form's other submissions. */
  readonly also?: readonly TableName[];
  run(database: Database, world: World, now: number): Promise<unknown>;
}

const ids = (world: World) => [world.organization as AccountId, world.form as FormId] as const; // made as such ids
const later = (milliseconds: number) => createFakeClock(Date.now() + milliseconds);

/** Each by the stores that routes and workers call. */
const operations: readonly Operation[] = [
  {
    title: "a deleted submission",
    owner: "submission",
    run: (database, world, now) =>
      createSubmissionDeletionStore(database).deleteListed(withoutTurns, ...ids(world), [world.submission], now),
  },
  {
    title: "a bulk deletion",
    owner: "submission",
    also: ["submission_bin", "form_bin"],
    async run(database, world, now) {
      await createSubmissionDeletionStore(database).deleteBefore(...ids(world), undefined, now);
      await purge({ database });
    },
  },
  {
    title: "retention",
    owner: "submission",
    also: ["submission_bin", "form_bin"],
    async run(database, world) {
      await database.updateTable("form_retention").set({ days: 1 }).where("form_id", "=", world.form).execute();
      await purge({ database }, later(2 * day));
    },
  },
  {
    title: "an emptied bin",
    owner: "submission",
    also: ["submission_bin", "form_bin"],
    async run(database, world, now) {
      const bin = createBinStore(database);
      const moved = await bin.move(withoutTurns, ...ids(world), { ids: [world.submission] }, now, () => async () => {});
      assert.equal(moved?.isDeleted, false);
      await bin.empty(...ids(world), undefined, async () => {});
      await purge({ database });
    },
  },
  {
    title: "a deleted form",
    owner: "form",
    async run(database, world, now) {
      await createRemoveForm(database)(...ids(world), now);
      await purge({ database });
    },
  },
  {
    title: "a deleted organization",
    owner: "organization",
    async run(database, world, now) {
      await setEndsAt(database, world.organization as AccountId, now);
      await purgeAccounts({ database }, now);
      await purge({ database });
    },
  },
  {
    title: "a deleted person",
    owner: "person",
    async run(database, world, now) {
      await setEndsAt(database, world.organization as AccountId, now);
      await setLeavesAt(database, world.person as AccountId, now);
      await purgeAccounts({ database }, now);
      await purge({ database });
    },
  },
];

const everything: readonly OwnerTable[] = ["organization", "person"];

const count = (rows: Rows, table: TableName) => rows.get(table)?.length ?? 0;

for (const { title, owner, also = [], run } of operations)
  test(`${title} takes all rows that go with it, and no other`, async (t) => {
    const { database, world, other } = await fillTwo(t);
    const before = await readRows(database);
    const gone = idsOf(before, owner, world);
    const taken = ownedRows(before, gone);
    await run(database, world, Date.now());
    const after = await readRows(database);
    assert.deepEqual([...ownedRows(after, gone).keys()], [], "rows that outlive their owner");
    assert.deepEqual(listLeftContent(after, gone), [], "content that outlives its owner");
    for (const kind of everything)
      assert.deepEqual(ownedRows(after, idsOf(after, kind, other)), ownedRows(before, idsOf(before, kind, other)));
    if (owner !== "person")
      for (const table of before.keys()) {
        const left = count(before, table) - (taken.get(table)?.length ?? 0);
        assert.ok(count(after, table) >= left || also.includes(table), `${table} lost rows that it should keep`);
      }
    const { counted, stored } = await readBytes(database);
    assert.deepEqual(counted, stored);
    await foldAll(database);
    const owners = new Set(Object.values(gone).flatMap((set) => [...set]));
    const named = await database.selectFrom("counted_bytes").select("owner_id").execute();
    if (owner !== "submission") assert.ok(!named.some(({ owner_id }) => owners.has(owner_id)), "bytes of what is gone");
  });

test("rows are made for each lead of each table, for two worlds", async (t) => {
  const { database, world, other } = await fillTwo(t);
  const rows = await readRows(database);
  for (const [table, all] of rows) {
    const { belongsTo } = recordOf(table);
    if (jobs.includes(table)) continue;
    assert.ok(all.length > 0, table);
    for (const lead of belongsTo)
      for (const one of [world, other])
        assert.ok(
          all.some((row) => row[lead.by] === idOf(one, lead)),
          `${table}.${lead.by} to ${lead.to}`,
        );
  }
});

const hold = { since: 1, setBy: undefined, reason: undefined, until: undefined, isReminded: false };

/** Rows that have an end of their own, which no age brings. */
const endOtherwise: readonly TableName[] = ["delivery_queue"];

test("a legal hold keeps what the records say, whatever is deleted and however old it is; all else goes at its own end", async (t) => {
  const { database, world } = await fillTwo(t);
  const now = Date.now();
  await database.updateTable("form_retention").set({ days: 1 }).execute();
  await database.updateTable("envelope").set({ removed_at: 1 }).execute();
  const event = await database.selectFrom("event").select("id").where("form_id", "=", world.form).executeTakeFirst();
  const ended = { state: "delivered", finished_at: now, event_id: event?.id ?? assert.fail() } as const;
  await database.updateTable("delivery").set(ended).where("form_id", "=", world.form).execute();
  await database.updateTable("mail").set({ finished_at: now }).execute();
  await database.transaction().execute((transaction) => changeFormHold(transaction, ...ids(world), async () => hold));
  const job = { form_id: world.form, received_before: now, requested_at: now };
  await database.insertInto("submission_purge").values(job).execute();
  const before = await readRows(database);
  assert.equal(await createPurgeStore(database).purgeSubmissions(), false);
  await database.deleteFrom("submission_purge").execute();
  for (const { run } of operations)
    await run(database, world, now).catch((error) => assert.equal(error.reason, "form_held"));
  const clock = later(400 * day);
  await purge({ database }, clock);
  await createEnvelopeStore(database, () => true).purge(clock.now());
  await createDeliveryRetentionStore(database).deleteEnded(clock.now(), 1000);
  await createMailStore(database, createSecretBox(createSingleRing(Buffer.alloc(32)))).deleteFinished(clock.now());
  const after = await readRows(database);
  for (const [table, all] of before)
    for (const lead of jobs.includes(table) ? [] : recordOf(table).belongsTo) {
      if (lead.to !== "form") continue;
      const held = all.filter((row) => row[lead.by] === world.form);
      const left = (after.get(table) ?? []).filter((row) => row[lead.by] === world.form);
      if (lead.held === "kept") assert.deepEqual(left, held, table);
      else if (!endOtherwise.includes(table))
        assert.ok(left.length < held.length, `${table} does not go at its own end`);
    }
});

test("an export of a person's data has nothing of what the records leave out, and nothing of anybody else", async (t) => {
  const { database, world, other } = await fillTwo(t);
  let text = "";
  for await (const piece of exportAccount(database, world.person as AccountId, 0)) text += piece; // made as such an id
  const leftOut = tableNames.flatMap((table) => {
    const { exported } = recordOf(table);
    const columns = "not" in exported ? ["\\w+"] : Object.keys(exported.without ?? {});
    return columns.map((column) => new RegExp(`"${table}\\.${column} \\d+`));
  });
  assert.deepEqual(
    leftOut.filter((value) => value.test(text)),
    [],
  );
  const rows = await readRows(database);
  // Tables without a column that names the person in rows of others.
  const names = (row: Row) => Object.values(row).includes(world.person);
  for (const owner of everything)
    for (const [table, others] of ownedRows(rows, idsOf(rows, owner, other)))
      for (const row of others.filter((one) => !names(one)))
        for (const value of Object.values(row))
          if (typeof value === "string" && value.startsWith(`${table}.`)) assert.ok(!text.includes(value), value);
  assert.ok(text.includes(`"api_key.name `) && text.includes(`"passkey.name `), "a control");
});

/** Each row as text: the same of equal rows. */
const print = (rows: readonly Row[] = []) => new Set(rows.map((row) => JSON.stringify(row)));

test("a backup has every row, and a restore ends those that the records say, names those that work again, and leaves all others as they were", async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder, deliveries: silentWebhooks });
  const [world, other] = [createWorld(), createWorld()];
  await service.signUp();
  await fillTables(service.database, world, other);
  await service.database
    .updateTable("organization")
    .set({ ends_at: Date.now() + day })
    .execute();
  await service.database
    .updateTable("person")
    .set({ leaves_at: Date.now() + day })
    .execute();
  await service.stop();
  const database = await openTestDatabase(t, folder);
  closeAtEnd(t, () => database.destroy());
  const before = await readRows(database);
  const { file } = await backUpTo(t, folder, createTemporaryFolder(t));
  const target = createTemporaryFolder(t);
  const { workingAgain } = await restoreTo(t, target, file, keepSecret(t, await settings(t, folder)));
  const restored = await openTestDatabase(t, target);
  closeAtEnd(t, () => restored.destroy());
  const after = await readRows(restored);
  for (const table of copiedTables) {
    if (jobs.includes(table)) continue;
    const [there, here] = [print(before.get(table)), print(after.get(table))];
    assert.ok(there.size > 0, table);
    const { restored: answer } = recordOf(table);
    const isEnded = typeof answer !== "string" && "ends" in answer;
    const isWhole = [...there].every((row) => here.has(row));
    assert.equal(isWhole, !isEnded, table);
    const isNamed = workingAgain.some((named) => named.table === table && named.count === there.size);
    assert.equal(isNamed, typeof answer !== "string" && "worksAgain" in answer, `${table} is named by the restore`);
  }
});

test("a copy to PostgreSQL has every row", onPostgresAlone, async (t) => {
  const fromFolder = createTemporaryFolder(t);
  await copySqliteTemplate(fromFolder);
  const source = openSqlite(fromFolder);
  const world = createWorld();
  await source.insertInto("instance").values({ key: "id", value: "sealpost:test" }).execute();
  await fillTables(source, world, createWorld());
  const before = await readRows(source);
  await source.destroy();
  const toUrl = await createDirectUrl(t);
  // It compares the content of each table itself.
  await copyInstance({ fromFolder, toUrl, onProgress: () => {} });
  const target = openPostgres(toUrl);
  closeAtEnd(t, () => target.destroy());
  const after = await readRows(target);
  for (const table of copiedTables) {
    assert.equal(count(after, table), count(before, table), table);
    assert.ok(jobs.includes(table) || count(after, table) > 0, table);
  }
});
