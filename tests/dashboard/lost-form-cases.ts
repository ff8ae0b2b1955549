import type { Page } from "playwright-core";
import { takeKeyPair } from "../support/key-pairs.ts";
import {
  button,
  checked,
  fillDialog,
  inDialog,
  item,
  type LostCases,
  noDialog,
  ofForm,
  ofOwnForm,
  opened,
  section,
  status,
  title,
  type World,
} from "./lost-case.ts";

async function moveToBin({ client, formId }: World): Promise<void> {
  const { submissions } = await client.submissions.list(formId);
  await client.submissions.moveToBin(
    formId,
    submissions.map(({ id }) => id),
    { restorable: true },
  );
}

const binDeletion = {
  path: ofForm("/bin"),
  begin: moveToBin,
  open: async (page: Page) => {
    await page.getByLabel("Select all shown").check();
    await button(page, "Delete 2 for good").click();
  },
};

/** By the names of the rows in `change-rows.ts`. */
export const formCases: LostCases = {
  "webhooks/webhook-page.tsx#AddressForm.fields": {
    path: ofForm("/webhook"),
    open: (page) => page.getByLabel("Webhook address").fill("https://127.0.0.1:9/other"),
    press: (page) => button(page, "Save address"),
    shows: (page) => page.getByText("Active", { exact: true }),
    says: (page) => status(page, "The address is saved."),
  },
  "webhooks/webhook-page.tsx#Redirects.redirecting": {
    path: ofForm("/webhook"),
    press: (page) => page.getByRole("switch", { name: "My receiver answers by redirect" }),
    shows: (page) => checked(page, "My receiver answers by redirect", true),
    says: (page) => checked(page, "My receiver answers by redirect", false),
  },
  "webhooks/webhook-page.tsx#Test.testing": {
    path: ofForm("/webhook"),
    press: (page) => button(page, "Send a test"),
    shows: (page) => item(page, "Test").nth(1),
    says: (page) => status(page, "Not delivered"),
  },
  "deliveries/delivery-details.tsx#DeliveryDetails.resending": {
    path: ofForm("/webhook"),
    open: (page) => item(page, "Test").first().getByRole("button").first().click(),
    press: (page) => button(page, "Send again"),
    shows: (page) => item(page, "submission.created").nth(3),
    says: (page) => status(page, "It is on its way again"),
  },
  "forms/retention-section.tsx#useRetention.saving": {
    path: ofForm("/settings"),
    open: async (page) => {
      await page.getByRole("switch", { name: "Delete old submissions" }).click();
      await page.getByLabel("Days to keep a submission").fill("100");
      await section(page, "Keep submissions").getByRole("button", { name: "Save" }).click();
    },
    press: (page) => inDialog(page, /^(Save|Delete)/),
    shows: (page) => status(page, "Submissions are deleted when they are 100 days old."),
    says: noDialog,
  },
  "forms/hold-section.tsx#LiftHold.lifting": {
    path: ofForm("/settings"),
    begin: ({ client, formId }) => client.forms.setHold(formId, { reason: "Case 12", until: null }),
    open: opened("Lift the hold"),
    press: (page) => inDialog(page, "Lift the hold"),
    shows: (page) => button(page, "Set a legal hold"),
    says: (page) => button(page, "Set a legal hold"),
  },
  "usage/limits-section.tsx#LimitsSection.saving": {
    path: ofForm("/settings"),
    open: (page) => page.getByLabel("Submissions within an hour").fill("50"),
    press: (page) => section(page, "Limits").getByRole("button", { name: "Save" }),
    shows: (page) => status(page, "at most 50 within an hour"),
    says: (page) => status(page, "at most 50 within an hour"),
  },
  "forms/delete-form.tsx#ConfirmDelete.fields": {
    path: ofOwnForm("/settings"),
    begin: async (world) => {
      const { id } = await world.client.forms.create({ name: "Short-lived", settings: { encryption: false } });
      world.own = { formId: id };
    },
    open: opened("Delete form", fillDialog("Short-lived")),
    press: (page) => inDialog(page, "Delete for good"),
    shows: (page) => title(page, "Forms"),
  },
  "key-versions/end-versions.tsx#EndVersions.fields": {
    path: ofOwnForm("/keys"),
    begin: async (world) => {
      const [{ publicKey }, next] = [takeKeyPair(), takeKeyPair()];
      const { id } = await world.client.forms.create({ name: "Rotated", publicKey });
      await world.client.forms.rotateKeys(id, { publicKey: next.publicKey, keyVersion: 2 });
      world.own = { formId: id };
    },
    open: (page) => page.getByLabel("Version 1 takes submissions").selectOption("for 7 more days"),
    press: (page) => section(page, "End older versions").getByRole("button", { name: "Save" }),
    shows: (page) => page.getByText("Takes submissions until"),
    says: (page) => status(page, "Saved: see the versions above."),
  },
  "submissions/bin-page.tsx#useBin.restoring": {
    path: ofForm("/bin"),
    begin: moveToBin,
    open: (page) => page.getByLabel("Select all shown").check(),
    press: (page) => button(page, "Restore 2"),
    shows: (page) => page.getByText("The bin is empty"),
  },
  "submissions/bin-page.tsx#useBin.deleting": {
    ...binDeletion,
    press: (page) => inDialog(page, "Delete 2 for good"),
    shows: (page) => page.getByText("The bin is empty"),
    says: (page) => status(page, "2 submissions are not in the bin any more: deleted for good at your first try"),
  },
};
