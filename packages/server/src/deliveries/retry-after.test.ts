import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRetryAfter } from "./retry-after.ts";

const now = Date.parse("2024-01-01T00:00:00Z");

test("seconds and HTTP dates become milliseconds", () => {
  assert.equal(parseRetryAfter("0", now), 0);
  assert.equal(parseRetryAfter(" 120 ", now), 120_000);
  assert.equal(parseRetryAfter("Mon, 01 Jan 2024 00:05:00 GMT", now), 300_000);
});

test("a date in the past asks for no wait", () => {
  assert.equal(parseRetryAfter("Sun, 31 Dec 2023 23:00:00 GMT", now), 0);
});

test("anything else says nothing", () => {
  for (const text of ["", "-1", "1.5", "1e3", "soon", "99999999999", "2024-01-01", "Mon, 32 Foo 2024 00:00:00 GMT"])
    assert.equal(parseRetryAfter(text, now), undefined, text);
});
