import assert from "node:assert/strict";
import { test } from "node:test";
import type { TableName } from "../../packages/server/src/database/table-record.ts";
import { exceptOnCluster } from "../../packages/server/src/testing/test-database.ts";
import type { PreparedRequest } from "../contract/operation-calls.ts";
import { listDocumentOperations, listRoutes, type Operation } from "../contract/operations.ts";
import { createAskers, listRefused } from "./refusals.ts";
import { openRights, type Rights, sendWhole } from "./rights.ts";
import { watchRows } from "./row-watch.ts";

/** A refused request costs the instance nothing that stays: otherwise somebody without a right fills its disk. */

/** Tables that refused requests write to, and what bounds it. */
const bounded: Partial<Record<TableName, string>> = {
  rate_limit:
    "counts requests to the API key endpoints, one row for each address and account, which goes after its minute",
};

/** Sends requests, and finds those that were refused and have changed a row. */
async function createWatch({ service }: Rights) {
  const rows = await watchRows(service.database);
  const found: string[] = [];
  const statuses = new Map<number, number>();
  return {
    found,
    statuses,
    async send(name: string, request: PreparedRequest): Promise<number> {
      await rows.settle();
      const { status, body } = await sendWhole(service, request);
      const changed = await rows.listChanged();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status >= 400)
        for (const [table, row] of changed)
          if (!(table in bounded))
            found.push(`${name}: ${status} ${(body as { code?: string } | undefined)?.code}, ${table}: ${row}`);
      return status;
    },
  };
}

const asOwner = ({ scene }: Rights, { headers, ...rest }: PreparedRequest): PreparedRequest => ({
  ...rest,
  headers: { ...headers, authorization: `Bearer ${scene.owner.token}` },
});

const open = (t: { after(end: () => unknown): void }) =>
  openRights({ after: (end) => t.after(end) }, {}, { hasWebhooks: false, apiKeyRate: 1_000_000 });

/** Operations that end what the others need. */
const endings = ["leaveOrganization", "deleteAccount", "deleteOrganization"];
const isLast = ({ operationId, access }: Operation) => endings.includes(operationId) || access === "operator";

test(
  "an operation that is refused writes no row: by others, for ids of nothing, with wrong bodies",
  exceptOnCluster,
  async (t) => {
    const rights = await open(t);
    const { service, calls } = rights;
    const operations = listDocumentOperations(service.app.swagger());
    const askers = await createAskers(rights);
    const watch = await createWatch(rights);
    for (const operation of operations.toSorted((one, other) => Number(isLast(one)) - Number(isLast(other)))) {
      const valid = asOwner(rights, calls.prepare(operation, await calls.createIds(rights.scene.owner, operation)));
      let isRefused = false;
      for (const { name, request } of listRefused(operation, valid, askers, !isLast(operation)))
        isRefused = (await watch.send(`${operation.operationId} ${name}`, request)) >= 400 || isRefused;
      assert.ok(isRefused || operation.path.indexOf("{") < 0, operation.operationId);
    }
    assert.deepEqual(watch.found, []);
    for (const status of [400, 401, 403, 404]) assert.ok((watch.statuses.get(status) ?? 0) > 100, `${status}`);
    console.log(`# ${JSON.stringify([...watch.statuses])}`);
  },
);

/** States in which operations are refused, each with what sends the request in it. */
test(
  "an operation that comes at the wrong time writes no row: sent again, on hold, with a stale session, without a verified address, to an organization that ends",
  exceptOnCluster,
  async (t) => {
    const rights = await open(t);
    const { scene, calls, operations } = rights;
    const { owner } = scene;
    const askers = await createAskers(rights);
    const watch = await createWatch(rights);
    const ordered = operations.toSorted((one, other) => Number(isLast(one)) - Number(isLast(other)));
    for (const operation of ordered.filter((one) => !isLast(one))) {
      const fresh = async () => calls.prepare(operation, await calls.createIds(owner, operation));
      const again = asOwner(rights, await fresh());
      for (let times = 0; times < 3; times++)
        await watch.send(`${operation.operationId} for the ${times + 1}. time`, again);
      for (const [name, actor] of [
        ["with a stale session", askers.stale],
        ["without a verified address", askers.unverified],
      ] as const) {
        const { headers, ...rest } = await fresh();
        const request = { ...rest, headers: { ...headers, authorization: actor.authorization.session } };
        await watch.send(`${operation.operationId} ${name}`, request);
      }
      if (operation.path.includes("{form_id}")) {
        const ids = await calls.createIds(owner, operation);
        await owner.request("PUT", `/api/forms/${ids.form_id}/hold`, { reason: "Case 7" });
        await watch.send(`${operation.operationId} on hold`, asOwner(rights, calls.prepare(operation, ids)));
        await owner.request("DELETE", `/api/forms/${ids.form_id}/hold`);
      }
    }
    for (const operation of ordered.filter((one) => !isLast(one) && !one.path.startsWith("/api/account"))) {
      const request = asOwner(rights, calls.prepare(operation, await calls.createIds(owner, operation)));
      await owner.request("POST", "/api/organization/deletion?confirm=DELETE_ORGANIZATION");
      await watch.send(`${operation.operationId} in an organization that ends`, request);
      await owner.request("DELETE", "/api/organization/deletion");
    }
    assert.deepEqual(watch.found, []);
    for (const status of [400, 403, 404, 409]) assert.ok((watch.statuses.get(status) ?? 0) > 0, `${status}`);
    console.log(`# ${JSON.stringify([...watch.statuses])}`);
  },
);

test("a route outside the document that refuses a request writes no row", exceptOnCluster, async (t) => {
  const rights = await open(t);
  const { service, scene } = rights;
  const documented = new Set(listDocumentOperations(service.app.swagger()).map(({ name }) => name));
  const routes = listRoutes(service.app).filter((name) => !documented.has(name) && !name.startsWith("GET "));
  assert.ok(routes.length > 20, `${routes.length}`);
  const watch = await createWatch(rights);
  const origin = { origin: service.url, "content-type": "application/json" };
  for (const route of routes) {
    const [method = "", pattern = ""] = route.split(" ");
    const path = pattern.replaceAll(/\{\w+\}/g, "made-up");
    for (const [who, headers] of [
      ["nobody", origin],
      ["a session", { ...origin, cookie: scene.owner.cookie }],
      ["a token", { ...origin, authorization: `Bearer ${scene.owner.token}` }],
      ["another site", { ...origin, origin: "https://example.com", cookie: scene.owner.cookie }],
    ] as const)
      for (const body of [
        "{}",
        "[]",
        "{",
        '{"token":"made-up"}',
        '{"email":"nobody@example.com","password":"wrong horse battery"}',
        '{"token":"made-up","newPassword":"another horse battery","code":"000000"}',
      ])
        await watch.send(`${route} by ${who} with ${body}`, { method, path, headers, body });
  }
  assert.deepEqual(watch.found, []);
  console.log(`# ${JSON.stringify([...watch.statuses])}`);
});
