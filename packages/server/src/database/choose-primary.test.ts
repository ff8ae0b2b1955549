import assert from "node:assert/strict";
import { test } from "node:test";
import { choosePrimary, type Primary } from "./choose-primary.ts";
import type { HostAnswer, HostState } from "./host-state.ts";
import { NoPrimaryError } from "./no-primary-error.ts";

const names = ["a:5432", "b:5432"];
const state = (role: HostState["role"], more: Partial<HostState> = {}): HostState => ({
  ...{ role, system: "7", timeline: role === "standby" ? undefined : 1 },
  ...{ position: 100, isSynchronous: true },
  startedAt: crypto.randomUUID(),
  ...more,
});
const silent: HostAnswer = { role: "silent", error: new Error("connect ECONNREFUSED") };
const choose = (answers: readonly HostAnswer[], known?: Primary) => choosePrimary(names, answers, known).index;
const refuses = (message: RegExp) => (error: unknown) => error instanceof NoPrimaryError && message.test(error.message);

test("the one that accepts writes is chosen, wherever it is in the list and whatever the others answer", () => {
  assert.equal(choose([state("primary"), state("standby")]), 0);
  assert.equal(choose([state("standby"), state("primary")]), 1);
  assert.equal(choose([silent, state("primary")]), 1);
  assert.equal(choose([state("read-only"), state("primary")]), 1);
});

test("when none accepts writes, the sentence has what each answered", () => {
  assert.throws(
    () => choose([state("standby"), silent]),
    refuses(
      /^None of the database's hosts can be written to: a:5432 is a standby; b:5432 cannot be asked \(connect ECONNREFUSED\)$/,
    ),
  );
  assert.throws(
    () => choosePrimary(["a:5432"], [state("read-only")], undefined),
    refuses(/^The database cannot be written to: a:5432 is set to read-only$/),
  );
  const twoAddresses = new AggregateError([new Error("connect ECONNREFUSED ::1"), new Error("connect ECONNREFUSED")]);
  assert.throws(() => choose([state("standby"), { role: "silent", error: twoAddresses }]), refuses(/ECONNREFUSED ::1/));
});

test("two that accept writes are refused, unless one of them is the one that serves or both names lead to one server", () => {
  const both = [state("primary"), state("primary", { timeline: 2 })];
  assert.throws(() => choose(both), refuses(/^Two of the database's hosts accept writes.*a:5432 and b:5432/));
  for (const index of [0, 1]) assert.equal(choose(both, { index, state: state("primary") }), index);
  const one = state("primary");
  assert.equal(choose([one, one]), 0);
});

test("hosts of two databases are refused at the start; later one of another database is never chosen", () => {
  assert.throws(
    () => choose([state("primary"), state("standby", { system: "8" })]),
    refuses(/not copies of the same database: a:5432 and b:5432/),
  );
  const known = { index: 0, state: state("primary") };
  assert.throws(
    () => choose([silent, state("primary", { system: "8" })], known),
    refuses(/b:5432 is another database$/),
  );
  assert.equal(choose([silent, state("primary", { system: undefined })], known), 1, "where it may not be asked");
});

test("a primary that another one has followed is never written to again", () => {
  const known = { index: 1, state: state("primary", { timeline: 2 }) };
  assert.throws(() => choose([state("primary"), silent], known), refuses(/a:5432 is the primary of before/));
  assert.equal(choose([state("primary", { timeline: 3 }), silent], known), 0);
  assert.equal(choose([state("primary"), state("primary", { timeline: 2 })], known), 1);
});
