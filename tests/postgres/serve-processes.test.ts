import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import type { ServiceProcess } from "../support/service-process.ts";
import { signUpForToken } from "../support/sign-up.ts";
import { createCluster, createPlainForm, post } from "./processes.ts";

test("serve --processes: several on one port, one that dies is replaced, and SIGTERM ends them all", async (t) => {
  const cluster = await createCluster(t);
  const service = await cluster.start(["--processes", "2"]);
  const form = await createPlainForm(service, await signUpForToken(service));
  // Each on a connection of its own: an earlier one may lead to the process that has ended.
  const accept = async () => assert.equal((await post(service, form, {}, { connection: "close" })).status, 201);
  await Promise.all(Array.from({ length: 20 }, accept));
  await endOne(service);
  await Promise.all(Array.from({ length: 20 }, accept));
  const gone = once(service.child, "exit");
  service.child.kill("SIGTERM");
  assert.deepEqual(await gone, [0, null]);
  await assert.rejects(fetch(`${service.url}/health/live`));
  assert.equal((await cluster.database.selectFrom("submission").select("id").execute()).length, 40);
});

/** Kills one of the processes, and waits until the service has noticed. */
async function endOne(service: ServiceProcess): Promise<void> {
  const replaced = once(service.child.stderr ?? service.child, "data");
  const [pid] = findChildren(service);
  assert.ok(pid !== undefined);
  process.kill(pid, "SIGKILL");
  assert.match(String((await replaced)[0]), /^A process ended \(SIGKILL\); another one is started in 1 s\n$/);
}

/** The processes that a service has started. */
function findChildren({ child }: ServiceProcess): readonly number[] {
  const list = execFileSync("ps", ["-o", "pid=", "--ppid", String(child.pid)], { encoding: "utf8" });
  return list.trim().split(/\s+/).map(Number);
}
