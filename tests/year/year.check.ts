import assert from "node:assert/strict";
import { after, afterEach, beforeEach, describe } from "node:test";
import { keepPicture } from "../support/check-page.ts";
import { playFirstHalf } from "./first-half.ts";
import { playSecondHalf } from "./second-half.ts";
import { startYear } from "./year.ts";

// `npm run test:year`: a works council's year. Each person has a phone, 390 × 844, and does only what its pages offer.

const year = await startYear();

describe("a council's year", () => {
  after(() => year.council.close());
  // Each month needs those before it.
  let isBroken = false;
  beforeEach(() => assert.ok(!isBroken, "an earlier month has failed"));
  afterEach(async (t) => {
    isBroken ||= "passed" in t && t.passed === false;
    if (isBroken) for (const { device, name } of year.people.values()) await keepPicture(device, `failed ${name}`);
    assert.deepEqual(year.council.dashboard.complaints, []);
  });

  playFirstHalf(year);
  playSecondHalf(year);
});
