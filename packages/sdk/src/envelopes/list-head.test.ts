import assert from "node:assert/strict";
import { test } from "node:test";
import { formatListHead, parseListHead } from "./list-head.ts";

test("the head of a list with several parts is read as it was written, and no number is larger than a list can have", () => {
  const hash = "A".repeat(43);
  for (const number of [1, 4096, 4097, 123_456, 2_147_483_647])
    assert.deepEqual(parseListHead(formatListHead({ number, hash })), { number, hash });
  for (const text of ["0-", "01-", "2147483648-", "12345678901-", "-1-"])
    assert.equal(parseListHead(text + hash), undefined);
});
