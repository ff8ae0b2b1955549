import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { findPii } from "./find.ts";
import { type Fields, stripPii } from "./strip.ts";

function strip(text: string): unknown {
  return stripPii({ message: text }).fields.message;
}

/** Seen in form services and redaction libraries; each would have leaked, or destroyed an answer. */
suite("mistakes of others that must not be ours", () => {
  test("a card is one card: no phone pattern eats half of it", () => {
    assert.equal(strip("4111111111111111"), "[CARD]");
    assert.equal(strip("pay 4111 1111 1111 1111 now"), "pay [CARD] now");
  });
  test("an international number leaves no head or tail", () => {
    assert.equal(strip("+44 20 7946 0958"), "[PHONE]");
    assert.equal(strip("+49 (0) 171 / 123 45 67"), "[PHONE]");
  });
  test("a compressed IPv6 address is an address, and checksums are checked", () => {
    assert.equal(strip("2001:db8::1"), "[IP]");
    assert.equal(strip("4111111111111112"), "4111111111111112");
  });
  test("five digits are an order, not a postcode", () => {
    assert.equal(strip("order 12345"), "order 12345");
  });
  test("field names are matched by whole words", () => {
    const fields = { statement: "x", shipping_notes: "x", success: "x", passed: "x", tips: "x", hostname: "x" };
    assert.deepEqual({ ...stripPii(fields).fields }, fields);
  });
  test("what is nested is visited", () => {
    const { fields } = stripPii({ nested: { note: "a@b.example" }, list: [["a@b.example"], { more: "192.0.2.1" }] });
    assert.equal(JSON.stringify(fields), '{"nested":{"note":"[EMAIL]"},"list":[["[EMAIL]"],{"more":"[IP]"}]}');
  });
  test("stripping is synchronous: its result is the answer, not a promise of one", () => {
    const result: { fields: Fields } = stripPii({ message: "a@b.example" });
    assert.equal(JSON.stringify(result.fields), '{"message":"[EMAIL]"}');
  });
  test("a token tells nothing of what it replaced", () => {
    assert.equal(strip("a@b.example"), strip("someone.else.entirely@example.museum"));
    assert.equal(strip("4111111111111111"), strip("3782 822463 10005"));
  });
});

test("a hit that overlaps another leaves no piece of either", () => {
  assert.equal(strip("https://user:pw@example.com"), "https://[CREDENTIALS]@example.com");
  assert.equal(strip("https://a@b.example:pw@example.com/"), "https://[CREDENTIALS]@example.com/");
  assert.equal(strip("https://example.com/?token=a@b.example.7"), "https://example.com/?token=[CREDENTIALS]");
  assert.equal(strip("::ffff:192.0.2.128"), "[IP]");
  const texts = ["4111111111111111@example.com", "+49171123456-78@example.org", "DE89370400440532013000@example.net"];
  for (const text of [...texts, "192.0.2.1@example.com"]) assert.match(String(strip(text)), /^\[[A-Z]+\]$/, text);
});

test("order numbers, dates, versions, prices and code are left unchanged", () => {
  const texts = [
    "2026-11-21T10:30:00Z",
    "v1.2.3",
    "lodash@4.17.21",
    "1.234,56 €",
    "std::vector<int>",
    "550e8400-e29b-41d4-a716-446655440000",
    "ZIP 90210-1234",
    "24/7",
    "call 911",
    "100-200",
  ];
  for (const text of texts) assert.deepEqual(findPii(text), [], text);
});
