import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createId } from "@sealpost/wire";
import { sql } from "kysely";
import { createForm } from "../forms/testing/test-form.ts";
import { Problem } from "../problems/problem.ts";
import { insertSubmissions } from "../testing/insert-submissions.ts";
import { measureTurns } from "../testing/measured-turns.ts";
import { onSqlite } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import type { RunPage } from "../time/page-turns.ts";
import { createPageTurns } from "./page-turns.ts";
import { createOpenAnswer } from "./testing/open-answer.ts";

const sources = new URL("../", import.meta.url).pathname;

/** Files whose loops read or write page after page without a turn, and why nobody waits for them. */
const withoutTurns: Readonly<Record<string, string>> = {
  "account-life/account-export.ts": "writes the items of lists whose pages have turns",
  "account-life/account-life-administration.ts": "a command, in a process of its own",
  "accounts/account-administration.ts": "a command, in a process of its own",
  "backup/backup-store.ts": "a command, in a process of its own",
  "copy/copy-store.ts": "a command, in a process of its own",
  "copy/copy.ts": "a command, in a process of its own",
  "database/workers.ts": "repeats what failed because a server of a cluster was lost",
  "deliveries/delivery-worker.ts": "waits for what it sends, between two claims",
  "mail/mail-worker.ts": "waits for what it sends, between two claims",
  "operators/organization-administration.ts": "a command, in a process of its own",
  "operators/sealed-value-store.ts": "a command, in a process of its own",
  "operators/secret-administration.ts": "a command, in a process of its own",
  "quotas/kept-measures.ts": "waits for what others measure",
  "time/loop.ts": "runs what was asked for meanwhile",
};

