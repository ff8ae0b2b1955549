import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { roles } from "../../packages/server/src/access/roles.ts";
import { rowsLookedAtMax } from "../../packages/server/src/database/looked-rows.ts";
import { foldAll } from "../../packages/server/src/quotas/testing/fold-all.ts";
import { measurePlans } from "../../packages/server/src/testing/measured-plans.ts";
import { measureWork } from "../../packages/server/src/testing/measured-work.ts";
import { ofRequests, watchRequestStatements } from "../../packages/server/src/testing/request-statements.ts";
import { exceptOnCluster, testDatabaseKind } from "../../packages/server/src/testing/test-database.ts";
import { type Figures, listGrowing, toFigures } from "../contract/growing-work.ts";
import { addAccountRows, addFormRows } from "../contract/grown-rows.ts";
import type { Ids } from "../contract/operation-calls.ts";
import { listDocumentOperations, type Operation } from "../contract/operations.ts";
import { isEveryWay } from "../support/sample.ts";
import { createActor } from "./revocations.ts";
import { openRights, prepare, sendWhole } from "./rights.ts";

/** `tests/contract/bounded-work.test.ts` looks at every operation that reads; these are all that change something. */

/** More than one statement may look at. */
const few = rowsLookedAtMax + 200;
const many = 2 * few;
const isOnSqlite = testDatabaseKind === "sqlite";
/** A person among the rows. */
const someone = `acc_${"7".padStart(26, "0")}`;
/** Last what the other requests need. */
const endings = ["setRecoveryRule", "setSecondFactorRule", "leaveOrganization", "deleteAccount", "deleteOrganization"];
const isLast = ({ operationId, access }: Operation) => endings.includes(operationId) || access === "operator";
type Change = readonly [method: string, path: string, body?: object];
/** Who sends each request after the one with every right: what is asked of one role alone is looked for too, before it is refused. */
interface Other {
  readonly name: string;
  readonly id: string;
  readonly authorization: string;
}
/** Changes that the examples of the operations do not make, of which one statement could be about every row of the form. */
const furtherChanges: Readonly<Record<string, (formId: string) => readonly Change[]>> = {
  updateForm: (formId) =>
    ["https://127.0.0.1:9/hook", null, "https://127.0.0.1:9/other"].map((webhookUrl) => [
      "PATCH",
      `/api/forms/${formId}`,
      { settings: { webhookUrl } },
    ]),
};
/**
 * Each operation by each third of them in turn, on PostgreSQL by each tenth: what they are looked for by is the same for every operation.
 * `npm run test:rights` has all.
 */
const othersApart = isEveryWay ? 1 : isOnSqlite ? 3 : 10;
/** The answers of a plain HTML form. */
const body = new URLSearchParams({ message: "Hello" });
/** Puts back what the other requests need. */
const undone: Readonly<Record<string, (formId: string) => Change>> = {
  setFormHold: (formId) => ["DELETE", `/api/forms/${formId}/hold`],
  deleteOrganization: () => ["DELETE", "/api/organization/deletion"],
  setRecoveryRule: () => ["PUT", "/api/organization/recovery", { requireRecovery: false }],
  setSecondFactorRule: () => ["PUT", "/api/organization/second-factor", { requiredFrom: null }],
};

