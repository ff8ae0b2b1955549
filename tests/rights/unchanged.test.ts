import assert from "node:assert/strict";
import { after, test } from "node:test";
import { exceptOnCluster } from "../../packages/server/src/testing/test-database.ts";
import type { PreparedRequest } from "../contract/operation-calls.ts";
import type { Operation } from "../contract/operations.ts";
import { countTransactions, openRights, sendWhole } from "./rights.ts";
import { watchRows } from "./row-watch.ts";

/** Operations that set something, tried with what is there already: by what a GET answers, and by the same request sent twice. */
const rights = await openRights({ after }, {}, { hasWebhooks: false });
const { service, scene, calls } = rights;
const setting = rights.operations.filter(({ method }) => method === "PUT" || method === "PATCH");

/** Operations whose example is refused, and what holds them to the same. */
const elsewhere: Readonly<Record<string, string>> = {
  putSignedHead: "signed-heads.test.ts sends a head twice",
  replacePersonalKey: "a key does not replace itself",
  challengeDeviceRequest: "a step that is taken once",
  revealDeviceRequest: "a step that is taken once",
  answerDeviceRequest: "a step that is taken once",
};
/** Operations that decide under a lock of their own thing, and of nothing else's. */
const locking: Readonly<Record<string, string>> = {
  putEnvelope: "compares the bytes with the newest revision, of its form",
  setOrganizationPlan: "an operator's",
  changeInstanceAccount: "an operator's",
};

interface Schema {
  readonly $ref?: string;
  readonly properties?: object;
}
const document = service.app.swagger() as {
  readonly paths: Record<
    string,
    Record<string, { readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> } }>
  >;
  readonly components: { readonly schemas: Record<string, Schema> };
}; // the shape of OpenAPI 3.1

/** The members that the body of an operation may have. */
function listMembers({ path, method }: Operation): readonly string[] {
  const schema = document.paths[path]?.[method.toLowerCase()]?.requestBody?.content["application/json"]?.schema;
  const name = schema?.$ref?.split("/").at(-1);
  const { properties = {} } = (name === undefined ? schema : document.components.schemas[name]) ?? {};
  return Object.keys(properties);
}

/** The first object in an answer that is so. */
function findObject(value: unknown, isIt: (one: object) => boolean): object | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value) && isIt(value)) return value;
  for (const inner of Object.values(value)) {
    const found = findObject(inner, isIt);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A body with what the service answers about the thing already, if a GET answers it. */
async function findState(operation: Operation, path: string): Promise<object | undefined> {
  const members = listMembers(operation);
  const last = path.split("/").at(-1);
  const isInList = operation.path.endsWith("}");
  for (const one of [path, path.slice(0, path.lastIndexOf("/"))]) {
    const { status, body } = await scene.owner.request("GET", one);
    if (status !== 200) continue;
    const isIt = (found: object) =>
      members.some((name) => name in found) && (!isInList || ("id" in found && found.id === last));
    const state = findObject(body, isIt);
    if (state === undefined) continue;
    return Object.fromEntries(Object.entries(state).filter(([name]) => members.includes(name)));
  }
  return undefined;
}

test(
  "an operation that is sent what is there already answers as ever, writes no row and locks nothing",
  exceptOnCluster,
  async () => {
    const rows = await watchRows(service.database);
    const found: string[] = [];
    const taken = new Set<string>();
    async function sendUnchanged(name: string, request: PreparedRequest, operationId: string) {
      await rows.settle();
      const counted = countTransactions(rights);
      const { status, body } = await sendWhole(service, request, counted.id);
      const changed = await rows.listChanged();
      for (const [table, row] of changed) found.push(`${name}: ${status}, ${table}: ${row}`);
      if (status === 200 && counted.count() > 0 && !(operationId in locking)) found.push(`${name}: a transaction`);
      return { status, body };
    }
    for (const operation of setting) {
      const { operationId } = operation;
      const ids = await calls.createIds(scene.owner, operation);
      const { headers, ...rest } = calls.prepare(operation, ids);
      const request = { ...rest, headers: { ...headers, authorization: `Bearer ${scene.owner.token}` } };
      const sendState = async (when: string) => {
        const state = await findState(operation, rest.path);
        if (state === undefined) return;
        const wanted = { ...request, body: JSON.stringify(state) };
        const { status } = await sendUnchanged(`${operationId} with what GET answers ${when}`, wanted, operationId);
        if (status === 200) taken.add(operationId);
      };
      await sendState("at first");
      const first = await sendWhole(service, request);
      if (first.status !== 200) {
        assert.ok(operationId in elsewhere, `${operationId}: ${first.status} ${JSON.stringify(first.body)}`);
        continue;
      }
      assert.ok(!(operationId in elsewhere), operationId);
      const second = await sendUnchanged(`${operationId} sent twice`, request, operationId);
      assert.deepEqual(second, { status: 200, body: first.body }, operationId);
      await sendState("then");
    }
    assert.deepEqual(found, []);
    // A control: enough of them answer to GET what they take.
    assert.ok(taken.size >= 9, [...taken].join(" "));
  },
);
