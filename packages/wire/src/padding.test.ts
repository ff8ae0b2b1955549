import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pad, paddedSize } from "./padding.ts";

test("small plaintexts take 1, 2 or 4 KiB, on both sides of every boundary", () => {
  const table = [
    [0, 1024],
    [1, 1024],
    [2, 1024],
    [1023, 1024],
    [1024, 1024],
    [1025, 2048],
    [2047, 2048],
    [2048, 2048],
    [2049, 4096],
    [4095, 4096],
    [4096, 4096],
  ] as const;
  for (const [size, padded] of table) assert.equal(paddedSize(size), padded, `${size}`);
});

test("larger plaintexts take the next Padmé size, on both sides of every boundary", () => {
  // Step 256 up to 8 KiB, 512 to 16, 1,024 to 32 and to 64 as 2 KiB: worked out by hand from the paper's section 4.
  const table = [
    [4097, 4352],
    [4351, 4352],
    [4352, 4352],
    [4353, 4608],
    [8191, 8192],
    [8192, 8192],
    [8193, 8704],
    [16_383, 16_384],
    [16_384, 16_384],
    [16_385, 17_408],
    [32_769, 34_816],
    [65_535, 65_536],
    [65_536, 65_536],
    [65_537, 67_584],
    [100_000, 100_352],
    [131_073, 135_168],
    [1_048_576, 1_048_576],
    [1_048_577, 1_081_344],
  ] as const;
  for (const [size, padded] of table) assert.equal(paddedSize(size), padded, `${size}`);
});

test("every size to 70,000 grows, never shrinks, is stable and costs at most 12 % beyond 4 KiB", () => {
  let before = 0;
  for (let size = 0; size <= 70_000; size++) {
    const padded = paddedSize(size);
    if (padded < size || padded < before || paddedSize(padded) !== padded) assert.fail(`${size} became ${padded}`);
    if (size > 4096 && padded > size * 1.12) assert.fail(`${size} became ${padded}`);
    before = padded;
  }
});

test("sizes agree with Padmé as the paper writes it, with bit masks", () => {
  fc.assert(
    fc.property(fc.integer({ min: 4097, max: 2 ** 30 }), (size) => {
      const length = BigInt(size);
      const exponent = BigInt(size.toString(2).length - 1);
      const bits = BigInt(exponent.toString(2).length);
      const mask = (1n << (exponent - bits)) - 1n;
      assert.equal(paddedSize(size), Number((length + mask) & ~mask));
    }),
    { numRuns: 2000 },
  );
});

test("padding is spaces after the plaintext, so JSON stays the same JSON", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const json = JSON.stringify(value);
      const padded = new TextDecoder().decode(pad(new TextEncoder().encode(json)));
      assert.equal(padded.trimEnd(), json.trimEnd());
      assert.equal(JSON.stringify(JSON.parse(padded)), JSON.stringify(JSON.parse(json)));
    }),
  );
});
