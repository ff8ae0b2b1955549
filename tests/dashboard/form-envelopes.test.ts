import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Client } from "@sealpost/sdk";
import { createKeyFile } from "@sealpost/sdk";
import type { Page } from "playwright-core";
import { takeKeyPair } from "../support/key-pairs.ts";
import { type MadePersonalKey, makePersonalKey, unlockWithSheet } from "../support/personal-key.ts";
import {
  assertAccessible,
  assertTouchable,
  createAccount,
  type Dashboard,
  startDashboard,
  submit,
} from "./dashboard.ts";

const phone = { viewport: { width: 390, height: 844 } };

describe("forms with envelopes", () => {
  let dashboard: Dashboard;
  let client: Client;
  let own: MadePersonalKey;
  /** Everything that any page sent, as text. */
  const sent: string[] = [];

  before(async () => {
    dashboard = await startDashboard();
    client = await createAccount(dashboard.service);
    own = await makePersonalKey();
    const page = await dashboard.signIn();
    const status = await page.evaluate(async (body) => {
      const headers = { "content-type": "application/json" };
      return (await fetch("/api/account/personal-key", { method: "POST", headers, body })).status;
    }, JSON.stringify(own.body));
    assert.equal(status, 200);
    await page.context().close();
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  async function open(path: string, options?: Parameters<Dashboard["signIn"]>[1]): Promise<Page> {
    const page = await dashboard.signIn(path, options);
    page.on("request", (request) => sent.push(`${request.url()} ${request.postData() ?? ""}`));
    return page;
  }

  async function check(page: Page, what: string): Promise<void> {
    await assertAccessible(page, what);
    if (page.viewportSize()?.width === phone.viewport.width) await assertTouchable(page, what);
    const overflow = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return scrollWidth - clientWidth;
    });
    assert.ok(overflow <= 0, `${what}: ${overflow} pixels too wide`);
    if (process.env.SHOTS)
      await page.screenshot({
        path: `${process.env.SHOTS}/${what.replaceAll(" ", "-")}-${page.viewportSize()?.width}.png`,
        fullPage: true,
      });
  }

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const file = (text: string, name = "form.key.json") => ({ name, mimeType: "", buffer: Buffer.from(text) });

  test("a key file is put into an envelope, which opens the form by itself from then on", async () => {
    const pair = takeKeyPair();
    const form = await client.forms.create({ name: "Works council", publicKey: pair.publicKey });
    await submit(dashboard.service, form, { vote: "yes-please" });
    const keyFile = JSON.stringify(
      await createKeyFile({
        formId: form.id,
        formName: form.name,
        keyVersion: 1,
        createdAt: 1,
        privateKey: pair.privateKey,
      }),
    );
    const page = await open(`/forms/${form.id}/keys`);
    await page.getByText("Unlock your personal key to see who reads").waitFor();
    await check(page, "envelope locked");
    await unlockWithSheet(page, own.sheet);
    await page.getByText("This form has no envelope").waitFor();
    await check(page, "no envelope");
    await button(page, "Put the key into your envelope").click();
    await page.setInputFiles("dialog input[type=file]", file(keyFile));
    await page.getByText("Version 1 will be put in").waitFor();
    await check(page, "bring a key");
    await button(page, "Put it in").click();
    await page.getByText("The envelope now has version 1").waitFor();
    await page.getByText("written by Ada Example").waitFor();
    await check(page, "an envelope");
    await page.getByRole("link", { name: "Submissions", exact: true }).click();
    await page.getByText("yes-please").waitFor();
    await page.context().close();
    const small = await open(`/forms/${form.id}`, phone);
    await small.getByText("Open with your key").waitFor();
    await check(small, "locked form with an envelope");
    await unlockWithSheet(small, own.sheet);
    await small.getByText("yes-please").first().waitFor();
  });
});
