import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { runCommand } from "../testing/run-command.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onEither } from "../testing/test-database.ts";
import { explainListenFailure } from "./listen-failure.ts";

test("a port that is taken ends the start with one sentence that says what to do", onEither, async (t) => {
  const other = createServer().listen(0, "127.0.0.1");
  t.after(() => other.close());
  await once(other, "listening");
  const { port } = other.address() as AddressInfo; // it listens on TCP
  const environment = { SEALPOST_DATA: createTemporaryFolder(t), SEALPOST_PORT: String(port) };
  const { code, stderr } = await runCommand(["serve"], { ...environment, SEALPOST_LOG_LEVEL: "silent" });
  const wanted = `Port ${port} of 127.0.0.1 is in use: end the program that has it, or name another port with SEALPOST_PORT\n`;
  assert.deepEqual([code, stderr], [1, wanted]);
});

test("an address of another machine, and a name that has none, get their own messages", async () => {
  for (const [host, pattern] of [
    ["192.0.2.1", /^This machine has no address 192\.0\.2\.1: name .+ SEALPOST_HOST$/],
    ["name.invalid", /^There is no address for the host name\.invalid: name .+ SEALPOST_HOST$/],
  ] as const) {
    const server = createServer().listen(0, host);
    const [error]: unknown[] = await once(server, "error");
    const explained = explainListenFailure(error, { host, port: 0 });
    assert.ok(explained instanceof Error);
    assert.match(explained.message, pattern);
  }
});

test("a forbidden port has its own message, and any other error is unchanged", () => {
  const at = { host: "127.0.0.1", port: 80 };
  const refused = Object.assign(new Error("bind EACCES"), { code: "EACCES", syscall: "bind" });
  assert.match(String(explainListenFailure(refused, at)), /This user may not open port 80: .+ SEALPOST_PORT/);
  const elsewhere = { code: "ENOTFOUND", syscall: "getaddrinfo", hostname: "database.invalid" };
  for (const error of [
    Object.assign(new Error("connect"), { code: "ECONNREFUSED", syscall: "connect" }),
    Object.assign(new Error("lookup"), elsewhere),
    "text",
  ])
    assert.equal(explainListenFailure(error, at), error);
});
