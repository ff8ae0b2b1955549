import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createKeptCounts } from "./kept-counts.ts";

test("a large number is counted again after ten seconds, and when the clock was set back; a small one each time", async () => {
  const clock = createFakeClock();
  const keptCounts = createKeptCounts(clock);
  let real = 999;
  const count = () => keptCounts("accounts", async () => real);
  assert.equal(await count(), 999);
  real = 1000;
  assert.equal(await count(), 1000);
  real = 1001;
  clock.advance(9999);
  assert.equal(await count(), 1000);
  clock.advance(1);
  assert.equal(await count(), 1001);
  real = 2000;
  clock.advance(-86_400_000);
  assert.equal(await count(), 2000);
  assert.equal(await keptCounts("others", async () => 5), 5);
});
