import assert from "node:assert/strict";
import { test } from "node:test";
import { parseConfig } from "../../packages/server/src/config/config.ts";
import { examine } from "../../packages/server/src/doctor/doctor.ts";
import { onServer } from "../../packages/server/src/testing/on-server.ts";
import type { PostgresServer } from "../../packages/server/src/testing/postgres-server.ts";
import { systemClock } from "../../packages/server/src/time/clock.ts";
import { startServiceProcess } from "../support/service-process.ts";
import { environmentOf, startOutageLoad, startPair, startWithForm } from "./failover.ts";

test("hosts that disagree: the start refuses and changes nothing, and a service stays with the one it wrote to", async (t) => {
  const pair = await startPair(t, { isSynchronous: false });
  const environment = environmentOf(t, pair);
  const [first, second] = [pair.primary(), pair.standby()];
  const nameOf = ({ port }: PostgresServer) => `127.0.0.1:${port}`;

  const onlyStandby = { ...environment, SEALPOST_DATABASE_URL: `${second.url}?target_session_attrs=primary` };
  await assert.rejects(
    startServiceProcess(onlyStandby),
    new RegExp(`cannot be written to: ${nameOf(second)} is a standby`),
  );
  const { service, form } = await startWithForm(t, environment);
  const load = startOutageLoad(form, service);
  await load.acceptedMore(20);

  await pair.promote();
  const twoPrimaries = new RegExp(`accept writes, .*${nameOf(first)} and ${nameOf(second)}`);
  await assert.rejects(startServiceProcess(environment), twoPrimaries);
  const findings = await examine({ config: parseConfig(environment), clock: systemClock, webhook: undefined });
  assert.match(findings.find(({ level }) => level === "problem")?.message ?? "", twoPrimaries);
  const isThere = (id: string) => (server: PostgresServer) =>
    onServer(server, async (client) => (await client.query("select 1 from submission where id = $1", [id])).rowCount);
  await load.acceptedMore(20);
  const latest = isThere([...load.accepted].at(-1) ?? "");
  assert.deepEqual([await latest(first), await latest(second)], [1, 0]);

  // The one that it wrote to is gone: the other one is the only one now, and stays so when the first comes back.
  await first.kill();
  await load.acceptedMore(20);
  await first.start();
  await load.acceptedMore(20);
  await second.kill();
  // Answers to what it has stored were on their way.
  await load.refusedMore(50);
  const before = load.accepted.size;
  await load.refusedMore(100);
  assert.equal(load.accepted.size, before, "the old primary is not asked again");
  await load.stop();
});
