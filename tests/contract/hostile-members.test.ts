import assert from "node:assert/strict";
import { test } from "node:test";
import { onSqlite } from "../../packages/server/src/testing/test-database.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { createOperationCalls } from "./operation-calls.ts";
import { listDocumentOperations, listRoutes } from "./operations.ts";

/** JSON values that code for another type has stumbled over. */
const hostileValues: readonly (readonly [name: string, json: string])[] = [
  ["an object that is no text", '{"toString":1,"valueOf":1,"toJSON":1,"length":-1,"then":1}'],
  ["arrays in arrays", "[".repeat(5_000) + "]".repeat(5_000)],
];

/** Members of the bodies that routes outside the document take. */
const undocumented = ["email", "password", "currentPassword", "newPassword", "name", "token", "code", "id", "session"];

type Path = readonly (string | number)[];
interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly [others: string]: unknown;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly [others: string]: unknown;
}
interface DocumentedOperation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** The place of every member that a body may have, those of lists and of alternatives too. */
function listPlaces(document: Document, schema: Schema): readonly Path[] {
  const places = new Map<string, Path>();
  const visit = (one: Schema, path: Path, depth: number): void => {
    if (depth > 8) return; // a schema that contains itself
    if (one.$ref !== undefined) visit(resolve(document, one.$ref), path, depth + 1);
    for (const union of ["anyOf", "oneOf", "allOf"])
      for (const choice of (one[union] ?? []) as readonly Schema[]) visit(choice, path, depth + 1); // as JSON Schema says
    if (path.length > 0) places.set(path.join("."), path);
    for (const [name, member] of Object.entries(one.properties ?? {})) visit(member, [...path, name], depth + 1);
    if (one.items !== undefined) visit(one.items, [...path, 0], depth + 1);
  };
  visit(schema, [], 0);
  return [...places.values()];
}

function resolve(document: Document, reference: string): Schema {
  const parts = reference.split("/").slice(1);
  return parts.reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], document) as Schema; // its own
}

/** `body` with the JSON text `json` at `path`. */
function put(body: unknown, [first, ...rest]: Path, json: string): string {
  if (first === undefined) return json;
  if (typeof first === "number") return `[${put(undefined, rest, json)}]`;
  const members: Record<string, unknown> = typeof body === "object" && body !== null ? { ...body } : {};
  const inner = put(members[first], rest, json);
  delete members[first];
  const others = Object.entries(members).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{${[...others, `${JSON.stringify(first)}:${inner}`].join(",")}}`;
}

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
