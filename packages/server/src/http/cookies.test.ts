import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readCookies } from "./cookies.ts";

test("cookies are read by their exact names, the first of a name, without quotation marks and decoded", () => {
  const cases: readonly (readonly [string | undefined, Readonly<Record<string, string>>])[] = [
    [undefined, {}],
    ["", {}],
    [";;=; =a; b", {}],
    ["a=1; b=2", { a: "1", b: "2" }],
    ["a=1;a=2; A=3", { a: "1", A: "3" }],
    [" a = 1 ;b=", { a: "1", b: "" }],
    ["a=b=c", { a: "b=c" }],
    ['a="x y"; b="', { a: "x y", b: '"' }],
    ["a=%C3%A9%3B; b=%E9; c=%", { a: "é;", b: "%E9", c: "%" }],
    ["a b=1; c\u00e9=2; __proto__=3", { ["__proto__"]: "3" }],
  ];
  for (const [header, cookies] of cases)
    assert.deepEqual([...readCookies(header)], Object.entries(cookies), header ?? "no header");
});

test("nothing but the one reader takes a Cookie header apart", () => {
  const folder = fileURLToPath(new URL("..", import.meta.url));
  const files = globSync("**/*.ts", { cwd: folder, exclude: (name) => /testing$|\.test\.ts$/.test(name) });
  const apart = files.filter((file) =>
    /cookies?\b[^\n]*\??\.(?:split|match|matchAll|indexOf)\(|\.exec\([^)\n]*\bcookies?\b/.test(
      readFileSync(`${folder}${file}`, "utf8"),
    ),
  );
  assert.deepEqual(apart, []);
});
