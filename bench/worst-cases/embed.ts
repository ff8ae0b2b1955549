import { embedCode, launchTestBrowser, startSite } from "../../packages/embed/testing/browser.ts";
import { startService } from "../../packages/embed/testing/service.ts";
import { longestTask, startWatching } from "./long-tasks.ts";

/** As many as the service takes in a plain submission. */
const fieldsMax = 1_000;
/** The longest text that is looked through for personal data; a longer one is removed whole. */
const textMax = 65_536;

/** The text that takes longest to look through (bench/pii.ts). */
const pieces = [
  ...["1-", "a@", "0:", "@a.", "212-555-0147 ", "a@b.co ", "078-05-1120 ", "943 476 5919 ", "12.34.56.78 "],
  "٢١٢-٥٥٥-٠١٤٧ ",
];

export interface EmbedTime {
  readonly name: string;
  readonly bytes: number;
  readonly milliseconds: number;
  readonly heap: number;
}

/** The longest task of a page in Chromium from `submit()` until the service has taken the submission. */
export async function measureEmbed(): Promise<readonly EmbedTime[]> {
  const [browser, service] = await Promise.all([launchTestBrowser(), startService()]);
  const site = await startSite(browser);
  const measure = async (name: string, html: string, texts: readonly string[] = [], piiStrip = false) => {
    service.reset({ piiStrip });
    const page = await site.open(`<form>${html}</form>${embedCode(service)}`);
    // As if typed: an attribute of so many characters would be another matter.
    await page.evaluate((values) => {
      for (const [index, control] of document.querySelectorAll("textarea").entries())
        control.value = values[index] ?? "";
    }, texts);
    await startWatching(page);
    // The browser lays out what was typed: 140 ms for 700 KB, before anything is submitted.
    await longestTask(page);
    const { sent } = await page.evaluate(() => Reflect.get(window, "handle").submit());
    if (!sent) throw new Error(`Not sent: ${name}`);
    const milliseconds = await longestTask(page);
    // Chromium alone tells it.
    const heap = await page.evaluate(
      () => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize,
    );
    const body = service.posts.at(-1) ?? "";
    await page.close();
    return { name, bytes: body.length, milliseconds, heap };
  };
  const fields = (value: string) =>
    Array.from(
      { length: fieldsMax },
      (_, index) => `<label>Question ${index} <input name="q${index}" value="${value}"></label>`,
    ).join("");
  const words = fields("An answer of some words");
  const times = [
    await measure("1,000 fields, sealed", words),
    await measure("1,000 fields, stripped and sealed", words, [], true),
    await measure("1,000 fields that all lose something, stripped and sealed", fields("anna@example.com"), [], true),
    await measure("700 KB of text, sealed", `<textarea name="t"></textarea>`, ["x".repeat(700_000)]),
  ];
  for (const piece of pieces) {
    const text = piece.repeat(Math.floor(textMax / piece.length));
    times.push(await measure(`64 KiB of \`${piece}\`, stripped`, `<textarea name="t"></textarea>`, [text], true));
  }
  await site.close();
  await service.close();
  await browser.close();
  return times;
}
