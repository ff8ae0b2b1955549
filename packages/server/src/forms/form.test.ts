import assert from "node:assert/strict";
import { test } from "node:test";
import { type Form, isOriginAllowed, listChanges, parseOrigin } from "./form.ts";
import { defaultSettings } from "./form-settings.ts";

test("an origin is kept in the spelling that browsers send", () => {
  for (const [text, origin] of [
    ["*", "*"],
    ["https://Example.com", "https://example.com"],
    ["https://example.com:443", "https://example.com"],
    ["http://localhost:3000", "http://localhost:3000"],
    ["https://bücher.example", "https://xn--bcher-kva.example"],
    ["https://*.Example.com", "https://*.example.com"],
    ["https://*.shop.example.co.uk", "https://*.shop.example.co.uk"],
  ] as const)
    assert.equal(parseOrigin(text), origin, text);
});

test("a * stands alone, or for the first whole label of an https host without port", () => {
  for (const text of [
    "https://*",
    "https://*.",
    "https://*.com",
    "https://*.com.",
    "https://a.*.com",
    "https://*foo.com",
    "https://foo*.example.com",
    "https://*.*.example.com",
    "https://*.a.*.example.com",
    "https://xn--*.com",
    "https://**.example.com",
    "https://%2A.example.com",
    "https://a.%2a.com",
    "https://＊.example.com",
    "http://*.example.com",
    "*.example.com",
    "**",
    "https://*.example.com:8443",
    "https://*.example.com:443",
    "https://*.example.com:",
    "https://*.127.0.0.1",
    "https://*.[::1]",
    "https://example.com:*",
    "https://*.example.com/",
    "https://*@example.com",
  ])
    assert.equal(parseOrigin(text), undefined, text);
});

test("an origin has no sign that no browser's origin has, however the parser of URLs takes it", () => {
  for (const text of [
    "https://a.example;",
    "https://a.example,b.example",
    "https://a.example;b.example",
    "https://(a).com",
  ])
    assert.equal(parseOrigin(text), undefined, text);
  for (const text of ["https://my_shop.example", "http://[::1]:3000", "http://127.0.0.1", "https://a-b.example:8443"])
    assert.equal(parseOrigin(text), text);
});

test("a wildcard lets every host below its domain post, the domain itself not, and none that only ends alike", () => {
  const allowed = ["https://*.example.com"];
  for (const origin of ["https://www.example.com", "https://a.b.example.com"])
    assert.equal(isOriginAllowed(origin, allowed), true, origin);
  for (const origin of ["https://example.com", "https://badexample.com", "http://www.example.com", "null"])
    assert.equal(isOriginAllowed(origin, allowed), false, origin);
});

test("a change of long lists is recorded by what was added and removed, and takes no more of the audit log however long they are", () => {
  const withOrigins = (allowedOrigins: readonly string[]): Form => ({
    id: "form_01kdvmh200ecps5q5p0k1v8e9d",
    accountId: "acc_01kdvmh200ecps5q5p0k1v8e9d",
    name: "Contact",
    settings: { ...defaultSettings, allowedOrigins },
    keyVersion: 1,
    createdAt: 0,
    updatedAt: 0,
  });
  const origins = (name: string) => Array.from({ length: 50 }, (_, index) => `https://${name}-${index}.example`);
  assert.deepEqual(listChanges(withOrigins(["*"]), withOrigins(["https://a.example"])), [
    { setting: "allowedOrigins", from: ["*"], to: ["https://a.example"] },
  ]);
  const one = origins("a");
  assert.deepEqual(listChanges(withOrigins(one), withOrigins([...one.slice(1), "https://new.example"])), [
    {
      setting: "allowedOrigins",
      from: ["https://a-0.example", "… 49 more"],
      to: ["https://new.example", "… 49 more"],
    },
  ]);
  const [all] = listChanges(withOrigins(one), withOrigins(origins("b")));
  assert.deepEqual(
    [all?.from, all?.to].map((list) => Array.isArray(list) && list.length),
    [11, 11],
  );
});
