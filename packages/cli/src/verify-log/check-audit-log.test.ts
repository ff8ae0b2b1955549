import assert from "node:assert/strict";
import { test } from "node:test";
import { auditFormat, hashAuditEntry, startAuditLog } from "@sealpost/wire";
import { checkAuditLog, type Expectations } from "./check-audit-log.ts";

const organization = "acc_01ka5fg000e00g40r40m30e209";
const day = 86_400_000;

type Line = Record<string, unknown>;

/** Entries that follow each other, and the line about them. */
async function createLog(count: number, name = "Contact") {
  const start = await startAuditLog(organization);
  const entries: Line[] = [];
  let previous = start.hash;
  for (let sequence = 1; sequence <= count; sequence++) {
    const content = { sequence, previous, timestamp: sequence * day, action: "form.updated", target: { name } };
    previous = await hashAuditEntry(content);
    entries.push({ ...content, hash: previous });
  }
  const heads = [start, ...entries.map(({ sequence, hash }) => ({ sequence: Number(sequence), hash: String(hash) }))];
  const headOf = (sequence: number) => heads[sequence] ?? start;
  const line = (from = 0, to = count, removed?: object) => ({
    ...{ format: auditFormat, organization, exportedAt: (count + 1) * day, start: headOf(from), head: headOf(to) },
    ...(removed !== undefined && { removed }),
  });
  return { entries, line, headOf };
}

const headOf = ({ sequence, hash }: Line) => ({ sequence: Number(sequence), hash: String(hash) });

async function check(lines: readonly unknown[], expected: Partial<Expectations> = {}) {
  async function* each() {
    yield* lines;
  }
  const verdict = await checkAuditLog(each(), { heads: [], ...expected });
  return { ...verdict, messages: verdict.findings.map(({ message }) => message) };
}

test("a whole log, a part of it, joined exports and one that begins after removed entries are as they should be", async () => {
  const { entries, line, headOf } = await createLog(6);
  const removed = { count: 2, timestamp: 2 * day };
  const logs: readonly (readonly unknown[])[] = [
    [line(0, 6), ...entries],
    [line(4, 6), ...entries.slice(4)],
    [line(0, 3), ...entries.slice(0, 3), line(3, 6), ...entries.slice(3)],
    [line(2, 6, removed), ...entries.slice(2)],
    [line(6, 6)],
  ];
  for (const lines of logs) {
    const verdict = await check(lines, { heads: [headOf(6)], atLeast: 6 });
    assert.deepEqual([verdict.messages, verdict.head], [[], headOf(6)]);
  }
  assert.deepEqual((await check([line(0, 0)])).messages, [], "an empty log");
  assert.deepEqual((await check([line(4, 6), ...entries.slice(4)], { isWhole: true })).messages, [
    "the log begins after entry 4, and the service does not say that those before were removed for their age or by an owner",
  ]);
});

test("a changed, removed, doubled and moved entry, a cut at either end, and what is no entry: each is found and named", async () => {
  const { entries, line } = await createLog(6);
  const [one, two, three, four, five, six] = entries;
  const changed = { ...three, action: "form.deleted" };
  const rehashed = { ...changed, hash: await hashAuditEntry(changed) };
  const whole = line();
  const tampered: readonly (readonly [lines: readonly unknown[], ...messages: string[]])[] = [
    [[whole, one, two, changed, four, five, six], "entry 3 was changed"],
    [[whole, one, two, rehashed, four, five, six], "entry 4 does not follow this entry 3: one of them was changed"],
    [[whole, one, two, four, five, six], "entry 3 is missing"],
    [[whole, one, four, five, six], "entries 2 to 3 are missing"],
    [[whole, two, three, four, five, six], "entry 1 is missing"],
    [[whole, one, two, three, three, four, five, six], "entry 3 is there twice"],
    [
      [whole, one, three, two, four, five, six],
      "entry 2 is missing",
      "entry 2 comes after entry 3: it is in the wrong place, or there twice",
    ],
    [
      [whole, one, two, three, four, five, six, two],
      "entry 2 comes after entry 6: it is in the wrong place, or there twice",
    ],
    [[whole, one, two, three, four], "entries 5 to 6 are missing at the end"],
    [[line(0, 4), ...entries], "the last entry is not the one that the log's first line names"],
    [[whole, one, two, "three", three, four, five, six], "line 4 is no entry of an audit log"],
    [[whole, one, two, undefined, three, four, five, six], "line 4 is no entry of an audit log"],
    [[whole, one, two, { ...three, timestamp: 9e15 }, three, four, five, six], "line 4 is no entry of an audit log"],
    [[whole, one, two, line(2, 2)], "entries 3 to 6 are missing at the end"],
    [entries, "the first line is not that of an exported audit log"],
    [[], "there is no line of an exported audit log"],
    [[{ ...whole, organization: "acc_other" }, ...entries], "the log does not begin as one of this organization"],
    [
      [line(0, 2), one, two, line(4, 6), five, six],
      "the next export does not continue after entry 2",
      "entries 3 to 4 are missing",
    ],
  ];
  for (const [lines, ...messages] of tampered) {
    const verdict = await check(lines);
    assert.deepEqual(verdict.messages, messages);
    assert.ok(verdict.findings.every(({ exit }) => exit === "differs"));
  }
});

