import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { createAdmission, formatAdmissionLink } from "@sealpost/envelope";
import type { CreatedForm } from "@sealpost/sdk";
import type { Page } from "playwright-core";
import { addPerson, invite } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import {
  addToList,
  beginList,
  equip,
  findList,
  makeAdaWithForm,
  makeSealedForm,
  openBrowserOf,
  type Person,
  recordRequests,
  rememberHead,
} from "../support/people.ts";
import { madeKeys, unlockWithSheet } from "../support/personal-key.ts";
import { type Dashboard, startDashboard, submit, wouldAsk } from "./dashboard.ts";
import { intercept } from "./intercept.ts";
import { toSigner } from "./played-envelopes.ts";

// New phones of people whose key has signed no entry of the list: what another device of theirs has signed is all that vouches for it.
describe("a list for reading", () => {
  let dashboard: Dashboard;
  let ada: Person;
  const sent = recordRequests();

  before(async () => {
    dashboard = await startDashboard();
    ({ ada } = await makeAdaWithForm(dashboard.service));
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const open = async (person: Person): Promise<Page> => sent.record(await openBrowserOf(person, dashboard, phone));

  /** A laptop that has joined these organizations by links; it is lost then. */
  async function leaveHeads(person: Person, founders: readonly Person[]): Promise<void> {
    const laptop = await open(person);
    for (const founder of founders)
      await rememberHead(laptop, person, founder.account.id, (await findList(founder)).head);
    const left = founders.map(({ account: { id } }) =>
      laptop.waitForResponse((response) => response.url().endsWith(`/signed-heads/${id}`) && response.ok()),
    );
    await laptop.goto("/account/key");
    await unlockWithSheet(laptop, person.own.sheet);
    await Promise.all(left);
    await laptop.context().close();
  }

  async function makeMax(): Promise<{ readonly max: Person; readonly form: CreatedForm }> {
    const { service } = dashboard;
    const max = await equip(
      service,
      await addPerson(service, ada.account, "max@example.com", { role: "manager" }, "Max"),
    );
    await addToList(ada, max, "manager");
    const form = await makeSealedForm(ada, "Managers", [max]);
    await submit(service, form, { vote: "for managers" });
    return { max, form };
  }

  /** A request to `url` for the organization before comes late, and is refused before the page hears that it has switched. */
  async function refuseWhileSwitching(page: Page, url: string): Promise<void> {
    const switched = Promise.withResolvers<void>();
    await intercept(page, url, async (route) => {
      await switched.promise;
      await route.continue();
    });
    await intercept(page, "**/switch", async (route) => {
      const response = await route.fetch();
      const refused = page.waitForResponse((answer) => answer.status() === 403);
      switched.resolve();
      await refused;
      await route.fulfill({ response });
    });
  }

  async function makeLinkFor({ account, client }: Person): Promise<string> {
    const { email, name } = await client.account.get();
    const list = await findList(ada);
    const signer = await toSigner({ id: ada.account.id, key: ada.own.key });
    const person = { person: account.id, email, name, role: "manager" } as const;
    const { terms, link } = await createAdmission({ list, signer, ...person });
    await ada.client.admissions.create({ terms });
    return `/join#${formatAdmissionLink(link)}`;
  }

  test("a manager who has signed nothing reads on a new phone, sees why nothing can be changed and what to do, does everything after a link, and signs once for the next phone", async () => {
    const { max, form } = await makeMax();
    await leaveHeads(max, [ada]);
    const entries = (await findList(ada)).head.number;
    const page = await open(max);
    await page.goto(`/forms/${form.id}`);
    await unlockWithSheet(page, max.own.sheet);
    await page.getByText("for managers").waitFor();
    await page.goto(`/forms/${form.id}/keys`);
    await unlockWithSheet(page, max.own.sheet);
    const notice = page
      .getByRole("alert")
      .filter({ hasText: "On this device you can read, but not change anything yet" });
    await notice.waitFor();
    assert.match(
      await notice.innerText(),
      /take your key over from one, under “Your key”.*bring you in again, under Members/s,
    );
    await page.getByRole("list", { name: "Readers" }).getByText("Max").waitFor();
    await check(page, "the keys of a form, by a list for reading");
    for (const name of ["Change readers", "Add a program", "Begin a key log", "Make the new key"])
      assert.equal(await button(page, name).count(), 0, name);
    await page.goto("/forms/new");
    await page.getByLabel("Name", { exact: true }).fill("By nobody");
    await button(page, "Create form").click();
    await unlockWithSheet(page, max.own.sheet);
    await page.getByRole("alert").filter({ hasText: "On this device you can read" }).waitFor();
    await check(page, "a new form, by a list for reading");
    assert.equal(await wouldAsk(page), true, "the form was not made, and its name is still there");
    await page.getByLabel("Name", { exact: true }).fill("");
    assert.equal(await wouldAsk(page), false);
    assert.equal((await findList(ada)).head.number, entries);

    await page.goto(await makeLinkFor(max));
    await unlockWithSheet(page, max.own.sheet);
    await button(page, "Send my public key").click();
    await page.getByText("Your public key is on its way").waitFor();
    await page.goto(`/forms/${form.id}/keys`);
    await unlockWithSheet(page, max.own.sheet);
    await button(page, "Change readers").waitFor();
    assert.equal(await notice.count(), 0);
    await page.goto("/account/key");
    await unlockWithSheet(page, max.own.sheet);
    await page.getByRole("heading", { name: "Before you need another device" }).waitFor();
    await check(page, "nothing signed in the list yet");
    await button(page, "Sign the list once").click();
    await page.getByText("Signed. On your next device you can change who reads from the start.").waitFor();
    await check(page, "the list was signed once");
    assert.equal((await findList(ada)).head.number, entries + 1);
    await page.reload();
    await unlockWithSheet(page, max.own.sheet);
    await button(page, "Give it to another device").waitFor();
    await page.context().close();

    const next = await open(max);
    await next.goto(`/forms/${form.id}/keys`);
    await unlockWithSheet(next, max.own.sheet);
    await button(next, "Change readers").waitFor();
    await next.context().close();
  });

  test("a reader of several organizations reads in each of them on a new phone, by what the lost laptop has signed, with the key open from one to the next", async () => {
    const { service } = dashboard;
    const dora = await equip(service, await service.signUp("dora@example.com", "Dora"));
    await beginList(dora);
    const account = await addPerson(
      service,
      ada.account,
      "bo@example.com",
      { role: "reader", forms: [] },
      "Bo Example",
    );
    const bo = await equip(service, account);
    const token = await invite(dora.account, "bo@example.com", { role: "reader", forms: [] });
    assert.equal((await bo.account.request("POST", "/api/invitations/accept", { token })).status, 200);
    const forms: CreatedForm[] = [];
    for (const [founder, vote] of [
      [ada, "of Ada"],
      [dora, "of Dora"],
    ] as const) {
      await addToList(founder, bo, "reader");
      const form = await makeSealedForm(founder, `Form ${vote}`, [bo]);
      await founder.client.members.change(bo.account.id, { role: "reader", forms: [form.id] });
      await submit(service, form, { vote });
      forms.push(form);
    }
    await leaveHeads(bo, [ada, dora]);

    const page = await open(bo);
    await page.goto(`/forms/${forms[0]?.id}`);
    await unlockWithSheet(page, bo.own.sheet);
    await page.getByText("of Ada", { exact: true }).waitFor();
    assert.equal(await page.getByText("On this device you can read").count(), 0, "a reader misses nothing");
    await refuseWhileSwitching(page, "**/statistics*");
    await page.getByRole("link", { name: "Statistics" }).click();
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitemradio", { name: /Dora/ }).click();
    await page.getByRole("link", { name: "Form of Dora" }).click();
    await page.getByText("of Dora", { exact: true }).waitFor();
    await page.context().close();
  });

  test("no part of a private key was in any request of these pages", () => {
    const requests = sent.all();
    assert.ok(requests.includes('"signedHead":"'), "control: heads were sent");
    for (const { key, sheet } of madeKeys)
      for (const secret of [key.identity, key.signingSeed, sheet.identity, ...sheet.lines])
        assert.ok(!requests.includes(secret));
  });
});
