import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { openEnvelope, RefusalError, sealEnvelope } from "@sealpost/envelope";
import type { CreatedForm } from "@sealpost/sdk";
import type { FormId } from "@sealpost/wire";
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
import { type Dashboard, startDashboard } from "./dashboard.ts";
import { toSigner } from "./played-envelopes.ts";

describe("an envelope that somebody who has left wrote last, and by which a reader was taken out, in a new browser", () => {
  let dashboard: Dashboard;
  let ada: Person;
  let bo: Person;
  let cleo: Person;
  let left: CreatedForm;

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
    left = await makeSealedForm(ada, "Lunch", [bo]);
    cleo = await makeReader(service, ada, left, "Cleo");
    await addToList(ada, cleo, "reader");
    // Ada has put her there, and he takes her out again.
    await store(left, ada, [ada, bo, cleo]);
    await store(left, bo, [ada, bo]);
    await removeFromList(ada, bo);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  async function store({ id }: CreatedForm, by: Person, readers: readonly Person[]): Promise<void> {
    const list = await findList(ada);
    const formId = id as FormId; // of the service
    const { file, revision } = (await by.client.envelopes.getNewest(formId, 1)) ?? assert.fail();
    const expected = { list, formId, firstVersion: 1, revision };
    const previous = await openEnvelope(file, by.own.key.identity, expected);
    assert.ok(!(previous instanceof RefusalError));
    const signer = await toSigner({ id: by.account.id, key: by.own.key });
    const readerIds = readers.map(({ account }) => account.id);
    const sealed = await sealEnvelope({ list, signer, formId, readerIds, keys: [], previous });
    await by.client.envelopes.put(formId, 1, sealed.file, previous.head);
  }

  test("bringing back what was before says who would come back, and lets nobody in who was not ticked", async () => {
    const page = await openBrowserOf(ada, dashboard, phone);
    await page.goto(`${dashboard.service.url}/forms/${left.id}/keys`);
    await unlockWithSheet(page, ada.own.sheet);
    await page.getByText("ask an owner before you bring back what was there before").waitFor();
    await button(page, "Bring back what you could read…").click();
    const dialog = page.getByRole("dialog");
    const returning = dialog.getByRole("group", { name: "Who would come back" });
    await returning.waitFor();
    const tick = returning.getByRole("checkbox", { name: "Cleo" });
    assert.equal(await tick.isChecked(), false);
    const next = dialog.getByRole("list", { name: "Who reads the next revision" }).getByRole("listitem");
    assert.deepEqual(await next.allTextContents(), ["Ada Example"]);
    await tick.click();
    assert.deepEqual(await next.allTextContents(), ["Ada Example", "Cleo"]);
    await check(page, "an envelope that is brought back, and who comes back");
    await tick.click();
    await button(dialog, "Bring it back").click();
    await dialog.getByText("Your key opens this envelope again").waitFor();
    await button(dialog, "Close").last().click();
    const readers = page.getByRole("list", { name: "Readers" }).getByRole("listitem");
    await readers.first().waitFor();
    assert.ok((await readers.allTextContents()).every((name) => !name.includes("Cleo")));
    await page.context().close();
  });
});
