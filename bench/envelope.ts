/**
 * `npm run bench -- envelope`: what it takes to make an envelope of 50 readers, to open it with the last one's key, and to check the list of
 * its members; in Node and in Chromium, each with the runtime's own ML-KEM and with that of age-encryption, which
 * runtimes without one use.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { launchBrowser } from "../tests/support/chromium.ts";
import type { EnvelopeTimes } from "./envelope-rounds.ts";
import { describeMachine, median } from "./machine.ts";

const { values } = parseArgs({
  options: { readers: { type: "string", default: "50" }, rounds: { type: "string", default: "20" } },
});
const readers = Number(values.readers);
const rounds = Number(values.rounds);

/** Takes ML-KEM away from the runtime, before anything asks for it. */
const withoutNative = "SubtleCrypto.supports = undefined; delete SubtleCrypto.prototype.encapsulateBits;";

const bundled = await build({
  stdin: {
    contents: `import { runRounds } from "./envelope-rounds.ts"; globalThis.runRounds = runRounds;`,
    resolveDir: import.meta.dirname,
  },
  bundle: true,
  write: false,
  format: "iife",
  platform: "browser",
  conditions: ["@sealpost/source"],
  logLevel: "silent",
});
const script = bundled.outputFiles[0]?.text ?? "";
const server = createServer((request, response) => {
  const isScript = request.url === "/rounds.js";
  response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
  response.end(isScript ? script : '<!doctype html><script src="/rounds.js"></script>');
}).listen(0, "localhost");
await new Promise((resolve) => server.once("listening", resolve));
const url = `http://localhost:${(server.address() as AddressInfo).port}/`; // a TCP server's address
const browser = await launchBrowser();

async function inNode(hasNative: boolean): Promise<EnvelopeTimes> {
  const { execFile } = await import("node:child_process");
  const { promisify } = await import("node:util");
  const rounded = `process.stdout.write(JSON.stringify(await (await import(${JSON.stringify(join(import.meta.dirname, "envelope-rounds.ts"))})).runRounds(${readers}, ${rounds})));`;
  const program = `${hasNative ? "" : withoutNative}${rounded}`;
  const parameters = ["--conditions=@sealpost/source", "--no-warnings", "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, parameters);
  return JSON.parse(stdout) as EnvelopeTimes; // as the program writes it
}

async function inChromium(hasNative: boolean): Promise<EnvelopeTimes> {
  const page = await browser.newPage();
  if (!hasNative) await page.addInitScript(withoutNative);
  await page.goto(url);
  const times = await page.evaluate(([one, other]) => Reflect.get(globalThis, "runRounds")(one, other), [
    readers,
    rounds,
  ] as const);
  await page.close();
  return times as EnvelopeTimes; // of the same function
}

console.log(`${describeMachine()}, Chromium ${browser.version()}`);
console.log(
  `${readers} readers with hybrid keys, ${rounds} rounds after one to warm up; medians and the longest, ms\n`,
);
console.log(
  "| where | make (aim 1,000) | open with the last key (aim 400) | check the list | bytes |\n|---|---|---|---|---|",
);
for (const [where, run] of [["Node", inNode] as const, ["Chromium", inChromium] as const]) {
  for (const hasNative of [true, false]) {
    const { make, open, check, bytes } = await run(hasNative);
    const show = (times: readonly number[]) =>
      `${median(times).toFixed(0)}; ${times.toSorted((a, b) => b - a)[0]?.toFixed(0)}`;
    const name = `${where}, ${hasNative ? "its own ML-KEM" : "in JavaScript"}`;
    console.log(`| ${name} | ${show(make)} | ${show(open)} | ${show(check)} | ${bytes} |`);
  }
}
await browser.close();
server.close();
