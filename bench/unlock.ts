/**
 * `npm run bench -- unlock`: from unlocking the personal key to the first opened row of a form with an envelope, in Chromium, by each way: a
 * passkey with PRF (of a device in software, which answers at once), six words, the sheet, and a new tab next to one in which the key is open, from
 * the beginning of its page. Of the words it says as well whether the page showed that it is at work. `--count` is how many rows the form has.
 */
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { runAlternating } from "./alternating.ts";
import { withFilledForm } from "./envelope-form.ts";
import { describeMachine, median } from "./machine.ts";

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "10" }, count: { type: "string", default: "200" } },
});
const [rounds, count] = [Number(options.rounds), Number(options.count)];
const print = (line: string) => void process.stdout.write(`${line}\n`);
/** Milliseconds that each way may take, on 2 cores. */
const aims: Readonly<Record<string, number>> = { passkey: 1500, "another tab": 1500, "six words": 3000, sheet: 3000 };

await withFilledForm({ name: "unlock", count, hasPasskey: true }, async ({ browser, context, page, formId, paper }) => {
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  let shown = 0;

  /** The key is locked: the page that held it was left. */
  const unlockBy = async (way: string, prepare: () => Promise<void>, act: () => Promise<void>): Promise<number> => {
    await page.goto("about:blank");
    await page.goto(`/forms/${formId}`);
    await button(way).click();
    await prepare();
    const started = performance.now();
    await act();
    await firstRow(page);
    return performance.now() - started;
  };
  const figures = await runAlternating(rounds, [
    {
      name: "passkey",
      measure: () =>
        unlockBy(
          "Passkey",
          async () => {},
          () => button("Use the passkey").click(),
        ),
    },
    {
      name: "six words",
      measure: (round) =>
        unlockBy(
          "Words",
          () => page.getByLabel("Your six words").fill(paper.words),
          async () => {
            await page.keyboard.press("Enter");
            await page.getByRole("status").filter({ hasText: "Unlocking" }).waitFor();
            if (round > 0) shown++;
          },
        ),
    },
    {
      name: "sheet",
      measure: () =>
        unlockBy(
          "Recovery sheet",
          () => page.getByLabel("Line 1").fill(paper.lines.join(" ")),
          () => button("Unlock").click(),
        ),
    },
    {
      // The page before has the open key.
      name: "another tab",
      measure: async () => {
        const tab = await context.newPage();
        const started = performance.now();
        await tab.goto(`/forms/${formId}`);
        await firstRow(tab);
        const took = performance.now() - started;
        await tab.close();
        return took;
      },
    },
  ]);
  print(`${describeMachine()}, Chromium ${browser.version()}`);
  print(`First opened row of ${count}; medians of ${rounds} alternating rounds\n`);
  print("| | ms | slowest | aim |\n|---|---|---|---|");
  for (const [name, times] of figures)
    print(`| ${name} | ${median(times).toFixed(0)} | ${Math.max(...times).toFixed(0)} | ${aims[name]} |`);
  print(`\nWith six words the page said in ${shown} of ${rounds} rounds that it is unlocking.`);
});

async function firstRow(page: Page): Promise<void> {
  await page.getByText("ada@example.com").first().waitFor();
}
