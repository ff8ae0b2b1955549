import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { onEither } from "../testing/test-database.ts";
import { createWebhookTestLine, testTurns, type WebhookTestLine } from "./webhook-test-line.ts";

const none = new AbortController().signal;
const { turnMilliseconds, waitMilliseconds } = testTurns;

test(
  "a person who has tested little gets a place within seconds, whatever many others with many organizations hold",
  onEither,
  async (t) => {
    const { line, start, pass } = openLine(t);
    // Each asks again as soon as a test of theirs has ended.
    for (let person = 0; person < 8; person++)
      for (let organization = 0; organization < 4; organization++)
        for (let form = 0; form < 2; form++) start(`${person}`, `${person}/${organization}`, true);
    await pass(turnMilliseconds);
    assert.equal(line.count().running, 8);
    const victim = start("victim", "victim");
    await pass(turnMilliseconds);
    assert.equal(victim.state, "running");
    // Ten of them one after the other, each within two turns.
    for (let count = 0; count < 10; count++) {
      const next = start(`newcomer ${count}`, `newcomer ${count}`);
      await pass(turnMilliseconds);
      await pass(turnMilliseconds);
      assert.notEqual(next.state, "waiting");
    }
  },
);

test("a person has two tests at once over all organizations, and so has an organization", onEither, async (t) => {
  const { start, pass } = openLine(t);
  const [first, second, third] = ["a", "b", "c"].map((organization) => start("person", organization));
  const others = ["other", "another"].map((person) => start(person, "a"));
  await pass(0);
  const states = () => [first, second, third, ...others].map((one) => one?.state);
  assert.deepEqual(states(), ["running", "running", "waiting", "running", "waiting"]);
  first?.answer();
  await pass(0);
  assert.deepEqual(states(), ["ended", "running", "running", "running", "running"]);
});

test("a test is ended while others wait for its place alone, and not before it had its time", onEither, async (t) => {
  const { start, pass } = openLine(t);
  const all = Array.from({ length: 8 }, (_, index) => start(`${index}`, `${index}`));
  await pass(turnMilliseconds * 5);
  assert.ok(all.every(({ state }) => state === "running"));
  // Where a person has two already, one of these goes and nobody else's.
  const own = start("8", "8");
  await pass(0);
  assert.deepEqual(
    all.filter(({ state }) => state === "ended").map(({ person }) => person),
    ["0"],
  );
  assert.equal(own.state, "running");
  const late = start("9", "9");
  await pass(0);
  assert.equal(all.filter(({ state }) => state === "ended").length, 2);
  assert.deepEqual([own.state, late.state], ["running", "running"]);
});

test(
  "each ending gives its place back: an answer, an error, a client that has gone, and a wait that was too long",
  onEither,
  async (t) => {
    const { line, start, pass } = openLine(t, { isPatient: true });
    const running = Array.from({ length: 8 }, (_, index) => start(`${index}`, `${index}`));
    const leaving = new AbortController();
    const gone = start("gone", "gone", false, leaving.signal);
    const late = start("late", "late");
    await pass(0);
    assert.deepEqual(line.count(), { running: 8, waiting: 2 });
    leaving.abort(new Error("gone"));
    await pass(0);
    assert.deepEqual([gone.state, line.count()], ["gone", { running: 8, waiting: 1 }]);
    await pass(waitMilliseconds);
    assert.deepEqual([late.state, line.count()], ["unavailable", { running: 8, waiting: 0 }]);
    for (const one of running.slice(0, 4)) one.answer();
    for (const one of running.slice(4)) one.fail();
    await pass(0);
    assert.deepEqual(line.count(), { running: 0, waiting: 0 });
    // One that has gone in the moment in which its turn came does nothing.
    const early = new AbortController();
    early.abort(new Error("gone"));
    const never = start("never", "never", false, early.signal);
    await pass(0);
    assert.deepEqual([never.state, line.count()], ["gone", { running: 0, waiting: 0 }]);
  },
);

test("a crowd that has taken all places to wait gives one up to a person with fewer", onEither, async (t) => {
  const { line, start, pass } = openLine(t, { isPatient: true });
  const crowd = Array.from({ length: 100 }, (_, index) => start(`${index % 20}`, `${index % 20}`));
  await pass(0);
  assert.equal(line.count().waiting, 64);
  const before = crowd.filter(({ state }) => state === "unavailable").length;
  const one = start("one", "one");
  await pass(0);
  assert.equal(one.state, "waiting");
  assert.equal(crowd.filter(({ state }) => state === "unavailable").length, before + 1);
});

/** A line on a clock that is moved. Tests end when they are asked to, unless they are patient. */
function openLine(t: TestContext, { isPatient = false } = {}) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const line = createWebhookTestLine();
  return {
    line,
    start: (person: string, organization: string, isAgain = false, gone = none) =>
      startTest(line, { person, organization, isAgain, gone, isPatient }),
    async pass(milliseconds: number) {
      // Tests that were begun wait by now.
      await nextTurn();
      t.mock.timers.tick(milliseconds);
      for (let turn = 0; turn < 20; turn++) await nextTurn();
    },
  };
}

interface StartedTest {
  readonly person: string;
  readonly organization: string;
  readonly isAgain: boolean;
  readonly gone: AbortSignal;
  readonly isPatient: boolean;
}

function startTest(line: WebhookTestLine, test: StartedTest) {
  const { person, organization, isAgain, gone, isPatient } = test;
  const { promise: answered, resolve: answer, reject } = Promise.withResolvers<void>();
  const started = { person, state: "waiting", answer, fail: () => reject(new Error("failed")) };
  line
    .run({ personId: person, organizationId: organization }, gone, async (ending) => {
      started.state = "running";
      if (!isPatient) ending.addEventListener("abort", () => answer());
      await answered;
    })
    .then(
      () => {
        started.state = "ended";
        if (isAgain) startTest(line, test);
      },
      (error) => {
        started.state = error.code ?? error.message;
        if (error.status === 503) started.state = "unavailable";
      },
    );
  return started;
}
