import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createId } from "@sealpost/wire";
import { sql } from "kysely";
import { permissions } from "../../packages/server/src/access/permission.ts";
import { rowsLookedAtMax } from "../../packages/server/src/database/looked-rows.ts";
import { createOperator } from "../../packages/server/src/operators/testing/test-operator.ts";
import { foldAll } from "../../packages/server/src/quotas/testing/fold-all.ts";
import { measurePlans } from "../../packages/server/src/testing/measured-plans.ts";
import { measureWork } from "../../packages/server/src/testing/measured-work.ts";
import { ofRequests, watchRequestStatements } from "../../packages/server/src/testing/request-statements.ts";
import { exceptOnCluster, testDatabaseKind } from "../../packages/server/src/testing/test-database.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { type Figures, listGrowing, toFigures } from "./growing-work.ts";
import { addRows, begin, marks, rowMilliseconds } from "./grown-rows.ts";
import { createOperationCalls, permissionsOf } from "./operation-calls.ts";
import { listDocumentOperations, listRoutes, type Operation } from "./operations.ts";

/**
 * On SQLite a statement runs on the thread that serves everybody: a request that makes one look at many rows stops all others
 * (docs/decisions/0063-bounded-lists.md). On PostgreSQL it takes a connection from them. Every operation of the OpenAPI document that reads is in here by itself, with each filter
 * that it has and pairs of them, and so are all pages; `tests/rights/bounded-changes.check.ts` has those that change something.
 */
const rowsBefore = 2.5 * rowsLookedAtMax;
const rowsAfter = 4.5 * rowsLookedAtMax;
const middle = begin + (rowsLookedAtMax / 4) * rowMilliseconds;
const late = begin + 2.2 * rowsLookedAtMax * rowMilliseconds;

/** Values of each parameter: one that half of the rows have, one that the other half has, and one that none has. */
const values: Readonly<Record<string, readonly (string | number)[]>> = {
  action: [...marks.action, "form.deleted"],
  kind: ["form", "webhook_secret", "member"],
  person: [...marks.person, "acc_01h2xcejqtf2nbrexx3vqjhp43"],
  target: [...marks.target, "form_01h2xcejqtf2nbrexx3vqjhp43"],
  actor: [...marks.actor, "session-3"],
  from: [middle, begin * 2],
  to: [middle, 0],
  status: ["success", "failed"],
  submissionId: ["sub_00000000000000000000000007", createId("submission")],
  search: ["person", "nobody has this name"],
  sort: ["newest", "name", "storage", "address"],
  period: ["year"],
  revision: [1],
};
/** They say where a page begins, not what is on it. */
const paging = ["limit", "cursor", "after"];

function listQueries(parameters: readonly string[]): readonly string[] {
  const filters = parameters.filter((name) => !paging.includes(name));
  const valuesOf = (name: string) => (values[name] ?? []).map((value) => `${name}=${value}`);
  const single = filters.flatMap(valuesOf);
  // One that half of the rows have with one that the other half has.
  const pairs = filters.flatMap((one, index) =>
    filters.slice(index + 1).flatMap((other) => [`${valuesOf(one)[0]}&${valuesOf(other)[1] ?? valuesOf(other)[0]}`]),
  );
  const limit = parameters.includes("limit") ? "limit=5" : "";
  return ["", ...single, ...pairs].map((filter) => [limit, filter].filter(Boolean).join("&"));
}

