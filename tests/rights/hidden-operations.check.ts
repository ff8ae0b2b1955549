import assert from "node:assert/strict";
import { after, test } from "node:test";
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

for (const revocation of listHiddenRevocations(hidden))
  test(`when ${revocation.name}, before the body or each transaction, nothing is done by a route outside the document`, async () => {
    assert.deepEqual(await runHidden(hidden, revocation, hiddenCases), []);
  });
