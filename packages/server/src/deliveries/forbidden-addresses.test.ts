import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Network } from "../config/config-values.ts";
import { type Authority, createAuthority } from "../webhooks/testing/receiver.ts";
import { createFindTarget } from "../webhooks/webhook-target.ts";
import { createDeliveries } from "./deliveries.ts";
import { describeForbidden, findForbidden, warnOfForbidden } from "./forbidden-addresses.ts";
import { benchSecretBox, createDeliveryBench } from "./testing/delivery-bench.ts";

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

const loopback = { address: "127.0.0.0", bits: 8 };
const resolve = async (name: string) => {
  if (name === "away.example") throw new Error("SERVFAIL");
  return name === "inside.example" ? ["10.1.2.3"] : ["93.184.215.14"];
};

test("a start says which stored webhook addresses the networks of now forbid, by the ids of their forms alone", async (t) => {
  const bench = await createDeliveryBench(t, { authority });
  const urls = ["https://127.0.0.1:8443/secret-path", "https://inside.example/", "https://inside.example/two"];
  const forbidden: string[] = [];
  for (const url of urls) forbidden.push((await bench.createWebhook(url)).formId);
  for (const url of ["https://outside.example/", "https://away.example/", null]) await bench.createWebhook(url);

  async function sayWith(allowNetworks: readonly Network[]): Promise<readonly string[]> {
    const said: string[] = [];
    const log = { warn: (_details: object, message: string) => void said.push(message) };
    await warnOfForbidden(bench.database, createFindTarget(allowNetworks, resolve), log, new AbortController().signal);
    return said;
  }
  const [line = "", ...others] = await sayWith([]);
  assert.deepEqual(others, []);
  assert.deepEqual(line.match(/form_\w+/g), forbidden.toSorted());
  assert.match(line, /SEALPOST_WEBHOOK_ALLOW_NETWORKS/);
  assert.doesNotMatch(line, /inside|127\.|secret-path/);
  assert.deepEqual((await sayWith([loopback]))[0]?.match(/form_\w+/g), forbidden.slice(1).toSorted());
  assert.deepEqual(await sayWith([loopback, { address: "10.0.0.0", bits: 8 }]), []);

  const { database, clock } = bench;
  const deliveries = createDeliveries({
    ...{ database, clock, timeOfDay: clock, secretBox: benchSecretBox, allowNetworks: [loopback], resolve },
    ...{ logDays: 30, mayDeleteOld: async () => true },
  });
  const said = Promise.withResolvers<string>();
  await deliveries.start({ error: () => {}, warn: (_details, message) => said.resolve(message) });
  assert.deepEqual((await said.promise).match(/form_\w+/g), forbidden.slice(1).toSorted());
  await deliveries.stop();
});

test("each host is asked for once, and of many forms ten are named", async () => {
  const asked: string[] = [];
  const findTarget = createFindTarget([], async (name) => {
    asked.push(name);
    return resolve(name);
  });
  const addresses = Array.from({ length: 30 }, (_, index) => ({
    formId: `form_${String(index).padStart(2, "0")}` as const,
    url: `https://inside.example/${index}`,
  }));
  const forbidden = await findForbidden(addresses.toReversed(), findTarget, new AbortController().signal);
  assert.deepEqual(asked, ["inside.example"]);
  assert.match(describeForbidden(forbidden), /form_00, .*form_09 and 20 more\. /);
});
