import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { isWhole } from "../support/sample.ts";
import { type Document, findInteger, listPlaces, type Path, put } from "./member-places.ts";
import { createOperationCalls } from "./operation-calls.ts";
import { listDocumentOperations } from "./operations.ts";

/** Where integers of databases, of JSON and of JavaScript end, and one beyond each. */
const ends = [2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53].map(String).concat("9223372036854775808");

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The ends of what the document says, one beyond each, and `ends`. */
function numbersFor({ minimum, maximum }: Bounds): readonly string[] {
  const own = [minimum, minimum && minimum - 1, maximum, maximum && maximum + 1].filter((one) => one !== undefined);
  return [...new Set([...ends, ...own.map(String), "-1"])];
}

interface Case {
  readonly operation: ReturnType<typeof listDocumentOperations>[number];
  readonly where: "body" | "query" | "path";
  readonly place: Path;
  readonly number: string;
  /** One above what a column of a database holds, or the most that the document allows. */
  readonly isSampled: boolean;
}

function listCases(document: Document): readonly Case[] {
  return listDocumentOperations(document).flatMap((operation) => {
    const { requestBody, parameters = [] } = document.paths[operation.path]?.[operation.method.toLowerCase()] ?? {};
    const schema = requestBody?.content["application/json"]?.schema;
    const casesOf = (where: Case["where"], place: Path, bounds: Bounds) =>
      numbersFor(bounds).map((number) => {
        const isSampled = number === String(2 ** 31) || number === String(bounds.maximum);
        return { operation, where, place, number, isSampled };
      });
    const ofBody = schema === undefined ? [] : listPlaces(document, schema);
    return [
      ...ofBody.flatMap((place) => {
        const integer = schema && findInteger(document, schema, place);
        return integer === undefined ? [] : casesOf("body", place, integer);
      }),
      ...parameters.flatMap(({ name, in: where, schema: own }) => {
        if (where === "path") return /version|number|entry/.test(name) ? casesOf("path", [name], {}) : [];
        const integer = own && findInteger(document, own, []);
        return where === "query" && integer ? casesOf("query", [name], integer) : [];
      }),
    ];
  });
}

test("no integer of a request, up to the ends of what any database or program holds, makes the service fail", async (t) => {
  const service = await createTestService(t, { apiKeyRate: 1_000_000 });
  const owner = await service.signUp();
  const calls = createOperationCalls(service, { hasWebhooks: false });
  const cases = listCases(service.app.swagger() as unknown as Document); // the shape of OpenAPI 3.1
  assert.ok(cases.length > 300, `a control: ${cases.length}`);
  const failed: string[] = [];
  const made = new Map<string, Awaited<ReturnType<typeof calls.createIds>>>();
  for (const { operation, where, place, number } of isWhole ? cases : cases.filter(({ isSampled }) => isSampled)) {
    const kinds = operation.path.match(/\{\w+\}/g)?.join() ?? "";
    const ids = made.get(kinds) ?? (await calls.createIds(owner, operation));
    made.set(kinds, ids);
    const { method, path, headers, body } = calls.prepare(operation, ids);
    const [bare = "", query = ""] = path.split("?");
    const own = operation.path.split("/");
    const asked = {
      body: path,
      query: `${bare}?${query}&${place[0]}=${number}`,
      path: bare
        .split("/")
        .map((part, at) => (own[at] === `{${place[0]}}` ? number : part))
        .join("/"),
    }[where];
    const json = where === "body" ? put(JSON.parse(body ?? "{}"), place, number) : body;
    const { status } = await fetch(`${service.url}${asked}`, {
      method,
      headers: {
        ...headers,
        ...(json !== undefined && { "content-type": "application/json" }),
        authorization: `Bearer ${owner.token}`,
      },
      ...(json !== undefined && { body: json }),
    });
    if (status >= 500) failed.push(`${operation.operationId} ${where} ${place.join(".")}=${number}: ${status}`);
  }
  assert.deepEqual(failed, []);
});
