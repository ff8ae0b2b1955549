import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { CreatedForm } from "@sealpost/sdk";
import type { Page } from "playwright-core";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import { makeAdaWithForm, makeReader, openBrowserOf, type Person } from "../support/people.ts";
import { unlockWithSheet } from "../support/personal-key.ts";
import { type Dashboard, startDashboard } from "./dashboard.ts";

const finger = { ...phone, hasTouch: true, isMobile: true };

// Somebody joins with a key on a phone: what each step says of the next one.
describe("joining on a phone", () => {
  let dashboard: Dashboard;
  let ada: Person;
  let bo: Person;
  let form: CreatedForm;

  before(async () => {
    dashboard = await startDashboard();
    ({ ada, form } = await makeAdaWithForm(dashboard.service));
    bo = await makeReader(dashboard.service, ada, form);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const open = async (person: Person, path: string) => {
    const page = await openBrowserOf(person, dashboard, finger);
    await page.goto(path);
    return page;
  };

  async function takeLink(page: Page): Promise<string> {
    await page.goto("/members");
    await button(page, /^(Bring in|New link): Bo/)
      .first()
      .tap();
    await unlockWithSheet(page, ada.own.sheet);
    await button(page, "By a messenger: make a link").tap();
    const link = await page
      .getByRole("dialog")
      .getByText(/\/join#/)
      .innerText();
    await button(page, "I have passed it on").tap();
    return link.trim();
  }

  async function answer(page: Page, link: string): Promise<void> {
    await page.goto("about:blank");
    await page.goto(link);
    await unlockWithSheet(page, bo.own.sheet);
    await button(page, "Send my public key").tap();
    await page.getByText("Your public key is on its way").waitFor();
  }

  test("a link for a key greets nobody as if they had been here, nor does the address for six words", async () => {
    const page = await open(ada, "/members");
    const link = await takeLink(page);
    const [, fragment = ""] = link.split("#");
    await ada.client.admissions.revoke(fragment.split(".")[0] ?? "");
    await page.context().close();
    for (const [path, why] of [
      [`/join#${fragment}`, "You opened a link for your key. Sign in first"],
      ["/join", "You want to join with a code or six words."],
    ] as const) {
      const newcomer = await dashboard.open(path, finger);
      await newcomer.getByText(why).waitFor();
      await newcomer.getByRole("heading", { name: "Sign in to join" }).waitFor();
      assert.equal(await newcomer.getByText("Welcome back").count(), 0);
      await check(newcomer, `the sign-in before ${path.slice(0, 6)}`);
      await newcomer.context().close();
    }
  });

  test("an invitation with a key leads back to what was entered, with a locked key and with an open one", async () => {
    const page = await open(ada, "/members");
    await button(page, "Invite somebody").tap();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Email address").fill("noor@exmaple.com");
    await dialog.getByRole("checkbox", { name: "Works council" }).check();
    await dialog.getByLabel("Their name").fill("Noor Newcomer");
    await button(dialog, "Continue").tap();
    await dialog.getByText("Noor Newcomer (noor@exmaple.com) as a reader.").waitFor();
    await check(page, "an invitation with a locked key");
    await button(dialog, "Change what you entered").tap();
    assert.equal(await dialog.getByLabel("Their name").inputValue(), "Noor Newcomer");
    await dialog.getByLabel("Email address").fill("noor@example.com");
    await button(dialog, "Continue").tap();
    await unlockWithSheet(page, ada.own.sheet);
    await dialog.getByText("Noor Newcomer (noor@example.com) as a reader.").waitFor();
    await check(page, "the summary of an invitation");
    await button(dialog, "Change what you entered").tap();
    assert.ok(await dialog.getByRole("checkbox", { name: "Works council" }).isChecked());
    assert.equal(await dialog.getByLabel("Email address").inputValue(), "noor@example.com");
    await button(dialog, "Continue").tap();
    await button(dialog, "Make invitation and link").tap();
    await dialog.getByText("Invitation and link are ready").waitFor();
    await page.context().close();
  });

  test("of a form whose key nobody has shown, only those who may rotate keys are asked to", async () => {
    const notices = {
      owner: "If nobody has the key, rotate the keys now",
      reader: "If you have no key for it, tell an owner or a manager",
    };
    for (const [person, own, other] of [
      [ada, notices.owner, notices.reader],
      [bo, notices.reader, notices.owner],
    ] as const) {
      const page = await open(person, `/forms/${form.id}`);
      await page.getByText("Nobody has shown yet that these submissions can be opened").waitFor();
      await page.getByText(own).waitFor();
      assert.equal(await page.getByText(other).count(), 0);
      await check(page, `an unproved key for ${person.account.id}`);
      await page.context().close();
    }
  });

  test("after the answer the page says who is asked and what comes next, and follows what becomes of it", async () => {
    const page = await open(ada, "/members");
    const pageOfBo = await open(bo, "/");
    const link = await takeLink(page);
    // In a browser that has no link, the server's word is all there is.
    await pageOfBo.reload();
    await pageOfBo.getByText("Somebody of “Ada Example” has a link or six words for you").waitFor();
    await check(pageOfBo, "somebody waits for a key");
    await answer(pageOfBo, link);
    await pageOfBo.getByText("Tell Ada Example that you have answered.").waitFor();
    await pageOfBo.getByText("Nobody but Ada Example can do this at the moment.").waitFor();
    await check(pageOfBo, "what comes after the answer");
    await pageOfBo.getByRole("link", { name: "To your forms" }).tap();
    await pageOfBo.getByRole("heading", { name: "Forms" }).waitFor();
    await pageOfBo.getByText("Tell Ada Example that you have answered.").waitFor();

    const [, fragment = ""] = link.split("#");
    const [admissionId = ""] = fragment.split(".");
    await ada.client.admissions.refuse(admissionId);
    await pageOfBo.getByText("Your answer was refused").waitFor();
    await check(pageOfBo, "an answer that was refused");
    await answer(pageOfBo, link);
    await ada.client.admissions.revoke(admissionId);
    await pageOfBo.getByText("The link is no longer open").waitFor();
    await check(pageOfBo, "a link that was taken back after the answer");

    await answer(pageOfBo, await takeLink(page));
    await page.goto("/members");
    await button(page, /^Look and bring in: /).tap();
    await unlockWithSheet(page, ada.own.sheet);
    await page.getByRole("dialog").getByRole("button", { name: "Bring in", exact: true }).tap();
    await page.getByText("is in the signed list.").first().waitFor();
    await pageOfBo.getByText("You are in “Ada Example” with your key").waitFor();
    await check(pageOfBo, "somebody was brought in");
    await pageOfBo.getByRole("link", { name: "To your forms" }).tap();
    await pageOfBo.getByRole("link", { name: /Works council/ }).waitFor();
    assert.equal(await pageOfBo.getByText("with your key").count(), 0, "it was said");
    for (const tab of [page, pageOfBo]) await tab.context().close();
  });
});
