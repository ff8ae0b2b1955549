import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { type FormKey, openEnvelope, RefusalError, sealEnvelope, toFormKey } from "@sealpost/envelope";
import type { CreatedForm } from "@sealpost/sdk";
import type { FormId, KeyLogHead } from "@sealpost/wire";
import type { Locator } from "playwright-core";
import { addPerson } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import { showRows } from "../support/first-sights.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
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
import { intercept } from "./intercept.ts";
import { toSigner } from "./played-envelopes.ts";
import { tabTo } from "./tab-to.ts";

type Revision = NonNullable<Awaited<ReturnType<Person["client"]["envelopes"]["getNewest"]>>>;

describe("a form whose envelope somebody who has left wrote last, in a new browser", () => {
  let dashboard: Dashboard;
  let ada: Person;
  let bo: Person;
  let cleo: Person;
  let forms: readonly CreatedForm[];
  /** Another revision of Canteen, by him, which a service that is with him can show at any time. */
  let swapped: Uint8Array<ArrayBuffer>;
  /** A key of his own that he has put into the envelope of Works council. */
  let planted: FormKey;

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
    const names = ["Works council", "Canteen", "Kiosk", "Board"];
    forms = await Promise.all(names.map((name) => makeSealedForm(ada, name, [bo])));
    cleo = await makeReader(service, ada, formOf("Works council"), "Cleo");
    await addToList(ada, cleo, "reader");
    for (const form of forms) await submit(service, form, { vote: "yes-please" });
    planted = await toFormKey(2, takeKeyPair().privateKey);
    await addReader(formOf("Works council"), [ada, bo, cleo], undefined, [planted]);
    const known = await addReader(formOf("Canteen"));
    swapped = (await seal(formOf("Canteen"), known, [ada, bo])).file;
    // By its envelope it has a key log, which the service does not show.
    await addReader(formOf("Kiosk"), [ada, bo, cleo], { number: 1, hash: "A".repeat(43) });
    await addReader(formOf("Board"), [ada, bo]);
    await removeFromList(ada, bo);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const formOf = (name: string) => forms.find((form) => form.name === name) ?? assert.fail(name);

  /** As a manager, he has put her there; nobody else has written since. */
  async function addReader(
    form: CreatedForm,
    readers = [ada, bo, cleo],
    keyLog?: KeyLogHead,
    keys: FormKey[] = [],
  ): Promise<Revision> {
    const before = (await bo.client.envelopes.getNewest(form.id, 1)) ?? assert.fail();
    const sealed = await seal(form, before, readers, keyLog, keys);
    await bo.client.envelopes.put(form.id, 1, sealed.file, sealed.previous);
    return { file: sealed.file, revision: before.revision + 1 };
  }

  /** The next revision, by him. */
  async function seal(
    { id }: CreatedForm,
    { file, revision }: Revision,
    readers: Person[],
    keyLog?: KeyLogHead,
    keys: FormKey[] = [],
  ) {
    const list = await findList(ada);
    const formId = id as FormId; // of the service
    const expected = { list, formId, firstVersion: 1, revision };
    const previous = await openEnvelope(file, bo.own.key.identity, expected);
    assert.ok(!(previous instanceof RefusalError));
    const signer = await toSigner({ id: bo.account.id, key: bo.own.key });
    const readerIds = readers.map(({ account }) => account.id);
    const named = keyLog && { keyLog };
    const sealed = await sealEnvelope({ list, signer, formId, readerIds, keys, previous, ...named });
    return { ...sealed, previous: previous.head };
  }

  /** The keys of a form, and which of them are marked, with what is said of its key log. */
  async function keysOf(scope: Locator, sentence: string): Promise<readonly string[]> {
    const rows = scope.getByRole("list", { name: "Its keys" }).getByRole("listitem");
    await scope.getByText(sentence).waitFor();
    const texts = await rows.allInnerTexts();
    // Each fingerprint wraps, and nothing is wider than its row.
    const isWide = (elements: Element[]) => elements.some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    assert.equal(await rows.evaluateAll(isWide), false);
    return texts.map((row) => row.split("\n").join(" | "));
  }

  test("a form opens submissions; on Keys its readers are shown, and are changed once they were said to be right", async () => {
    const form = formOf("Works council");
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
    await page.getByText("By its envelope the form is called “Works council”").waitFor();
    const keys = await keysOf(page.getByRole("main"), "The envelope names no key log.");
    assert.match(keys[0] ?? "", /^Version 1 \| [\w-]{43}( \| Hybrid \| [\w-]{43})?$/);
    assert.deepEqual(keys.slice(1), [`Version 2 | nobody else vouches for it | ${planted.fingerprint}`]);
    await page.getByText("Key version 2: nobody who may write the envelope now").waitFor();
    await page.getByText("do not say that this is right: ask them, or an owner, to rotate").waitFor();
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
    await page.goto(`${dashboard.service.url}/forms/${formOf("Kiosk").id}/keys`);
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

  test("all forms that wait are in groups with the same readers, what differs first; an answer counts for what was shown alone, and what fails is tried again", async () => {
    const page = await openBrowserOf(ada, dashboard, phone);
    await page.goto(`${dashboard.service.url}/forms/${formOf("Canteen").id}/keys`);
    await unlockWithSheet(page, ada.own.sheet);
    await page.getByRole("link", { name: "Look at all forms that wait for this" }).click();
    await page.getByText("Look at these 4 envelopes before anything follows them").waitFor();
    const groups = page.getByRole("main").getByRole("region");
    const titlesOf = async () => groups.evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel));
    assert.deepEqual(await titlesOf(), ["1 form, signed by Bo Example", "3 forms, signed by Bo Example"]);
    const [board, others] = [groups.first(), groups.last()];
    await board.getByText("Not a reader here, and one of the other forms: Cleo").waitFor();
    const namesOf = (group: Locator, list: string) => group.getByRole("list", { name: list }).locator("li bdi");
    assert.deepEqual(await namesOf(board, "Who reads it").allTextContents(), ["Ada Example", "Bo Example"]);
    assert.deepEqual(await namesOf(others, "Who reads it").allTextContents(), ["Ada Example", "Bo Example", "Cleo"]);
    assert.deepEqual(
      new Set(await namesOf(others, "Forms of this group").allTextContents()),
      new Set(["Works council", "Canteen", "Kiosk"]),
    );
    const council = others.getByRole("listitem").filter({ has: page.getByRole("link", { name: "Works council" }) });
    const shown = await keysOf(council, "The envelope names no key log.");
    assert.equal(shown[1], `Version 2 | nobody else vouches for it | ${planted.fingerprint}`);
    const hidden = others.getByRole("listitem").filter({ has: page.getByRole("link", { name: "Kiosk" }) });
    const [first = ""] = await keysOf(hidden, "The server does not show the key log that the envelope names.");
    assert.match(first, /nobody else vouches for it/);
    assert.equal(await others.getByText("Key version 2: nobody who may write").count(), 1);
    await check(page, "forms to look at, in groups");

    // Before all of it was on the screen nothing is answered: it leads to what was not.
    await page.setViewportSize({ width: 390, height: 420 });
    await page.reload();
    await unlockWithSheet(page, ada.own.sheet);
    const all = button(others, "These are right: all 3 forms");
    await all.waitFor();
    await page.evaluate(() => window.scrollTo(0, 0));
    await all.evaluate((element) => element instanceof HTMLElement && element.click());
    await others.getByText("Not all of this group was on the screen yet").waitFor();
    assert.ok(await others.locator("[data-row]:focus").count(), "the first row that was not shown has the focus");
    await page.setViewportSize(phone.viewport);
    await showRows(others);

    // The service swaps one envelope between the list and the answer.
    const path = `**/api/forms/${formOf("Canteen").id}/envelopes/1`;
    const headers = { etag: '"3-0"', "content-type": "application/octet-stream" };
    await intercept(page, path, (route) => route.fulfill({ body: Buffer.from(swapped), headers }));
    await all.click();
    await page.getByText("This browser goes by this envelope from now on").waitFor();
    await page.unroute(path);
    // The swapped one is in a group of those that read the same, with its sentence; the log that is not shown has its own.
    const next = groups.filter({ hasText: "Canteen" });
    await next.getByText("the server shows another revision by now").waitFor();
    assert.deepEqual(await namesOf(next, "Who reads it").allTextContents(), ["Ada Example", "Bo Example"]);
    const kiosk = groups.filter({ hasText: "Kiosk" });
    await kiosk.getByText("names an entry of a key log that the server does not show").waitFor();
    assert.equal(await groups.filter({ hasText: "Works council" }).count(), 0);
    await check(page, "what was not accepted");
    // The honest one is there again: what is shown is the other, and its answer does not count.
    await showRows(next);
    await button(next, "These are right: all 2 forms").click();
    await page.getByText("This browser goes by this envelope from now on").waitFor();
    const again = groups.filter({ hasText: "Canteen" });
    await again.getByText("the server shows another revision by now").waitFor();
    assert.ok((await namesOf(again, "Who reads it").allTextContents()).includes("Cleo"));
    assert.equal(await groups.filter({ hasText: "Board" }).count(), 0);
    // Kiosk and Canteen have the same readers. With the keyboard alone.
    await showRows(again);
    await tabTo(page, button(again, "These are right: all 2 forms"));
    await page.keyboard.press("Enter");
    await page.getByText("This browser goes by this envelope from now on").waitFor();
    await groups.filter({ hasText: "Canteen" }).waitFor({ state: "detached" });
    assert.deepEqual(await titlesOf(), ["1 form, signed by Bo Example"]);
    await page.context().close();
  });

  test("a sweep over all forms shows those that it stopped at, and continues once these were said to be right", async () => {
    const page = await openBrowserOf(ada, dashboard, phone);
    await page.goto(`${dashboard.service.url}/forms/${formOf("Works council").id}`);
    await unlockWithSheet(page, ada.own.sheet);
    await page.getByText("yes-please").first().waitFor();
    await page.getByRole("link", { name: "Forms", exact: true }).click();
    await button(page, "Look through all forms").click();
    const dialog = page.getByRole("dialog");
    // Somebody says first that the log is gone.
    await dialog.getByRole("button", { name: "Look through all forms" }).click();
    await dialog.getByText("4 forms could not be changed").waitFor();
    await button(page, "These are right: all 3 forms").waitFor();
    await check(page, "a sweep that stopped at envelopes to look at");
    const groups = dialog.getByRole("region");
    await showRows(groups.first());
    await button(groups.first(), "These are right").click();
    await dialog.getByText("This browser goes by this envelope from now on").waitFor();
    await showRows(groups.first());
    await button(groups.first(), "These are right: all 3 forms").click();
    await dialog.getByText("This browser goes by the envelopes of 2 forms from now on").waitFor();
    await dialog.getByText("names an entry of a key log that the server does not show").waitFor();
    await dialog.getByRole("button", { name: "Try the others again" }).click();
    await dialog.getByText("1 form could not be changed").waitFor();
    await page.context().close();
  });
});
