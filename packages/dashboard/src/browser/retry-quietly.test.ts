import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { ApiError } from "@sealpost/sdk";
import { retryQuietly } from "./retry-quietly.ts";

const lost = () => new TypeError("fetch failed");
const refused = (status: number) => new ApiError("refused", { status, code: "forbidden" });

/** Fails with each of these in turn, and then succeeds. Gives how often it was done when the first try was over, and in the end. */
async function count(failures: readonly Error[]): Promise<readonly [first: number, all: number]> {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    let done = 0;
    await retryQuietly(async () => {
      const failure = failures[done++];
      if (failure !== undefined) throw failure;
    });
    const first = done;
    for (let step = 0; step < 20; step++) {
      mock.timers.tick(10_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return [first, done];
  } finally {
    mock.timers.reset();
  }
}

test("a report that was lost is repeated later until it arrives, and nobody waits for that", async () => {
  assert.deepEqual(await count([]), [1, 1]);
  assert.deepEqual(await count([lost()]), [1, 2]);
  assert.deepEqual(await count([lost(), refused(503), refused(429)]), [1, 4]);
});

test("a report is given up after a few times, and at once where the server refuses it", async () => {
  assert.deepEqual(await count(Array.from({ length: 9 }, lost)), [1, 4]);
  assert.deepEqual(await count([refused(404)]), [1, 1]);
});
