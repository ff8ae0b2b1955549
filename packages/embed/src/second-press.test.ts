import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { Page } from "playwright-core";
import { embedCode, untilState } from "../testing/browser.ts";
import { startSiteAndService } from "../testing/site.ts";
import type { Outcome } from "./binding.ts";
import type { Handle } from "./init.ts";

const { service, site } = await startSiteAndService();
beforeEach(async () => {
  await site.reset();
  service.reset();
});

/** Changes between a success and the next press, and whether the press is then more than the second half of a double click. */
const changes: Readonly<
  Record<
    string,
    { readonly isWish: boolean; readonly button?: string; readonly make: (page: Page) => Promise<unknown> }
  >
> = {
  nothing: { isWish: false, make: async () => undefined },
  "the same typed again": { isWish: true, make: (page) => type(page, "A-1001") },
  "another value typed": { isWish: true, make: (page) => type(page, "B-2002") },
  "a value that a script set": {
    isWish: true,
    make: (page) => page.evaluate(() => document.querySelector("[name=stars]")?.setAttribute("value", `${Date.now()}`)),
  },
  "another button": { isWish: true, button: "bad", make: async () => undefined },
};
const presses = {
  pointer: (page: Page, button: string) => page.click(`[value=${button}]`),
  handle: (page: Page, button: string) =>
    page.evaluate(
      (value) =>
        (Reflect.get(window, "handle") as Handle).submit(
          document.querySelector<HTMLButtonElement>(`[value=${value}]`) ?? undefined,
        ),
      button,
    ),
};

async function type(page: Page, value: string): Promise<void> {
  await page.focus("[name=code]");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(value);
}

async function openForm(options: { readonly resetOnSuccess?: boolean } = {}): Promise<Page> {
  const page = await site.open(
    `<form><input name="code"><input type="hidden" name="stars" value="0">
    <button name="mood" value="good">Good</button><button name="mood" value="bad">Bad</button></form>${embedCode(service, options)}`,
    {},
    ({ clock }) => clock.install(),
  );
  await page.clock.pauseAt(Date.now() + 60_000);
  return page;
}

for (const resetOnSuccess of [true, false])
  for (const [way, press] of Object.entries(presses))
    test(`by ${way}, within a second of a success only the same again is taken for a double click, where success ${resetOnSuccess ? "empties the form" : "leaves the form"}`, async () => {
      const page = await openForm({ resetOnSuccess });
      for (const [name, { isWish, button = "good", make }] of Object.entries(changes))
        for (const milliseconds of [0, 1_001]) {
          const label = `${name}, ${milliseconds} ms later`;
          await page.clock.fastForward(5_000);
          await type(page, "A-1001");
          await press(page, "good");
          await untilState(page, "sent");
          const before = service.posts.length;
          await make(page);
          await page.clock.fastForward(milliseconds);
          const wish = await page.evaluate(
            (value) => [...new FormData(document.forms[0]), ["mood", value]] as [string, string][],
            button,
          );
          await press(page, button);
          await untilState(page, "sent");
          const sent = (await service.opened()).slice(before);
          assert.deepEqual(sent, isWish || milliseconds ? [Object.fromEntries(wish)] : [], label);
        }
    });

test("of what a program submits, what is said to be sent is stored, whether it waits for each outcome or not", async () => {
  for (const waits of [true, false]) {
    service.reset();
    const page = await openForm({ resetOnSuccess: false });
    const said = await page.evaluate(async (isWaiting) => {
      const { submit } = Reflect.get(window, "handle") as Handle;
      const outcomes: [string, Promise<Outcome>][] = [];
      for (const code of ["1", "2", "3"]) {
        document.querySelector("input")?.setAttribute("value", code);
        outcomes.push([code, submit()]);
        if (isWaiting) await outcomes.at(-1)?.[1];
      }
      const ended = await Promise.all(outcomes.map(async ([code, outcome]) => [code, await outcome] as const));
      return ended.flatMap(([code, outcome]) => (outcome.sent ? [[code, outcome.submissionId]] : []));
    }, waits);
    const stored = (await service.opened()).map(({ code }, index) => [code, JSON.parse(service.posts[index] ?? "").id]);
    assert.deepEqual(said, stored);
    assert.equal(stored.length, waits ? 3 : 1);
    await page.close();
  }
});

test("while the same is being sent, a program gets the outcome of that", async () => {
  const page = await openForm();
  const ids = await page.evaluate(async () => {
    const { submit } = Reflect.get(window, "handle") as Handle;
    const outcomes = await Promise.all([submit(), submit()]);
    return outcomes.map((outcome) => outcome.sent && outcome.submissionId);
  });
  assert.equal(service.posts.length, 1);
  assert.deepEqual(new Set(ids), new Set([JSON.parse(service.posts[0] ?? "").id]));
});

test("what was changed while the first was sent is sent by a press right after its success", async () => {
  const page = await openForm();
  const gate = Promise.withResolvers<void>();
  service.nextPosts.push({ kind: "hold", until: gate.promise });
  await type(page, "A-1001");
  await page.click("text=Good");
  await service.posted(1);
  await type(page, "B-2002");
  gate.resolve();
  assert.match(await untilState(page, "sent"), /your changes were not/);
  await page.click("text=Good");
  await service.posted(2);
  assert.deepEqual(
    (await service.opened()).map(({ code }) => code),
    ["A-1001", "B-2002"],
  );
});

test("what is typed right after a success and is invalid is marked, and not thanked for", async () => {
  const page = await openForm();
  await page.evaluate(() => document.querySelector("input")?.setAttribute("pattern", "A-.*"));
  await type(page, "A-1001");
  await page.click("text=Good");
  await untilState(page, "sent");
  await type(page, "B-2002");
  await page.click("text=Good");
  assert.equal(await page.getAttribute("input", "aria-invalid"), "true");
  assert.equal(service.posts.length, 1);
});
