import assert from "node:assert/strict";
import { test } from "node:test";
import { describeListRoom } from "./list-room.ts";

test("a list that is filling up says so, with who may still change it", async () => {
  const at = (number: number) => describeListRoom(number);
  assert.equal(await at(3071), undefined);
  assert.match((await at(3072)) ?? "", /has 3,072 of 4,096 entries: only owners and the recovery key/);
  assert.match((await at(4031)) ?? "", /only owners/);
  assert.match((await at(4032)) ?? "", /for owners who remove somebody/);
  assert.match((await at(4096)) ?? "", /nobody can be added or removed any more. An owner makes room/);
});
