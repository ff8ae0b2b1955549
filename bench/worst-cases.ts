/**
 * `npm run bench:worst-cases`: what strangers can send to the service, and what its owner's page gets to see of it, each in
 * its worst case at its size limit. For the service: for how long its event loop stands still; for the dashboard: the
 * longest task in a real Chromium. Ends with 1 when one takes longer than its aim.
 */
import { parseArgs } from "node:util";
import { type createClient, createKeyFile, generateKeyPair } from "@sealpost/receiver";
import { createAccount, type Dashboard, startDashboard, submit } from "../tests/dashboard/dashboard.ts";
import { describeMachine, median } from "./machine.ts";
import { type HostileRequest, hostileRequests } from "./worst-cases/requests.ts";
import { hostileSubmissions } from "./worst-cases/submissions.ts";

const { values: options } = parseArgs({ options: { rounds: { type: "string", default: "7" } } });
const rounds = Number(options.rounds);
const serviceAim = 50;
const pageAim = 100;
let isOver = false;

console.log(`${describeMachine()}\n`);
const dashboard = await startDashboard();
try {
  const client = await createAccount(dashboard.service);
  await measureService();
  await measurePage(client);
} finally {
  await dashboard.close();
}
process.exitCode = isOver ? 1 : 0;

async function measureService(): Promise<void> {
  console.log(
    `| to the service | bytes | status | stands still, ms (median of ${rounds}; aim ${serviceAim}) | memory, MiB |`,
  );
  console.log("|---|---|---|---|---|");
  const { service } = dashboard;
  const account = await service.signUp();
  const { publicKey } = await generateKeyPair();
  const create = async (name: string, settings: object) =>
    (await account.request("POST", "/api/forms", { name, settings, publicKey })).body.form.id as string;
  const forms = {
    plain: await create("Plain", { encryption: false }),
    stripped: await create("Stripped", { encryption: false, piiStrip: true }),
  };
  for (const request of hostileRequests(forms, account.token)) await measureRequest(request);
}

async function measureRequest({ name, method, path, headers, body }: HostileRequest): Promise<void> {
  const still: number[] = [];
  const memory: number[] = [];
  let status = 0;
  for (let round = 0; round <= rounds; round++) {
    const before = process.memoryUsage().rss;
    const answer = await watchLoop(() =>
      fetch(`${dashboard.service.url}${path}`, {
        method,
        headers,
        redirect: "manual",
        ...(body !== undefined && { body }),
      }),
    );
    ({ status } = answer.result);
    await answer.result.arrayBuffer();
    // The first one compiles.
    if (round === 0) continue;
    still.push(answer.longest);
    memory.push((process.memoryUsage().rss - before) / 1_048_576);
  }
  report(name, body?.length ?? 0, status, median(still), serviceAim, Math.max(0, ...memory));
}

/** Runs `work`, and says for how long at a time nothing else could have been done meanwhile. */
async function watchLoop<Result>(work: () => Promise<Result>): Promise<{ result: Result; longest: number }> {
  let longest = 0;
  let last = performance.now();
  let isRunning = true;
  const tick = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (isRunning) setImmediate(tick);
  };
  setImmediate(tick);
  const result = await work();
  isRunning = false;
  return { result, longest };
}

async function measurePage(client: ReturnType<typeof createClient>): Promise<void> {
  console.log(
    `\n| to the dashboard, sealed | bytes | | longest task when it is opened, ms (aim ${pageAim}) | heap, MiB |`,
  );
  console.log("|---|---|---|---|---|");
  const { publicKey, privateKey } = await generateKeyPair();
  for (const [name, fields] of hostileSubmissions) {
    const form = await client.forms.create({ name, publicKey });
    await submit(dashboard.service, form, fields);
    await submit(dashboard.service, form, { a: "b" });
    const about = { formId: form.id, formName: name, keyVersion: 1, createdAt: 1, privateKey };
    const { milliseconds, heap } = await openDetail(dashboard, form.id, JSON.stringify(await createKeyFile(about)));
    report(name, JSON.stringify(fields).length, "", milliseconds, pageAim, heap / 1_048_576);
  }
}

/** Opens the older of two submissions beside the list, and gives the longest task of the page from then on. */
async function openDetail({ signIn }: Dashboard, formId: string, keyFile: string) {
  const page = await signIn();
  await page.goto(`/forms/${formId}`);
  const file = { name: "key.json", mimeType: "application/json", buffer: Buffer.from(keyFile) };
  await page.setInputFiles("input[type=file]", file);
  await page.getByRole("table").waitFor();
  await page.getByText("Opening").waitFor({ state: "detached" });
  await page.evaluate(() => {
    const longest = { milliseconds: 0 };
    Object.assign(globalThis, { longest });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest.milliseconds = Math.max(longest.milliseconds, duration);
    }).observe({ type: "longtask" });
  });
  await page.getByRole("row").nth(2).getByRole("button").click();
  const detail = page.getByRole("region", { name: "Submission" });
  await detail.getByText("Webhook deliveries").waitFor();
  // Two frames and a turn of the loop: what was begun is over, and the observer was told of it.
  const milliseconds = await page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    await new Promise((resolve) => setTimeout(resolve, 200));
    return (globalThis as unknown as { longest: { milliseconds: number } }).longest.milliseconds; // made above
  });
  // Chromium alone tells it.
  const heap = await page.evaluate(
    () => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize,
  );
  await page.context().close();
  return { milliseconds, heap };
}

function report(name: string, bytes: number, status: number | string, time: number, aim: number, memory: number): void {
  const isLate = time > aim;
  isOver ||= isLate;
  // A task below 50 ms is none that Chromium tells of.
  const shown = time === 0 ? "< 50" : time.toFixed(0);
  console.log(`| ${name} | ${bytes} | ${status} | ${shown}${isLate ? " **over**" : ""} | ${memory.toFixed(0)} |`);
}
