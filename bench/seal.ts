/**
 * `npm run bench -- seal`: what sealing adds to the submission of a 2 KB form in Chromium, from `submit()` to the answer of a
 * service on this machine, rounds with and without sealing alternating. What is added is one request for the form's key,
 * the check of that key, and the sealing. Afterwards all that was sealed is opened again.
 */
import { parseArgs } from "node:util";
import { embedCode, launchTestBrowser, startSite } from "../packages/embed/testing/browser.ts";
import { startService } from "../packages/embed/testing/service.ts";
import { describeMachine, median } from "./machine.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "200" } } });
const rounds = Number(values.rounds);
const roundsWarm = 10;
const answers = { name: "Ada Lovelace", email: "ada@example.com", message: "How do you do? ".repeat(131) };
const answersBytes = Buffer.byteLength(JSON.stringify(answers));

const [browser, service] = await Promise.all([launchTestBrowser(), startService()]);
const site = await startSite(browser);
const page = await site.open(
  `<form>${Object.entries(answers)
    .map(([name, value]) => `<input name="${name}" value="${value}">`)
    .join("")}</form>${embedCode(service)}`,
);
await page.evaluate(() => Reflect.get(window, "handle").destroy());

/** Milliseconds of one submission. Each by a binding of its own: one binding takes no second submission within a second. */
function submit(encryption: boolean): Promise<number> {
  return page.evaluate(
    async ([formId, isSealed]) => {
      const handle = Reflect.get(window, "Sealpost").init(formId, { encryption: isSealed });
      const start = performance.now();
      const outcome = await handle.submit();
      const duration = performance.now() - start;
      handle.destroy();
      if (!outcome.sent) throw new Error(JSON.stringify(outcome));
      return duration;
    },
    [service.formId, encryption] as const,
  );
}

const sealed: number[] = [];
const plain: number[] = [];
for (let round = -roundsWarm; round < rounds; round++) {
  for (const [encryption, times] of [[true, sealed] as const, [false, plain] as const]) {
    const duration = await submit(encryption);
    if (round >= 0) times.push(duration);
  }
}

const isSealed = (body: string) => JSON.parse(body).payload.encrypted === true;
const bodies = { sealed: service.posts.filter(isSealed), plain: service.posts.filter((body) => !isSealed(body)) };
const opened = await service.opened((body) => isSealed(body));
const isWhole = opened.every((fields) => JSON.stringify(fields) === JSON.stringify(answers));
const expected = rounds + roundsWarm;
const version = browser.version();
await site.close();
await service.close();
await browser.close();
if (!isWhole || opened.length !== expected || bodies.plain.length !== expected)
  throw new Error(`${opened.length} sealed and ${bodies.plain.length} plain submissions arrived, not ${expected} each`);

console.log(`${describeMachine()}, Chromium ${version}`);
console.log(`${answersBytes} bytes of answers, RSA-3072, ${rounds} rounds of each after ${roundsWarm} to warm up\n`);
console.log("| submission | body, bytes | median, ms | 95 of 100 within, ms |\n|---|---|---|---|");
printTimes("sealed", bodies.sealed, sealed);
printTimes("plain", bodies.plain, plain);
const added = median(sealed) - median(plain);
console.log(
  `\nSealing adds ${added.toFixed(1)} ms at the median; ${opened.length} sealed submissions opened to what was typed`,
);

function printTimes(name: string, [body = ""]: readonly string[], times: readonly number[]): void {
  const within = times.toSorted((one, other) => one - other)[Math.ceil(times.length * 0.95) - 1] ?? Number.NaN;
  console.log(`| ${name} | ${Buffer.byteLength(body)} | ${median(times).toFixed(1)} | ${within.toFixed(1)} |`);
}