test("a head that was noted finds a cut at the end and a log that was rewritten as a whole, which nothing else does", async () => {
  const { entries, line, headOf } = await createLog(6);
  const rewritten = await createLog(6, "Rewritten");
  const cut = [line(0, 4), ...entries.slice(0, 4)];
  const other = [rewritten.line(), ...rewritten.entries];
  assert.deepEqual((await check(cut)).messages, [], "the control: without a head the cut log is a whole one");
  assert.deepEqual((await check(other)).messages, []);
  assert.deepEqual((await check(cut, { heads: [headOf(6)] })).messages, [
    "the log ends with entry 4, before the noted entry 6: it was cut, or rewritten",
  ]);
  assert.deepEqual((await check(cut, { atLeast: 6 })).messages, [
    "the log ends with entry 4, and should have at least 6",
  ]);
  for (const sequence of [3, 6])
    assert.deepEqual((await check(other, { heads: [headOf(sequence)] })).messages, [
      `entry ${sequence} is another one than when its head was noted: the log was rewritten up to there`,
    ]);
  const rest = [line(4, 6, { count: 4, timestamp: 4 * day }), ...entries.slice(4)];
  assert.deepEqual((await check(rest, { heads: [headOf(4)] })).messages, [], "the last removed one is still known");
  assert.deepEqual((await check(rest, { heads: [rewritten.headOf(4)] })).messages, [
    "entry 4 is another one than when its head was noted: the log was rewritten up to there",
  ]);
  const { findings } = await check(rest, { heads: [headOf(2)] });
  assert.deepEqual(findings, [
    { exit: "unavailable", message: "the noted entry 2 is not in this export, which begins after entry 4" },
  ]);
});

test("entries that were removed too early for their age are found", async () => {
  const { entries, line } = await createLog(6);
  const log = [line(4, 6, { count: 4, timestamp: 4 * day }), ...entries.slice(4)];
  assert.deepEqual((await check(log, { keptDays: 3 })).messages, []);
  assert.deepEqual((await check(log, { keptDays: 4 })).messages, ["entry 4 was removed when it was 3 days old"]);
});

test("entries that an owner removed are said to be so, and are not too young for their age", async () => {
  const { entries, line } = await createLog(5);
  const previous = String(entries.at(-1)?.hash);
  const details = { changes: [{ setting: "auditLogStart", from: null, to: `4:${"a".repeat(64)}` }] };
  const content = { sequence: 6, previous, timestamp: 6 * day, action: "audit_log.shortened", details };
  const last = { ...content, hash: await hashAuditEntry(content) };
  const about = (count: number) => ({ ...line(count, 5, { count, timestamp: count * day }), head: headOf(last) });
  const log = await check([about(4), ...entries.slice(4), last], { keptDays: 400 });
  assert.deepEqual([log.messages, log.shortened], [[], { sequence: 4, timestamp: 6 * day }]);
  // Entries that were removed since then were removed for their age.
  const { messages } = await check([about(5), last], { keptDays: 400 });
  assert.deepEqual(messages, ["entry 5 was removed when it was 1 days old"]);
});

test("of a log in which everything is wrong a bounded number of findings is kept, and all are counted", async () => {
  const { entries, line } = await createLog(2);
  const verdict = await check([line(), ...Array.from({ length: 1000 }, () => entries[0]), entries[1]]);
  assert.deepEqual([verdict.findings.length, verdict.findingCount], [100, 999]);
});
