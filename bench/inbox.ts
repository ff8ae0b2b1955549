/**
 * `npm run bench -- inbox`: 100,000 sealed submissions in a fresh instance, and the inbox of the dashboard opened on them in
 * Chromium: time to the first rows, to all of them, memory, and how long the page stands still while it is scrolled and
 * searched. `--count 10000` takes fewer. `--folder x` keeps the instance there and uses it again; `--screenshot x.png`
 * takes a picture of the full list.
 */
import { createReadStream, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createClient, createKeyFile, generateKeyPair } from "@sealpost/sdk";
import { createId, type FormId, type PublicKey, seal } from "@sealpost/wire";
import type { Page } from "playwright-core";
import { launchBrowser } from "../tests/support/chromium.ts";
import { startServiceProcess } from "../tests/support/service-process.ts";
import { signUpForToken } from "../tests/support/sign-up.ts";
import { describeMachine } from "./machine.ts";

const { values: options } = parseArgs({
  options: {
    count: { type: "string", default: "100000" },
    folder: { type: "string" },
    screenshot: { type: "string" },
  },
});
const count = Number(options.count);
const folder = options.folder ?? mkdtempSync(join(tmpdir(), "sealpost-inbox-"));
const keyPath = join(folder, "key.json");
mkdirSync(folder, { recursive: true });
const isSeeded = existsSync(keyPath);
const service = await startServiceProcess({
  SEALPOST_DATA: join(folder, "data"),
  SEALPOST_PORT: "0",
  SEALPOST_SUBMIT_RATE: "0",
  SEALPOST_API_RATE: "0",
});
const started = performance.now();
const since = (from: number) => `${((performance.now() - from) / 1000).toFixed(1)} s`;
const report = (line: string) => void process.stdout.write(`${line}\n`);
try {
  report(describeMachine());
  const formId = isSeeded ? String(JSON.parse(readFileSync(keyPath, "utf8")).formId) : await fill();
  await look(formId);
} finally {
  await service.kill();
  if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
}

/** A form with its submissions, each sealed by itself as a visitor's browser does. Gives the form's id. */
async function fill(): Promise<string> {
  const client = createClient({ baseUrl: service.url, token: await signUpForToken(service) });
  const { publicKey, privateKey } = await generateKeyPair();
  const form = await client.forms.create({ name: "Works council", publicKey });
  let next = 0;
  const post = async () => {
    while (next < count) await submit(form.id as FormId, publicKey, next++); // the service makes nothing else
  };
  await Promise.all(Array.from({ length: 32 }, post));
  const about = { formId: form.id, formName: "Works council", keyVersion: 1, createdAt: 1 };
  writeFileSync(keyPath, JSON.stringify(await createKeyFile({ ...about, privateKey })));
  report(`${count} submissions sealed and posted in ${since(started)}`);
  return form.id;
}

