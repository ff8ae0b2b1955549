import assert from "node:assert/strict";
import { findEdges } from "@sealpost/envelope";
import { button, findFirst, heading, type KeyFlow, open, openFormPage, unlock } from "./key-visit.ts";
import { programName } from "./key-world.ts";

const councilName = "Council";

/** Entries that are signed in the list besides members who come and leave; and what an older revision gives back. */
export const listFlows: readonly KeyFlow[] = [
  {
    name: "naming the organization",
    beginning: "reader of all forms",
    person: "ada",
    async run(visit) {
      const { page } = visit;
      await open(visit, "/members");
      await button(page, "Rename").click();
      await unlock(visit);
      const dialog = page.getByRole("dialog", { name: "Rename the organization" });
      await dialog.getByText("Your key signs the new name").waitFor();
      await dialog.getByLabel("Name of the organization").fill(councilName);
      await page.keyboard.press("Enter");
      await dialog.waitFor({ state: "detached" });
    },
    check: ({ list }) => assert.equal(list?.organizationName, councilName),
  },
  {
    name: "vouching for a member",
    beginning: "a member whom nobody vouches for",
    person: "ada",
    async run(visit) {
      const { page } = visit;
      await openFormPage(visit, "Works council");
      await page.getByText("the oldest row").first().waitFor();
      await page.getByRole("link", { name: "Forms", exact: true }).first().click();
      await heading(page, "Forms").waitFor();
      const question = "1 member needs somebody who vouches for them";
      // It comes once the list is verified, after the forms; where it was answered before the kill, it does not come.
      const isAsked = await page
        .getByText(question)
        .first()
        .waitFor({ timeout: 15_000 })
        .then(
          () => true,
          () => false,
        );
      if (!isAsked) return;
      await button(page, "Look at them").click();
      const dialog = page.getByRole("dialog", { name: question });
      await dialog.getByRole("radio", { name: /^I know this key/ }).check();
      await dialog.getByRole("button", { name: "Confirm" }).click();
      await page.getByText(question).first().waitFor({ state: "detached" });
    },
    check({ list }) {
      const member = [...(list?.members.values() ?? [])].find(({ name }) => name === programName);
      assert.ok(list && member);
      assert.deepEqual(findEdges(list).get(member.id)?.keys, [[list.organizationId]]);
    },
  },
  {
    name: "bringing back what junk has followed",
    beginning: "junk in an envelope",
    person: "ada",
    async run(visit) {
      const { page } = visit;
      await openFormPage(visit, "Works council", "/keys");
      const back = button(page, "Bring back what you could read…");
      if ((await findFirst({ back, readers: page.getByRole("list", { name: "Readers" }) })) === "readers") return;
      await back.click();
      await page.getByRole("dialog").getByRole("button", { name: "Bring it back" }).click();
      await page.getByText("Your key opens this envelope again.").waitFor();
    },
    check: ({ forms }) => {
      for (const { form, isForNewKey } of forms) assert.ok(isForNewKey, form.name);
    },
  },
];
