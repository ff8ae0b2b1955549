import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import type { Document } from "./member-places.ts";
import { createOperationCalls } from "./operation-calls.ts";
import { listDocumentOperations } from "./operations.ts";

/** Where integers of databases and of JavaScript end, and one beyond each. */
const numbers = [-1, 0, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 0.5];
const texts = ["", "\0", "\ud800", "a".repeat(80), "%", createId("form"), createId("account"), `aud_${"0".repeat(26)}`];

/** As a service writes them, with values that it never does; and none at all. */
const cursors = [
  ...numbers.flatMap((first) => [...numbers, ...texts].map((second) => JSON.stringify([first, second]))),
  ...["", "[", "[]", "[1,2,3]", "null", "{}", '["1",2]'],
].map((json) => Buffer.from(json).toString("base64url"));

test("no cursor makes a list fail: it is refused, or a page follows", async (t) => {
  const service = await createTestService(t, { apiKeyRate: 1_000_000 });
  const owner = await service.signUp();
  const calls = createOperationCalls(service, { hasWebhooks: false });
  const document = service.app.swagger() as unknown as Document; // the shape of OpenAPI 3.1
  const lists = listDocumentOperations(document).filter(({ path, method }) =>
    document.paths[path]?.[method.toLowerCase()]?.parameters?.some(({ name }) => name === "cursor"),
  );
  assert.ok(lists.length >= 8, `a control: ${lists.length}`);
  const failed: string[] = [];
  for (const operation of lists) {
    const { path, headers } = calls.prepare(operation, await calls.createIds(owner, operation));
    for (const cursor of cursors) {
      const address = `${service.url}${path}${path.includes("?") ? "&" : "?"}cursor=${cursor}`;
      const { status } = await fetch(address, { headers: { ...headers, authorization: `Bearer ${owner.token}` } });
      if (status >= 500) failed.push(`${operation.operationId} ${Buffer.from(cursor, "base64url")}: ${status}`);
    }
  }
  assert.deepEqual(failed, []);
});