async function submit(formId: FormId, publicKey: PublicKey, index: number): Promise<void> {
  const submissionId = createId("submission");
  const fields = {
    name: `Person ${index}`,
    email: `person-${index}@example.com`,
    topics: index % 3 === 0 ? ["pay", "hours"] : ["safety"],
    message: `Question number ${index}: since the new roster came we have less than eleven hours between two shifts.`,
  };
  const payload = await seal(fields, { formId, keyVersion: 1, submissionId }, publicKey);
  const answer = await fetch(`${service.url}/api/forms/${formId}/submissions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id: submissionId, keyVersion: 1, payload }),
  });
  await answer.arrayBuffer();
  if (answer.status !== 201) throw new Error(`A submission was answered with ${answer.status}`);
}

async function look(formId: string): Promise<void> {
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext({ baseURL: service.url, viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    page.on("pageerror", (error) => report(`THROWN: ${error.message}`));
    page.on("crash", () => report("THE PAGE CRASHED"));
    await page.goto("/sign-in");
    await page.getByLabel("Email address").fill("owner@example.com");
    await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Forms" }).waitFor();
    await page.goto(`/forms/${formId}`);
    await page.getByText("These submissions are sealed").waitFor();
    const workers = new Set<unknown>();
    page.on("worker", (worker) => workers.add(worker));
    await watchStalls(page);
    const unlocked = performance.now();
    await page.setInputFiles("input[type=file]", keyPath);
    await page.getByText("person-").first().waitFor();
    report(`first rows opened after ${since(unlocked)}`);
    await page.waitForTimeout(3_000);
    report(`while opening: ${await stalls(page)}; ${workers.size} workers; ${await memory(page)}`);
    await scroll(page, "scrolling while opening");
    await page.getByText("Opening").waitFor({ state: "detached", timeout: 1_800_000 });
    report(
      `all opened after ${since(unlocked)}; standing still meanwhile: ${await stalls(page)}; ${await memory(page)}`,
    );
    await scroll(page, "scrolling through all");
    await timed(page, "search", async () => {
      await page.getByLabel("Search in opened submissions").fill("number 4242");
      await page.getByText(/^\d+ of /).waitFor();
    });
    await timed(page, "search cleared", async () => {
      await page.getByLabel("Search in opened submissions").fill("");
      await page.getByText(/^[\d,]+ submissions$/).waitFor();
    });
    await timed(page, "sort by a column", async () => {
      await page.getByRole("button", { name: "Name", exact: true }).click();
      await page.getByRole("row").nth(1).getByText("Person 0", { exact: true }).waitFor();
    });
    await timed(page, "select all", () => page.getByLabel("Select all shown").check());
    await timed(page, "open one", async () => {
      await page.getByRole("row").nth(4).getByRole("button").click();
      await page.getByRole("region", { name: "Submission" }).waitFor();
    });
    if (options.screenshot !== undefined) await page.screenshot({ path: options.screenshot });
    await timed(page, "export CSV", async () => {
      await page.getByRole("button", { name: "Export" }).click();
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "CSV", exact: true }).click();
      report(`CSV of ${await countLines(await (await download).path())} lines`);
    });
    report(`at the end: ${await memory(page)}`);
  } finally {
    await browser.close();
  }
}

async function timed(page: Page, what: string, act: () => Promise<unknown>): Promise<void> {
  await stalls(page);
  const start = performance.now();
  await act();
  report(`${what}: ${since(start)}, standing still: ${await stalls(page)}`);
}

/** From one frame to the next: the page writes down each gap that a person would notice. */
async function watchStalls(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen = { gaps: [] as number[], frames: 0 };
    Object.assign(globalThis, { seen });
    let last = performance.now();
    const next = (now: number) => {
      seen.frames += 1;
      if (now - last > 50) seen.gaps.push(now - last);
      last = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
}

async function stalls(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { seen } = globalThis as unknown as { seen: { gaps: number[]; frames: number } }; // put there above
    const gaps = seen.gaps.splice(0).toSorted((a, b) => b - a);
    const frames = seen.frames;
    seen.frames = 0;
    const middle = gaps[Math.floor(gaps.length / 2)] ?? 0;
    return `${gaps.length} gaps over 50 ms in ${frames} frames, longest ${Math.round(gaps[0] ?? 0)} ms, median ${Math.round(middle)} ms`;
  });
}

async function scroll(page: Page, what: string): Promise<void> {
  await timed(page, what, () =>
    page.evaluate(async () => {
      const table = document.querySelector('[role="table"]');
      if (table === null) throw new Error("There is no table");
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      for (let step = 0; step <= 60; step++) {
        table.scrollTop = ((table.scrollHeight - table.clientHeight) * step) / 60;
        await frame();
      }
      table.scrollTop = 0;
      await frame();
    }),
  );
}

async function memory(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return `page's heap ${Math.round(usedSize / 2 ** 20)} MB`;
}

async function countLines(path: string): Promise<number> {
  let lines = 0;
  for await (const chunk of createReadStream(path)) for (const byte of chunk as Buffer) if (byte === 10) lines++;
  return lines;
}
