import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createOpenApiDocument } from "../../../../scripts/openapi-document.ts";
import { listOperations, parseDocument } from "../../../../scripts/openapi-operations.ts";
import { ApiError } from "./api-error.ts";
import { createClient } from "./client.ts";

const operations = listOperations(parseDocument(await createOpenApiDocument()));

/** The operation that a method asks for when its arguments are `ids` in the order of the path. */
async function operationOf(method: (...ids: unknown[]) => unknown, calls: string[]): Promise<string | undefined> {
  calls.length = 0;
  const result = method("id_1", "id_2", new Uint8Array());
  // The one answer below does not fit some of them. Only the requests count here.
  await Promise.resolve(isIterator(result) ? result.next() : result).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.code === "unexpected_answer")) throw error;
  });
  return calls[0];
}

function isIterator(value: unknown): value is AsyncIterator<unknown> {
  return typeof value === "object" && value !== null && "next" in value;
}

/** Needs no credential, and what makes the next entry reads it. */
const readFirst = "GET /api/forms/{form_id}/keys/log";

test("the client has a method for every operation that wants a credential, and asks for no other", async () => {
  const calls: string[] = [];
  const client = createClient({
    baseUrl: "https://forms.example.org",
    fetch: async (url, { method } = {}) => {
      const path = new URL(String(url)).pathname;
      const found = operations.find(([name]) => {
        const [verb, template = ""] = name.split(" ");
        return verb === method && new RegExp(`^${template.replace(/\{\w+\}/g, "id_\\d")}$`).test(path);
      });
      calls.push(found?.[0] ?? `${method} ${path}`);
      const lists = { forms: [], submissions: [], logs: [], keys: [], entries: [], nextCursor: null };
      const headers = { etag: '"1-tag"' };
      return new Response(JSON.stringify({ ...lists, binned: {}, restored: {}, deleted: {} }), { headers });
    },
  });
  const called = new Set<string>();
  for (const part of Object.values(client)) {
    for (const method of Object.values(part)) {
      // Each method takes ids first, and bytes after two of them; what else it takes may be left out here.
      const operation = await operationOf(method as (...ids: unknown[]) => unknown, calls);
      if (operation !== undefined) called.add(operation);
    }
  }
  const expected = operations.filter(([, { security }]) => security?.length !== 0).map(([name]) => name);
  assert.deepEqual([...called].toSorted(), [...expected, readFirst].toSorted());
});

test("the README's table of the client has every method, and no other", async () => {
  const readme = await readFile(join(import.meta.dirname, "../../README.md"), "utf8");
  const rows = new Map(
    [...readme.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, part = "", methods = ""]) => [part, methods]),
  );
  for (const [part, methods] of Object.entries(createClient({ baseUrl: "https://forms.example.org" }))) {
    const named = [...(rows.get(part) ?? "").matchAll(/(?<!\[)`(\w+)`/g)].map(([, name]) => name);
    assert.deepEqual(named.toSorted(), Object.keys(methods).toSorted(), part);
  }
});
