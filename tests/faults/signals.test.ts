import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { parseConfig } from "../../packages/server/src/config/config.ts";
import { createReport } from "../../packages/server/src/database/failed-rows.ts";
import { createLog } from "../../packages/server/src/http/log.ts";
import { startService } from "../../packages/server/src/service.ts";
import { closeAtEnd, createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { onSqlite } from "../../packages/server/src/testing/test-database.ts";
import { systemClock } from "../../packages/server/src/time/clock.ts";
import { startServiceProcess } from "../support/service-process.ts";

test(
  "SIGHUP, as a closed terminal sends it, lets a request that has begun end, and then ends with 0",
  onSqlite,
  async (t) => {
    const service = await startServiceProcess({ SEALPOST_DATA: createTemporaryFolder(t), SEALPOST_PORT: "0" });
    t.after(() => service.kill());
    const body = '{"email":"nobody@example.com","password":"correct horse battery"}';
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk;
    });
    const lines = [
      "POST /api/auth/sign-in/email HTTP/1.1",
      `Host: ${new URL(service.url).host}`,
      `Origin: ${service.url}`,
      "Content-Type: application/json",
      "Expect: 100-continue",
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    await once(socket, "data");
    const gone = once(service.child, "exit");
    service.child.kill("SIGHUP");
    // It does not listen any more: so it has heard the signal.
    const isStopping = async () =>
      (await fetch(`${service.url}/health/ready`).catch(() => ({ status: 503 }))).status === 503;
    while (!(await isStopping()));
    assert.equal(received, "HTTP/1.1 100 Continue\r\n\r\n", "the request has begun, and waits for its body");
    socket.write(body);
    await once(socket, "end");
    assert.match(received, /\r\n\r\nHTTP\/1\.1 401 [\s\S]*\r\nconnection: close\r\n/i);
    assert.deepEqual(await gone, [0, null]);
  },
);

test("SIGUSR1 opens no debugger, which other users of the machine could use", onSqlite, async (t) => {
  const plain = spawn(process.execPath, ["--inspect-port=0", "-e", "setInterval(() => {}, 1000); console.log('up')"]);
  t.after(() => plain.kill("SIGKILL"));
  await once(plain.stdout, "data");
  plain.kill("SIGUSR1");
  const [said] = await once(plain.stderr, "data");
  assert.match(String(said), /Debugger listening/, "a control: Node.js itself opens one");

  const service = await startServiceProcess({
    ...{ SEALPOST_DATA: createTemporaryFolder(t), SEALPOST_PORT: "0" },
    NODE_OPTIONS: "--inspect-port=0",
  });
  t.after(() => service.kill());
  service.child.kill("SIGUSR1");
  assert.equal((await fetch(`${service.url}/health/live`)).status, 200);
  const gone = once(service.child, "exit");
  service.child.kill("SIGTERM");
  assert.deepEqual(await gone, [0, null]);
  assert.doesNotMatch(service.output(), /Debugger/);
});

test("nobody is sent to a service before it has printed how to make the first account", onSqlite, async (t) => {
  const config = parseConfig({
    ...{ SEALPOST_PORT: "0", SEALPOST_DATA: createTemporaryFolder(t), SEALPOST_LOG_LEVEL: "silent" },
  });
  const service = await startService({ config, clock: systemClock, isAnnounced: false });
  closeAtEnd(t, () => service.stop());
  const ready = async () => (await fetch(`${service.url}/health/ready`)).status;
  assert.equal(await ready(), 503);
  service.announced();
  assert.equal(await ready(), 200);
});

test("what fails while a service starts is logged, although nothing listens yet", onSqlite, () => {
  const lines: string[] = [];
  const log = createLog("error", { write: (line) => void lines.push(line) });
  createReport(log, "secret")(new TypeError("canary"));
  assert.equal(lines.length, 1);
  const { level, name, msg } = JSON.parse(lines[0] ?? "");
  assert.deepEqual([level, name, msg], [50, "TypeError", "secret"]);
  assert.doesNotMatch(lines.join(), /canary/);
});
