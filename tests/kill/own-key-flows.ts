import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { sayTheseAreRight } from "../support/first-sights.ts";
import { button, findFirst, heading, type KeyFlow, makeKey, open, swept, unlock, type Visit } from "./key-visit.ts";

/** Keys that are on paper: a person's own, and the organization's recovery key. */
export const ownKeyFlows: readonly KeyFlow[] = [
  {
    name: "making the personal key",
    beginning: "no key",
    person: "ada",
    async run(visit) {
      const { page } = visit;
      await open(visit, "/account/key");
      const state = await findFirst({ none: button(page, "Make your key"), locked: button(page, "Recovery sheet") });
      if (state === "none") {
        await button(page, "Make your key").click();
        return makeKey(visit);
      }
      await unlock(visit);
      await heading(page, "Your key is unlocked").waitFor();
    },
    check: ({ paper }) => assert.ok(paper !== undefined),
  },
  {
    name: "making the recovery key",
    beginning: "reader of all forms",
    person: "ada",
    async run(visit) {
      const { page } = visit;
      await open(visit, "/recovery");
      await unlock(visit);
      const state = await findFirst({
        none: button(page, "Make the recovery key"),
        half: button(page, "Finish with the sheets"),
        there: button(page, "Replace it"),
      });
      if (state === "none") await makeRecoveryKey(visit);
      if (state === "half") {
        await button(page, "Finish with the sheets").click();
        await page.getByLabel("Line 1").fill(visit.sheets.at(-1)?.join(" ") ?? assert.fail("no sheet"));
        await button(page, "Continue").click();
        await page.getByText("The recovery key was not finished").waitFor({ state: "detached" });
      }
      await button(page, "Update all forms").click();
      await swept(page).waitFor();
    },
    check({ list, forms }) {
      const recovery = [...(list?.members.values() ?? [])].filter(({ role }) => role === "recovery");
      assert.equal(recovery.length, 1);
      // It has signed, in the entry after its own, so that paper alone is enough to trust the list.
      assert.equal(list?.head.number, 4);
      for (const { readers } of forms) assert.ok(readers.includes("Recovery key"));
    },
  },
  {
    name: "replacing the personal key",
    isShort: true,
    beginning: "reader of all forms",
    person: "ada",
    async run(visit) {
      const { page, papers } = visit;
      const before = papers.length;
      await open(visit, "/account/key");
      if (await isReplacedElsewhere(visit)) await button(page, "I did that: use this key").click();
      await unlock(visit);
      await heading(page, "Your key is unlocked").waitFor();
      if (before === 1 || visit.paper === papers[0]) await replaceKey(visit);
      const carry = button(page, "Carry your forms over");
      const stuck = page.getByText("this device can't do it");
      if ((await findFirst({ carry, stuck })) === "stuck") await bringBackAndReplace(visit);
      await carry.click();
      await page.getByText("The list of members has your key.").waitFor();
      await sayAllAreRight(page);
      await swept(page).waitFor();
    },
    check({ keys, list, forms }) {
      assert.equal(keys.length, 2);
      assert.ok([...(list?.members.values() ?? [])].some(({ recipient }) => recipient === keys[0]?.recipient));
      for (const { form, isForNewKey } of forms) assert.ok(isForNewKey, form.name);
    },
  },
];

async function replaceKey(visit: Visit): Promise<void> {
  const { page } = visit;
  await button(page, "Replace your key…").click();
  await button(page, "Make the new key").click();
  await makeKey(visit);
  await button(page, "See the ways to unlock it").click();
}

/** Takes the word of the person for envelopes that the former key has signed last, where this browser sees them for the first time. */
async function sayAllAreRight(page: Page): Promise<void> {
  const right = button(page, /^These are right/);
  await right.or(swept(page)).first().waitFor();
  for (let left = await right.count(); left > 0; left--) {
    await sayTheseAreRight(page, /^These are right/);
    await right.nth(left - 1).waitFor({ state: "detached" });
  }
}

/** With paper, on a device that has seen nothing of the former key. */
async function bringBackAndReplace(visit: Visit): Promise<void> {
  const { page, papers } = visit;
  await button(page, "Bring it back").click();
  await page.getByRole("dialog").getByRole("button", { name: "Bring it back" }).click();
  await button(page, "I did that: use this key").click();
  await unlock({ ...visit, paper: papers[0] });
  await heading(page, "Your key is unlocked").waitFor();
  await replaceKey(visit);
}

/** A browser that has seen the former key asks before it takes the new one. */
async function isReplacedElsewhere({ page }: Visit): Promise<boolean> {
  await findFirst({ lines: page.getByLabel("Line 1"), ways: button(page, "Recovery sheet") });
  return button(page, "I did that: use this key").isVisible();
}

async function makeRecoveryKey({ page, sheets }: Visit): Promise<void> {
  await button(page, "Make the recovery key").click();
  await button(page, "Continue").click();
  await page.getByText("No printer? Write the lines down").click();
  const items = page.getByTestId("sheet-lines").first().getByRole("listitem");
  const lines = (await items.allInnerTexts()).map((line) => line.trim());
  sheets.push(lines);
  await button(page, "I have the sheet on paper").click();
  await page.getByLabel("Line 1").fill(lines.join(" "));
  await button(page, "Continue").click();
  await button(page, "Add the recovery key").click();
  await heading(page, "The recovery key is there").waitFor();
}
