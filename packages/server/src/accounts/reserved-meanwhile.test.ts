import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import type { CompiledQuery, QueryResult } from "kysely";
import type { Database } from "../database/database.ts";
import { createTestService } from "../testing/test-service.ts";
import { completeMove, saveMove } from "./address-move-store.ts";

/** Does this once, right after somebody has looked whether an address is reserved. */
function afterLook(database: Database, then: () => Promise<unknown>): void {
  const executor = database.getExecutor();
  const execute = executor.executeQuery.bind(executor);
  executor.executeQuery = async <Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> => {
    const result = await execute(query);
    if (/from "address_move" where "old_email"/.test(query.sql)) {
      executor.executeQuery = execute;
      await then();
    }
    return result;
  };
}

test("an address that its account is moved away from while somebody signs up with it stays reserved, and the move is undone", async (t) => {
  const service = await createTestService(t);
  const { database } = service;
  const [email, thief] = ["owner@example.com", "thief@example.com"];
  const owner = await service.signUp(email);
  const personId = owner.id as AccountId; // the service made it
  let token = "";
  afterLook(database, () =>
    database.transaction().execute(async (transaction) => {
      const move = { personId, oldEmail: email, newEmail: thief };
      await saveMove(transaction, { ...move, oldToken: "old", newToken: "new" }, Date.now());
      token = await completeMove(transaction, move, Date.now());
    }),
  );
  const body = { name: "Thief", email, password: "correct horse battery" };
  const { status } = await service.request("POST", "/api/auth/sign-up/email", { body });
  assert.notEqual(token, "", "a control: the move came in between");
  assert.equal(status, 409);
  assert.equal((await database.selectFrom("person").select("id").execute()).length, 1);
  const undone = await service.request("POST", "/api/auth/address/refuse", { body: { token } });
  assert.deepEqual([undone.status, undone.body], [200, { status: "undone" }]);
  const row = await database.selectFrom("person").select("email").executeTakeFirstOrThrow();
  assert.equal(row.email, email);
});
