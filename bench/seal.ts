/**
 * `npm run bench -- seal`: what sealing adds to the submission of a 2 KB form in Chromium, from `submit()` to the answer of a
 * service on this machine: to the RSA key (`sp1`), and to the hybrid key (`sp2`) by the browser itself and by the second script. Rounds
 * of each and without sealing alternate. What is added is one request for the form's keys, the check of these keys, and the sealing.
 * Afterwards all that was sealed is opened again.
 */
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { embedCode, launchTestBrowser, startSite } from "../packages/embed/testing/browser.ts";
import { startService } from "../packages/embed/testing/service.ts";
import { describeMachine, median } from "./machine.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "200" } } });
const rounds = Number(values.rounds);
const roundsWarm = 10;
const answers = { name: "Ada Lovelace", email: "ada@example.com", message: "How do you do? ".repeat(131) };
const answersBytes = Buffer.byteLength(JSON.stringify(answers));

const [browser, service] = await Promise.all([launchTestBrowser(), startService()]);
service.reset({ hybrid: true });
const site = await startSite(browser);
const native = await openPage();
const withoutNative = await openPage((page) =>
  page.addInitScript(() => Object.defineProperty(SubtleCrypto, "supports", { value: undefined })),
);

interface Way {
  readonly name: string;
  readonly page: Page;
  readonly options: object;
  /** The format of its payloads; `plain1` where nothing is sealed. */
  readonly version: string;
  readonly times: number[];
}

const plain: Way = { name: "plain", page: native, options: { encryption: false }, version: "plain1", times: [] };
const sealed: readonly Way[] = [
  { name: "sp1", page: native, options: { keyFingerprint: service.fingerprint }, version: "sp1", times: [] },
  { name: "sp2, native", page: native, options: {}, version: "sp2", times: [] },
  { name: "sp2, second script", page: withoutNative, options: {}, version: "sp2", times: [] },
];

async function openPage(prepare?: (page: Page) => Promise<unknown>): Promise<Page> {
  const inputs = Object.entries(answers).map(([name, value]) => `<input name="${name}" value="${value}">`);
  const page = await site.open(`<form>${inputs.join("")}</form>${embedCode(service)}`, {}, prepare);
  await page.evaluate(() => Reflect.get(window, "handle").destroy());
  return page;
}

/** Milliseconds of one submission. Each by a binding of its own: one binding takes no second submission within a second. */
function submit({ page, options }: Way): Promise<number> {
  return page.evaluate(
    async ([formId, given]) => {
      const handle = Reflect.get(window, "Sealpost").init(formId, given);
      const start = performance.now();
      const outcome = await handle.submit();
      const duration = performance.now() - start;
      handle.destroy();
      if (!outcome.sent) throw new Error(JSON.stringify(outcome));
      return duration;
    },
    [service.formId, options] as const,
  );
}

const bytes = new Map<string, number>();
for (let round = -roundsWarm; round < rounds; round++)
  for (const way of [plain, ...sealed]) {
    const duration = await submit(way);
    const body = service.posts.at(-1) ?? "";
    const { version } = JSON.parse(body).payload;
    if (version !== way.version) throw new Error(`${way.name}: ${version} was posted`);
    bytes.set(way.name, Buffer.byteLength(body));
    if (round >= 0) way.times.push(duration);
  }

const opened = await service.opened((body) => JSON.parse(body).payload.encrypted === true);
const isWhole = opened.every((fields) => JSON.stringify(fields) === JSON.stringify(answers));
const expected = sealed.length * (rounds + roundsWarm);
const version = browser.version();
await site.close();
await service.close();
await browser.close();
if (!isWhole || opened.length !== expected)
  throw new Error(`${opened.length} sealed submissions arrived and opened, not ${expected}`);

console.log(`${describeMachine()}, Chromium ${version}`);
console.log(`${answersBytes} bytes of answers, RSA-3072, ${rounds} rounds of each after ${roundsWarm} to warm up\n`);
console.log("| submission | body, bytes | median, ms | 95 of 100 within, ms | adds, ms |\n|---|---|---|---|---|");
for (const { name, times } of [plain, ...sealed]) {
  const within = times.toSorted((one, other) => one - other)[Math.ceil(times.length * 0.95) - 1] ?? Number.NaN;
  const added = median(times) - median(plain.times);
  console.log(
    `| ${name} | ${bytes.get(name)} | ${median(times).toFixed(1)} | ${within.toFixed(1)} | ${added.toFixed(1)} |`,
  );
}
console.log(`\n${opened.length} sealed submissions opened to what was typed`);
