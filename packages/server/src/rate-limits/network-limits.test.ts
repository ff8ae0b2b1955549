import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { systemClock } from "../time/clock.ts";
import { createRateLimits, type RateLimits } from "./rate-limits.ts";

const sources = new URL("../", import.meta.url).pathname;

/** Everything that counts by network, or gives places to networks, and where it is tried at every width. */
const bounds: Readonly<Record<string, string>> = {
  "rate-limits/rate-limits.ts": "below, each function that takes an address",
  "rate-limits/password-queue.ts": "line-newcomers.test.ts",
  "rate-limits/transaction-places.ts": "transaction-places.test.ts",
  "account-life/address-routes.ts": "line-newcomers.test.ts",
  "oidc/provider-turns.ts": "line-newcomers.test.ts",
  "html-forms/read-html-form.ts": "line-newcomers.test.ts",
  "submissions/strip-fields.ts": "line-newcomers.test.ts",
  "http/connections.ts": "crowded-connections.test.ts",
  "http/unfinished-bodies.ts": "unfinished-bodies.test.ts",
  "http/unread-answers.ts": "unread-answers.test.ts",
};

test("everything that bounds networks is tried at every width", () => {
  const files = globSync("**/*.ts", { cwd: sources }).filter(
    (file) =>
      !/\.test\.ts$|^testing\/|client-address\.ts$|startup\/app\.ts$/.test(file) &&
      /\bto(?:Client|Widest|Shared)Networks?\b|\btoNestedNetworks\b/.test(readFileSync(`${sources}${file}`, "utf8")),
  );
  assert.deepEqual(files.toSorted(), Object.keys(bounds).toSorted());
});

type Ask = (limits: RateLimits, address: string, number: number) => Promise<boolean>;

const rate = 3;
const mebibyte = 1_048_576;

/** The bound of one address, and a request that says whether it was let through. */
const limited: Readonly<Record<string, { readonly ofAddress: number; readonly ask: Ask }>> = {
  countAddress: { ofAddress: rate, ask: async (limits, address) => !(await limits.countAddress(address))?.isExceeded },
  countSubmission: {
    ofAddress: rate,
    ask: async (limits, address) => !(await limits.countSubmission(address, "form", async () => true))?.isExceeded,
  },
  countSubmissionBytes: {
    ofAddress: 10,
    ask: async (limits, address) => !(await limits.countSubmissionBytes(address, "form", mebibyte))?.isExceeded,
  },
  countQuiet: { ofAddress: 10, ask: (limits, address) => limits.countQuiet(address) },
  countRefusedKey: {
    ofAddress: rate,
    ask: async (limits, address) => !(await limits.countRefusedKey(address, "form"))?.isExceeded,
  },
  countMissedSubmission: {
    ofAddress: rate,
    async ask(limits, address, number) {
      const quota = await limits.countSubmission(address, `none ${number}`, async () => false);
      if (!quota?.isExceeded) await limits.countMissedSubmission(address);
      return !quota?.isExceeded;
    },
  },
  countSignIn: { ofAddress: rate, ask: async (limits, address) => !(await limits.countSignIn(address))?.isExceeded },
};

const hex = (number: number) => number.toString(16);

/** Addresses of one network, each of another narrower one, and how many times the bound of an address all may have together at most. */
const widths: Readonly<Record<string, { readonly of: (number: number) => string; readonly timesMax: number }>> = {
  "IPv4 /24": { of: (number) => `203.0.113.${number % 256}`, timesMax: 16 },
  "IPv4 /24 through NAT64": { of: (number) => `64:ff9b::cb00:71${hex(256 + (number % 256)).slice(1)}`, timesMax: 16 },
  "IPv4 /24 through SIIT": { of: (number) => `::ffff:0:203.0.113.${number % 256}`, timesMax: 16 },
  "IPv6 /56": { of: (number) => `2001:db8:1:${hex(number % 256)}::1`, timesMax: 4 },
  "IPv6 /48": { of: (number) => `2001:db8:1:${hex((number * 257) % 65_536)}::1`, timesMax: 16 },
  "IPv6 /32": { of: (number) => `2001:db8:${hex(number % 65_536)}:${hex(number % 7)}::1`, timesMax: 64 },
};
const elsewhere = ["198.51.100.7", "2001:db9::1", "64:ff9b::c633:6407"] as const;

function createLimits(): RateLimits {
  return createRateLimits({ apiRate: rate, submitRate: rate, signInRate: rate, clock: systemClock });
}

test("each bound of an address is one of those below", () => {
  const text = readFileSync(`${sources}rate-limits/rate-limits.ts`, "utf8");
  const names = new Set(Array.from(text.matchAll(/^ {2}(count\w+)\(\s*address: string/gm), ([, name]) => name));
  assert.deepEqual([...names].toSorted(), Object.keys(limited).toSorted());
});

for (const [bound, { ofAddress, ask }] of Object.entries(limited))
  for (const [width, { of, timesMax }] of Object.entries(widths)) {
    test(`${bound}: who has all of an ${width} is bound there as one, and nobody else is`, async () => {
      const limits = createLimits();
      const asksMax = timesMax * ofAddress + 1;
      let passed = 0;
      for (let number = 0; number < asksMax; number++) if (await ask(limits, of(number), number)) passed += 1;
      assert.ok(passed <= timesMax * ofAddress, `${passed} passed`);
      assert.ok(passed >= 2 * ofAddress, "neighbours have more together than one of them");
      for (const address of elsewhere) assert.ok(await ask(limits, address, 0), address);
      await limits.stop();
    });

    test(`${bound}: one address of an ${width} has its own bound, and takes no more from its neighbours`, async () => {
      const limits = createLimits();
      const own: boolean[] = [];
      for (let number = 0; number < 40 * ofAddress; number++) own.push(await ask(limits, of(1), number));
      assert.deepEqual(own.slice(0, ofAddress), Array(ofAddress).fill(true));
      assert.ok(!own.slice(ofAddress).includes(true));
      assert.ok(await ask(limits, of(2), 0), "a neighbour is served");
      await limits.stop();
    });
  }
