/**
 * `npm run bench -- open-envelope`: 10,000 submissions of 2 KB of a form with an envelope, opened by the dashboard in Chromium whose worker has the
 * personal key, next to the bare RSA-OAEP decryptions that WebCrypto makes of the same keys on the same cores; rounds alternate. Two figures of the
 * dashboard: from unlocking with the sheet until nothing is left to open, in which it also opens the personal key and the envelope, fetches all rows
 * and draws; and of that, from the first opened row on.
 */
import { parseArgs } from "node:util";
import { generateKeyPair } from "@sealpost/sdk";
import { createId, decodeBase64, seal } from "@sealpost/wire";
import { medianRatio, runAlternating } from "./alternating.ts";
import { decryptCode, decryptInWorkers } from "./bare-decryptions.ts";
import { unlockWithSheetOfSeveralWays, withFilledForm } from "./envelope-form.ts";
import { describeMachine, median } from "./machine.ts";

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "3" }, count: { type: "string", default: "10000" } },
});
const [rounds, count] = [Number(options.rounds), Number(options.count)];
const print = (line: string) => void process.stdout.write(`${line}\n`);

await withFilledForm({ name: "open-envelope", count }, async ({ service, browser, page, formId, paper }) => {
  // The form's own private key is in no program but the dashboard: another of its size takes as long.
  const { publicKey, privateKey } = await generateKeyPair();
  const wrapped = await Promise.all(
    Array.from({ length: count }, async () => {
      const binding = { formId, keyVersion: 1, submissionId: createId("submission") };
      return decodeBase64((await seal({ name: "Ada" }, binding, publicKey)).key) ?? new Uint8Array();
    }),
  );
  // The service's own pages allow no worker made from a text.
  const plainPage = await browser.newPage({ bypassCSP: true });
  await plainPage.goto(service.url);
  const fromFirst: number[] = [];

  const openAll = async (round: number): Promise<number> => {
    await page.goto("about:blank");
    await page.goto(`/forms/${formId}`);
    await page.getByRole("button", { name: "Recovery sheet", exact: true }).waitFor();
    const started = performance.now();
    await unlockWithSheetOfSeveralWays(page, paper);
    await page.getByText("ada@example.com").first().waitFor();
    const first = performance.now();
    // Asked for ten times a second: Playwright's own waiting walks through the page at every frame, at the dashboard's expense.
    await page.waitForFunction(
      (expected) => document.body.innerText.includes(expected) && !document.body.innerText.includes("Opening"),
      `${count.toLocaleString("en")} submissions`,
      { polling: 100, timeout: 600_000 },
    );
    const ended = performance.now();
    if (round > 0) fromFirst.push(ended - first);
    return ended - started;
  };
  const bare = "bare RSA-OAEP, WebCrypto in Chromium";
  const figures = await runAlternating(rounds, [
    { name: bare, measure: () => decryptInWorkers(plainPage, decryptCode, { ...privateKey }, wrapped) },
    { name: "dashboard, from unlocking on", measure: openAll },
  ]);
  print(`${describeMachine()}, Chromium ${browser.version()}`);
  print(`${count} submissions of 2 KB, sp1, RSA-3072; medians of ${rounds} alternating rounds\n`);
  print("| | seconds | opened/s | of bare |\n|---|---|---|---|");
  for (const [name, times] of [...figures, ["dashboard, from its first row on", fromFirst] as const]) {
    const rate = median(times.map((time) => (count * 1000) / time)).toFixed(0);
    const ratio = (1 / medianRatio(times, figures.get(bare))).toFixed(2);
    print(`| ${name} | ${(median(times) / 1000).toFixed(2)} | ${rate} | ${ratio} |`);
  }
});
