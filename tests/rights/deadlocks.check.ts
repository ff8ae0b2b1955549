import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { testDatabaseKind } from "../../packages/server/src/testing/test-database.ts";
import type { Ids } from "../contract/operation-calls.ts";
import type { Operation } from "../contract/operations.ts";
import type { Actor } from "./revocations.ts";
import { type Case, nameOf, openRights, prepare, type Rights, sendWhole } from "./rights.ts";

/**
 * Each transaction of a request begins by locking the right that it is done with. One that changes such rows must not share them
 * first: two at once would wait for each other, for a second each time, with connections that everybody needs.
 */
const options = { skip: testDatabaseKind === "sqlite" && "has one transaction at a time" };
/** Fewer than the connections of a pool, so that all of them are in their transactions at once. */
const atOnce = 8;

/** Operations that end what the others need: for the person or the organization. */
const endings = ["leaveOrganization", "deleteAccount", "deleteOrganization"];

/** Who sends the same request at once. */
const crowds: readonly { readonly name: string; gather(rights: Rights): Promise<readonly Actor[]> }[] = [
  { name: "one owner", gather: async ({ createActor }) => [await createActor()] },
  { name: "two owners", gather: ({ createActor }) => Promise.all([createActor(), createActor()]) },
];

for (const { name, gather } of crowds)
  test(`no operation waits for itself, sent ${atOnce} times at once by ${name}`, options, async (t) => {
    const count = countDeadlocks();
    t.after(() => count.stop());
    const rights = await openRights({ after: (end) => t.after(end) });
    const isLast = ({ operationId, access }: Operation) => endings.includes(operationId) || access === "operator";
    const found: string[] = [];
    let actors = await gather(rights);
    const idsOf = await createIdsOfCases(rights);
    for (const operation of rights.operations.toSorted((one, other) => Number(isLast(one)) - Number(isLast(other)))) {
      if (isLast(operation)) actors = await gather(rights);
      for (const one of credentialsOf(operation)) {
        const requests = await Promise.all(
          Array.from({ length: atOnce }, (_, index) =>
            prepare({ ...rights, idsOf: () => idsOf(one) }, at(actors, index % actors.length), one),
          ),
        );
        const before = count.read();
        const answers = await Promise.all(requests.map((request) => sendWhole(rights.service, request)));
        const statuses = answers.map(({ status }) => status);
        assert.ok(!statuses.every((status) => status === 429), `${nameOf(one)} is refused by a rate`);
        // A person has four tests of webhooks wait at most.
        const isWrong = ({ status, body }: (typeof answers)[number]) =>
          status >= 500 && (body as { readonly code?: string } | undefined)?.code !== "webhook_tests_busy";
        if (count.read() > before || answers.some(isWrong))
          found.push(`${nameOf(one)}: ${count.read() - before} deadlocks, answered ${statuses.join(" ")}`);
      }
    }
    assert.deepEqual(found, []);
  });

/**
 * What each case is about, the same for all that are sent at once: a form of its own, since a form's keys are rotated eight times a
 * day by anyone but owners with a session. Made before an operator's operation ends the sessions of the owner, who makes them.
 */
async function createIdsOfCases(rights: Rights): Promise<(one: Case) => Promise<Ids>> {
  const made = new Map<string, Ids>();
  for (const operation of rights.operations)
    for (const one of credentialsOf(operation))
      made.set(nameOf(one), await rights.calls.createIds(rights.scene.owner, operation));
  // A form is tested a few times a minute: each request is about another one.
  return async (one) =>
    one.operation.operationId === "testWebhook"
      ? rights.idsOf(one.operation)
      : (made.get(nameOf(one)) ?? assert.fail(nameOf(one)));
}

function credentialsOf(operation: Operation): readonly Case[] {
  const bySession: Case = { operation, credential: "session" };
  return typeof operation.access === "object" ? [bySession, { operation, credential: "apiKey" }] : [bySession];
}

function at<Item>(items: readonly Item[], index: number): Item {
  return items[index] ?? assert.fail("more than there are");
}

/** Counts deadlocks on all connections of this process. */
function countDeadlocks() {
  const { query } = Client.prototype;
  let deadlocks = 0;
  const counted = function (this: Client, ...parameters: unknown[]) {
    const answer: unknown = Reflect.apply(query, this, parameters);
    if (answer instanceof Promise)
      answer.catch((error) => {
        if (error?.code === "40P01") deadlocks++;
      });
    return answer;
  };
  Client.prototype.query = counted as typeof query; // whatever overload is called
  return {
    read: () => deadlocks,
    stop() {
      Client.prototype.query = query;
    },
  };
}