const isOnSqlite = testDatabaseKind === "sqlite";
const takeWork = isOnSqlite ? measureWork() : measurePlans();
const takeRuns = watchRequestStatements();
const service = await createTestService(
  { after },
  { environment: { SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8", SEALPOST_SIGNUP: "open" } },
);
const operator = await createOperator(service);
const operations = listDocumentOperations(service.app.swagger());
const calls = createOperationCalls(service);
const reading = operations.filter(({ method }) => method === "GET");
const [any] = reading;
assert.ok(any !== undefined);
const ids = await calls.createIds(operator, { ...any, path: "{key_id}{delivery_id}{member_id}{invitation_id}" });
const { form_id: formId } = ids;
await add(1, rowsBefore);

test(
  "each operation looks at as many rows as before when there are more, whatever it filters",
  exceptOnCluster,
  async () => {
    const { value: key } = await calls.createKey(operator, permissions);
    const asked = reading.flatMap((operation) => {
      const { path } = calls.prepare(operation, ids);
      const byKey = permissionsOf(operation).length > 0 ? [{ token: key, path }] : [];
      // An export has all rows, in as many statements: twice is enough.
      const queries = listQueries(parametersOf(operation)).slice(0, path.endsWith("/export") ? 2 : undefined);
      const byPerson = queries.map((query) => ({
        token: operator.token,
        path: query === "" ? path : `${path}?${query}`,
      }));
      return [...byPerson, ...byKey];
    });
    const few = await measureAll(asked);
    await add(rowsBefore + 1, rowsAfter);
    const many = await measureAll(asked);
    assert.deepEqual(listGrowing(few, isOnSqlite ? many : withoutSmall(many)), []);
  },
);

/** PostgreSQL may read as much as a page looks at where it reads less of fewer rows; and operators alone ask it for counts of everything. */
function withoutSmall(figures: Figures): Figures {
  const large = (statements: ReadonlyMap<string, number>) =>
    new Map([...statements].filter(([, rows]) => rows > rowsLookedAtMax));
  const asked = [...figures].filter(([name]) => !name.startsWith("/api/instance by"));
  return new Map(asked.map(([name, statements]) => [name, large(statements)]));
}

const { database } = service;
/** Lists whose pages end after the rows that they look at, with what finds the same without pages. */
const followed: Readonly<Record<string, () => Promise<readonly { readonly id: string }[]>>> = {
  [`/api/audit-log?action=${marks.action[0]}&person=${marks.person[1]}`]: async () => [],
  [`/api/audit-log?kind=form&actor=${marks.actor[0]}&from=${middle}&to=${late}`]: () =>
    database
      .selectFrom("audit_entry")
      .select("id")
      .where("account_id", "=", operator.id)
      .where("actor_id", "=", marks.actor[0])
      .where("occurred_at", ">=", middle)
      .where("occurred_at", "<=", late)
      .orderBy("occurred_at", "desc")
      .execute(),
  [`/api/audit-log?target=${marks.target[0]}&kind=member`]: async () => [],
  [`/api/forms/${formId}/webhook/logs?status=success`]: () =>
    database
      .selectFrom("delivery")
      .select("id")
      .where("form_id", "=", formId)
      .where("state", "=", "delivered")
      .orderBy("created_at", "desc")
      .execute(),
  [`/api/forms/${formId}/submissions/bin?to=${middle}`]: () =>
    database
      .selectFrom("submission_bin")
      .select("id")
      .where("form_id", "=", formId)
      .where("received_at", "<=", middle)
      .orderBy("binned_at", "desc")
      .execute(),
};
for (const [path, find] of Object.entries(followed))
  test(`a client that follows the cursor of ${path.replace(formId, "…")} gets each once, in order, past pages with none`, async () => {
    const found: string[] = [];
    const lengths: number[] = [];
    let total: number | undefined;
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { status, body } = await operator.request("GET", `${path}&limit=100${cursor && `&cursor=${cursor}`}`);
      assert.equal(status, 200, JSON.stringify(body));
      const items: readonly { readonly id: string }[] = body.entries ?? body.logs ?? body.submissions;
      found.push(...items.map(({ id }) => id));
      lengths.push(items.length);
      total = body.total;
      cursor = body.nextCursor;
    }
    const expected = (await find()).map(({ id }) => id);
    assert.deepEqual(found, expected);
    assert.ok(lengths.includes(0) || expected.length > rowsLookedAtMax / 2, `no page ended early: ${lengths}`);
    if (total !== undefined) assert.equal(total, expected.length);
  });

async function add(from: number, to: number): Promise<void> {
  await addRows(service.database, { accountId: operator.id, formId }, from, to);
  // As in the background.
  await foldAll(service.database);
  // PostgreSQL plans by what it knows of its tables, and finds out by itself only after a while.
  if (!isOnSqlite) await sql`analyze`.execute(service.database);
}

interface Asked {
  readonly token: string;
  readonly path: string;
}

/** Pages and files, which anybody opens as often as they like: every route that reads and is not in the document, by a browser of nobody. */
const opened = listRoutes(service.app)
  .filter((route) => route.startsWith("GET ") && !reading.some(({ path }) => route === `GET ${path}`))
  .map((route) =>
    route
      .slice("GET ".length)
      .replaceAll(/\{(\w+)\}/g, (_text, name) => Object.entries(ids).find(([id]) => id === name)?.[1] ?? "unknown"),
  );
assert.ok(opened.includes("/sign-in") && opened.length > 20, opened.join());

async function measureAll(asked: readonly Asked[]): Promise<Figures> {
  const figures = new Map(await measure(asked));
  for (const path of [...opened, "/nowhere"]) {
    takeWork();
    takeRuns();
    await (await fetch(`${service.url}${path}`, { headers: { accept: "text/html" }, redirect: "manual" })).text();
    figures.set(`${path} by nobody`, toFigures(ofRequests(takeWork(), takeRuns())));
  }
  return figures;
}

/** The work of each statement of each request. */
async function measure(asked: readonly Asked[]): Promise<Figures> {
  const figures = new Map<string, ReadonlyMap<string, number>>();
  for (const { token, path } of asked) {
    takeWork();
    takeRuns();
    await service.request("GET", path, { token });
    const name = `${path} by ${token === operator.token ? "a session" : "an API key"}`;
    figures.set(name, toFigures(ofRequests(takeWork(), takeRuns())));
  }
  return figures;
}

function parametersOf({ path }: Operation): readonly string[] {
  const document = service.app.swagger() as {
    paths: Record<string, { get?: { parameters?: readonly { in: string; name: string }[] } }>;
  }; // the shape of OpenAPI 3.1
  return (document.paths[path]?.get?.parameters ?? []).filter((one) => one.in === "query").map(({ name }) => name);
}
