import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { test } from "node:test";
import { clientOf } from "../testing/played-server.ts";
import { ApiError } from "./api-error.ts";
import { createClient } from "./client.ts";

function answer(status: number, body: unknown, headers: Record<string, string> = {}): RequestListener {
  return (_, response) => {
    response.writeHead(status, { "x-request-id": "req-1", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

async function errorOf(promise: Promise<unknown>): Promise<ApiError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ApiError, String(error));
  return error;
}

const emptyList = { forms: [], total: 0, nextCursor: null };

test("a request carries the credential, the parameters that are set, and JSON only when it has a body", async (t) => {
  const seen: unknown[] = [];
  const client = await clientOf(t, async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { authorization, "content-type": contentType } = request.headers;
    seen.push([request.method, request.url, authorization, contentType, Buffer.concat(chunks).toString()]);
    response.end(JSON.stringify({ ...emptyList, form: { id: "form_1" } }));
  });
  await client.forms.list({ limit: 2, cursor: "a b&c=d" });
  await client.forms.create({ name: "Zoë" });
  assert.deepEqual(seen, [
    ["GET", "/api/forms?limit=2&cursor=a+b%26c%3Dd", "Bearer sp_token", undefined, ""],
    ["POST", "/api/forms", "Bearer sp_token", "application/json", '{"name":"Zoë"}'],
  ]);
});

test("a token that is a function is asked for each request, and no token sends no credential", async (t) => {
  const seen: unknown[] = [];
  const listener: RequestListener = (request, response) => {
    seen.push(request.headers.authorization);
    response.end(JSON.stringify(emptyList));
  };
  let count = 0;
  const asked = await clientOf(t, listener, { token: async () => `token-${++count}` });
  await asked.forms.list();
  await asked.forms.list();
  await (await clientOf(t, listener, { token: undefined })).forms.list();
  assert.deepEqual(seen, ["Bearer token-1", "Bearer token-2", undefined]);
});

test("the organization that requests are meant for is named in each, and only where one is given", async (t) => {
  const seen: unknown[] = [];
  const listener: RequestListener = (request, response) => {
    seen.push(request.headers["sealpost-organization"]);
    response.end(JSON.stringify(emptyList));
  };
  await (await clientOf(t, listener)).forms.list();
  await (await clientOf(t, listener, { organization: "acc_1" })).forms.list();
  let shown: string | undefined;
  const asked = await clientOf(t, listener, { organization: () => shown });
  await asked.forms.list();
  shown = "acc_2";
  await asked.forms.list();
  assert.deepEqual(seen, [undefined, "acc_1", undefined, "acc_2"]);
});

test("an error of a form endpoint keeps its code, message, details and request id", async (t) => {
  const details = { webhookUrl: "Must be a valid HTTPS URL" };
  const body = { error: "bad_request", message: "Invalid form settings", details };
  const {
    status,
    code,
    message,
    details: shown,
    requestId,
  } = await errorOf((await clientOf(t, answer(400, body))).forms.list());
  assert.deepEqual([status, code, message, requestId], [400, "bad_request", "Invalid form settings", "req-1"]);
  assert.deepEqual(shown, details);
});

test("an error of an API-key endpoint has the code of its status, its own sentence and its retryAfter", async (t) => {
  const sentence = "Too many requests. Please try again later.";
  const error = await errorOf((await clientOf(t, answer(429, { error: sentence, retryAfter: 17 }))).forms.list());
  assert.deepEqual([error.code, error.message, error.retryAfter], ["rate_limited", sentence, 17]);
  const denied = await errorOf((await clientOf(t, answer(403, { error: "Access denied" }))).forms.list());
  assert.deepEqual([denied.code, denied.message, denied.retryAfter], ["forbidden", "Access denied", undefined]);
});

test("Retry-After counts in seconds or as a date", async (t) => {
  const header = (value: string) => answer(503, { error: "unavailable", message: "Later" }, { "retry-after": value });
  assert.equal((await errorOf((await clientOf(t, header("7"))).forms.list())).retryAfter, 7);
  assert.equal(
    (await errorOf((await clientOf(t, header("Thu, 01 Jan 1970 00:00:00 GMT"))).forms.list())).retryAfter,
    0,
  );
  assert.equal((await errorOf((await clientOf(t, header("soon"))).forms.list())).retryAfter, undefined);
});

test("an answer that is not from Sealpost is an ApiError too", async (t) => {
  const html = "<html>Bad gateway</html>";
  for (const [status, body, code] of [
    [502, html, "unexpected_answer"],
    [404, html, "not_found"],
    [500, "", "internal_error"],
    [418, { error: 7 }, "unexpected_answer"],
    [400, "null", "bad_request"],
    [200, html, "unexpected_answer"],
    [200, "", "unexpected_answer"],
  ] as const) {
    const error = await errorOf((await clientOf(t, answer(status, body))).forms.list());
    assert.deepEqual([error.status, error.code], [status, code]);
  }
});

test("a redirect is not followed: neither a body nor the credential goes where the caller did not send it", async (t) => {
  const requests: unknown[] = [];
  const client = await clientOf(t, (request, response) => {
    requests.push(request.url);
    response.writeHead(301, { location: "/elsewhere" }).end();
  });
  assert.equal((await errorOf(client.forms.create({ name: "a" }))).code, "unexpected_answer");
  assert.deepEqual(requests, ["/api/forms"]);
});

test("a rate limit is waited for only when asked", async (t) => {
  let requests = 0;
  const client = await clientOf(t, (request, response) => {
    const limited = answer(429, { error: "rate_limited", message: "Slow down", retryAfter: 0 });
    (++requests < 3 ? limited : answer(200, emptyList))(request, response);
  });
  assert.equal((await errorOf(client.forms.list())).code, "rate_limited");
  assert.equal(requests, 1);
  assert.deepEqual(await client.forms.list({}, { retry: true }), emptyList);
  assert.equal(requests, 3);
});

test("waiting ends after five more tries, and at once for a wait of more than ten minutes", async (t) => {
  let requests = 0;
  const limited =
    (retryAfter: number): RequestListener =>
    (request, response) => {
      requests++;
      answer(429, { error: "rate_limited", message: "Slow down", retryAfter })(request, response);
    };
  await errorOf((await clientOf(t, limited(0))).forms.list({}, { retry: true }));
  assert.equal(requests, 6);
  await errorOf((await clientOf(t, limited(601))).forms.list({}, { retry: true }));
  assert.equal(requests, 7);
});

test("an aborted wait for the rate limit ends with the caller's reason", async (t) => {
  const controller = new AbortController();
  const client = await clientOf(t, (request, response) => {
    response.on("close", () => setImmediate(() => controller.abort(new Error("enough"))));
    answer(429, { error: "rate_limited", message: "Slow down", retryAfter: 599 })(request, response);
  });
  await assert.rejects(client.forms.list({}, { retry: true, signal: controller.signal }), { message: "enough" });
});

test("a signal ends a request, and so does the deadline of a server that never answers", async (t) => {
  const silent = await clientOf(t, () => undefined, { timeoutMilliseconds: 20 });
  await assert.rejects(silent.forms.list(), { name: "TimeoutError" });
  await assert.rejects(silent.forms.list({}, { signal: AbortSignal.abort(new Error("enough")) }), {
    message: "enough",
  });
});

test("all() fetches page after page, no further than needed, and gives every item once", async (t) => {
  const pages: Record<string, unknown> = {
    "": { forms: [{ id: "form_1" }, { id: "form_2" }], total: 3, nextCursor: "two" },
    two: { forms: [], total: 3, nextCursor: "three" },
    three: { forms: [{ id: "form_3" }], total: 3, nextCursor: null },
  };
  const asked: string[] = [];
  const client = await clientOf(t, (request, response) => {
    const cursor = new URL(request.url ?? "", "http://localhost").searchParams.get("cursor") ?? "";
    asked.push(cursor);
    response.end(JSON.stringify(pages[cursor]));
  });
  const ids: string[] = [];
  for await (const form of client.forms.all()) ids.push(form.id);
  assert.deepEqual(ids, ["form_1", "form_2", "form_3"]);
  assert.deepEqual(asked, ["", "two", "three"]);
  for await (const form of client.forms.all()) if (form.id === "form_2") break;
  assert.deepEqual(asked, ["", "two", "three", ""]);
});

test("a malformed id never reaches the server as another path", async (t) => {
  const client = await clientOf(t, () => assert.fail("a request was sent"));
  for (const id of ["", ".", "..", "a/b", "a?b", "a#b", "a%2fb", "a b", "ä", "form_1/../form_2"])
    await assert.rejects(client.forms.get(id), TypeError, id);
});

test("a base URL that is no address of an instance is refused at creation", () => {
  for (const baseUrl of [
    "",
    "forms.example.org",
    "ftp://example.org",
    "https://user@example.org",
    "https://example.org/?a",
    "javascript:1",
  ])
    assert.throws(() => createClient({ baseUrl }), TypeError, baseUrl);
});
