import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createId, decodeBase64, type FormId, type PublicKey, seal } from "@sealpost/wire";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { addAuthenticator } from "../tests/support/browser-devices.ts";
import { launchBrowser } from "../tests/support/chromium.ts";
import { holdCeremony, type KeptPaper } from "../tests/support/personal-key.ts";
import { type ServiceProcess, startServiceProcess } from "../tests/support/service-process.ts";
import { signUpForToken } from "../tests/support/sign-up.ts";
import { createEnvironment } from "./processes.ts";

/** A person with a key of their own, and a form whose key is in an envelope for them, both made in the dashboard. */
export interface EnvelopeForm {
  readonly page: Page;
  readonly formId: FormId;
  readonly paper: KeptPaper;
}

/** A service and a browser in which the person is signed in, with as many submissions in the form. */
export interface FilledForm extends EnvelopeForm {
  readonly service: ServiceProcess;
  readonly browser: Browser;
  readonly context: BrowserContext;
}

/** Measures with a filled form on an instance of its own, and takes all of it away. */
export async function withFilledForm(
  { name, count, hasPasskey = false }: { readonly name: string; readonly count: number; readonly hasPasskey?: boolean },
  measure: (filled: FilledForm) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `sealpost-${name}-`));
  const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    const service = await startServiceProcess(createEnvironment(join(folder, "data")));
    closers.push(() => service.kill());
    await signUpForToken(service);
    const browser = await launchBrowser();
    closers.push(() => browser.close());
    const context = await browser.newContext({ baseURL: service.url });
    const made = await makeEnvelopeForm(context, { hasPasskey });
    await fillForm(service.url, made.formId, count);
    await measure({ ...made, service, browser, context });
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

/** Signs in as the account that `signUpForToken` has made. With `hasPasskey` the key has a passkey with PRF, of a device in software. */
export async function makeEnvelopeForm(
  context: BrowserContext,
  { hasPasskey = false }: { readonly hasPasskey?: boolean } = {},
): Promise<EnvelopeForm> {
  const page = await context.newPage();
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await page.goto("/sign-in");
  await page.getByLabel("Email address").fill("owner@example.com");
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Forms" }).waitFor();
  await page.goto("/account/key");
  await button("Make your key").click();
  const paper = await holdCeremony(page);
  await button("See the ways to unlock it").click();
  if (hasPasskey) {
    await addAuthenticator(page, { hasPrf: true });
    await button("Add a passkey").click();
    await page.getByLabel("Name").fill("Laptop");
    await button("Make a new passkey").click();
    await page.getByText("Laptop is added.").waitFor();
  }
  await page.goto("/forms/new");
  await page.getByRole("textbox", { name: "Name" }).fill("Works council");
  await page.getByRole("switch", { name: "Hybrid key, against quantum computers" }).uncheck();
  await button("Create form").click();
  await unlockWithSheetOfSeveralWays(page, paper);
  await page.getByText("Waiting for the first submission").waitFor();
  const formId = /form_[0-9a-z]+/.exec(page.url())?.[0];
  if (formId === undefined) throw new Error("The form's page has another address");
  return { page, formId: formId as FormId, paper }; // as ids of forms look
}

/** The sheet is the last of several ways to unlock. */
export async function unlockWithSheetOfSeveralWays(page: Page, { lines }: KeptPaper): Promise<void> {
  await page.getByRole("button", { name: "Recovery sheet", exact: true }).click();
  await page.getByLabel("Line 1").fill(lines.join(" "));
  await page.getByRole("button", { name: "Unlock", exact: true }).click();
}

/** Submissions of 2 KB as visitors' browsers seal them. Gives what RSA-OAEP has to decrypt of each. */
export async function fillForm(url: string, formId: FormId, count: number): Promise<readonly Uint8Array[]> {
  const asked = await fetch(`${url}/api/forms/${formId}/public`);
  const { form } = (await asked.json()) as { form: { publicKey: PublicKey } }; // contract, section 4
  const fields = { name: "Ada Lovelace", email: "ada@example.com", message: "How do you do? ".repeat(128) };
  const wrapped: Uint8Array[] = [];
  const left = Array.from({ length: count }).values();
  const post = async () => {
    for (const _ of left) {
      const id = createId("submission");
      const payload = await seal(fields, { formId, keyVersion: 1, submissionId: id }, form.publicKey);
      const answer = await fetch(`${url}/api/forms/${formId}/submissions`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ id, keyVersion: 1, payload }),
      });
      await answer.arrayBuffer();
      if (answer.status !== 201) throw new Error(`A submission was answered with ${answer.status}`);
      wrapped.push(decodeBase64(payload.key) ?? new Uint8Array());
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() * 8 }, post));
  return wrapped;
}
