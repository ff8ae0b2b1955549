import assert from "node:assert/strict";
import type { Admission } from "@sealpost/sdk";
import {
  button,
  findFirst,
  heading,
  type KeyFlow,
  memberName,
  open,
  openFormPage,
  swept,
  unlock,
} from "./key-visit.ts";

/** People who come into the signed list, and who leave it. */
export const memberFlows: readonly KeyFlow[] = [
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
      await dialog.getByRole("button", { name: "By a messenger: make a link", exact: true }).click();
      links.push((await dialog.getByText(/\/join#/).innerText()).trim());
      await button(page, "I have passed it on").click();
      await page.getByText("has a link, and has not answered yet").waitFor();
    },
    check: ({ admissions }, links) => assert.deepEqual(findAnswers(admissions, links), ["not answered"]),
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
    check: ({ admissions }, links) => assert.deepEqual(findAnswers(admissions, links), ["answered"]),
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
        await page.getByRole("checkbox", { name: memberName }).check();
        await button(page, "Seal for these readers").click();
        await swept(page).waitFor();
      }
    },
    check: ({ forms }) => {
      for (const { readers } of forms) assert.ok(readers.includes(memberName));
    },
  },
];

/** Finds answers to the open admission that the newest link is for. */
function findAnswers(admissions: readonly Admission[], links: readonly string[]): readonly string[] {
  const newest = links.at(-1)?.split("#")[1]?.split(".")[0];
  return admissions
    .filter(({ id }) => id === newest)
    .map(({ answeredAt }) => (answeredAt === null ? "not answered" : "answered"));
}
