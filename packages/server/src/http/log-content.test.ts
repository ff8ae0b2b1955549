import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { sql } from "kysely";
import { startServiceProcess } from "../../../../tests/support/service-process.ts";
import { signUpForToken } from "../../../../tests/support/sign-up.ts";
import type { Database } from "../database/database.ts";
import { kindOf } from "../database/kind.ts";
import { closeAtEnd, createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestDatabase, exceptOnCluster, openTestDatabase } from "../testing/test-database.ts";
import { createAuthority, startReceiver } from "../webhooks/testing/receiver.ts";

/** Makes every change of a table fail, with a message that has something of a row in it. */
async function breakTable(database: Database, table: string, operation: "insert" | "update"): Promise<void> {
  if (kindOf(database) === "sqlite") {
    await sql`create trigger ${sql.ref(`broken_${table}`)} before ${sql.raw(operation)} on ${sql.table(table)}
      begin select raise(abort, 'canary-of-the-database'); end`.execute(database);
    return;
  }
  await sql`create or replace function broken() returns trigger language plpgsql as
    $$ begin raise exception 'canary-of-the-database' using detail = 'canary-of-the-row'; end $$`.execute(database);
  await sql`create trigger ${sql.ref(`broken_${table}`)} before ${sql.raw(operation)} on ${sql.table(table)}
    for each row execute function broken()`.execute(database);
}

/** All that the line of a request may have; docs/operation.md lists them. */
const allowed = "level time requestId method route status milliseconds account form error reason msg".split(" ");

const pick = (lines: readonly Record<string, unknown>[]) => lines.map(({ form, error }) => [form, error]);

async function createScene(t: TestContext) {
  const folder = createTemporaryFolder(t);
  const authority = await createAuthority();
  writeFileSync(join(folder, "authority.pem"), authority.ca);
  const failed = Promise.withResolvers<void>();
  const receiver = await startReceiver(t, {
    certificate: authority.good,
    answer: (_request, response) => {
      response.writeHead(500).end("canary-of-the-receiver");
      failed.resolve();
    },
  });
  const service = await startServiceProcess({
    ...(await createTestDatabase(t, folder)),
    SEALPOST_DATA: folder,
    SEALPOST_PORT: "0",
    SEALPOST_LOG_LEVEL: "debug",
    SEALPOST_METRICS_TOKEN: "canary-metrics-token-0123456789",
    SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
    NODE_EXTRA_CA_CERTS: join(folder, "authority.pem"),
  });
  closeAtEnd(t, () => service.kill());
  const database = await openTestDatabase(t, folder);
  closeAtEnd(t, () => database.destroy());
  const logged = async (pattern: RegExp) => {
    while (!pattern.test(service.output())) await new Promise((resolve) => service.child.stdout?.once("data", resolve));
  };
  return { service, database, receiver, hasFailed: failed.promise, logged };
}

test(
  "a submission, a webhook that fails, a broken database and a wrong token leave no content, address or secret in the log",
  exceptOnCluster,
  async (t) => {
    const { service, database, receiver, hasFailed, logged } = await createScene(t);
    const token = await signUpForToken(service);
    const request = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
      const response = await fetch(service.url + path, {
        method,
        headers: {
          ...(body !== undefined && { "content-type": "application/json" }),
          authorization: `Bearer ${token}`,
          "user-agent": "canary-agent",
          referer: "https://canary-referrer.example/",
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text() };
    };
    const settings = { encryption: false, webhookUrl: `${receiver.url}/canary-of-the-url?canary-query=1` };
    const created = await request("POST", "/api/forms", { name: "canary-form-name", settings });
    assert.equal(created.status, 200, created.text);
    const { id } = JSON.parse(created.text).form as { id: string }; // the answer's schema
    const { secret } = JSON.parse((await request("GET", `/api/forms/${id}/webhook-secret`)).text) as { secret: string };
    const submission = { payload: { encrypted: false, version: "plain1", fields: { message: "canary-content" } } };
    const path = `/api/forms/${id}/submissions`;
    assert.equal((await request("POST", path, submission)).status, 201);
    await hasFailed;
    assert.equal((await request("GET", "/metrics?canary-query", undefined, { authorization: "Bearer x" })).status, 401);
    assert.equal((await request("GET", "/canary-path")).status, 404);
    assert.equal((await request("GET", "/api/forms/form_canary/submissions")).status, 404);
    assert.equal((await request("POST", `/f/${id}`, {})).status, 415);

    await breakTable(database, "submission", "insert");
    const page = await fetch(`${service.url}/f/${id}`, { method: "POST", body: new URLSearchParams({ a: "canary" }) });
    assert.equal(page.status, 500);
    assert.equal((await request("POST", path, submission)).status, 500);
    await logged(/"internal_error"/);
    // An error in the sign-in library, which would print it.
    await breakTable(database, "session", "insert");
    const credentials = { email: "owner@example.com", password: "correct horse battery" };
    assert.equal((await request("POST", "/api/auth/sign-in/email", credentials, { origin: service.url })).status, 500);
    // The worker's turn: what it claims can't be written down.
    await breakTable(database, "delivery_queue", "update");
    await database.updateTable("form").set({ updated_at: Date.now() }).execute();
    assert.equal((await request("PATCH", `/api/forms/${id}`, { name: "canary-other-name" })).status, 200);
    await logged(/the delivery queue could not be reached/);

    const output = service.output();
    assert.ok(output.includes('"route":"/api/forms/:form_id/submissions"'), "a control: requests are logged");
    const announcement = /^(Sealpost .* is ready at|There is no account yet)/;
    for (const line of output.split("\n"))
      if (!announcement.test(line)) assert.doesNotThrow(() => JSON.parse(line), line);
    const words = ["canary", token, secret, "owner@example.com", "127.0.0.1", "correct horse"];
    // The one line that may have an address: where the service itself listens.
    const lines = output.split("\n").filter((line) => line.startsWith("{") && !line.includes('"Server listening at '));
    for (const line of lines) for (const word of words) assert.ok(!line.includes(word), `${word} in ${line}`);

    const members = lines.map((line): Record<string, unknown> => JSON.parse(line));
    const [first] = members.filter(({ level, msg }) => level === 50 && msg === "internal_error");
    assert.equal(
      first?.requestId,
      page.headers.get("x-request-id"),
      "an error that is answered with a page is logged too",
    );
    const requests = members.filter(({ msg }) => msg === "request");
    for (const line of requests)
      for (const name of Object.keys(line)) assert.ok(allowed.includes(name), `${name} in the line of a request`);
    const find = (status: number, route: string) =>
      requests.filter((line) => line.status === status && line.route === route);
    const route = "/api/forms/:form_id/submissions";
    assert.deepEqual(pick(find(201, route)), [[id, undefined]]);
    assert.deepEqual(pick(find(500, route)), [[id, "internal_error"]]);
    assert.deepEqual(pick(find(401, "/metrics")), [[undefined, "unauthorized"]]);
    assert.deepEqual(pick(find(404, route)), [[undefined, "not_found"]], "what is no form's id stays out");
    assert.deepEqual(pick(find(415, "/f/:form_id")), [[id, "unsupported_media_type"]], "the HTML form's page too");
  },
);
