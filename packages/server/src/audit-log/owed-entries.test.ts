import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import type { NewAuditEntry } from "./audit-entry.ts";
import { createOwedEntries } from "./owed-entries.ts";

const full = new Error("database or disk is full");
const entryAt = (occurredAt: number, id = "form_1"): NewAuditEntry =>
  ({
    ...{ accountId: "acc_1" as AccountId, actor: { type: "nobody" }, action: "submissions.exported", occurredAt },
    target: { type: "form", id },
  }) as NewAuditEntry; // ids of a test

function createDisk() {
  const written: NewAuditEntry[] = [];
  const lines: string[] = [];
  let failure: Error | undefined;
  const write = async (entry: NewAuditEntry) => {
    if (failure !== undefined) throw failure;
    written.push(entry);
    return true;
  };
  const entries = createOwedEntries({
    record: async (entry) => void (await write(entry)),
    recordRepeated: write,
    isUnwritable: (error) => error === full,
    tell: ({ target }, became) => lines.push(`${became} ${target?.id}`),
    report: (error) => lines.push(String(error)),
  });
  return { written, lines, entries, fail: (error: Error | undefined) => (failure = error) };
}

test("what is read on a full disk is in the service's log at once, and is in the audit log with its time when there is room", async () => {
  const { written, lines, entries, fail } = createDisk();
  fail(full);
  for (const at of [1, 2]) assert.equal(await entries.recordReading(entryAt(at)), true);
  await entries.record(entryAt(3, "form_2"));
  await entries.settle();
  assert.deepEqual([written.length, lines], [0, ["owed form_1", "owed form_2"]], "once for each reader and form");
  fail(undefined);
  await entries.settle();
  await entries.stop();
  assert.deepEqual(
    written.map(({ occurredAt }) => occurredAt),
    [1, 3],
  );
  assert.equal(lines.length, 2);
});

type Reader = Pick<NewAuditEntry, "accountId" | "actor">;

/** A person, by one of their API keys. */
const keyOf = (account: string, person: string, key: number): Reader =>
  ({ accountId: account, actor: { type: "api_key", id: `key_${key}`, madeBy: person } }) as unknown as Reader; // ids of a test

/** Who fills what waits, and who reads then. */
const floods: Readonly<Record<string, (number: number) => Reader>> = {
  "one person with five API keys": (number) => keyOf("acc_1", "person_1", number % 5),
  "the people of one account": (number) => keyOf("acc_1", `person_${number % 40}`, number % 40),
  "a hundred accounts": (number) => keyOf(`acc_${number % 100}`, `person_${number % 100}`, number % 100),
};

for (const [name, readerOf] of Object.entries(floods))
  test(`what ${name} reads on a full disk keeps nobody else from reading, and none of it is without a trace`, async () => {
    const { written, lines, entries, fail } = createDisk();
    fail(full);
    const reads = 20_000;
    let named = 0;
    for (let number = 0; number < reads; number++)
      if (await entries.recordReading({ ...entryAt(number, `form_${number}`), ...readerOf(number) })) named += 1;
    assert.ok(named >= 20 && named <= 5_000, `${named} say what was read`);
    assert.deepEqual(
      lines.filter((line) => !line.startsWith("owed ")),
      [],
    );
    const other = { ...entryAt(reads, "form_other"), ...keyOf("acc_other", "person_other", 0) };
    assert.equal(await entries.recordReading(other), name !== "a hundred accounts" || named < 5_000);
    assert.equal(lines.at(-1), "owed form_other");
    fail(undefined);
    await entries.settle();
    const readers = new Set(Array.from({ length: reads }, (_, number) => JSON.stringify(readerOf(number).accountId)));
    assert.deepEqual(new Set(written.slice(0, -1).map(({ accountId }) => JSON.stringify(accountId))), readers);
    assert.ok(
      written.some(({ target }) => target === undefined),
      "one says that they read more",
    );
    // Each share is free again.
    fail(full);
    assert.equal(await entries.recordReading({ ...entryAt(1, "form_new"), ...readerOf(0) }), true);
  });

test("where too many wait a read is refused, and each that could not be is in the service's log", async () => {
  const { lines, entries, fail } = createDisk();
  fail(full);
  let refused = 0;
  for (let number = 0; number < 11_000; number++) {
    const entry = { ...entryAt(number, `form_${number}`), ...keyOf(`acc_${number}`, `person_${number}`, number) };
    await entries.recordReading(entry).catch((error: unknown) => {
      assert.equal(error, full);
      refused += 1;
    });
  }
  assert.equal(refused, 1_000);
  assert.equal(lines.filter((line) => line.startsWith("refused form_")).length, refused);
  await assert.rejects(entries.record(entryAt(1, "form_1001")), full);
});

test("any other error of the database refuses the read, and what a process can write no more is in the service's log", async () => {
  const { lines, entries, fail } = createDisk();
  const away = new Error("the database is away");
  fail(away);
  await assert.rejects(entries.recordReading(entryAt(1)), away);
  fail(full);
  await entries.recordReading(entryAt(1));
  await entries.recordReading(entryAt(1, "form_2"));
  fail(away);
  await entries.settle();
  assert.deepEqual(lines.slice(2), ["lost form_1", String(away), "lost form_2", String(away)]);
  fail(full);
  await entries.recordReading(entryAt(1, "form_3"));
  await entries.stop();
  assert.equal(lines.at(-1), "lost form_3");
});
