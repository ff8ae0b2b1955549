import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { rowsLookedAtMax } from "../../packages/server/src/database/looked-rows.ts";
import { createForm, postPlain } from "../../packages/server/src/forms/testing/test-form.ts";
import { measurePlans } from "../../packages/server/src/testing/measured-plans.ts";
import { measureWork, type StatementWork } from "../../packages/server/src/testing/measured-work.ts";
import { exceptOnCluster, testDatabaseKind } from "../../packages/server/src/testing/test-database.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { listGrowing, toFigures } from "../contract/growing-work.ts";
import { addBackgroundRows, addRows, begin, rowMilliseconds } from "../contract/grown-rows.ts";
import { watchIntervals } from "./watched-intervals.ts";

/** `rights/bounded-changes.check.ts` looks at requests; this at all that a service does without one. */

const few = rowsLookedAtMax + 200;
const many = 2 * few;
/** All of it is looked at once, a page at a time, and no page has fewer rows than this. */
const pageRows = 10;
const isOnSqlite = testDatabaseKind === "sqlite";
const byTimer = "its timer is called here";

/** Every file that has something done later, with how that comes into this check, or why it sends no statement that could grow. */
const timers: Readonly<Record<string, string>> = {
  "audit-log/counted-actions.ts": byTimer,
  "authentication/standing.ts": "while a long answer is sent: what each request asks as well",
  "database/background-worker.ts": "the steps of one version, each of which bounds itself",
  "database/host-watch.ts": "asks a host which it is, and no table",
  "database/hosts.ts": "forgets in memory",
  "database/notifications.ts": "asks a connection whether it is there",
  "database/shared-clock.ts": byTimer,
  "deliveries/delivery-retention.ts": byTimer,
  "deliveries/delivery-worker.ts": "looks each second, here too",
  "deliveries/webhook-test-line.ts": "ends waiting in a line",
  "http/connections.ts": "ends a connection",
  "http/summed-lines.ts": "writes the log",
  "http/unfinished-bodies.ts": byTimer,
  "mail/mail-client.ts": "ends a connection",
  "mail/mail-worker.ts": byTimer,
  "metrics/process-metrics.ts": "ends waiting for other processes",
  "operators/secret-watch.ts": byTimer,
  "output/output.ts": "ends waiting for the output",
  "rate-limits/rate-limits.ts": byTimer,
  "rate-limits/transaction-places.ts": "ends waiting for a place",
  "retention/purge-worker.ts": byTimer,
  "serve/processes.ts": "starts a process",
  "service.ts": "ends waiting for a load balancer",
  "startup/accounts.ts": byTimer,
  "submissions/ingest.ts": "begins a commit of other forms, as submissions do",
  "submissions/strip-thread.ts": "ends a thread",
  "time/loop.ts": "the timer of the loops of the others",
  "watchdog/watchdog-thread-entry.ts": "ends a process",
  "watchdog/watchdog.ts": "tells its thread that the process runs",
  "webhooks/webhook-client.ts": "ends a request",
};
/** Where it can run on PostgreSQL only. */
const ofPostgres = ["database/shared-clock.ts", "rate-limits/rate-limits.ts"];

const folder = fileURLToPath(new URL("../../packages/server/src/", import.meta.url));
const sources = globSync("**/*.ts", { cwd: folder, exclude: (name) => /testing$|\.test\.ts$/.test(name) });
const filesWith = (words: RegExp) =>
  sources.filter((file) => words.test(readFileSync(`${folder}${file}`, "utf8"))).toSorted();

const takeWork = isOnSqlite ? measureWork() : measurePlans();
const intervals = watchIntervals();

test("every file of the service that has something done later says how it comes into this check", () => {
  const files = filesWith(/\b(?:setInterval|setTimeout|createLoop)\(/);
  assert.deepEqual(files, Object.keys(timers));
});

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
  const files = filesWith(/\bsetInterval\(/).filter((file) => timers[file] === byTimer);
  const called = [...intervals].map(({ file }) => file);
  assert.deepEqual(
    files.filter((file) => !called.includes(file) && !(isOnSqlite && ofPostgres.includes(file))),
    [],
  );
  const loops = filesWith(/\bcreateLoop\(\{/).filter((file) => timers[file] === byTimer);
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
