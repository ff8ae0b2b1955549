import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountId, createId } from "@sealpost/wire";
import { sql } from "kysely";
import { checkAuditLog, type Expectations } from "../../../cli/src/verify-log/check-audit-log.ts";
import type { Database } from "../database/database.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTemporaryFolder, type TestScope } from "../testing/temporary-folder.ts";
import { onPostgres, onSqlite, openTestDatabase } from "../testing/test-database.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { createAuditChainStore } from "./audit-chain-store.ts";
import type { NewAuditEntry } from "./audit-entry.ts";
import { recordAction } from "./audit-log-store.ts";
import { createAuditRetentionStore } from "./audit-retention-store.ts";

const hour = 3_600_000;

async function exportLog({ request }: TestAccount, query = ""): Promise<readonly Record<string, unknown>[]> {
  const { status, body } = await request("GET", `/api/audit-log/export${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return String(body)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

async function check(lines: readonly unknown[], expected: Partial<Expectations> = {}) {
  async function* each() {
    yield* lines;
  }
  const { head, findings, entries } = await checkAuditLog(each(), { heads: [], isWhole: true, ...expected });
  return { head, entries, messages: findings.map(({ message }) => message) };
}

function entry(accountId: string, occurredAt: number, name = "Contact"): NewAuditEntry {
  const target = { type: "form", id: createId("form"), name } as const;
  const actor = { type: "operator" } as const;
  return { accountId: accountId as AccountId, action: "form.updated", actor, occurredAt, target }; // as the service answered it
}

/** An entry that is committed and not chained yet. */
async function writeUnchained(database: Database, accountId: string, occurredAt: number): Promise<void> {
  await sql`
    insert into audit_entry (id, account_id, occurred_at, action, actor)
    values (${`aud_${createId("event").slice(4)}`}, ${accountId}, ${occurredAt}, 'form.created', 'nobody')`.execute(
    database,
  );
}

async function start(t: TestScope) {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  return { clock, service, account };
}

test("every entry is in the chain of its organization, the export verifies, continues after a number, and is itself recorded", async (t) => {
  const { clock, service, account } = await start(t);
  const other = await service.signUp();
  await service.database.transaction().execute(async (transaction) => {
    for (let count = 0; count < 700; count++) await recordAction(transaction, entry(account.id, clock.now()));
  });
  clock.advance(1);
  await recordAction(service.database, entry(other.id, clock.now()));
  const lines = await exportLog(account);
  const whole = await check(lines);
  assert.deepEqual(whole.messages, []);
  assert.equal(lines.at(-1)?.action, "audit_log.exported");
  const { rows } = await sql`select id from audit_entry where account_id = ${account.id}`.execute(service.database);
  assert.equal(whole.entries, rows.length);
  assert.equal(lines[0]?.organization, account.id);
  const { head, entries } = (await account.request("GET", "/api/audit-log?limit=1")).body;
  assert.deepEqual([head, entries[0].action], [whole.head, "audit_log.exported"]);
  // An hour long further exports add nothing, so two parts are the whole.
  const rest = await exportLog(account, "?after=600");
  assert.equal(rest[1]?.sequence, 601);
  const part = lines.slice(1, 601);
  const cut = { ...lines[0], head: { sequence: 600, hash: part.at(-1)?.hash } };
  assert.deepEqual((await check([cut, ...part, ...rest])).messages, []);
  for (const [query, message] of [
    ["?after=100000", `The log ends with entry ${head.sequence}`],
    ["?after=-1", undefined],
    ["?after=x", undefined],
  ]) {
    const refused = await account.request("GET", `/api/audit-log/export${query}`);
    assert.equal(refused.status, 400);
    if (message !== undefined) assert.equal(refused.body.details.after, message);
  }
  const { key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  assert.equal((await service.request("GET", "/api/audit-log/export", { token: key })).status, 401);
  assert.deepEqual((await check(await exportLog(other))).messages, []);
});

test("a change in the database shows in the export: a changed, a removed, a moved and a last entry", async (t) => {
  const { clock, service, account } = await start(t);
  const { database } = service;
  for (let count = 0; count < 8; count++) await recordAction(database, entry(account.id, 1000 + count));
  await account.request("GET", "/api/audit-log");
  clock.advance(1);
  const noted = (await check(await exportLog(account))).head;
  assert.ok(noted !== undefined);
  const find = (place: number) => sql`account_id = ${account.id} and sequence = ${place}`;
  /** Does it, looks, and takes it back. */
  async function tamper(change: ReturnType<typeof sql>, ...messages: readonly string[]) {
    const before = await database.selectFrom("audit_entry").selectAll().where("account_id", "=", account.id).execute();
    const head = await database.selectFrom("audit_head").selectAll().where("account_id", "=", account.id).execute();
    await change.execute(database);
    assert.deepEqual((await check(await exportLog(account), { heads: noted ? [noted] : [] })).messages, messages);
    await database.deleteFrom("audit_entry").where("account_id", "=", account.id).execute();
    await database.deleteFrom("audit_head").where("account_id", "=", account.id).execute();
    await database.insertInto("audit_entry").values(before).execute();
    await database.insertInto("audit_head").values(head).execute();
  }
  await tamper(sql`update audit_entry set target_name = 'Other' where ${find(5)}`, "entry 5 was changed");
  await tamper(sql`update audit_entry set person_id = ${account.id} where ${find(5)}`, "entry 5 was changed");
  await tamper(sql`delete from audit_entry where ${find(5)}`, "entry 5 is missing");
  await tamper(
    sql`update audit_entry set id = 'aud_' || sequence, occurred_at = occurred_at + 1 where ${find(5)} or ${find(6)}`,
    ...["entry 5 was changed", "entry 6 was changed"],
  );
  const last = noted.sequence;
  await tamper(
    sql`delete from audit_entry where ${find(last)}`,
    ...[
      // The export asked for is recorded again, in the place of the one that was removed.
      `entry ${last} is missing`,
    ],
  );
  assert.deepEqual((await check(await exportLog(account), { heads: [noted] })).messages, [], "all is as it was");
});

test("what was removed for its age leaves a checkpoint from which the rest verifies, whatever clocks were wrong", async (t) => {
  const { clock, service, account } = await start(t);
  const { database } = service;
  const retention = createAuditRetentionStore(database);
  const chain = createAuditChainStore(database);
  const accountId = account.id as AccountId; // as the service answered it
  await chain.chain(accountId);
  const add = async (occurredAt: number) => {
    await recordAction(database, entry(accountId, occurredAt));
    return (await chain.chain(accountId)).head.sequence;
  };
  const purge = async (keptHours: number) => {
    while (await retention.removeBefore(clock.now() - keptHours * hour, clock.now()));
    return exportLog(account);
  };
  const old = await add(clock.now());
  const future = await add(clock.now() + 1000 * hour);
  clock.advance(10 * hour);
  const kept = await add(clock.now());
  const tooEarly = await add(1000);
  const noted = (await check(await exportLog(account))).head;
  assert.ok(noted !== undefined && old < future && future < kept && kept < tooEarly);

  const first = await purge(5);
  const removedAt = clock.now() + 990 * hour;
  assert.deepEqual(first[0]?.removed, { count: future, timestamp: removedAt });
  assert.deepEqual((await account.request("GET", "/api/audit-log?limit=1")).body.removed, first[0]?.removed);
  assert.equal(
    first[1]?.sequence,
    kept,
    "what was dated into the future keeps nothing, and what is dated too early stays",
  );
  assert.deepEqual((await check(first, { heads: [noted] })).messages, []);
  const refused = await account.request("GET", `/api/audit-log/export?after=${old}`);
  assert.equal(refused.body.details.after, `Entries up to ${future} were removed for their age, or by an owner`);
  assert.equal((await exportLog(account, `?after=${future}`)).length, first.length);

  clock.advance(40 * hour);
  const second = await purge(5);
  assert.deepEqual((await check(second, { heads: [noted] })).messages, []);
  assert.deepEqual(
    second.slice(1).map(({ action }) => action),
    ["audit_log.exported"],
  );
  await sql`delete from audit_entry where account_id = ${accountId}`.execute(database);
  clock.advance(40 * hour);
  await retention.removeBefore(clock.now(), clock.now());
  assert.deepEqual(
    (await check(await exportLog(account))).messages.length,
    1,
    "a chain that somebody cut stays broken",
  );
});

test("an organization whose chain cannot continue does not keep others from theirs, and is reported", async (t) => {
  const { service } = await start(t);
  const { database } = service;
  const ids = Array.from({ length: 6 }, () => createId("account")).toSorted();
  for (const id of ids) await writeUnchained(database, id, 1000);
  // Somebody numbered an entry by hand: the next one of the chain gets the same number, which is refused.
  const broken = ids.slice(0, 3);
  for (const id of broken)
    await database
      .updateTable("audit_entry")
      .set({ sequence: 1, hash: "by hand" })
      .where("account_id", "=", id)
      .execute();
  for (const id of broken) await writeUnchained(database, id, 1001);
  await assert.rejects(createAuditChainStore(database).chainSome());
  const left = await database.selectFrom("audit_entry").select("account_id").where("sequence", "is", null).execute();
  assert.deepEqual(left.map(({ account_id }) => account_id).toSorted(), broken);
});

test(
  "entries of two processes at once get one number each, without a gap, and no change waits for another one",
  onPostgres,
  async (t) => {
    const folder = createTemporaryFolder(t);
    const processes = [await openTestDatabase(t, folder), await openTestDatabase(t, folder)];
    const account = createId("account");
    const open = Promise.withResolvers<void>();
    const first = processes[0];
    assert.ok(first !== undefined);
    // A change whose transaction stays open while all others commit and are chained.
    const written = Promise.withResolvers<void>();
    const late = first.transaction().execute(async (transaction) => {
      await recordAction(transaction, entry(account, 1, "Late"));
      written.resolve();
      await open.promise;
    });
    await written.promise;
    await Promise.all(
      processes.map(async (database) => {
        const chain = createAuditChainStore(database);
        for (let count = 0; count < 40; count++) {
          await recordAction(database, entry(account, 1000 + count));
          await chain.chain(account);
        }
      }),
    );
    open.resolve();
    await late;
    const chain = createAuditChainStore(first);
    assert.equal((await chain.chain(account)).head.sequence, 81);
    const rows = await chain.list(account, { after: 0, until: 100, limit: 100 });
    assert.deepEqual(
      rows.map(({ sequence }) => Number(sequence)),
      Array.from({ length: 81 }, (_, index) => index + 1),
    );
    assert.equal(rows.at(-1)?.target_name, "Late");
  },
);

test("an entry that is removed for its age while it is being chained leaves no gap", onSqlite, async (t) => {
  const { clock, service, account } = await start(t);
  const { database } = service;
  const chain = createAuditChainStore(database);
  const accountId = account.id as AccountId; // as the service answered it
  const { head } = await chain.chain(accountId);
  for (const name of ["Kept", "Removed"]) await recordAction(database, entry(accountId, clock.now(), name));
  // To the statement that writes numbers a row that another process has just removed is one that it does not find.
  await sql`create trigger removed before update of sequence on audit_entry when old.target_name = 'Removed'
    begin select raise(ignore); end`.execute(database);
  await assert.rejects(chain.chain(accountId), /removed meanwhile/);
  await sql`drop trigger removed`.execute(database);
  await sql`delete from audit_entry where target_name = 'Removed'`.execute(database);
  assert.equal((await chain.chain(accountId)).head.sequence, head.sequence + 1);
  assert.deepEqual((await check(await exportLog(account))).messages, []);
});

test("entries whose process was killed before they were chained are chained by the next one", async (t) => {
  const folder = createTemporaryFolder(t);
  const first = await createTestService(t, { folder });
  const account = await first.signUp();
  const { head: before } = (await account.request("GET", "/api/audit-log")).body;
  await recordAction(first.database, entry(account.id, Date.now()));
  await first.stop();
  const next: TestService = await createTestService(t, { folder });
  const headOf = () =>
    next.database.selectFrom("audit_head").select("sequence").where("account_id", "=", account.id).executeTakeFirst();
  // The loop looks when the service starts; each request is a turn for it. Where it does not, the test's time ends it.
  while (Number((await headOf())?.sequence) !== before.sequence + 1) await next.request("GET", "/health/live");
});
