import assert from "node:assert/strict";
import { test } from "node:test";
import { labelBrowser, parseLabel, writeLabel } from "./browser-label.ts";

const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
const agents = {
  "firefox/windows": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
  "chrome/linux": `Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/156.0.0.0 Safari/537.36`,
  "edge/windows": `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0`,
  "samsung/android": `Mozilla/5.0 (Linux; Android 16; SM-S931B) ${webkit} SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36`,
  "safari/ios":
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1",
  "safari/macos":
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Safari/605.1.15",
  "chrome/chromeos": `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/156.0.0.0 Safari/537.36`,
  "other/other": "Mozilla/5.0 (Something; of its own)",
  "program/other": "curl/8.16.0",
} as const;

test("a session's label is one of a closed list, whatever a browser says of itself", () => {
  for (const [label, agent] of Object.entries(agents)) assert.equal(writeLabel(labelBrowser(agent)), label);
  assert.equal(writeLabel(labelBrowser(undefined)), "program/other");
  assert.equal(writeLabel(labelBrowser(`secret ${"x".repeat(8000)}`)), "program/other");
  assert.deepEqual(parseLabel("firefox/windows"), { browser: "firefox", system: "windows" });
  for (const unknown of ["", "firefox", "netscape/windows", "firefox/amiga"])
    assert.equal(parseLabel(unknown), undefined);
});
