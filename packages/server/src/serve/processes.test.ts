import assert from "node:assert/strict";
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { startProcesses } from "./processes.ts";

cluster.setupPrimary({
  exec: join(import.meta.dirname, "testing/slow-process.ts"),
  execArgv: [],
  args: [],
});

test("stopped while the place of a dead process is being taken: the new one ends too, without waiting for its start", async (t) => {
  const ready = Promise.withResolvers<void>();
  const reports: string[] = [];
  const { ended, stop, kill } = startProcesses({
    count: 2,
    onReady: () => ready.resolve(),
    report: (line) => reports.push(line),
  });
  t.after(kill);
  const [one, other] = listWorkers();
  assert.ok(one && other);
  await Promise.all([once(one, "message"), once(other, "message")]);
  for (const worker of [one, other]) worker.send("begin");
  await ready.promise;
  const forked = once(cluster, "fork");
  one.process.kill("SIGKILL");
  const [late] = (await forked) as [Worker]; // by the documentation of the event
  assert.deepEqual((await once(late, "message"))[0], "starting");
  assert.deepEqual(reports, ["A process ended (SIGKILL); another one is started in 1 s"]);
  const gone = Promise.all([once(other, "exit"), once(late, "exit")]);
  stop();
  assert.deepEqual(await gone, [
    [0, null],
    [null, "SIGTERM"],
  ]);
  assert.equal(await ended, 0);
});

function listWorkers(): readonly Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}
