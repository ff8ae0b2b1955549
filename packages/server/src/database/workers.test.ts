import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeCluster } from "../testing/fake-cluster.ts";
import { fillOutcomes } from "./workers.ts";

const isAway = (name: string) =>
  `the worker ${name} of the cluster does not answer: nothing of the forms on it is accepted, shown or sent`;

test("while all workers answer nobody is asked, and nothing is left out", async () => {
  const { workers, asked, run } = createFakeCluster({ a: true, b: true });
  assert.deepEqual(await run("a/1", "b/1"), ["a/1", "b/1"]);
  assert.equal(await workers.listReachableForms(), undefined);
  assert.deepEqual([workers.listAway(), asked], [[], []]);
});

test("what fails while all workers answer fails once, with its own error", async () => {
  const { workers, asked } = createFakeCluster({ a: true });
  const failure = new Error("a deadlock");
  let runs = 0;
  const fail = async () => {
    runs += 1;
    throw failure;
  };
  await assert.rejects(
    workers.withReachable(["a/1"], (id) => id, fail),
    failure,
  );
  assert.deepEqual([runs, asked], [1, ["all"]]);
});

test("what fails while the coordinator does not answer fails with its own error", async () => {
  const { state, run } = createFakeCluster({ a: false });
  state.isThere = false;
  await assert.rejects(run("a/1"), /no connection/);
});

test("a worker is lost: work runs again without its forms, and later work leaves them out at once", async () => {
  const { workers, asked, logged, run } = createFakeCluster({ a: true, b: false });
  assert.deepEqual(await run("a/1", "b/1"), ["a/1"]);
  assert.deepEqual(await run("b/1", "a/1"), ["a/1"]);
  assert.deepEqual(await workers.listReachableForms(), ["a/1", "c/1"]);
  assert.deepEqual([workers.listAway(), asked, logged], [["b"], ["all"], [isAway("b")]]);
});

test("two workers are lost at once, and a third after them", async () => {
  const { state, workers, asked, run } = createFakeCluster({ a: true, b: false, c: false });
  assert.deepEqual(await run("a/1", "b/1", "c/1"), ["a/1"]);
  assert.deepEqual([workers.listAway(), asked], [["b", "c"], ["all"]]);
  state.nodes.set("a", false);
  assert.deepEqual(await run("a/1", "b/1"), []);
  assert.deepEqual(
    [workers.listAway(), asked],
    [
      ["a", "b", "c"],
      ["all", "all"],
    ],
  );
});

test("batches that fail together ask one question, and all of them run again", async () => {
  const { asked, run } = createFakeCluster({ a: true, b: false });
  const results = await Promise.all([run("a/1", "b/1"), run("b/1"), run("a/2", "b/2")]);
  assert.deepEqual([results, asked], [[["a/1"], [], ["a/2"]], ["all"]]);
});

test("a worker that is away is asked after 1, 2, 4 and 8 seconds, then every 10, and never in between", async () => {
  const { asked, run, runAt } = createFakeCluster({ a: true, b: false });
  await run("a/1", "b/1");
  let time = 0;
  for (const seconds of [1, 2, 4, 8, 10, 10]) {
    const before = asked.length;
    await runAt(time + seconds * 1_000 - 1);
    assert.equal(asked.length, before, `too early after ${time} ms`);
    time += seconds * 1_000;
    await runAt(time);
    assert.deepEqual(asked.slice(before), [["b"]], `at ${time} ms`);
  }
});

test("while the coordinator does not answer, nobody asks more often", async () => {
  const { state, asked, run, runAt } = createFakeCluster({ a: true, b: false });
  await run("a/1", "b/1");
  state.isThere = false;
  for (const time of [1_000, 1_001, 1_999]) await runAt(time);
  assert.deepEqual(asked, ["all", ["b"]]);
  await runAt(2_000);
  assert.deepEqual(asked, ["all", ["b"], ["b"]]);
});

