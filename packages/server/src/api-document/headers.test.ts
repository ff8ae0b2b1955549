import assert from "node:assert/strict";
import { test } from "node:test";
import { createForm } from "../forms/testing/test-form.ts";
import { createTestService } from "../testing/test-service.ts";
import type { OpenApiDocument } from "./document-types.ts";
import { headers } from "./headers.ts";

test("the document declares, for every operation and status, the headers that its answers have", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const document = service.app.swagger() as unknown as OpenApiDocument; // what publish.ts made
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const seen = new Set<string>();
  for (const { path, method, operation } of operations) {
    const url = service.url + path.replaceAll("{form_id}", formId).replaceAll(/\{\w+\}/g, "none");
    for (const token of method === "GET" ? [account.token, undefined] : [undefined]) {
      const answer = await fetch(url, { method, ...(token && { headers: { authorization: `Bearer ${token}` } }) });
      await answer.body?.cancel();
      const declared = operation.responses[answer.status]?.headers;
      assert.ok(declared, `${method} ${path} ${answer.status}`);
      for (const name of Object.keys(headers)) {
        if (!answer.headers.has(name)) continue;
        seen.add(name);
        assert.deepEqual(declared[name], { $ref: `#/components/headers/${name}` }, `${method} ${path}: ${name}`);
      }
      assert.ok(answer.headers.has("x-request-id"), `${method} ${path}`);
    }
  }
  for (const name of ["X-Request-Id", "RateLimit", "RateLimit-Policy", "ETag"]) assert.ok(seen.has(name), name);
  assert.deepEqual(Object.keys(document.components.headers ?? {}), Object.keys(headers));
});

test("what asks to wait says for how long, and what has versions gives their tag, in the document", async (t) => {
  const { app } = await createTestService(t);
  const document = app.swagger() as unknown as OpenApiDocument; // as above
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const having = (name: string) =>
    operations.flatMap(({ operationId, responses }) =>
      Object.entries(responses).flatMap(([status, answer]) =>
        answer.headers?.[name] ? [`${operationId} ${status}`] : [],
      ),
    );
  const waiting = operations.flatMap(({ operationId, responses }) =>
    Object.keys(responses).flatMap((status) => (/^(?:429|503)$/.test(status) ? [`${operationId} ${status}`] : [])),
  );
  assert.deepEqual(having("Retry-After").toSorted(), waiting.toSorted());
  for (const name of ["getPublicForm 200", "getPublicForm 304", "getMemberList 200"])
    assert.ok(having("ETag").includes(name), name);
});
