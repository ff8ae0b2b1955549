import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Problem } from "../problems/problem.ts";
import { createTransactionPlaces, placesOf, type TransactionPlacesOptions } from "./transaction-places.ts";

/** Somebody who takes places, and gives none back before it is said. */
function open(options: TransactionPlacesOptions) {
  const places = createTransactionPlaces(options);
  const inside: { readonly name: string; readonly leave: () => void }[] = [];
  const refused: string[] = [];
  return {
    inside,
    refused,
    take(person: string, credential: string, times = 1) {
      for (let time = 0; time < times; time++)
        places.take({ person, credential }).then(
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

const { all, ofPerson, ofCredential } = placesOf.postgres;

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

test("who waits too long for a place is put off, and all others keep their turns", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const scene = open({ all: 1, ofPerson: 1, ofCredential: 1, waitMilliseconds: 5_000 });
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
  const scene = open({ all: 1, ofPerson: 1, ofCredential: 1 });
  scene.take("one", "session", 3);
  await setImmediate();
  const [first] = scene.inside;
  first?.leave();
  await setImmediate();
  first?.leave();
  assert.equal((await scene.names()).length, 2);
});
