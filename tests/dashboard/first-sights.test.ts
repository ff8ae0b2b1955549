import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { openEnvelope, RefusalError, sealEnvelope } from "@sealpost/envelope";
import type { CreatedForm } from "@sealpost/sdk";
import type { FormId, KeyLogHead } from "@sealpost/wire";
import { addPerson } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import {
  addToList,
  beginList,
  equip,
  findList,
  makeAda,
  makeReader,
  makeSealedForm,
  openBrowserOf,
  type Person,
  removeFromList,
} from "../support/people.ts";
import { unlockWithSheet } from "../support/personal-key.ts";
import { type Dashboard, startDashboard, submit } from "./dashboard.ts";
import { toSigner } from "./played-envelopes.ts";

describe("a form whose envelope somebody who has left wrote last, in a new browser", () => {
  let dashboard: Dashboard;
  let ada: Person;
  let bo: Person;
  let cleo: Person;
  let forms: readonly CreatedForm[];

  before(async () => {
    dashboard = await startDashboard();
    const { service } = dashboard;
    ada = await makeAda(service);
    await beginList(ada);
    bo = await equip(
      service,
      await addPerson(service, ada.account, "bo@example.com", { role: "manager" }, "Bo Example"),
    );
    await addToList(ada, bo, "manager");
    const names = ["Works council", "Canteen", "Kiosk"];
    forms = await Promise.all(names.map((name) => makeSealedForm(ada, name, [bo])));
    cleo = await makeReader(service, ada, forms[0] ?? assert.fail(), "Cleo");
    await addToList(ada, cleo, "reader");
    for (const form of forms) {
      await submit(service, form, { vote: "yes-please" });
      // By its envelope the last one has a key log, which the service does not show.
      await addReader(form, form === forms.at(-1) ? { number: 1, hash: "A".repeat(43) } : undefined);
    }
    await removeFromList(ada, bo);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  /** As a manager, he has put her there; nobody else has written since. */
  async function addReader({ id }: CreatedForm, keyLog?: KeyLogHead): Promise<void> {
    const list = await findList(ada);
    const formId = id as FormId; // of the service
    const { file, revision } = (await bo.client.envelopes.getNewest(formId, 1)) ?? assert.fail();
    const expected = { list, formId, firstVersion: 1, revision };
    const previous = await openEnvelope(file, bo.own.key.identity, expected);
    assert.ok(!(previous instanceof RefusalError));
    const signer = await toSigner({ id: bo.account.id, key: bo.own.key });
    const readerIds = [ada, bo, cleo].map(({ account }) => account.id);
    const sealed = await sealEnvelope({
      list,
      signer,
      formId,
      readerIds,
      keys: [],
      previous,
      ...(keyLog && { keyLog }),
    });
    await bo.client.envelopes.put(formId, 1, sealed.file, previous.head);
  }

  test("a form opens submissions; on Keys its readers are shown, and are changed once they were said to be right", async () => {
    const [form = assert.fail()] = forms;
    const page = await openBrowserOf(ada, dashboard, phone);
    await page.goto(`${dashboard.service.url}/forms/${form.id}`);
    await unlockWithSheet(page, ada.own.sheet);
    await page.getByText("yes-please").first().waitFor();
    await page.getByText("Somebody who may no longer write the envelope has written it last").waitFor();
    await page.goto(`${dashboard.service.url}/forms/${form.id}/keys`);
    await unlockWithSheet(page, ada.own.sheet);
    const notice = page.getByText("Look at this envelope before anything follows it");
    await page.getByText("Bo Example has signed it").waitFor();
    await page.getByText("They were removed from the list of members").waitFor();
    const readers = page.getByRole("list", { name: "Who reads it" }).getByRole("listitem");
    assert.deepEqual(
      (await readers.locator("bdi").allTextContents()).map((name) => name.trim()),
      ["Ada Example", "Bo Example", "Cleo"],
    );
    assert.equal(await button(page, "Change readers").count(), 0);
    await check(page, "an envelope to look at");
    await page.getByText("which you have yet to look at").waitFor();
    await page.getByRole("link", { name: "Go to the envelope" }).click();
    await page.waitForFunction(() => {
      const { top = -1 } = document.querySelector("#envelope")?.getBoundingClientRect() ?? {};
      return top >= 0 && top < 200;
    });
    await button(page, "These are right").click();
    await page.getByText("This browser goes by this envelope from now on").waitFor();
    await notice.waitFor({ state: "detached" });
    await button(page, "Change readers").waitFor();
    await check(page, "an envelope that was looked at");
    await page.reload();
    await unlockWithSheet(page, ada.own.sheet);
    await button(page, "Change readers").waitFor();
    await page.context().close();
  });

  test("where the envelope names a key log that is not shown, the page says so; once a person has accepted that it is gone, the answer counts", async () => {
    const page = await openBrowserOf(ada, dashboard, phone);
    await page.goto(`${dashboard.service.url}/forms/${forms[2]?.id}/keys`);
    await unlockWithSheet(page, ada.own.sheet);
    await button(page, "These are right").click();
    await page.getByText("names an entry of a key log that the server does not show").waitFor();
    await check(page, "an envelope to look at, whose key log is not shown");
    await button(page, "The log was given up: accept that…").click();
    await page.getByRole("dialog").getByRole("button", { name: "Accept" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await button(page, "These are right").click();
    await page.getByText("This browser goes by this envelope from now on").waitFor();
    await button(page, "Change readers").waitFor();
    await page.context().close();
  });

  test("a sweep over all forms shows each that it stopped at, and continues once these were said to be right", async () => {
    const page = await openBrowserOf(ada, dashboard, phone);
    await page.goto(`${dashboard.service.url}/forms/${forms[0]?.id}`);
    await unlockWithSheet(page, ada.own.sheet);
    await page.getByText("yes-please").first().waitFor();
    await page.getByRole("link", { name: "Forms", exact: true }).click();
    await button(page, "Look through all forms").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Look through all forms" }).click();
    await dialog.getByText("3 forms could not be changed").waitFor();
    await button(page, "These are right").nth(1).waitFor();
    await check(page, "a sweep that stopped at envelopes to look at");
    await button(page, "These are right").first().click();
    await dialog.getByText("This browser goes by this envelope from now on").waitFor();
    await button(page, "These are right").click();
    // The sweep continues by itself.
    await dialog.getByText("2 forms").first().waitFor();
    await dialog.getByText("could not be changed").waitFor({ state: "detached" });
    assert.equal(await button(page, "These are right").count(), 0);
    await page.context().close();
  });
});
