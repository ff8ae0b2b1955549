import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { holdCeremony, unlockWithSheet } from "../support/personal-key.ts";
import type { Holding } from "./key-ledger.ts";
import type { Beginning, KeyWorld, PersonName } from "./key-world.ts";

/** A person who carries out a flow, with what they have besides the browser: paper and notes. */
export interface Visit {
  readonly page: Page;
  /** The service's address. */
  readonly url: string;
  readonly world: KeyWorld;
  /** Sheets that they have printed, the newest last. */
  readonly papers: (readonly string[])[];
  /** The one that opens the key in use, as the ledger has found. */
  readonly paper: readonly string[] | undefined;
  /** Links that were shown, and recovery sheets of the organization, the newest last. */
  readonly links: string[];
  readonly sheets: (readonly string[])[];
}

export interface KeyFlow {
  readonly name: string;
  readonly beginning: Beginning | { readonly after: string };
  readonly person: PersonName;
  /** Whether `npm test` kills once in it. */
  readonly isShort?: true;
  /** As a person does it who finds what was done before; to its end. */
  run(visit: Visit): Promise<void>;
  /** Holds its end to what it is for. */
  check(held: Holding, world: KeyWorld): void;
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, ...(typeof name === "string" && { exact: true }) });
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

const open = ({ page, url }: Visit, path = "/") => page.goto(url + path);

/** Whichever of them comes first: a page that was left half-way may show the one or the other. */
async function findFirst<Name extends string>(found: Readonly<Record<Name, ReturnType<Page["getByText"]>>>) {
  const entries = Object.entries(found) as [Name, ReturnType<Page["getByText"]>][]; // its own keys
  const [[, first] = assert.fail(), ...rest] = entries;
  await rest
    .reduce((all, [, one]) => all.or(one), first)
    .first()
    .waitFor();
  for (const [name, one] of entries) if (await one.first().isVisible()) return name;
  return assert.fail("it is gone again");
}

async function unlock({ page, paper, papers }: Visit): Promise<void> {
  const lines = paper ?? papers.at(-1) ?? assert.fail("no paper");
  const shown = await findFirst({ lines: page.getByLabel("Line 1"), ways: button(page, "Recovery sheet") });
  if (shown === "ways") await button(page, "Recovery sheet").click();
  await unlockWithSheet(page, { lines } as never); // its lines are all that is typed
}

async function makeKey({ page, papers }: Visit): Promise<void> {
  await holdCeremony(page, ({ lines }) => papers.push(lines));
}

async function openFormPage(visit: Visit, name: string, part = ""): Promise<void> {
  const { page } = visit;
  await open(visit);
  const link = page.getByRole("link", { name: new RegExp(name) }).first();
  await link.waitFor();
  const href = (await link.getAttribute("href")) ?? assert.fail();
  await open(visit, `${/\/forms\/[^/]+/.exec(href)?.[0] ?? href}${part}`);
  await unlock(visit);
}

const swept = (page: Page) => page.getByText(/forms? (was|were) changed\.|All forms are as they should be/).first();

async function changeReaders(visit: Visit, act: "check" | "uncheck"): Promise<void> {
  const { page } = visit;
  await openFormPage(visit, "Works council", "/keys");
  await button(page, "Change readers").click();
  await page.getByRole("checkbox", { name: "Bo Example" })[act]();
  await button(page, "Seal for these readers").click();
  await swept(page).waitFor();
}

const readersOf = ({ forms }: Holding, name: string) => forms.find(({ form }) => form.name === name)?.readers;
const nameOf = "Bo Example";

