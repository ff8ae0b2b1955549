import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import { checkAuditLog } from "../../../cli/src/verify-log/check-audit-log.ts";
import { freshMilliseconds } from "../access/fresh-session.ts";
import { rowBytes } from "../database/counted-tables.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { createMailBench } from "../mail/testing/mail-bench.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { removalBatch } from "./audit-retention-store.ts";
import { createRemoveShortened, noteShortening, shortenedAgeMilliseconds } from "./audit-shortening-store.ts";

interface Line extends Readonly<Record<string, unknown>> {
  readonly sequence: number;
  readonly hash: string;
}

async function exportLog({ request }: TestAccount): Promise<readonly [first: Record<string, unknown>, ...Line[]]> {
  const { body } = await request("GET", "/api/audit-log/export");
  const lines = String(body).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line)) as never; // a line about the log, and its entries
}

async function findingsOf(lines: readonly unknown[], keptDays?: number): Promise<readonly string[]> {
  async function* each() {
    yield* lines;
  }
  const { findings } = await checkAuditLog(each(), { heads: [], isWhole: true, keptDays });
  return findings.map(({ message }) => message);
}

async function addOld({ database }: TestService, accountId: string, count: number, age: number): Promise<void> {
  await sql`with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${count})
    insert into audit_entry (id, account_id, occurred_at, action, actor)
    select 'aud_old' || ${age} || '.' || number, ${accountId}, cast(${Date.now() - age} as bigint), 'form.updated', 'operator'
    from numbers`.execute(database);
}

/** An organization with so many entries that are 40 days old. */
async function start(t: TestScope, count: number) {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const owner = await service.signUp();
  await addOld(service, owner.id, count, shortenedAgeMilliseconds + 10 * dayMilliseconds);
  const remove = createRemoveShortened(service.database, async () => false);
  const shorten = (until: Line | undefined, who = owner) =>
    who.request("POST", "/api/audit-log/shorten", { until: { sequence: until?.sequence, hash: until?.hash } });
  const find = async (sequence: number) =>
    ((await exportLog(owner)).slice(1) as Line[]).find((line) => line.sequence === sequence);
  return { clock, service, owner, remove, shorten, find };
}

test("an owner shortens the log to what was exported: the rest verifies from there, and an entry says count, range and heads", async (t) => {
  const count = removalBatch + 5;
  const { owner, remove, shorten, find, service } = await start(t, count);
  const before = await exportLog(owner);
  const used = async () => (await owner.request("GET", "/api/usage")).body.usage.logBytes;
  const bytes = await used();
  const last = await find(count);
  const { status, body } = await shorten(last);
  assert.deepEqual([status, body], [200, { shortened: { count } }]);
  while (await remove(Date.now()));
  const [about, ...rest] = await exportLog(owner);
  assert.deepEqual((about as { removed?: { count: number } }).removed?.count, count);
  assert.deepEqual(await findingsOf([about, ...rest]), []);
  assert.equal(rest[0]?.sequence, count + 1);
  assert.equal(rest[0]?.previous, last?.hash);
  const recorded = rest.filter(({ action }) => action === "audit_log.shortened");
  assert.deepEqual(
    recorded.map(({ details }) => details),
    [
      {
        changes: [{ setting: "auditLogStart", from: null, to: `${count}:${last?.hash}` }],
        counts: { entries: count },
      },
    ],
  );
  assert.ok((await used()) < bytes - (rowBytes * count) / 2, "there is room again");
  // The export of before is continued by what is there now.
  const joined = [{ ...before[0], head: { sequence: count, hash: last?.hash } }, ...before.slice(1, count + 1)];
  assert.deepEqual(await findingsOf([...joined, about, ...rest]), []);

  // Asked for again, whose answer may have been lost, it changes nothing.
  assert.deepEqual((await shorten(last)).body, { shortened: { count } });
  assert.equal((await exportLog(owner)).filter(({ action }) => action === "audit_log.shortened").length, 1);
  const row = await service.database.selectFrom("audit_head").selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([row.shortened_to, row.shortened_before], [null, null]);
});

