import assert from "node:assert/strict";
import { test } from "node:test";
import { onEither } from "../testing/test-database.ts";
import { repeatAfterDeadlock } from "./repeat.ts";

test(
  "a transaction that was rolled back by a deadlock runs again, up to ten times, and after any other error never",
  onEither,
  async () => {
    async function run(failures: number, code: string): Promise<{ readonly runs: number; readonly end: string }> {
      let runs = 0;
      const end = repeatAfterDeadlock(async () => {
        runs += 1;
        if (runs <= failures) throw Object.assign(new Error("rolled back"), { code });
        return "committed";
      });
      return { end: await end.catch((error: Error) => error.message), runs };
    }
    assert.deepEqual(await run(2, "40P01"), { runs: 3, end: "committed" });
    assert.deepEqual(await run(10, "40P01"), { runs: 10, end: "rolled back" });
    assert.deepEqual(await run(1, "08006"), { runs: 1, end: "rolled back" });
  },
);
