import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { resolveOverlaps } from "./overlap.ts";
import { strength } from "./scan.ts";
import { allTypes } from "./types.ts";

test("the union of overlapping candidates is covered, and only they", () => {
  const candidate = fc.record({
    type: fc.constantFrom(...allTypes),
    start: fc.nat(60),
    length: fc.integer({ min: 1, max: 12 }),
    strength: fc.nat(2),
  });
  fc.assert(
    fc.property(fc.array(candidate, { maxLength: 12 }), (drafts) => {
      const candidates = drafts.map(({ length, ...rest }) => ({ ...rest, end: rest.start + length }));
      const resolved = resolveOverlaps(candidates);
      const isIn = (list: ReadonlyArray<{ start: number; end: number }>, index: number) =>
        list.some((span) => span.start <= index && index < span.end);
      for (let index = 0; index < 75; index++) assert.equal(isIn(resolved, index), isIn(candidates, index));
      resolved.forEach((span, index) => {
        assert.ok(index === 0 || (resolved[index - 1]?.end ?? 0) <= span.start);
        const strongest = Math.max(
          ...candidates.filter((one) => one.start >= span.start && one.end <= span.end).map((one) => one.strength),
        );
        assert.equal(span.strength, strongest);
      });
    }),
    { numRuns: 1_000 },
  );
});

test("a checksum names the union before a longer shape, length before the order of types", () => {
  const name = (...candidates: Parameters<typeof resolveOverlaps>[0]) =>
    resolveOverlaps(candidates).map((hit) => hit.type);
  const card = { type: "CREDIT_CARD", start: 4, end: 8, strength: strength.checksum } as const;
  const email = { type: "EMAIL_ADDRESS", start: 0, end: 20, strength: strength.shape } as const;
  const ip = { type: "IP_ADDRESS", start: 19, end: 22, strength: strength.shape } as const;
  assert.deepEqual(name(email, card), ["CREDIT_CARD"]);
  assert.deepEqual(name(ip, email), ["EMAIL_ADDRESS"]);
  assert.deepEqual(name({ ...ip, start: 0, end: 20 }, email), ["EMAIL_ADDRESS"]);
  assert.deepEqual(name({ ...ip, start: 20 }, email), ["EMAIL_ADDRESS", "IP_ADDRESS"]);
});
