import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { sql } from "kysely";
import { createForm, postPlain } from "../forms/testing/test-form.ts";
import { findFreePort } from "../testing/postgres-server.ts";
import { onSqlite } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { openPostgres } from "./database.ts";
import { isDatabaseUnavailable, saysUnavailable } from "./errors.ts";

test(
  "a full disk loses nothing that was accepted, is answered with 503, and is over when there is room",
  onSqlite,
  async (t) => {
    const service = await createTestService(t);
    const account = await service.signUp();
    const formId = await createForm(account, { encryption: false });
    const accepted = [await postPlain(service, formId)];
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(service.database);
    await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 20)}`.execute(service.database);
    const post = (fields: object) =>
      service.request("POST", `/api/forms/${formId}/submissions`, {
        body: { payload: { encrypted: false, version: "plain1", fields } },
      });
    const fields = { message: "x".repeat(20_000) };
    let answer = await post(fields);
    while (answer.status === 201) {
      accepted.push(answer.body.submission.id);
      answer = await post(fields);
    }
    assert.deepEqual([answer.status, answer.body.error, answer.headers.get("retry-after")], [503, "unavailable", "5"]);
    const listed = async () => {
      const { body } = await account.request("GET", `/api/forms/${formId}/submissions?limit=100`);
      return { ids: body.submissions.map(({ id }: { id: string }) => id).reverse(), total: body.total };
    };
    assert.deepEqual(await listed(), { ids: accepted, total: accepted.length });
    await sql`pragma max_page_count = 1000000`.execute(service.database);
    const again = await post(fields);
    assert.equal(again.status, 201);
    assert.deepEqual(await listed(), { ids: [...accepted, again.body.submission.id], total: accepted.length + 1 });
  },
);

test("a server that is not there is unavailable; a missing file and a wrong statement are not", async () => {
  const database = openPostgres(`postgres://nobody@127.0.0.1:${await findFreePort()}/nothing`);
  await assert.rejects(sql`select 1`.execute(database), isDatabaseUnavailable);
  await database.destroy();
  await assert.rejects(sql`select 1`.execute(database), isDatabaseUnavailable);
  assert.throws(
    () => readFileSync("/nothing/at/all"),
    (error) => !isDatabaseUnavailable(error),
  );
  assert.ok(!isDatabaseUnavailable(new Error("Something else")));
});

test("a database that does not answer or has no room is recognized by what it says, and all else is not", () => {
  const says = (message: string, members: object) => saysUnavailable(Object.assign(new Error(message), members));
  assert.ok(!says("syntax", { severity: "ERROR", code: "42601" }));
  assert.ok(says("deadlock", { severity: "ERROR", code: "40P01" }));
  const internal = (message: string) => says(message, { severity: "ERROR", code: "XX000" });
  assert.ok(internal("failed to prepare transaction 'citus_0_1_2_3' on host 10.0.0.2:5432"));
  assert.ok(!internal("cache lookup failed for relation 1"));
  assert.ok(says("disk I/O error", { code: "ERR_SQLITE_ERROR", errcode: 266 }));
});
