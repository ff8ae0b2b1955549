import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { answerAdmission, createAdmission, generatePersonalKey, openEnvelope, RefusalError } from "@sealpost/envelope";
import type { CreatedForm } from "@sealpost/sdk";
import type { FormId } from "@sealpost/wire";
import type { BrowserContextOptions, Page } from "playwright-core";
import { addPerson } from "../../packages/server/src/organizations/testing/test-organization.ts";
import type { TestAccount } from "../../packages/server/src/testing/test-service.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import {
  equip,
  findList,
  makeAdaWithForm,
  makeReader,
  openBrowserOf,
  type Person,
  recordRequests,
} from "../support/people.ts";
import { unlockWithSheet } from "../support/personal-key.ts";
import { type Dashboard, startDashboard, untilFocusIsKept } from "./dashboard.ts";
import { intercept } from "./intercept.ts";
import { toSigner } from "./played-envelopes.ts";

// Two people with keys of their own, in two browsers, on the real service; then with answers that lie.
describe("bringing somebody in", () => {
  let dashboard: Dashboard;
  let ada: Person;
  let bo: Person;
  let cy: TestAccount;
  let form: CreatedForm;
  let withFiles: CreatedForm;
  const sent = recordRequests();

  before(async () => {
    dashboard = await startDashboard();
    const { service } = dashboard;
    ({ ada, form } = await makeAdaWithForm(service));
    const { publicKey } = takeKeyPair();
    withFiles = await ada.client.forms.create({ name: "Key files alone", publicKey });
    cy = await addPerson(service, ada.account, "cy@example.com", { role: "reader", forms: [form.id] });
    bo = await makeReader(service, ada, form);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const open = async (person: Pick<Person, "account">, options?: BrowserContextOptions) =>
    sent.record(await openBrowserOf(person, dashboard, options));

  /** Makes a link in the open dialog, and closes it. */
  async function takeLink(page: Page): Promise<string> {
    await page.getByRole("dialog").getByText("The link is for Bo Example as Reader.").waitFor();
    await button(page, "By a messenger: make a link").click();
    await page.getByRole("dialog").getByText("The link is for Bo Example as Reader.").waitFor();
    const link = await page
      .getByRole("dialog")
      .getByText(/\/join#/)
      .innerText();
    await button(page, "I have passed it on").click();
    return link.trim();
  }

  test("a person is brought in by a link, with the keyboard and on a phone, and reads the oldest row; no server can answer, change or read it", async () => {
    const page = await open(ada, phone);
    await page.goto("/members");
    await button(page, /^Bring in: Bo/).focus();
    await page.keyboard.press("Enter");
    await unlockWithSheet(page, ada.own.sheet);
    const link = await takeLink(page);
    await page.getByText("has a link, and has not answered yet").waitFor();
    await check(page, "members who are to be brought in");
    const [, fragment = ""] = link.split("#");
    const [admissionId = "", secret = ""] = fragment.split(".");

    // Who is not brought in yet hears whom to ask, with a key of their own and without.
    const pageOfBo = await open(bo, phone);
    await pageOfBo.goto(`/forms/${form.id}`);
    await unlockWithSheet(pageOfBo, bo.own.sheet);
    await pageOfBo.getByText("Ask an owner or a manager to bring you in, under Members: Ada Example.").waitFor();
    await untilFocusIsKept(pageOfBo);
    await check(pageOfBo, "who is not in the list yet");
    const pageOfCy = await open({ account: cy }, phone);
    await pageOfCy.goto(`/forms/${form.id}`);
    await pageOfCy.getByText("This form opens with a key of your own").waitFor();
    await check(pageOfCy, "a reader without a key");
    await pageOfCy.context().close();

    // A link that was cut; and a server that shows other terms.
    await pageOfBo.goto(`/join#${fragment.slice(0, -3)}`);
    await pageOfBo.getByText("This link is not complete, or is for something else").waitFor();
    const shown = await bo.client.admissions.getOwn(admissionId);
    const json = { ...shown, terms: shown.terms.replace('"reader"', '"owner"') };
    await intercept(pageOfBo, "**/api/account/admissions/*", (route) => route.fulfill({ json }));
    // The whole link, pasted into the address of the same tab.
    const shownAgain = pageOfBo.waitForResponse("**/api/account/admissions/*");
    await pageOfBo.goto(`/join#${fragment}`);
    await shownAgain;
    await pageOfBo.getByRole("alert").waitFor();
    assert.equal(await button(pageOfBo, "Send my public key").count(), 0);
    await pageOfBo.unroute("**/api/account/admissions/*");
    await pageOfBo.reload();
    assert.doesNotMatch(pageOfBo.url(), /#/);
    // Who leaves before the answer is sent is not left in the belief of having joined.
    await pageOfBo.goto("/");
    await pageOfBo.getByText("You have not joined with your key yet").waitFor();
    await check(pageOfBo, "home, while joining is unfinished");
    await pageOfBo.getByRole("link", { name: "Continue joining" }).click();
    await unlockWithSheet(pageOfBo, bo.own.sheet);
    await check(pageOfBo, "the page of the link");
    assert.deepEqual(await readListHeads(pageOfBo), [], "a link that was only opened is not trusted");
    await button(pageOfBo, "Send my public key").focus();
    await pageOfBo.keyboard.press("Enter");
    await pageOfBo.getByText("Your public key is on its way").waitFor();
    assert.deepEqual(await readListHeads(pageOfBo), [`list ${ada.account.id}`]);
    await check(pageOfBo, "the answer was sent");

    // A server that swaps the key for one of its own, with a proof that it makes up, and then with the person's own proof.
    const entries = async () => (await findList(ada)).head.number;
    const before = await entries();
    const { answer, admission } = await ada.client.admissions.get(admissionId);
    const swapped = await generatePersonalKey();
    const guess = { secret: "A".repeat(22) };
    const own = await answerAdmission(admission.terms, guess, bo.account.id, swapped);
    const [, , proof = ""] = answer?.split("\n") ?? assert.fail();
    const lies = [own, own.replace(/\{"proof".*/, proof)];
    for (const lie of lies) {
      await intercept(page, `**/api/admissions/${admissionId}`, (route) =>
        route.fulfill({ json: { admission, answer: lie } }),
      );
      await page.reload();
      await button(page, /^Look and bring in: /).click();
      await unlockWithSheet(page, ada.own.sheet);
      await page.getByText("The answer was not made with your link").waitFor();
      await check(page, "an answer that was not made with the link");
      assert.equal(await page.getByRole("dialog").getByRole("button", { name: "Bring in", exact: true }).count(), 0);
      await page.unroute(`**/api/admissions/${admissionId}`);
    }
    assert.equal(await entries(), before, "nothing was signed");

    await page.reload();
    await page.getByText("One person waits to be brought in").waitFor();
    await button(page, /^Look and bring in: /).click();
    await unlockWithSheet(page, ada.own.sheet);
    await page.getByText("(bo@example.com) has answered with the link.").waitFor();
    await check(page, "who has answered");
    await page.getByRole("dialog").getByRole("button", { name: "Bring in", exact: true }).click();
    await page.getByText("is in the signed list.").first().waitFor();
    await page.getByRole("checkbox", { name: "Key files alone" }).check();
    await check(page, "forms are offered");
    await page.getByRole("dialog").locator("button[type=submit]").click();
    await page.getByText("1 form was changed.").waitFor();
    const unsealed = page
      .getByRole("alert")
      .filter({ hasText: "1 form was not sealed for Bo Example: it has no envelope" });
    await check(page, "a form could not be sealed for them");
    assert.equal(
      await unsealed.getByRole("link", { name: "Key files alone" }).getAttribute("href"),
      `/forms/${withFiles.id}/keys`,
    );
    const list = await findList(ada);
    assert.equal(list.members.get(bo.account.id)?.recipient, bo.own.key.recipient);
    const stored = (await ada.client.envelopes.getNewest(form.id, 1)) ?? assert.fail();
    const opened = await openEnvelope(stored.file, bo.own.key.identity, {
      formId: form.id as FormId,
      firstVersion: 1,
      revision: stored.revision,
      list,
    });
    assert.ok(!(opened instanceof RefusalError), String(opened));

    // The head that came with the link is remembered: the list, which Bo has signed nothing of, is trusted.
    await pageOfBo.goto(`/forms/${form.id}`);
    await unlockWithSheet(pageOfBo, bo.own.sheet);
    await pageOfBo.getByText("the oldest row").waitFor();
    // The link is used up.
    await pageOfBo.goto("about:blank");
    await pageOfBo.goto(`/join#${fragment}`);
    await pageOfBo.getByText("This link does not work with this account").waitFor();
    // Loaded again it is the same one; an address that somebody types without its end is not.
    await pageOfBo.reload();
    await pageOfBo.getByText("This link does not work with this account").waitFor();
    await pageOfBo.goto("/join");
    await pageOfBo.getByRole("heading", { name: "You were given six words, or a code to scan" }).waitFor();

    // Anyone in the list who lost their key is brought in once more, with the new one.
    await page.goto("/members");
    await page.getByText("Somebody has another key now").click();
    await check(page, "who is in the list");
    await button(page, /^Bring in: Bo/).click();
    await unlockWithSheet(page, ada.own.sheet);
    await takeLink(page);
    await page.getByText("has a link, and has not answered yet").waitFor();

    const requests = sent.all();
    assert.ok(!requests.includes(secret), "the link's secret is in no request");
    for (const { key, sheet } of [ada.own, bo.own])
      for (const text of [key.identity, key.signingSeed, sheet.identity, ...sheet.lines])
        assert.ok(!requests.includes(text));
    assert.match(requests, /\\"proof\\":\\"/, "control: the answer was sent");
    for (const tab of [page, pageOfBo]) await tab.context().close();
  });

  test("members whose names look like the newcomer's are shown before the newcomer is brought in", async () => {
    const { service } = dashboard;
    const di = await equip(
      service,
      await addPerson(service, ada.account, "di@example.com", { role: "auditor" }, "Di Example"),
    );
    const list = await findList(ada);
    const signer = await toSigner({ id: ada.account.id, key: ada.own.key });
    const person = { person: di.account.id, email: "di@example.com", role: "auditor" } as const;
    const { id, terms, link } = await createAdmission({ list, signer, ...person, name: "Ada Ехample" });
    await ada.client.admissions.create({ terms });
    await di.client.admissions.answer(id, { answer: await answerAdmission(terms, link, di.account.id, di.own.key) });
    const page = await open(ada, phone);
    await page.goto("/members");
    await button(page, "Look and bring in: Di Example").click();
    await unlockWithSheet(page, ada.own.sheet);
    await page.getByText("(di@example.com) has answered with the link.").waitFor();
    await page.getByText("This looks like the name of Ada Example.").waitFor();
    await check(page, "somebody whose name looks like another's");
    await page.context().close();
  });
});

/** The names under which the browser remembers heads of lists. */
function readListHeads(page: Page): Promise<string[]> {
  return page.evaluate(
    () =>
      new Promise<string[]>((resolve, reject) => {
        const opening = indexedDB.open("sealpost-heads");
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const names = opening.result.transaction("heads").objectStore("heads").getAllKeys();
          names.onerror = () => reject(names.error);
          names.onsuccess = () => {
            opening.result.close();
            // Each name begins with the key that has seen it.
            const seen = names.result.map((name) => String(name).split(" ").slice(1).join(" "));
            resolve(seen.filter((name) => name.startsWith("list ")));
          };
        };
      }),
  );
}
