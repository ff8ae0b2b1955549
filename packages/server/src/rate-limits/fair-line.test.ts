import assert from "node:assert/strict";
import { test } from "node:test";
import { createFairLine } from "./fair-line.ts";

const options = {
  waitingMax: 6,
  waitingMaxOfOne: 4,
  message: "Too many passwords are being checked at this moment. Please try again.",
  retrySeconds: 5,
} as const;

const of = (accountId: string) => ({ accountId, personId: undefined });

test("accounts that had turns give way to one that had none, however many they are", async () => {
  const line = createFairLine(options);
  const order: string[] = [];
  const putOff: string[] = [];
  const wait = (account: string) =>
    line.wait(of(account)).then(
      () => void order.push(account),
      () => void putOff.push(account),
    );
  const accounts = ["a", "b", "c", "d", "e", "f", "g", "h"];
  for (const account of accounts) line.countTurn(of(account));
  const all = accounts.map(wait);
  all.push(wait("owner"), wait("other"));
  while (line.passTurn());
  await Promise.all(all);
  assert.deepEqual(order, ["owner", "other", "a", "b", "c", "d"]);
  assert.deepEqual(putOff.toSorted(), ["e", "f", "g", "h"]);
});

test("turns count for half an hour to an hour", async () => {
  let now = 0;
  const line = createFairLine({ ...options, now: () => now });
  const findFirst = async () => {
    const first = Promise.race(["busy", "other"].map((account) => line.wait(of(account)).then(() => account)));
    while (line.passTurn());
    return first;
  };
  line.countTurn(of("busy"));
  assert.equal(await findFirst(), "other");
  now = 1_800_000;
  assert.equal(await findFirst(), "other");
  now = 5_400_000;
  assert.equal(await findFirst(), "busy");
});