test("nothing is shortened that was not exported, is younger than 30 days, or is asked for by anybody but an owner who has just signed in", async (t) => {
  const { clock, service, owner, remove, shorten, find } = await start(t, 3);
  await addOld(service, owner.id, 1, shortenedAgeMilliseconds - dayMilliseconds);
  const [last, young] = [await find(3), await find(4)];
  for (const [until, code] of [
    [young, "audit_entry_too_recent"],
    [last && { ...last, hash: "0".repeat(64) }, "audit_entry_differs"],
    [last && { ...last, sequence: 1000 }, "audit_entry_differs"],
  ] as const) {
    const { status, body } = await shorten(until);
    assert.deepEqual([status, body.code], [409, code]);
  }
  for (const role of ["manager", "auditor"] as const) {
    const person = await addPerson(service, owner, `${role}@example.com`, { role });
    assert.equal((await shorten(last, person)).status, 403, role);
  }
  clock.advance(freshMilliseconds + 1);
  const { status, body } = await shorten(last);
  assert.deepEqual([status, body.code], [403, "session_stale"]);
  assert.equal(await remove(Date.now()), false);
  assert.equal((await find(1))?.sequence, 1);
});

test("a legal hold keeps the log", async (t) => {
  const { owner, shorten, find } = await start(t, 3);
  const form = await createForm(owner, { encryption: false });
  await owner.request("PUT", `/api/forms/${form}/hold`, { reason: "Case 7" });
  const { status, body } = await shorten(await find(3));
  assert.deepEqual([status, body.code], [409, "form_held"]);
  await owner.request("DELETE", `/api/forms/${form}/hold`);
  assert.equal((await shorten(await find(3))).status, 200);
});

test("a log that was shortened while the clock was ahead keeps the entries of the last 30 days", async (t) => {
  const { service, owner, find, remove } = await start(t, 3);
  await find(1);
  await addOld(service, owner.id, 1, dayMilliseconds);
  const young = await find(5);
  assert.ok(young !== undefined);
  const until = { sequence: 5, hash: young.hash };
  await service.database
    .transaction()
    .execute((transaction) =>
      noteShortening(transaction, owner.id as AccountId, until, Date.now() + 400 * dayMilliseconds),
    );
  // Asked with a clock that is trusted alone.
  while (await remove(Date.now()));
  assert.equal((await exportLog(owner))[1]?.sequence, 4);
});

test("a legal hold that is set while the log is being shortened keeps what is still there", async (t) => {
  const count = removalBatch + 5;
  const { service, owner, find } = await start(t, count);
  const until = { sequence: count, hash: (await find(count))?.hash ?? "" };
  let isHeld = false;
  const remove = createRemoveShortened(service.database, async () => isHeld);
  // Without the request, which wakes the service's own removal.
  await service.database
    .transaction()
    .execute((transaction) => noteShortening(transaction, owner.id as AccountId, until, Date.now()));
  await remove(Date.now());
  isHeld = true;
  assert.equal(await remove(Date.now()), false);
  assert.equal((await exportLog(owner))[1]?.sequence, removalBatch + 1);
  isHeld = false;
  while (await remove(Date.now()));
  assert.equal((await exportLog(owner))[1]?.sequence, count + 1);
});

test("an entry that a wrong clock has dated too early does not take younger ones along", async (t) => {
  const { service, owner, shorten, find, remove } = await start(t, 3);
  await find(1);
  await addOld(service, owner.id, 1, dayMilliseconds);
  const young = await find(5);
  await addOld(service, owner.id, 1, 400 * dayMilliseconds);
  const [, ...all] = await exportLog(owner);
  const early = all.findLast(({ id }) => String(id).startsWith("aud_old345"));
  assert.ok(young !== undefined && early !== undefined && early.sequence > young.sequence);
  assert.equal((await shorten(early)).status, 200);
  while (await remove(Date.now()));
  const lines = await exportLog(owner);
  assert.equal(lines[1]?.sequence, 4, "the first of the young ones");
  assert.deepEqual(await findingsOf(lines), []);
});

test("all owners hear by email that the log was shortened", async (t) => {
  const { service, account, run, smtp } = await createMailBench(t, { isServiceMailing: true });
  await addOld(service, account.id, 2, 2 * shortenedAgeMilliseconds);
  const [, first, second] = await exportLog(account);
  assert.ok(first !== undefined && second !== undefined);
  const { status } = await account.request("POST", "/api/audit-log/shorten", {
    until: { sequence: second.sequence, hash: second.hash },
  });
  assert.equal(status, 200);
  await run();
  assert.equal((await smtp.next()).headers.get("subject"), "Your audit log was shortened");
});
