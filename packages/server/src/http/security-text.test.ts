import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSecurityContacts } from "../config/security-contact.ts";
import { createTestService } from "../testing/test-service.ts";
import { formatSecurityText } from "./security-text-routes.ts";

const day = 86_400_000;

test("security.txt names the operator's contacts in their order, to anybody, as plain text", async (t) => {
  const service = await createTestService(t, {
    environment: { SEALPOST_SECURITY_CONTACT: "mailto:security@example.org, https://example.org/report?x=1" },
  });
  const answer = await fetch(`${service.url}/.well-known/security.txt`);
  assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, "text/plain; charset=utf-8"]);
  const lines = (await answer.text()).split("\n");
  assert.deepEqual(lines.slice(0, 2), [
    "Contact: mailto:security@example.org",
    "Contact: https://example.org/report?x=1",
  ]);
  assert.match(lines[2] ?? "", /^Expires: \d{4}-\d\d-\d\dT00:00:00\.000Z$/);
  assert.deepEqual(lines.slice(3), [""]);
});

test("without a contact there is no security.txt", async (t) => {
  const service = await createTestService(t);
  assert.equal((await service.request("GET", "/.well-known/security.txt")).status, 404);
});

test("at every moment security.txt is valid for months, and for less than a year", () => {
  for (let now = Date.UTC(2027, 11, 30, 23, 59, 59, 999); now < Date.UTC(2029, 0, 2); now += day / 2 - 1) {
    const text = formatSecurityText(["mailto:a@example.org"], "https://forms.example.org", now);
    const left = Date.parse(/^Expires: (.*)$/m.exec(text)?.[1] ?? "") - now;
    assert.ok(left > 90 * day && left < 365 * day, text);
    assert.match(text, /^Canonical: https:\/\/forms\.example\.org\/\.well-known\/security\.txt$/m);
  }
  assert.doesNotMatch(formatSecurityText(["mailto:a@example.org"], "http://localhost:8080", 0), /Canonical/);
});

test("a contact is an address that RFC 9116 names and that fits on one line; anything else stops the start", () => {
  for (const text of [
    "mailto:security@example.org",
    "mailto:security@example.org?subject=Forms",
    "https://example.org/security",
    "tel:+49-30-1234567",
    "tel:+49301234567, mailto:a%2Cb@example.org",
  ])
    assert.deepEqual(parseSecurityContacts(text), text.split(", "), text);
  for (const text of [
    "security@example.org",
    "http://example.org/security",
    "mailto:security",
    "mailto:a@b@c.example",
    "mailto:a@example.org\nContact: https://evil.example",
    "https://user:password@example.org/",
    "https:example.org",
    "tel:110",
    "javascript:alert(1)",
    "mailto:a@example.org,",
    "https://bücher.example/",
    `https://example.org/${"a".repeat(500)}`,
    Array(11).fill("mailto:a@example.org").join(","),
  ])
    assert.equal(parseSecurityContacts(text), undefined, text);
});
