import assert from "node:assert/strict";
import { test } from "node:test";
import { onSqlite } from "../../packages/server/src/testing/test-database.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { type Document, listPlaces, put } from "./member-places.ts";
import { createOperationCalls } from "./operation-calls.ts";
import { listDocumentOperations, listRoutes } from "./operations.ts";

/** JSON values that code for another type has stumbled over. */
const hostileValues: readonly (readonly [name: string, json: string])[] = [
  ["an object that is no text", '{"toString":1,"valueOf":1,"toJSON":1,"length":-1,"then":1}'],
  ["arrays in arrays", "[".repeat(5_000) + "]".repeat(5_000)],
];

/** Members of the bodies that routes outside the document take. */
const undocumented = ["email", "password", "currentPassword", "newPassword", "name", "token", "code", "id", "session"];

test(
  "a hostile value in the place of any member of any body is refused in the shape of the contract",
  onSqlite,
  async (t) => {
    const service = await createTestService(t, { apiKeyRate: 1_000_000 });
    const owner = await service.signUp();
    const calls = createOperationCalls(service, { hasWebhooks: false });
    const document = service.app.swagger() as unknown as Document; // the shape of OpenAPI 3.1
    const operations = listDocumentOperations(document);
    const ids = await calls.createIds(
      owner,
      operations.find(({ operationId }) => operationId === "getForm") ?? assert.fail(),
    );
    const failed: string[] = [];
    const statuses = new Map<number, number>();
    let places = 0;
    const send = async (name: string, method: string, path: string, headers: object, body: string) => {
      const { status, body: answer } = await service.request(method, path, {
        token: owner.token,
        body,
        headers: { ...headers, "content-type": "application/json" },
      });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const isShaped = status < 400 || (typeof answer?.code === "string" && typeof answer.error === "string");
      if (status >= 500 || !isShaped) failed.push(`${name}: ${status} ${JSON.stringify(answer)}`);
    };
    for (const operation of operations) {
      const { requestBody } = document.paths[operation.path]?.[operation.method.toLowerCase()] ?? {};
      const schema = requestBody?.content["application/json"]?.schema;
      if (schema === undefined) continue;
      const { method, path, headers, body = "{}" } = calls.prepare(operation, ids);
      for (const place of listPlaces(document, schema)) {
        places += 1;
        for (const [name, json] of hostileValues)
          await send(
            `${operation.operationId} ${place.join(".")} ${name}`,
            method,
            path.split("?")[0] ?? path,
            headers,
            put(JSON.parse(body), place, json),
          );
      }
    }
    assert.deepEqual(failed, []);
    assert.ok(places > 100, `${places} members`);
    assert.ok((statuses.get(400) ?? 0) > places, JSON.stringify([...statuses]));
  },
);

test("routes outside the document refuse hostile values in the shape of the contract", onSqlite, async (t) => {
  const service = await createTestService(t);
  const owner = await service.signUp();
  const documented = new Set(listDocumentOperations(service.app.swagger()).map(({ name }) => name));
  const routes = listRoutes(service.app).filter((name) => !documented.has(name) && !name.startsWith("GET "));
  assert.ok(routes.length > 20, `${routes.length}`);
  const failed: string[] = [];
  for (const route of routes) {
    const [method = "", pattern = ""] = route.split(" ");
    for (const [name, json] of hostileValues) {
      const { status } = await service.request(method, pattern.replaceAll(/\{\w+\}/g, "made-up"), {
        body: `{${undocumented.map((member) => `"${member}":${json}`).join(",")}}`,
        headers: { origin: service.url, cookie: owner.cookie, "content-type": "application/json" },
      });
      if (status >= 500) failed.push(`${route} ${name}: ${status}`);
    }
  }
  assert.deepEqual(failed, []);
});
