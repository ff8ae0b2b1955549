import assert from "node:assert/strict";
import { button, findFirst, type KeyFlow, openFormPage, type Visit } from "./key-visit.ts";

const formName = "Works council";

/** The log of a form's keys: begun, and continued by a rotation. */
export const keyLogFlows: readonly KeyFlow[] = [
  {
    name: "beginning a key log",
    beginning: "reader of all forms",
    person: "ada",
    async run(visit) {
      const { page } = visit;
      await openFormPage(visit, formName, "/keys");
      if ((await findLog(visit)) === "none") await button(page, "Begin a key log").click();
      await page.getByText("Entry 1, key version 1").waitFor();
    },
    check: () => undefined,
  },
  {
    name: "continuing a key log by a rotation",
    beginning: { after: "beginning a key log" },
    person: "ada",
    async run(visit) {
      const { page } = visit;
      await openFormPage(visit, formName, "/keys");
      const state = await findFirst({
        first: page.getByText("Entry 1, key version 1"),
        later: page.getByText(/^Entry [2-9], key version/),
      });
      if (state === "later") return;
      await button(page, "Make the new key").click();
      await button(page, /^Rotate to version/).click();
      await page.getByText(/^Entry 2, key version 2/).waitFor();
    },
    check: ({ forms }) => assert.equal(forms.find(({ form }) => form.name === formName)?.keyVersion, 2),
  },
];

function findLog({ page }: Visit) {
  return findFirst({
    none: page.getByText("This form has no key log"),
    there: page.getByText(/^Entry \d+, key version/),
  });
}