test("a worker is back: its forms are worked on again, after transactions that it had left open were ended", async () => {
  const { state, workers, logged, run, runAt } = createFakeCluster({ a: true, b: false });
  await run("a/1", "b/1");
  state.nodes.set("b", true);
  await runAt(1_000);
  assert.deepEqual([workers.listAway(), state.recoveries], [[], 1]);
  assert.deepEqual(logged, [isAway("b"), "the worker b of the cluster answers again"]);
  assert.deepEqual(await run("b/1"), ["b/1"]);
  assert.equal(await workers.listReachableForms(), undefined);
  state.nodes.set("b", false);
  assert.deepEqual(await run("a/1", "b/1"), ["a/1"], "lost once more");
  assert.deepEqual(workers.listAway(), ["b"]);
});

test("one of two is back: the other one is still away", async () => {
  const { state, workers, run, runAt } = createFakeCluster({ a: true, b: false, c: false });
  await run("a/1", "b/1", "c/1");
  state.nodes.set("b", true);
  await runAt(1_000);
  assert.deepEqual(workers.listAway(), ["c"]);
  assert.deepEqual(await workers.listReachableForms(), ["a/1", "b/1"]);
});

test("a worker that is away is removed, or gets another address: it is not away any more, and not asked again", async () => {
  const { state, workers, asked, logged, run, runAt } = createFakeCluster({ a: true, b: false });
  await run("a/1", "b/1");
  state.nodes.delete("b");
  await runAt(1_000);
  assert.deepEqual([workers.listAway(), state.recoveries], [[], 1]);
  assert.deepEqual(logged, [isAway("b"), "the cluster has no worker b any more"]);
  assert.equal(await workers.listReachableForms(), undefined);
  await runAt(60_000);
  assert.deepEqual(asked, ["all", ["b"]]);
});

test("a question to all workers finds out too that one is gone", async () => {
  const { state, workers, run } = createFakeCluster({ a: true, b: false, c: true });
  await run("b/1");
  state.nodes.delete("b");
  state.nodes.set("c", false);
  assert.deepEqual(await run("a/1", "c/1"), ["a/1"]);
  assert.deepEqual(workers.listAway(), ["c"]);
});

test("the list of reachable forms is read again after five seconds, and as soon as another worker is away", async () => {
  const { state, workers, run } = createFakeCluster({ a: true, b: false, c: true });
  await run("b/1");
  assert.deepEqual(await workers.listReachableForms(), ["a/1", "c/1"]);
  state.forms = [...state.forms, "a/2"];
  assert.deepEqual(await workers.listReachableForms(), ["a/1", "c/1"]);
  state.time = 5_001;
  assert.deepEqual(await workers.listReachableForms(), ["a/1", "c/1", "a/2"]);
  state.nodes.set("c", false);
  await run("c/1");
  assert.deepEqual(await workers.listReachableForms(), ["a/1", "a/2"]);
});

test("a list of forms that a loss overtook is not used again", async () => {
  const { state, workers, run } = createFakeCluster({ a: true, b: false, c: true });
  await run("b/1");
  const [begun, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  state.beforeForms = () => {
    begun.resolve();
    return resumed.promise;
  };
  const overtaken = workers.listReachableForms();
  await begun.promise;
  state.nodes.set("c", false);
  await run("c/1");
  state.beforeForms = async () => {};
  state.forms = [...state.forms, "a/2"];
  assert.deepEqual(await workers.listReachableForms(), ["a/1", "a/2"]);
  resumed.resolve();
  assert.deepEqual(await overtaken, ["a/1"], "a control: it ends after the newer one, and is older");
  assert.deepEqual(await workers.listReachableForms(), ["a/1", "a/2"]);
});

test("outcomes are those of the items that were reached, in their order", () => {
  const fill = (items: readonly number[], outcomes: readonly string[]) =>
    fillOutcomes(items, (item) => item % 2 === 1, outcomes, "away");
  assert.deepEqual(fill([1, 2, 3, 4, 1], ["one", "three", "one again"]), ["one", "away", "three", "away", "one again"]);
  assert.deepEqual(fill([2, 4], []), ["away", "away"]);
  assert.deepEqual(fill([], []), []);
});
