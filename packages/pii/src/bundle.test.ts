import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";

const entry = fileURLToPath(new URL("./index.ts", import.meta.url));

function bundle(external: string[]): string {
  const result = buildSync({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    write: false,
    external,
  });
  return result.outputFiles[0]?.text ?? "";
}

function gzipBytes(text: string): number {
  return gzipSync(text, { level: 9 }).length;
}

test("the whole is at most 54 KB gzip for a browser, our own part at most 21", () => {
  const whole = gzipBytes(bundle([]));
  const own = gzipBytes(bundle(["libphonenumber-js/*", "@noble/*"]));
  assert.ok(whole <= 54_000, `${whole} bytes`);
  assert.ok(own <= 21_000, `${own} bytes`);
});

test("the code needs no page, no Node, no network, no clock and no randomness", () => {
  const own = bundle(["libphonenumber-js/*", "@noble/*"]);
  for (const word of [
    "document",
    "window.",
    "process.",
    "require(",
    "node:",
    "fetch(",
    "XMLHttpRequest",
    "Date.now",
    "new Date",
    "Math.random",
    "await ",
    "Promise",
    "crypto.subtle",
  ])
    assert.ok(!own.includes(word), word);
});
