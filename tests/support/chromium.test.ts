import assert from "node:assert/strict";
import { test } from "node:test";
import { chromium } from "playwright-core";
import { featuresOff } from "./chromium.ts";

test("what Playwright switches off in a browser is off in that of the tests", async () => {
  // Node takes none of a browser's arguments and ends, and then Playwright says what it had started it with.
  const failure = await chromium.launch({ executablePath: process.execPath }).then(
    () => assert.fail("Node is no browser"),
    (error: Error) => error.message,
  );
  const [, itsFeatures] = /--disable-features=(\S+)/.exec(failure) ?? assert.fail(failure);
  assert.ok(itsFeatures !== undefined && itsFeatures !== "");
  assert.deepEqual(
    itsFeatures.split(",").filter((feature) => !featuresOff.includes(feature)),
    [],
  );
});
