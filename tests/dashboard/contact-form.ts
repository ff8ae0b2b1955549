import { type Client, createKeyFile, type Form, type KeyPair } from "@sealpost/sdk";
import type { Page } from "playwright-core";
import { takeKeyPair } from "../support/key-pairs.ts";
import { createAccount, type Dashboard, submit } from "./dashboard.ts";

/** The form “Contact” of `person`, with submissions up to number 129. */
export interface ContactForm {
  readonly client: Client;
  readonly form: Pick<Form, "id" | "publicKey">;
  readonly pair: KeyPair;
  readonly keyFile: Buffer;
  /** Brings the key to a page that asks for it. */
  unlock(page: Page): Promise<void>;
  /** A page of its own, with all submissions opened. */
  openInbox(): Promise<Page>;
}

/** From number 0 on they are more than the service gives at once; each that is opened takes its time. */
export async function createContactForm(dashboard: Dashboard, firstNumber = 0): Promise<ContactForm> {
  const client = await createAccount(dashboard.service);
  const pair = takeKeyPair();
  const form = await client.forms.create({ name: "Contact", publicKey: pair.publicKey });
  const file = await createKeyFile({
    formId: form.id,
    formName: "Contact",
    keyVersion: 1,
    createdAt: 1,
    privateKey: pair.privateKey,
  });
  const keyFile = Buffer.from(JSON.stringify(file));
  for (let index = firstNumber; index < 130; index++)
    await submit(dashboard.service, form, {
      name: `Person ${index}`,
      topics: ["pay", "hours"],
      message: `Question number ${index}`,
    });

  async function unlock(page: Page): Promise<void> {
    await page.setInputFiles("input[type=file]", { name: "key.json", mimeType: "application/json", buffer: keyFile });
    await page.getByRole("table").waitFor();
  }

  return {
    client,
    form,
    pair,
    keyFile,
    unlock,
    async openInbox() {
      const page = await dashboard.signIn(`/forms/${form.id}`);
      await page.getByText("These submissions are sealed").waitFor();
      await unlock(page);
      // Until all are there, rows still come in between those that are shown.
      const { submissionCount } = await client.forms.get(form.id);
      await page.getByText(`${submissionCount} submissions`, { exact: true }).waitFor();
      await page.getByText("Opening").waitFor({ state: "detached" });
      return page;
    },
  };
}
