import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { openMigratedDatabase } from "../database/testing/migrated-database.ts";
import { measurePlans } from "./measured-plans.ts";
import { measureWork } from "./measured-work.ts";
import { ofRequests, watchRequestStatements } from "./request-statements.ts";
import { exceptOnCluster, testDatabaseKind } from "./test-database.ts";

test(
  "a statement counts for a request as often as the request sends it, however often a loop and a former request send the same",
  exceptOnCluster,
  async (t) => {
    const takeWork = testDatabaseKind === "sqlite" ? measureWork() : measurePlans();
    const takeRuns = watchRequestStatements();
    const database = await openMigratedDatabase(t);
    const ask = () => database.selectFrom("instance").select("value").where("key", "=", "setting").execute();
    const arrived = Promise.withResolvers<void>();
    const former = Promise.withResolvers<void>();
    const looped = Promise.withResolvers<void>();
    let lastWork: Promise<unknown> = Promise.resolve();
    const server = createServer(async ({ url }, response) => {
      if (url === "/former") lastWork = former.promise.then(ask);
      else {
        arrived.resolve();
        await ask();
        await looped.promise;
        await ask();
      }
      response.end();
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    t.after(() => server.close());
    const request = async (path: string) =>
      (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)).text(); // it listens
    await request("/former");
    takeWork();
    takeRuns();
    const answered = request("/");
    await arrived.promise;
    former.resolve();
    await lastWork;
    for (let run = 0; run < 50; run++) await ask();
    looped.resolve();
    await answered;
    const work = takeWork().filter(({ text }) => text.includes(`from "instance"`));
    assert.deepEqual(
      work.map(({ runs }) => runs),
      [53],
      "the control: all of them ran",
    );
    const own = ofRequests(work, takeRuns());
    assert.deepEqual(
      own.map(({ runs }) => runs),
      [2],
    );
    assert.equal(takeRuns().size, 0);
  },
);
