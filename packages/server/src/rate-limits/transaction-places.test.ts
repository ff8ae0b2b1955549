import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { FastifyRequest } from "fastify";
import { Problem } from "../problems/problem.ts";
import { elsewhere, wideNetworks } from "./testing/wide-networks.ts";
import {
  createTakePlace,
  createTransactionPlaces,
  placesOf,
  type TransactionPlacesOptions,
} from "./transaction-places.ts";

/** Somebody who takes places, and gives none back before it is said. */
function open(options: TransactionPlacesOptions) {
  const places = createTransactionPlaces(options);
  const inside: { readonly name: string; readonly leave: () => void }[] = [];
  const refused: string[] = [];
  return {
    inside,
    refused,
    take(person: string, credential: string, times = 1, organization = `of ${person}`) {
      for (let time = 0; time < times; time++)
        places.take({ organization, person, credential }).then(
          (leave) => inside.push({ name: `${person} ${credential}`, leave }),
          (error: unknown) => {
            assert.ok(error instanceof Problem && error.status === 503);
            refused.push(`${person} ${credential}`);
          },
        );
    },
    async names() {
      await setImmediate();
      return inside.map(({ name }) => name);
    },
    /** The one that came in first gives its place back. */
    async leave() {
      await setImmediate();
      inside.shift()?.leave();
      await setImmediate();
    },
  };
}

const { all, ofOrganization, ofPerson, ofCredential } = placesOf.postgres;

test("a session has two places and a person three, however many transactions they begin, and everybody else the others", async () => {
  const scene = open(placesOf.postgres);
  scene.take("thief", "stolen", 1000);
  assert.deepEqual(await scene.names(), Array(ofCredential).fill("thief stolen"));
  scene.take("thief", "own", 1000);
  assert.equal((await scene.names()).length, ofPerson);
  assert.equal(scene.inside.at(-1)?.name, "thief own", "another session of the person has a place left");
  for (let count = ofPerson; count < all; count++) scene.take(`person ${count}`, "session");
  assert.equal((await scene.names()).length, all);
  scene.take("last", "session");
  assert.equal((await scene.names()).length, all, "and no more than leave connections to visitors");
  await scene.leave();
  assert.ok((await scene.names()).includes("last session"), "the next place is theirs who have none");
});

test("people take turns at the one place of SQLite, and so do the sessions and API keys of each", async () => {
  const scene = open(placesOf.sqlite);
  scene.take("thief", "stolen", 100);
  scene.take("thief", "own", 2);
  scene.take("other", "session", 2);
  const order: string[] = [];
  for (let count = 0; count < 7; count++) {
    order.push(...(await scene.names()));
    await scene.leave();
  }
  assert.deepEqual(order, [
    "thief stolen",
    "thief stolen",
    "other session",
    "thief own",
    "other session",
    "thief stolen",
    "thief own",
  ]);
});

/** Members of three organizations, each with sessions that send many requests. */
function crowd({ take }: ReturnType<typeof open>): void {
  for (let organization = 0; organization < 3; organization++)
    for (let member = 0; member < 20; member++)
      for (let session = 0; session < 3; session++)
        take(`member ${organization} ${member}`, `session ${session}`, 10, `crowd ${organization}`);
}

for (const [kind, { options, turnsMax }] of Object.entries({
  postgres: { options: placesOf.postgres, turnsMax: 1 },
  // Who is inside, and each of the three once.
  sqlite: { options: placesOf.sqlite, turnsMax: 4 },
}))
  test(`members of three organizations, however many, keep nobody of another one waiting for more than ${turnsMax} turns (${kind})`, async () => {
    const scene = open(options);
    crowd(scene);
    await setImmediate();
    for (let time = 0; time < 5; time++) {
      scene.take("outsider", `session ${time}`);
      let turns = 0;
      for (; !(await scene.names()).includes(`outsider session ${time}`); turns++) {
        assert.ok(turns < turnsMax, `the outsider waits for more than ${turnsMax} turns`);
        await scene.leave();
      }
      const place = scene.inside.findIndex(({ name }) => name === `outsider session ${time}`);
      scene.inside.splice(place, 1)[0]?.leave();
      await setImmediate();
    }
  });

test("an organization has four places, and the last two are for organizations that have none", async () => {
  const scene = open(placesOf.postgres);
  for (let member = 0; member < 100; member++) scene.take(`member ${member}`, "session", 5, "crowd");
  assert.equal((await scene.names()).length, ofOrganization);
  scene.take("other", "session", 2, "other");
  assert.equal((await scene.names()).filter((name) => name.startsWith("other")).length, 1);
  scene.take("third", "session");
  assert.ok((await scene.names()).includes("third session"));
  assert.equal(scene.inside.length, all);
});

test("somebody who has many organizations is let in no more often for that", async () => {
  const scene = open(placesOf.sqlite);
  for (let organization = 0; organization < 50; organization++)
    scene.take("collector", "session", 1, `organization ${organization}`);
  scene.take("other", "session", 3);
  const order: string[] = [];
  for (let count = 0; count < 7; count++) {
    order.push(...(await scene.names()));
    await scene.leave();
  }
  assert.equal(order.filter((name) => name === "other session").length, 3);
});

test("who waits too long for a place is put off, and all others keep their turns", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const scene = open({ ...placesOf.sqlite, waitMilliseconds: 5_000 });
  scene.take("one", "session", 3);
  await setImmediate();
  t.mock.timers.tick(4_999);
  scene.take("other", "session");
  assert.equal((await scene.names()).length, 1);
  t.mock.timers.tick(1);
  await setImmediate();
  assert.deepEqual(scene.refused, ["one session", "one session"]);
  await scene.leave();
  assert.deepEqual(await scene.names(), ["other session"]);
  t.mock.timers.tick(10_000);
  await scene.leave();
  scene.take("one", "session");
  assert.deepEqual(await scene.names(), ["one session"], "nobody who was let in is put off later");
  assert.equal(scene.refused.length, 2);
});

test("a place that is given back twice is one", async () => {
  const scene = open(placesOf.sqlite);
  scene.take("one", "session", 3);
  await setImmediate();
  const [first] = scene.inside;
  first?.leave();
  await setImmediate();
  first?.leave();
  assert.equal((await scene.names()).length, 2);
});

for (const { name, of } of wideNetworks)
  test(`strangers in an ${name} have three places together and two of one address, and others the rest`, async () => {
    const take = createTakePlace(placesOf.postgres);
    const entered: string[] = [];
    // An address is all that it reads of a stranger. Those who still wait at the end are put off during another test.
    const ask = (ip: string) =>
      void take({ ip } as FastifyRequest).then(
        () => entered.push(ip),
        () => {},
      );
    for (let count = 0; count < 100; count++) ask(of(1));
    await setImmediate();
    assert.equal(entered.length, ofCredential);
    for (let number = 2; number < 100; number++) ask(of(number));
    await setImmediate();
    assert.equal(entered.length, ofPerson);
    ask(elsewhere);
    await setImmediate();
    assert.equal(entered.at(-1), elsewhere);
  });
