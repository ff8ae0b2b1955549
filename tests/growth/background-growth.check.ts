import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { sql } from "kysely";
import { rowsLookedAtMax } from "../../packages/server/src/database/looked-rows.ts";
import { createForm, postPlain } from "../../packages/server/src/forms/testing/test-form.ts";
import { measurePlans } from "../../packages/server/src/testing/measured-plans.ts";
import { measureWork, type StatementWork } from "../../packages/server/src/testing/measured-work.ts";
import { exceptOnCluster, testDatabaseKind } from "../../packages/server/src/testing/test-database.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { listGrowing, toFigures } from "../contract/growing-work.ts";
import { addBackgroundRows, addRows, begin, rowMilliseconds } from "../contract/grown-rows.ts";
import { byTimer, filesOfServiceWith, timers } from "./timers.ts";
import { watchIntervals } from "./watched-intervals.ts";

/** `rights/bounded-changes.check.ts` looks at requests; this at all that a service does without one. */

const few = rowsLookedAtMax + 200;
const many = 2 * few;
/** All of it is looked at once, a page at a time, and no page has fewer rows than this. */
const pageRows = 10;
const isOnSqlite = testDatabaseKind === "sqlite";
/** Where it can run on PostgreSQL only. */
const ofPostgres = ["database/shared-clock.ts", "rate-limits/rate-limits.ts"];

const reasons: Readonly<Record<string, string>> = timers;

const takeWork = isOnSqlite ? measureWork() : measurePlans();
const intervals = watchIntervals();

test(
  "no statement in the background looks at more rows when there are more of everything",
  exceptOnCluster,
  async (t) => {
    const service = await createTestService(t, {
      environment: {
        SEALPOST_QUOTAS: "on",
        SEALPOST_SMTP_URL: "smtp://127.0.0.1:9",
        SEALPOST_MAIL_FROM: "forms@example.com",
      },
    });
    const owner = await service.signUp();
    const formId = await createForm(owner, { encryption: false });
    await postPlain(service, formId);
    assertCalled();
    let emptied = 0;
    const before = await measure(1, few);
    const after = await measure(few + 1, many);
    assert.deepEqual(listGrowing(before, after, few / pageRows), []);

    async function measure(from: number, to: number) {
      await addRows(service.database, { accountId: owner.id, formId }, from, to);
      await addBackgroundRows(service.database, { accountId: owner.id, formId }, from, to);
      if (!isOnSqlite) await sql`analyze`.execute(service.database);
      await runAll();
      takeWork();
      // A little of much: the oldest one of the bin.
      const time = begin + ++emptied * rowMilliseconds + 1;
      const path = `/api/forms/${formId}/submissions/bin?confirm=EMPTY_BIN&before=${time}`;
      const { body } = await owner.request("DELETE", path);
      assert.equal(body.deleted.submissionsDeleted, 1, JSON.stringify(body));
      return new Map([["in the background", toFigures(await runAll())]]);
    }
  },
);

/** The timers of this service are those that are called. */
function assertCalled(): void {
  const files = filesOfServiceWith(/\bsetInterval\(/).filter((file) => reasons[file] === byTimer);
  const called = [...intervals].map(({ file }) => file);
  assert.deepEqual(
    files.filter((file) => !called.includes(file) && !(isOnSqlite && ofPostgres.includes(file))),
    [],
  );
  const loops = filesOfServiceWith(/\bcreateLoop\(\{/).filter((file) => reasons[file] === byTimer);
  assert.equal(called.filter((file) => file === "time/loop.ts").length, loops.length, called.join());
}

/** As if the time of each had come, until all of them are done. */
async function runAll(): Promise<readonly StatementWork[]> {
  for (const { callback } of intervals) callback();
  const work: StatementWork[] = [];
  for (let quiet = 0; quiet < 3; ) {
    await wait(200);
    const some = takeWork();
    work.push(...some);
    quiet = some.length === 0 ? quiet + 1 : 0;
  }
  return work;
}
