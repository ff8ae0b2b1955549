import assert from "node:assert/strict";
import { after, test } from "node:test";
import { testDatabaseKind } from "../../packages/server/src/testing/test-database.ts";
import {
  countOf,
  hiddenCases,
  listHiddenRevocations,
  listUnmatched,
  openHiddenRights,
  runHidden,
} from "./hidden-operations.ts";

/** Routes of the sign-in library and about it, which take a session's cookie, and every way in which a session ends. */
const hidden = await openHiddenRights({ after });

test("each route that changes something and is not in the document has a row", () => {
  assert.deepEqual(listUnmatched(hidden), []);
});

for (const one of hiddenCases)
  test(`control: with its right, ${one.name} is done`, async () => {
    assert.ok((await countOf(hidden, one)) >= 0);
  });

for (const [index, revocation] of listHiddenRevocations(hidden).entries())
  test(`when ${revocation.name}, before the body or each transaction, nothing is done by a route outside the document`, async () => {
    // A handler does the same before its transactions on both databases: on the second one the moments take turns.
    const turn = testDatabaseKind === "sqlite" ? undefined : index;
    assert.deepEqual(await runHidden(hidden, revocation, hiddenCases, turn), []);
  });
