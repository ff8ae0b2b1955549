/**
 * `npm run bench -- worst-cases`: what strangers can send to the service, and what its owner's page and programs get to see of
 * it, each in its worst case at its size limit. For the service and programs: for how long their event loop stands still;
 * for the dashboard and the embed: the longest task in a real Chromium. Ends with 1 when one takes longer than its aim.
 * `--part dashboard` measures one of service, programs, dashboard and embed, where a machine is quiet for a few minutes only.
 */
import { parseArgs } from "node:util";
import { type createClient, createKeyFile, generateKeyPair } from "@sealpost/sdk";
import { createAccount, startDashboard, submit } from "../tests/dashboard/dashboard.ts";
import { describeMachine, median } from "./machine.ts";
import { measureEmbed } from "./worst-cases/embed.ts";
import { longestTask, startWatching } from "./worst-cases/long-tasks.ts";
import { hostileWork } from "./worst-cases/programs.ts";
import { type HostileRequest, hostileRequests } from "./worst-cases/requests.ts";
import { hostileSubmissions } from "./worst-cases/submissions.ts";

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "7" }, part: { type: "string", multiple: true } },
});
const isWanted = (part: string) => options.part?.includes(part) ?? true;
const rounds = Number(options.rounds);
const serviceAim = 50;
const pageAim = 100;
let isOver = false;

console.log(`${describeMachine()}\n`);
const dashboard = await startDashboard();
try {
  const client = await createAccount(dashboard.service);
  if (isWanted("service")) await measureService();
  if (isWanted("programs")) await measurePrograms();
  if (isWanted("dashboard")) await measurePage(client);
} finally {
  await dashboard.close();
}
if (isWanted("embed")) {
  console.log(`\n| in a visitor's page | bytes | | longest task, ms (aim ${pageAim}) | heap, MiB |`);
  console.log("|---|---|---|---|---|");
  for (const { name, bytes, milliseconds, heap } of await measureEmbed())
    report(name, bytes, "", milliseconds, pageAim, heap / 1_048_576);
}
process.exitCode = isOver ? 1 : 0;

async function measureService(): Promise<void> {
  console.log(
    `| to the service | bytes | status | stands still, ms (median of ${rounds}; least; aim ${serviceAim}) | memory, MiB |`,
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
  report(name, body?.length ?? 0, status, median(still), serviceAim, Math.max(0, ...memory), Math.min(...still));
}

async function measurePrograms(): Promise<void> {
  console.log(
    `\n| in the owner's programs | bytes | aim | stands still, ms (median of ${rounds}; least) | memory, MiB |`,
  );
  console.log("|---|---|---|---|---|");
  for (const { name, bytes, aim, run } of await hostileWork()) {
    const still: number[] = [];
    const before = process.memoryUsage().rss;
    for (let round = 0; round <= rounds; round++) {
      const { longest } = await watchLoop(async () => run());
      if (round > 0) still.push(longest);
    }
    const memory = Math.max(0, (process.memoryUsage().rss - before) / 1_048_576);
    report(name, bytes, aim, median(still), aim, memory, Math.min(...still));
  }
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
  // Work that was done without a turn of the loop.
  longest = Math.max(longest, performance.now() - last);
  return { result, longest };
}

async function measurePage(client: ReturnType<typeof createClient>): Promise<void> {
  console.log(`\n| to the dashboard, sealed | bytes | when | longest task, ms (aim ${pageAim}) | heap, MiB |`);
  console.log("|---|---|---|---|---|");
  const { publicKey, privateKey } = await generateKeyPair();
  for (const [name, fields, times = 1] of hostileSubmissions) {
    const form = await client.forms.create({ name, publicKey });
    for (let time = 0; time < times; time++) await submit(dashboard.service, form, fields);
    await submit(dashboard.service, form, { a: "b" });
    const about = { formId: form.id, formName: name, keyVersion: 1, createdAt: 1, privateKey };
    const { listed, opened, printed, heap } = await openDetail(form.id, JSON.stringify(await createKeyFile(about)));
    const bytes = JSON.stringify(fields).length;
    for (const [step, milliseconds] of Object.entries({ listed, opened, printed }))
      report(name, bytes, step, milliseconds, pageAim, heap / 1_048_576);
  }
}

/** Unlocks a form, opens the second newest submission next to the list, and prints it: the longest task of each. */
async function openDetail(formId: string, keyFile: string) {
  const page = await dashboard.signIn();
  await page.goto(`/forms/${formId}`);
  await startWatching(page);
  const file = { name: "key.json", mimeType: "application/json", buffer: Buffer.from(keyFile) };
  await page.setInputFiles("input[type=file]", file);
  await page.getByRole("table").waitFor();
  await page.getByText("Opening").waitFor({ state: "detached" });
  const listed = await longestTask(page);
  await page.getByRole("row").nth(2).getByRole("button").click();
  const detail = page.getByRole("region", { name: "Submission" });
  await detail.getByText("Webhook deliveries").waitFor();
  const opened = await longestTask(page);
  // Chromium alone tells it.
  const heap = await page.evaluate(
    () => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize,
  );
  await page.emulateMedia({ media: "print" });
  await page.getByRole("article").waitFor();
  const printed = await longestTask(page);
  await page.context().close();
  return { listed, opened, printed, heap };
}

function report(
  name: string,
  bytes: number,
  status: number | string,
  time: number,
  aim: number,
  memory: number,
  least?: number,
): void {
  const isLate = time > aim;
  isOver ||= isLate;
  // Chromium does not report tasks below 50 ms.
  const shown =
    least === undefined ? (time === 0 ? "< 50" : time.toFixed(0)) : `${time.toFixed(0)}; ${least.toFixed(0)}`;
  console.log(`| ${name} | ${bytes} | ${status} | ${shown}${isLate ? " **over**" : ""} | ${memory.toFixed(0)} |`);
}
