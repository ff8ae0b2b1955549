import assert from "node:assert/strict";
import { after, test } from "node:test";
import { hiddenCases, listUnmatched, openHiddenRights, runHidden } from "./hidden-operations.ts";
import { revocations } from "./revocations.ts";
import { assertRefused, casesOf, openRights, runGated, runHeld } from "./rights.ts";

/** A sample of `npm run test:rights`, which tries every way in which a right ends. */
const rights = await openRights({ after });
const hidden = await openHiddenRights({ after });

for (const name of ["the session is ended in another browser", "the member is removed", "the API key is revoked"]) {
  const revocation = revocations.find((one) => one.name === name);
  if (revocation === undefined) throw new Error(`There is no revocation called ${name}`);
  const cases = casesOf(rights.operations, revocation);

  test(`when ${name}, nothing is done by a request that held its body back`, async () => {
    assertRefused(await runHeld(rights, revocation, cases));
  });

  test(`when ${name} after the body was read, nothing is done in a transaction that begins later`, async () => {
    const outcomes = await runGated(rights, revocation, cases);
    assertRefused(outcomes.filter(({ hasTransaction }) => hasTransaction));
  });
}

test("each route that changes something and is not in the document has a row", () => {
  assert.deepEqual(listUnmatched(hidden), []);
});

test("when the session is ended in another browser, nothing is done by a route outside the document", async () => {
  const revocation = revocations.find(({ name }) => name === "the session is ended in another browser");
  assert.ok(revocation !== undefined);
  assert.deepEqual(await runHidden(hidden, revocation, hiddenCases, 0), []);
});