test("no statement of a change looks at more rows when there are more of everything", exceptOnCluster, async (t) => {
  const takeWork = isOnSqlite ? measureWork() : measurePlans();
  const takeRuns = watchRequestStatements();
  const rights = await openRights({ after: (end) => t.after(end) }, {}, { apiKeyRate: 1_000_000 });
  const { calls, scene, operations, service } = rights;
  const { database } = service;
  const [any] = operations;
  assert.ok(any !== undefined);
  const { form_id: formId } = await calls.createIds(scene.owner, { ...any, path: "" });
  const ofAnybody = listDocumentOperations(service.app.swagger()).filter(
    ({ access, method }) => access === "public" && method !== "GET",
  );
  const ordered = [...operations, ...ofAnybody].toSorted((one, other) => Number(isLast(one)) - Number(isLast(other)));
  const others = await createOthers();
  const statuses = new Set<number>();
  const statusesOfOthers = new Set<number>();
  let series = 0;
  const before = await measure(1, few);
  const after = await measure(few + 1, many);
  assert.deepEqual(listGrowing(before, after), []);
  assert.ok(statuses.has(200), [...statuses].join());
  for (const status of [200, 403, 404]) assert.ok(statusesOfOthers.has(status), `${status}`);

  async function measure(from: number, to: number): Promise<Figures> {
    await addAccountRows(database, { accountId: scene.owner.id, formId }, from, to);
    await know(sql``);
    const figures = new Map<string, ReadonlyMap<string, number>>();
    let actor = await rights.createActor();
    for (const operation of ordered) {
      if (isLast(operation)) actor = await rights.createActor();
      const ids = { ...(await calls.createIds(scene.owner, operation)), account_id: someone };
      if (operation.path.includes("{form_id}")) {
        await addFormRows(database, ids.form_id, 1, to, { series: ++series, isSealed: true });
        await know(sql`event, delivery, delivery_queue, submission, submission_bin, submission_tombstone, form_day`);
      }
      // As in the background.
      await foldAll(database);
      takeWork();
      takeRuns();
      const request = await prepare({ ...rights, idsOf: async () => ids }, actor, { operation, credential: "session" });
      const { status } = await sendWhole(service, request);
      statuses.add(status);
      for (const change of furtherChanges[operation.operationId]?.(ids.form_id) ?? []) {
        const answer = await scene.owner.request(...change);
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
      }
      if (operation.operationId === "postSubmission") {
        const answer = await fetch(`${service.url}/f/${ids.form_id}`, { method: "POST", body, redirect: "manual" });
        assert.equal(answer.status, 303, await answer.text());
      }
      take(operation.operationId);
      if (!isLast(operation) && operation.access !== "public") await sendByOthers(operation, ids, take);
      const undo = undone[operation.operationId];
      if (undo !== undefined) assert.equal((await scene.owner.request(...undo(ids.form_id))).status, 200);
    }
    return figures;

    function take(name: string): void {
      figures.set(name, toFigures(ofRequests(takeWork(), takeRuns())));
    }
  }

  /** A member of each role, who has just signed in and who has long before. */
  async function createOthers(): Promise<readonly Other[]> {
    const made: Other[] = [];
    for (const role of roles)
      for (const state of ["", " with a stale session"]) {
        const { account, authorization } = await createActor(scene, calls, role);
        const ofPerson = database.updateTable("session").where("person_id", "=", account.id);
        if (state !== "") await ofPerson.set({ authenticated_at: 0 }).execute();
        made.push({ name: `${role}${state}`, id: account.id, authorization: authorization.session });
      }
    return made;
  }

  async function sendByOthers(operation: Operation, ids: Ids, take: (name: string) => void): Promise<void> {
    const turn = ordered.indexOf(operation);
    for (const [index, { name, id, authorization }] of others.entries()) {
      if ((index + turn) % othersApart !== 0) continue;
      const form_ids = JSON.stringify(operation.path.includes("{form_id}") ? [ids.form_id] : []);
      await database.updateTable("member").set({ form_ids }).where("person_id", "=", id).execute();
      takeWork();
      takeRuns();
      const { headers, ...valid } = calls.prepare(operation, { ...ids, admission_id: ids.form_id });
      const { status } = await sendWhole(service, { ...valid, headers: { ...headers, authorization } });
      statusesOfOthers.add(status);
      for (const [method, path, asked] of furtherChanges[operation.operationId]?.(ids.form_id) ?? [])
        await service.request(method, path, { body: asked, headers: { authorization } });
      take(`${operation.operationId} by ${name}`);
    }
  }

  /** PostgreSQL plans by what it knows of its tables, and finds out by itself only after a while. */
  async function know(tables: ReturnType<typeof sql>): Promise<void> {
    if (!isOnSqlite) await sql`analyze ${tables}`.execute(database);
  }
});
