import assert from "node:assert/strict";
import { test } from "node:test";
import Fastify from "fastify";
import { createLog } from "../http/log.ts";
import { warnOfUnreadableAddresses } from "./unreadable-addresses.ts";

test("a proxy that names clients by something else than an address is warned of once, without what it wrote", async () => {
  const lines: string[] = [];
  const app = Fastify({
    loggerInstance: createLog("warn", { write: (line: string) => void lines.push(line) }),
    trustProxy: ["127.0.0.1/32"],
  });
  warnOfUnreadableAddresses(app);
  app.get("/", async () => "");
  const ask = (address: string) => app.inject({ url: "/", headers: { "x-forwarded-for": address } });
  for (const address of ["203.0.113.7", "203.0.113.7:4001", "[2001:db8::1]:4001", "fe80::1%eth0"]) await ask(address);
  assert.deepEqual(lines, []);
  for (const address of ["_hidden", "unknown", "_hidden"]) await ask(address);
  await app.close();
  assert.equal(lines.length, 1);
  assert.match(lines.join(), /X-Forwarded-For/);
  assert.doesNotMatch(lines.join(), /_hidden/);
});
