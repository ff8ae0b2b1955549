import assert from "node:assert/strict";
import type { Holding } from "./key-ledger.ts";
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
  type Visit,
} from "./key-visit.ts";

/** Keys of forms: made, shared, taken back, replaced. */
export const formKeyFlows: readonly KeyFlow[] = [
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
    check: (held) => assert.ok(readersOf(held, "Works council")?.includes(memberName)),
  },
  {
    name: "removing a reader",
    beginning: "reader of all forms",
    person: "ada",
    run: (visit) => changeReaders(visit, "uncheck"),
    check: (held) => assert.ok(!readersOf(held, "Works council")?.includes(memberName)),
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
];

async function changeReaders(visit: Visit, act: "check" | "uncheck"): Promise<void> {
  const { page } = visit;
  await openFormPage(visit, "Works council", "/keys");
  await button(page, "Change readers").click();
  await page.getByRole("checkbox", { name: "Bo Example" })[act]();
  await button(page, "Seal for these readers").click();
  await swept(page).waitFor();
}

const readersOf = ({ forms }: Holding, name: string) => forms.find(({ form }) => form.name === name)?.readers;
