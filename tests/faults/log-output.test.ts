import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { findFreePort } from "../../packages/server/src/testing/postgres-server.ts";
import { serverProgram } from "../../packages/server/src/testing/server-program.ts";
import { closeAtEnd } from "../../packages/server/src/testing/temporary-folder.ts";
import { onSqlite } from "../../packages/server/src/testing/test-database.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";

const token = "a-token-of-more-than-20-characters";

/** A data folder with an API key, whose requests have a line each. */
async function createFolder(t: TestContext) {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body;
  await service.stop();
  return { folder: service.folder, key: String(key.key) };
}

/** A service whose two outputs go where a test says. */
async function start(t: TestContext, output: "pipe" | number) {
  const { folder, key } = await createFolder(t);
  const port = await findFreePort();
  const child = spawn(process.execPath, [...serverProgram, "serve"], {
    env: {
      SEALPOST_DATA: folder,
      SEALPOST_PORT: String(port),
      SEALPOST_METRICS_TOKEN: token,
      SEALPOST_API_RATE: "0",
    },
    stdio: ["ignore", output, output],
  });
  closeAtEnd(t, () => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  const request = async (path: string, bearer = token) => {
    const headers = { authorization: `Bearer ${bearer}` };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    return { status: answer.status, text: await answer.text() };
  };
  // It can't say when it is ready.
  for (let left = 400; ; left--) {
    const answer = await request("/health/ready").catch(() => undefined);
    if (answer?.status === 200) break;
    assert.ok(left > 0 && child.exitCode === null, `it ended with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { child, ended, request, listForms: () => request("/api/forms", key) };
}

function countDropped(metrics: string): number {
  return Number(/^sealpost_log_lines_dropped_total (\d+)$/m.exec(metrics)?.[1]);
}

test("a service whose log disk is full serves, counts the lines that are missing, and obeys SIGTERM", {
  skip: onSqlite.skip || (!existsSync("/dev/full") && "needs /dev/full"),
}, async (t) => {
  const { child, ended, request, listForms } = await start(t, openSync("/dev/full", "w"));
  const before = countDropped((await request("/metrics")).text);
  for (let count = 0; count < 20; count++) assert.equal((await listForms()).status, 200);
  assert.ok(countDropped((await request("/metrics")).text) >= before + 20);
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
});

test("a service whose log nobody reads serves, and obeys SIGTERM", onSqlite, async (t) => {
  const { child, ended, listForms } = await start(t, "pipe");
  // More than the system keeps of a pipe.
  for (let count = 0; count < 3_000; count += 20)
    for (const { status } of await Promise.all(Array.from({ length: 20 }, listForms))) assert.equal(status, 200);
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
});
