import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { learnServiceTime, serviceNow } from "./service-clock.ts";

const day = 86_400_000;
const answeredAt = (time: number) => new Headers({ date: new Date(time).toUTCString() });

test("time continues from the service's last answer, however wrong the computer's clock is, and whenever it is changed", (t) => {
  for (const wrongBy of [-60 * day, -3_600_000, -10_000, 10_000, 3_600_000, 400 * day]) {
    const real = Date.UTC(2026, 10, 30, 12);
    t.mock.timers.enable({ apis: ["Date"], now: real + wrongBy });
    learnServiceTime(answeredAt(real));
    assert.equal(serviceNow(), real, String(wrongBy));
    t.mock.timers.setTime(real + wrongBy + 5_000);
    assert.equal(serviceNow(), real + 5_000, String(wrongBy));
    // Somebody puts it right.
    t.mock.timers.setTime(real + 9_000);
    learnServiceTime(answeredAt(real + 9_000));
    assert.equal(serviceNow(), real + 9_000, String(wrongBy));
    t.mock.timers.reset();
  }
});

test("seconds of the network, and an answer without a time, change nothing", (t) => {
  const real = Date.UTC(2026, 10, 30, 12);
  t.mock.timers.enable({ apis: ["Date"], now: real + 321 });
  learnServiceTime(answeredAt(real));
  assert.equal(serviceNow(), real + 321);
  learnServiceTime(new Headers());
  learnServiceTime(new Headers({ date: "yesterday" }));
  assert.equal(serviceNow(), real + 321);
});

/** Where the computer's own clock is the right one. */
const computersClock: Readonly<Record<string, string>> = {
  "api/service-clock.ts": "what the service's is compared with",
  "account/audit-head.tsx": "names a file",
  "envelopes/own-head.ts": "a signed head, which no service dates",
  "keys/new-key.ts": "a key file, which no service dates",
  "key-copies/new-key.ts": "names a sheet and a copy",
  "members/find-invitation.ts": "how long to wait, from now on",
  "recovery/printed-sheets.tsx": "the day on a sheet of paper",
  "submissions/export-dialog.tsx": "names a file",
  "your-key/key-changing.tsx": "names a sheet",
};

test("every page goes by the service's clock, but where the computer's is the right one", () => {
  const root = join(import.meta.dirname, "..");
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.tsx?$/.test(file) && !file.endsWith(".test.ts") && !file.startsWith("testing/"),
  );
  assert.ok(files.length > 300);
  const own = files.filter((file) => /Date\.now\b|new Date\(\)/.test(readFileSync(join(root, file), "utf8")));
  assert.deepEqual(own.sort(), Object.keys(computersClock).sort());
});
