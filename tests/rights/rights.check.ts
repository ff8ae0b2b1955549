import assert from "node:assert/strict";
import { after, test } from "node:test";
import { rightStatus } from "../contract/operation-calls.ts";
import type { Operation } from "../contract/operations.ts";
import { holdRequest } from "./held-request.ts";
import { revocations } from "./revocations.ts";
import { assertRefused, casesOf, listHiddenOperations, openRights, runGated, runHeld } from "./rights.ts";

/** Every operation that changes something, and every way in which a right ends: a new one of either is in here by itself. */
const rights = await openRights({ after });
const hidden = await listHiddenOperations(rights);

/** Operations whose examples are refused before they begin a transaction, and what begins it for them. */
const refusedBefore: Readonly<Record<string, string>> = {
  giveBackMemberListEntries: "entries that continue no list: a transaction in the handler",
  addMemberListEntry: "an entry that continues no list: a transaction in the handler",
  createAdmission: "terms that nobody signed: `inTransaction` of admissions.ts, as for revokeAdmission",
  answerAdmission: "an answer that nobody wrote: a transaction of admissions.ts",
  addKeyLogEntry:
    "an entry that does not follow the log is refused before the transaction, which looks again (forms/key-log.test.ts)",
  putSignedHead: "without a personal key: a transaction in the handler",
  challengeDeviceRequest: "halves of no key: `write` of device-request-store.ts, as for revealDeviceRequest",
};

for (const revocation of revocations) {
  const cases = casesOf(rights.operations, revocation);
  const held = [...cases, ...casesOf(hidden, revocation)];
  test(`when ${revocation.name}, none of ${held.length} requests that held their bodies back is done`, async () => {
    assertRefused(await runHeld(rights, revocation, held), revocation);
  });

  test(`when ${revocation.name} after the body was read, none of ${cases.length} requests is done`, async () => {
    const outcomes = await runGated(rights, revocation, cases);
    assertRefused(
      outcomes.filter(({ hasTransaction }) => hasTransaction),
      revocation,
    );
    const others = outcomes.filter(({ hasTransaction }) => !hasTransaction);
    assert.deepEqual(
      others.filter(({ operationId }) => !(operationId in refusedBefore)).map(({ name, status }) => [name, status]),
      [],
      "it writes outside of a transaction, where nothing looks at the right again",
    );
  });
}

test("control: a request that held its body back is done while nobody takes its right away", async () => {
  const actor = await rights.createActor();
  // Last what ends the actor's own membership, or, by an operator, everything of the owner's.
  const isLast = ({ operationId, access }: Operation) => operationId === "leaveOrganization" || access === "operator";
  const last = rights.operations.filter(isLast);
  const others = rights.operations.filter((operation) => !last.includes(operation));
  for (const operation of [...others, ...last]) {
    const { headers, ...rest } = rights.calls.prepare(operation, await rights.idsOf(operation));
    const prepared = { ...rest, headers: { ...headers, authorization: actor.authorization.session } };
    const { status, body } = await (
      await holdRequest(rights.service.app.server, rights.service.url, prepared)
    ).finish();
    const wanted = operation.operationId === "leaveOrganization" ? 200 : rightStatus(operation);
    // For operators there are no examples of things that they end.
    const isRight = operation.access === "operator" ? status !== 401 && status !== 403 : status === wanted;
    assert.ok(isRight, `${operation.operationId}: ${status} ${JSON.stringify(body)}`);
  }
});