export const keyFlows: readonly KeyFlow[] = [
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
    name: "creating a form with an envelope",
    isShort: true,
    beginning: "key",
    person: "ada",
    async run(visit) {
      const { page } = visit;
      await open(visit);
      const form = page.getByRole("link", { name: /New ideas/ });
      await heading(page, "Forms").waitFor();
      const isMade = (await findFirst({ form, none: page.getByText("Create your first form") })) === "form";
      if (isMade) {
        await openFormPage(visit, "New ideas", "/keys");
        await page.getByRole("list", { name: "Readers" }).waitFor();
        return;
      }
      await open(visit, "/forms/new");
      await page.getByRole("textbox", { name: "Name" }).fill("New ideas");
      await button(page, "Create form").click();
      await unlock(visit);
      await page.getByText("Waiting for the first submission").waitFor();
    },
    check: ({ forms }) =>
      assert.deepEqual(
        forms.map(({ form }) => form.name),
        ["New ideas"],
      ),
  },
  {
    name: "adding a reader",
    beginning: "reader of no form",
    person: "ada",
    run: (visit) => changeReaders(visit, "check"),
    check: (held) => assert.ok(readersOf(held, "Works council")?.includes(nameOf)),
  },
  {
    name: "removing a reader",
    beginning: "reader of all forms",
    person: "ada",
    run: (visit) => changeReaders(visit, "uncheck"),
    check: (held) => assert.ok(!readersOf(held, "Works council")?.includes(nameOf)),
  },
  {
    name: "rotating",
    isShort: true,
    beginning: "reader of all forms",
    person: "ada",
    async run(visit) {
      const { page } = visit;
      await openFormPage(visit, "Works council", "/keys");
      await button(page, "Make the new key").click();
      await button(page, /^Rotate to version/).click();
      await page.getByText(/Version \d+ is now current/).waitFor();
    },
    check: ({ forms }) =>
      assert.ok(forms.some(({ form, keyVersion }) => form.name === "Works council" && keyVersion > 1)),
  },
  {
    name: "removing a member from several forms, which are rotated",
    beginning: "reader of all forms",
    person: "ada",
    async run(visit) {
      const { page } = visit;
      await open(visit, "/members");
      await page.getByText("ada@example.com").first().waitFor();
      const remove = button(page, /^Remove: /);
      if (await remove.isVisible()) {
        await remove.click();
        await button(page, "Remove").click();
        await unlock(visit);
      } else {
        await openFormPage(visit, "Works council");
        await page.getByText("the oldest row").first().waitFor();
        await page.getByRole("link", { name: "Forms", exact: true }).first().click();
        await heading(page, "Forms").waitFor();
        const found = await findFirst({
          left: button(page, "Take out Bo Example"),
          look: button(page, "Look through all forms"),
        });
        if (found === "left") await button(page, "Take out Bo Example").click();
        if (found === "look") {
          await button(page, "Look through all forms").click();
          await page.getByRole("dialog").getByRole("button", { name: "Look through all forms" }).click();
        }
      }
      await swept(page).waitFor();
      // Which forms want new keys is drawn with the result.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      const rotate = page.getByRole("dialog").getByRole("button", { name: /^Rotate the keys of/ });
      if (!(await rotate.isVisible())) return;
      await rotate.click();
      await page.getByText(/(\d+) of \1 forms? (has|have) new keys/).waitFor();
    },
    check({ list, forms }) {
      assert.deepEqual(
        [...(list?.members.values() ?? [])].map(({ name }) => name),
        ["Ada Example"],
      );
      for (const { form, readers, keyVersion } of forms) {
        assert.deepEqual(readers, ["Ada Example"], form.name);
        assert.ok(keyVersion > 1, `${form.name} was not rotated`);
      }
    },
  },
  {
    name: "bringing a member in: the link",
    beginning: "member without a list entry",
    person: "ada",
    async run(visit) {
      const { page, links } = visit;
      await open(visit, "/members");
      await button(page, /^(Bring in|New link): /)
        .first()
        .click();
      await unlock(visit);
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Bring in", exact: true }).click();
      links.push((await dialog.getByText(/\/join#/).innerText()).trim());
      await button(page, "I have passed it on").click();
      await page.getByText("has a link, and has not answered yet").waitFor();
    },
    check: () => undefined,
  },
  {
    name: "bringing a member in: the answer",
    beginning: { after: "bringing a member in: the link" },
    person: "bo",
    async run(visit) {
      const { page, links } = visit;
      await page.goto("about:blank");
      await page.goto(links.at(-1) ?? assert.fail("no link"));
      await unlock(visit);
      await button(page, "Send my public key").click();
      await page.getByText("Your public key is on its way").waitFor();
    },
    check: () => undefined,
  },
  {
    name: "bringing a member in: the entry, and several forms",
    beginning: { after: "bringing a member in: the answer" },
    person: "ada",
    async run(visit) {
      const { page, world } = visit;
      await open(visit, "/members");
      const state = await findFirst({
        answered: button(page, /^Look and bring in: /),
        listed: page.getByText("Somebody has another key now"),
      });
      if (state === "answered") {
        await button(page, /^Look and bring in: /).click();
        await unlock(visit);
        const dialog = page.getByRole("dialog");
        await dialog.getByRole("button", { name: "Bring in", exact: true }).click();
        await dialog.locator("button[type=submit]").click();
        await swept(page).waitFor();
        return;
      }
      for (const name of world.formNames) {
        await openFormPage(visit, name, "/keys");
        await button(page, "Change readers").click();
        await page.getByRole("checkbox", { name: nameOf }).check();
        await button(page, "Seal for these readers").click();
        await swept(page).waitFor();
      }
    },
    check: ({ forms }) => {
      for (const { readers } of forms) assert.ok(readers.includes(nameOf));
    },
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
