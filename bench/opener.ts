/**
 * `npm run bench -- opener`: an export of 10,000 submissions of 2 KB, opened by `sealpost-opener.html` from the disk in headless
 * Chromium, from the choice of the key until nothing is left to open, next to the bare RSA-OAEP decryptions that WebCrypto makes of
 * the same keys on the same cores; rounds alternate. Reading the file and drawing the list are in the opener's figure. Processor
 * time is that of all processes of the browser, for the bare ones with what hands them their inputs: other programs on the same
 * machine change it less than the seconds.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { createKeyFile, generateKeyPair } from "@sealpost/sdk";
import { createId, decodeBase64, seal } from "@sealpost/wire";
import { dashboardFolder } from "../packages/dashboard/build.ts";
import { openerFile } from "../packages/dashboard/build-opener.ts";
import { launchBrowser } from "../tests/support/chromium.ts";
import { medianRatio, runAlternating } from "./alternating.ts";
import { decryptCode, decryptInWorkers } from "./bare-decryptions.ts";
import { describeMachine, median } from "./machine.ts";

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "3" }, count: { type: "string", default: "10000" } },
});
const [rounds, count] = [Number(options.rounds), Number(options.count)];
const folder = mkdtempSync(join(tmpdir(), "sealpost-opener-"));
const [exportPath, keyPath] = [join(folder, "export.ndjson"), join(folder, "key.json")];
const openerUrl = pathToFileURL(join(dashboardFolder, openerFile)).href;
const browser = await launchBrowser();
const session = await browser.newBrowserCDPSession();
const processorTimes = new Map<string, number[]>();

try {
  const { publicKey, privateKey } = await generateKeyPair();
  const formId = createId("form");
  const wrapped: Uint8Array[] = [];
  const lines: string[] = [];
  const fields = { name: "Ada Lovelace", email: "ada@example.com", message: "How do you do? ".repeat(128) };
  for (let index = 0; index < count; index++) {
    const id = createId("submission");
    const payload = await seal(fields, { formId, keyVersion: 1, submissionId: id }, publicKey);
    wrapped.push(decodeBase64(payload.key) ?? new Uint8Array());
    lines.push(JSON.stringify({ id, formId, payload, keyVersion: 1, timestamp: index, receivedAt: index }));
  }
  writeFileSync(exportPath, lines.join("\n"));
  writeFileSync(
    keyPath,
    JSON.stringify(await createKeyFile({ formId, formName: "Contact", keyVersion: 1, createdAt: 1, privateKey })),
  );
  const plainPage = await browser.newPage();
  const blankPath = join(folder, "blank.html");
  writeFileSync(blankPath, "<!doctype html><title>Bare</title>");
  await plainPage.goto(pathToFileURL(blankPath).href);
  const bare = "bare RSA-OAEP, WebCrypto in Chromium";
  const decryptAll = async (round: number) => {
    const end = await startMeasuring(bare, round);
    const took = await decryptInWorkers(plainPage, decryptCode, { ...privateKey }, wrapped);
    await end();
    return took;
  };
  const figures = await runAlternating(rounds, [
    { name: bare, measure: decryptAll },
    { name: "opener", measure: openAll },
  ]);
  process.stdout.write(`${describeMachine()}, Chromium ${browser.version()}\n`);
  process.stdout.write(`${count} submissions of 2 KB, sp1, RSA-3072; medians of ${rounds} alternating rounds\n\n`);
  process.stdout.write("| | seconds | opened/s | of bare | processor ms each | of bare |\n|---|---|---|---|---|---|\n");
  for (const [name, times] of figures) {
    const rate = median(times.map((time) => (count * 1000) / time)).toFixed(0);
    const ratio = (1 / medianRatio(times, figures.get(bare))).toFixed(2);
    const processor = processorTimes.get(name) ?? [];
    const each = (median(processor) / count).toFixed(2);
    const processorRatio = (1 / medianRatio(processor, processorTimes.get(bare))).toFixed(2);
    process.stdout.write(
      `| ${name} | ${(median(times) / 1000).toFixed(2)} | ${rate} | ${ratio} | ${each} | ${processorRatio} |\n`,
    );
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}

/** Measures from one call to the other: seconds, and what the browser's processes took of the processors meanwhile. */
async function startMeasuring(name: string, round: number) {
  const [started, before] = [performance.now(), await processorTime()];
  return async () => {
    const took = performance.now() - started;
    const processor = (await processorTime()) - before;
    // The first round warms up.
    if (round > 0) processorTimes.set(name, [...(processorTimes.get(name) ?? []), processor]);
    return took;
  };
}

async function processorTime(): Promise<number> {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0);
}

/** A page of its own each time; gives the milliseconds. */
async function openAll(round: number): Promise<number> {
  const page = await browser.newPage();
  await page.goto(openerUrl);
  await page.setInputFiles('input[type=file][aria-label="Choose files"]', exportPath);
  await page.getByText(`${count.toLocaleString("en")} submissions of 1 form`).waitFor({ timeout: 120_000 });
  const end = await startMeasuring("opener", round);
  await page.setInputFiles('input[type=file][aria-label="Choose key file"]', keyPath);
  await page.getByText("ada@example.com").first().waitFor({ timeout: 600_000 });
  // Asked for ten times a second: Playwright's own waiting walks through the page at every frame, at the opener's expense.
  await page.waitForFunction(() => document.querySelector("progress") === null, undefined, {
    polling: 100,
    timeout: 600_000,
  });
  const took = await end();
  await page.getByText(`${count.toLocaleString("en")} submissions`, { exact: true }).waitFor();
  if ((await page.getByText("could not be opened").count()) > 0) throw new Error("Some could not be opened");
  await page.close();
  return took;
}