/** Calls that give a turn: that of a line, or one of the event loop alone, in the background. */
const turn = /\brunPage\(|\bsetImmediate\(|\bnextTurn\w*\(|\bwaitUnlessStopped\(/;

/** Heads of loops that end with their data, and of generators. */
const loop = /\bfor \(;;\)|\bwhile \(|\bdo \{|\bfor \(let [^;]*; ; \)|\bfor \(let batch|\basync function\*|\basync \*/;

test("whatever works page after page has turns, or says why it needs none", () => {
  const found = globSync("**/*.ts", { cwd: sources }).filter((file) => {
    if (/\.test\.ts$|(^|\/)testing\//.test(file)) return false;
    const lines = readFileSync(`${sources}${file}`, "utf8").split("\n");
    return lines.some((line, at) => {
      const body = bodyOf(lines, at);
      return loop.test(line) && /\bawait\b/.test(body) && !turn.test(body);
    });
  });
  assert.deepEqual(found.toSorted(), Object.keys(withoutTurns).toSorted());
});

/** The lines from this one to the end of what it opens, by their indentation. */
function bodyOf(lines: readonly string[], start: number): string {
  const depth = depthOf(lines[start] ?? "");
  const end = lines.findIndex((line, at) => at > start && line !== "" && depthOf(line) <= depth);
  return lines.slice(start, end).join("\n");
}

const depthOf = (line: string) => line.length - line.trimStart().length;

/** Two pages: one of the turn before may end in this one. */
const rowsOfOneTurnMax = 2 * 500;
const forms = 4;
const rowsOfForm = 3000;

test(
  "exports of one organization, however many at once, leave everybody a turn after each page",
  onSqlite,
  async (t) => {
    const { account, formIds } = await fillForms(t);
    const bodies: string[] = [];
    const work = () =>
      Promise.all(
        formIds.flatMap((formId) =>
          [1, 2].map(async () => {
            const { status, body } = await account.request("GET", `/api/forms/${formId}/submissions/export`);
            assert.equal(status, 200);
            bodies.push(body);
          }),
        ),
      );
    const most = await measureTurns(work);
    assert.ok(most <= rowsOfOneTurnMax, `${most} rows in one turn`);
    for (const body of bodies) {
      const places = body
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line).payload.fields.place);
      assert.deepEqual(
        places,
        Array.from({ length: rowsOfForm }, (_, place) => place),
        "complete, and in order",
      );
    }
  },
);

test(
  "moving all to the bin and back by several at once leaves everybody a turn after each page",
  onSqlite,
  async (t) => {
    const { account, formIds } = await fillForms(t);
    const all = (path: string, body: object) =>
      Promise.all(
        formIds.map(async (formId) => {
          const answer = await account.request("POST", `/api/forms/${formId}/submissions/bin${path}`, body);
          assert.equal(answer.status, 200);
          return answer.body;
        }),
      );
    // Each row is found, changed, and counted; and there are events and entries of the log.
    const most = await measureTurns(async () => {
      for (const { binned } of await all("", { before: 1e12 })) assert.equal(binned.submissionsBinned, rowsOfForm);
      for (const { restored } of await all("/restore", { all: true }))
        assert.equal(restored.submissionsRestored, rowsOfForm);
    });
    assert.ok(most <= 4 * rowsOfOneTurnMax, `${most} rows in one turn`);
  },
);

test(
  "a long signed list that several keys read at once leaves everybody a turn after each page",
  onSqlite,
  async (t) => {
    const service = await createTestService(t);
    const account = await service.signUp();
    const entries = 4096;
    await sql`with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${entries})
    insert into list_entry (organization_id, number, hash, member_id, signer_id, list_bytes, added_at, entry)
    select ${account.id}, number, 'hash', 'acc', 'acc', number * 2, 0, 'a' || char(10) from numbers`.execute(
      service.database,
    );
    const most = await measureTurns(async () => {
      const answers = await Promise.all([1, 2, 3, 4].map(() => account.request("GET", "/api/member-list")));
      for (const { body } of answers) assert.equal(body, "a\n".repeat(entries));
    });
    assert.ok(most <= rowsOfOneTurnMax, `${most} rows in one turn`);
  },
);

async function fillForms(t: TestContext) {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formIds = [];
  for (let form = 0; form < forms; form++) {
    const formId = await createForm(account, { encryption: false, binDays: 30 });
    formIds.push(formId);
    for (let start = 0; start < rowsOfForm; start += 500) {
      const batch = Array.from({ length: 500 }, (_, index) => ({
        ...{ formId, id: createId("submission"), keyVersion: 1, timestamp: 0, receivedAt: start + index },
        payload: { version: "plain1" as const, fields: { place: start + index } },
      }));
      await insertSubmissions(service.database, batch);
    }
  }
  return { account, formIds };
}

const isPutOff = (error: unknown) => error instanceof Problem && error.status === 503;

/** Where the works of a person can be while they are under way, but for the pages that they wait for. */
const places = {
  "have yet to ask for a page": async () => {},
  "wait for their client": (runPage: RunPage) => runPage(async () => {}),
};

for (const [place, work] of Object.entries(places))
  test(`a person has 32 works under way at most, which ${place}; each is over with its answer`, async () => {
    const turns = createPageTurns();
    const begin = async (personId: string, isClosed = false) => {
      const answer = createOpenAnswer();
      if (isClosed) answer.close();
      await work(turns.begin({ accountId: "clinic", personId }, answer));
      return answer;
    };
    const answers = [];
    for (let count = 0; count < 32; count++) answers.push(await begin("reader"));
    await assert.rejects(begin("reader"), isPutOff);
    await begin("owner");
    answers[7]?.close();
    await begin("reader");
    await assert.rejects(begin("reader"), isPutOff);
    answers[8]?.close();
    for (let count = 0; count < 40; count++) await begin("reader", true);
    await begin("reader");
  });

for (const [clients, closesAt] of [
  ["are there", "end"],
  ["go away while it waits", "page"],
  ["were gone before", "start"],
] as const)
  test(`a person has 32 works under way at most, which wait for their turn or have it, and whose clients ${clients}`, async () => {
    const turns = createPageTurns();
    const ends: (() => void)[] = [];
    const pages = 2;
    const begin = () => {
      const answer = createOpenAnswer();
      if (closesAt === "start") answer.close();
      const runPage = turns.begin({ accountId: "clinic", personId: "reader" }, answer);
      const work = (async () => {
        for (let page = 0; page < pages; page++) await runPage(() => new Promise<void>((end) => ends.push(end)));
        answer.close();
      })();
      if (closesAt === "page") answer.close();
      return work;
    };
    const works = Array.from({ length: 32 }, begin);
    assert.throws(begin, isPutOff);
    // The first page of each, and all last ones but one's: people's works take turns.
    for (let page = 0; page < 32; page++) await endPage();
    assert.throws(begin, isPutOff);
    await endPage();
    await works[0];
    works.push(begin());
    assert.throws(begin, isPutOff);
    while (ends.length > 0) await endPage();
    await Promise.all(works);
    assert.doesNotThrow(() => Array.from({ length: 32 }, begin), "all places are free again");
    assert.throws(begin, isPutOff);

    async function endPage() {
      ends.shift()?.();
      for (let turn = 0; turn < 3; turn++) await nextTurn();
    }
  });
