import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { startServiceProcess } from "../../../../tests/support/service-process.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onSqlite } from "../testing/test-database.ts";

/** The work of the service's event loop for each signal. */
const preload = `data:text/javascript,${encodeURIComponent(`
  import { execSync } from "node:child_process";
  const spin = (milliseconds) => { for (const end = performance.now() + milliseconds; performance.now() < end; ); };
  process.on("SIGUSR2", function standForEver() { spin(Infinity); });
  process.on("SIGURG", () => setInterval(() => spin(300), 1));
  process.on("SIGWINCH", () => execSync("sleep 60"));
`)}`;

async function start(t: TestContext, limitMilliseconds: number) {
  const environment = {
    SEALPOST_DATA: createTemporaryFolder(t),
    SEALPOST_PORT: "0",
    NODE_OPTIONS: `--import=${preload}`,
  };
  const service = await startServiceProcess(environment, ["--watchdog-milliseconds", String(limitMilliseconds)]);
  t.after(() => service.kill());
  const isLive = async () => {
    const answer = await fetch(`${service.url}/health/live`).catch(() => assert.fail(service.output()));
    return answer.status;
  };
  return { ...service, isLive };
}

test("a service whose event loop stands still ends itself with 3, and says where it stood", onSqlite, async (t) => {
  const { child, isLive, output } = await start(t, 1_000);
  assert.equal(await isLive(), 200);
  const ended = once(child, "exit");
  child.kill("SIGUSR2");
  assert.deepEqual(await ended, [3, null]);
  assert.match(
    output(),
    /has stood still for 1 s and ends itself with 3\s+It was blocked in (.*, in )?spin \(.*, in standForEver \(/,
  );
});

test("a service that is blocked in the system, where nothing interrupts it, is killed", onSqlite, async (t) => {
  const { child } = await start(t, 1_000);
  const ended = once(child, "exit");
  child.kill("SIGWINCH");
  assert.deepEqual(await ended, [null, "SIGKILL"]);
});

test("a busy service, and one that was stopped for longer and continues, are not ended", onSqlite, async (t) => {
  const { child, isLive, output } = await start(t, 2_000);
  child.kill("SIGSTOP");
  // Time itself is what this is about, and a stopped process tells nothing of it.
  await setTimeout(3_000);
  child.kill("SIGCONT");
  assert.equal(await isLive(), 200);
  child.kill("SIGURG");
  // Each waits for the loop to come round, 300 ms later.
  for (let request = 0; request < 8; request++) assert.equal(await isLive(), 200);
  assert.equal(child.exitCode, null);
  assert.doesNotMatch(output(), /stood still/);
});
