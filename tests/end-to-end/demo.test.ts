import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";

const root = join(import.meta.dirname, "..", "..");

test("the README's demo shows an opened submission without a click, and leaves nothing running", async () => {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SEALPOST_")));
  const demo = spawn(
    process.execPath,
    ["--conditions=@sealpost/source", join(root, "scripts/demo/demo.ts"), "--once"],
    { env: environment, stdio: ["ignore", "pipe", "inherit"] },
  );
  const [output, code] = await Promise.all([
    text(demo.stdout),
    new Promise<number | null>((resolve) => demo.on("exit", resolve)),
  ]);
  assert.equal(code, 0, output);
  assert.match(output, /signature verified/);
  assert.match(output, /opened with the private key:\n {4}name: "Zoë Müller"/);
  const stored = output.slice(output.indexOf("What the service has of it"));
  assert.match(stored, /"encrypted":true/);
  assert.doesNotMatch(stored, /Müller|night shift/);
});
