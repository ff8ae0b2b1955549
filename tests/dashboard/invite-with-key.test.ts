import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { generatePersonalKey } from "@sealpost/envelope";
import type { CreatedForm } from "@sealpost/sdk";
import type { Page } from "playwright-core";
import { startSmtpServer, type TestSmtpServer } from "../../packages/server/src/mail/testing/smtp-server.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import {
  equip,
  findList,
  makeAdaWithForm,
  makeReader,
  openBrowserOf,
  type Person,
  recordRequests,
} from "../support/people.ts";
import { type MadePersonalKey, makePersonalKey, unlockWithSheet } from "../support/personal-key.ts";
import { assertAccessible, type Dashboard, holdReads, startDashboard, untilFocused } from "./dashboard.ts";
import { intercept } from "./intercept.ts";

const password = "a good long password";

/** The link that the open dialog shows. */
async function readLink(page: Page): Promise<string> {
  const link = page.getByRole("dialog").getByText(/\/join#/);
  return (await link.innerText()).trim();
}

/** Fills the open dialog in by keyboard, and makes invitation and link. Ends with the dialog that shows them. */
async function invite(page: Page, { own }: Person, email: string, name: string): Promise<void> {
  const letThrough = await holdReads(page, "**/assets/invite-with-key-*.js");
  // Until the members are known the button is elsewhere, and its focus would be lost.
  await page.getByRole("heading", { name: "You are the only member" }).waitFor();
  await button(page, "Invite somebody").focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await untilFocused(dialog.getByLabel("Email address"));
  await page.keyboard.type(email);
  await dialog.getByRole("checkbox", { name: "Works council" }).focus();
  await page.keyboard.press("Space");
  assert.ok(await dialog.getByRole("checkbox", { name: /^Bring their key in with it/ }).isChecked());
  await dialog.getByLabel("Their name").focus();
  await page.keyboard.type(name);
  // The dialog stays until what follows it is here.
  await page.keyboard.press("Enter");
  await button(page, "Continue").and(page.locator("[aria-disabled=true]")).waitFor();
  await letThrough();
  await dialog.getByRole("heading", { name: "Unlock your key, to sign the link" }).waitFor();
  // Not Close, which the next Enter of somebody in a hurry would press.
  await untilFocused(dialog.locator("[data-focus]"));
  await unlockWithSheet(page, own.sheet);
  await dialog.getByText("Nothing has been sent yet.").waitFor();
  await button(page, "Make invitation and link").focus();
  await page.keyboard.press("Enter");
  await dialog.getByText("Invitation and link are ready").waitFor();
}

/** Makes the account on the page that an invitation leads to. */
async function signUp(page: Page, name: string): Promise<void> {
  await page.getByLabel("Your name").fill(name);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await button(page, "Create account and join").click();
  await page.getByRole("heading", { name: "Join with your key" }).waitFor();
}

/** Stores a key as the page of the key does, which has tests of its own, and unlocks it on the page of the link. */
async function takeKey(page: Page): Promise<MadePersonalKey> {
  const own = await makePersonalKey();
  const status = await page.evaluate(
    async (body) =>
      (
        await fetch("/api/account/personal-key", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
        })
      ).status,
    JSON.stringify(own.body),
  );
  assert.equal(status, 200);
  await page.reload();
  return own;
}

/** Confirms who has answered, and shares the suggested forms. */
async function bringIn(page: Page, email: string): Promise<void> {
  await page.getByText(`(${email}) has answered with the link.`).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Bring in", exact: true }).click();
  await page.getByText("is in the signed list.").first().waitFor();
  await page.getByRole("dialog").locator("button[type=submit]").click();
  await page.getByText("1 form was changed.").waitFor();
}

describe("inviting somebody with their key, on an instance without email", () => {
  let dashboard: Dashboard;
  const sent = recordRequests();
  let ada: Person;
  let form: CreatedForm;

  before(async () => {
    dashboard = await startDashboard();
    ({ ada, form } = await makeAdaWithForm(dashboard.service));
  });
  after(() => dashboard.close());
  const open = async (person: Person) => sent.record(await openBrowserOf(person, dashboard, phone));
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  test("one link makes an account and brings in a key, by keyboard and on phones; for another account it says what to do, and an older list is refused from then on", async () => {
    const email = "noor@example.com";
    const page = await open(ada);
    await page.goto("/members");
    await invite(page, ada, email, "Noor Newcomer");
    await check(page, "an invitation with a link for a key");
    const link = await readLink(page);
    const [path = "", fragment = ""] = link.slice(dashboard.service.url.length).split("#");
    const [admissionId = "", secret = "", , token = ""] = fragment.split(".");
    assert.ok(token.length > 20, "on an instance without email one link is for both");
    await button(page, "I have passed it on").click();
    await page.getByText("They also have a link for their key.").waitFor();
    await check(page, "an open invitation with a link for a key");

    // It was forwarded to somebody who is signed in: nothing is used up.
    const bo = await equip(dashboard.service, await dashboard.service.signUp("bo@example.com"));
    const pageOfBo = await openBrowserOf(bo, dashboard);
    await pageOfBo.goto(`${path}#${fragment}`);
    await pageOfBo.getByText(`This invitation is for ${email}, but you are signed in as bo@example.com.`).waitFor();
    // Signed out there, the link is still whole for the one whom it is for.
    await button(pageOfBo, "Sign out and continue").click();
    await pageOfBo.getByText("First your account, then your key: this takes two steps.").waitFor();
    await pageOfBo.context().close();

    const newcomer = await dashboard.open(`${path}#${fragment}`, phone);
    sent.record(newcomer);
    await newcomer.getByText("First your account, then your key: this takes two steps.").waitFor();
    assert.doesNotMatch(newcomer.url(), /#/);
    await check(newcomer, "an invitation that leads to a key");
    await signUp(newcomer, "Noor");
    await button(newcomer, "Make your key").waitFor();
    await check(newcomer, "a key is needed");
    const own = await takeKey(newcomer);
    await unlockWithSheet(newcomer, own.sheet);
    await button(newcomer, "Send my public key").click();
    await newcomer.getByText("Your public key is on its way").waitFor();
    // Opened once more, on the same device.
    await newcomer.goto("about:blank");
    await newcomer.goto(`${path}#${fragment}`);
    await newcomer.getByText("You have answered already. You can answer again.").waitFor();

    const older = (await ada.client.memberList.get()) ?? assert.fail();
    await page.reload();
    await button(page, "Look and bring in: Noor").click();
    await unlockWithSheet(page, ada.own.sheet);
    await bringIn(page, email);
    await newcomer.goto(`/forms/${form.id}`);
    await unlockWithSheet(newcomer, own.sheet);
    await newcomer.getByText("the oldest row").waitFor();
    // A server that shows the list from before: this browser has seen the newer one.
    const headers = { "content-type": "application/vnd.sealpost.list", etag: `"1-${"A".repeat(43)}"` };
    await intercept(newcomer, "**/api/member-list*", (route) => route.fulfill({ body: Buffer.from(older), headers }));
    await newcomer.reload();
    await unlockWithSheet(newcomer, own.sheet);
    await newcomer.getByText("The server shows an older list of members than you have seen before").waitFor();

    // Signed out, with a link that was used: both what it is, and the way to the key.
    const later = await dashboard.open(`${path}#${fragment}`);
    await later.getByRole("heading", { name: "This invitation can't be used" }).waitFor();
    await later.getByRole("link", { name: "Continue with your key" }).click();
    await later.getByText("You opened a link for your key. Sign in first").waitFor();
    await check(later, "a link for a key, signed out");
    await later.getByLabel("Email address").fill(email);
    await later.getByLabel("Password", { exact: true }).fill(password);
    await later.keyboard.press("Enter");
    await later.getByText("This link does not work with this account").waitFor();
    await check(later, "a link that was used");

    const requests = sent.all();
    assert.ok(requests.includes(admissionId), "control: requests were recorded");
    for (const text of [secret, own.key.identity, own.key.signingSeed]) assert.ok(!requests.includes(text));
    for (const tab of [page, newcomer, later]) await tab.context().close();
  });

  test("a server that adds something to the link for account and key is refused, and no link is made", async () => {
    const page = await openBrowserOf(ada, dashboard);
    await intercept(page, "**/api/invitations", async (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      const response = await route.fetch();
      const { url, ...invited } = await response.json();
      await route.fulfill({ response, json: { ...invited, url: `${url}.and-more` } });
    });
    await page.goto("/members");
    await button(page, "Invite somebody").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Email address").fill("eve@example.com");
    await dialog.getByRole("checkbox", { name: "Works council" }).check();
    await dialog.getByLabel("Their name").fill("Eve");
    await page.keyboard.press("Enter");
    await unlockWithSheet(page, ada.own.sheet);
    await button(page, "Make invitation and link").click();
    await dialog.getByText("would have added something to your link").waitFor();
    await check(page, "a refused invitation");
    const offered = await ada.client.admissions.list();
    assert.ok(!JSON.stringify(offered).includes("eve@example.com"), "nothing was signed for it on the server");
    await page.context().close();
  });

  test("two people who sit together: six words that are typed, or a code from a photo, bring in the right key and no other", async () => {
    const email = "cleo@example.com";
    const cleo = await makeReader(dashboard.service, ada, form, "Cleo");
    const page = await open(ada);
    await page.goto("/members");
    await button(page, "Bring in: Cleo").click();
    await unlockWithSheet(page, ada.own.sheet);
    await button(page, "They are with me, or on the phone").focus();
    await page.keyboard.press("Enter");
    const shownWords = page.getByTestId("admission-words").getByRole("listitem");
    await shownWords.first().waitFor();
    const words = await shownWords.allInnerTexts();
    assert.equal(words.length, 6);
    await check(page, "six words to read out");
    const code = await page.getByRole("img", { name: "The link as a code to scan" }).screenshot();

    const other = await open(cleo);
    await other.goto("/join");
    const field = other.getByLabel("The six words, or the whole link");
    await field.fill(["zebra", ...words.slice(1)].join(" "));
    await other.keyboard.press("Enter");
    await other.getByText("These are not the six words of an invitation that is for you").waitFor();
    await check(other, "words that are not the right ones");
    assert.match(await field.inputValue(), /^zebra /, "what was typed stays");
    await field.fill("one two three");
    await other.keyboard.press("Enter");
    await other.getByText("These are not the six words of an invitation that is for you").waitFor();
    await field.fill(`${dashboard.service.url}/join`);
    await other.keyboard.press("Enter");
    await other.getByText("This is not the whole link").waitFor();
    await field.fill("Hi Cleo, here it is: https://elsewhere.example/join#adm_1.2.3 See you!");
    await other.keyboard.press("Enter");
    await other.getByText("This code leads to another server, elsewhere.example.").waitFor();
    await other.setInputFiles("input[type=file]", {
      name: "photo.png",
      mimeType: "image/png",
      buffer: Buffer.from("no"),
    });
    await other.getByText("This picture is damaged").waitFor();
    // A server that shows the terms with another role, to anyone who types the right words.
    const shown = await cleo.client.admissions.getOwn((await cleo.client.admissions.listOwn())[0]?.id ?? "");
    const json = { ...shown, terms: shown.terms.replace('"reader"', '"owner"') };
    await intercept(other, "**/api/account/admissions/*", (route) => route.fulfill({ json }));
    await field.fill(words.join(" ").toUpperCase());
    await other.keyboard.press("Enter");
    await other.getByRole("alert").waitFor();
    assert.equal(await button(other, "Send my public key").count(), 0);
    await other.unroute("**/api/account/admissions/*");

    // The code instead, as a photo of the other screen.
    await other.setInputFiles("input[type=file]", { name: "photo.png", mimeType: "image/png", buffer: code });
    await unlockWithSheet(other, cleo.own.sheet);
    await button(other, "Send my public key").waitFor();
    // And the words, also where offers come first that nobody can use: one is damaged, one was taken back.
    const again = await open(cleo);
    const [real = assert.fail()] = await cleo.client.admissions.listOwn();
    const unusable = ["adm_01m7xth1qvfhq8q7ac7htfpbtz", "adm_01m7xth35wey1rphe7wth291wb"].map((id) => ({
      ...real,
      id,
    }));
    await intercept(again, "**/api/account/admissions", (route) =>
      route.fulfill({ json: { admissions: [...unusable, real] } }),
    );
    const damaged = { ...shown, terms: "{}\n{}\n" };
    const gone = { error: "not_found", message: "There is no such admission" };
    await intercept(again, `**/${unusable[0]?.id}`, (route) => route.fulfill({ json: damaged }));
    await intercept(again, `**/${unusable[1]?.id}`, (route) => route.fulfill({ status: 404, json: gone }));
    await again.goto("/join");
    await again.getByLabel("The six words, or the whole link").fill(words.join(" ").toUpperCase());
    await again.keyboard.press("Enter");
    await unlockWithSheet(again, cleo.own.sheet);
    await check(again, "what the words are for");
    await again.unroute("**/api/account/admissions");
    // Nobody types them twice: not after the way back, not after a reload.
    await again.getByRole("link", { name: "Forms", exact: true }).click();
    await again.getByText("You have not joined with your key yet").waitFor();
    await again.goBack();
    await button(again, "Send my public key").waitFor();
    await again.reload();
    await unlockWithSheet(again, cleo.own.sheet);
    await button(again, "Send my public key").waitFor();

    // A server that swaps the key on its way: the page on the other side says so, and signs nothing.
    const { recipient, signingKey } = await generatePersonalKey();
    await intercept(page, "**/api/admissions/*", async (route) => {
      const { answer, ...shown } = await ada.client.admissions.get(route.request().url().split("/").at(-1) ?? "");
      const [line = "", ...others] = answer?.split("\n") ?? [];
      const swapped = [JSON.stringify({ ...JSON.parse(line), recipient, signingKey }), ...others].join("\n");
      await route.fulfill({ json: { ...shown, answer: swapped } });
    });
    const before = (await findList(ada)).head.number;
    await button(again, "Send my public key").click();
    await again.getByText("Your public key is on its way").waitFor();
    await again.getByRole("link", { name: "Forms", exact: true }).click();
    await again.getByRole("heading", { name: "Forms" }).waitFor();
    await again.goBack();
    await again.getByText("Your public key is on its way").waitFor();
    assert.equal(await again.getByLabel("The six words, or the whole link").count(), 0, "nothing is asked for again");
    await page.getByText("The answer was not made with your link").waitFor();
    assert.equal((await findList(ada)).head.number, before);
    await page.unroute("**/api/admissions/*");
    await page.keyboard.press("Escape");
    await button(page, /^Look and bring in: /).click();
    await bringIn(page, email);
    assert.equal((await findList(ada)).members.get(cleo.account.id)?.recipient, cleo.own.key.recipient);
    await again.goto("/join");
    await again.getByLabel("The six words, or the whole link").fill(words.join(" "));
    await again.keyboard.press("Enter");
    await again.getByText("Nobody waits for your key at this moment").waitFor();
    await check(again, "words that were used");
    assert.ok(!sent.all().includes(words.join(" ")), "no request has the words");
    for (const tab of [page, other, again]) await tab.context().close();
  });
});

describe("inviting somebody with their key, on an instance that sends email", () => {
  const closers: (() => unknown)[] = [];
  let smtp: TestSmtpServer;
  let dashboard: Dashboard;

  before(async () => {
    smtp = await startSmtpServer({ after: (close) => void closers.push(close) });
    dashboard = await startDashboard({
      environment: {
        SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
        SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
      },
    });
  });
  after(async () => {
    await dashboard.close();
    for (const close of closers) await close();
  });
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  test("the account comes by email and the key by a link of the owner's, in whatever order they are opened, and neither is enough alone", async () => {
    const email = "noor@example.com";
    const { ada } = await makeAdaWithForm(dashboard.service);
    const page = await openBrowserOf(ada, dashboard);
    await page.goto("/members");
    await invite(page, ada, email, "Noor Newcomer");
    await page.getByText(`on its way to ${email} by email, from this server.`).waitFor();
    await check(page, "two ways, explained");
    const link = await readLink(page);
    const [path = "", fragment = ""] = link.slice(dashboard.service.url.length).split("#");
    assert.equal(fragment.split(".").length, 3, "who has only this link gets no account");
    await button(page, "I have passed it on").click();

    // The link first: it says where the account comes from, and is not used up.
    const newcomer = await dashboard.open(`${path}#${fragment}`, phone);
    await newcomer.getByText("look for the invitation in your email").waitFor();
    await assertAccessible(newcomer, "the link for the key came first");
    const mailed = await readInvitation(email);
    await newcomer.goto(mailed.slice(dashboard.service.url.length));
    await newcomer.getByText("First your account, then your key").waitFor();
    await signUp(newcomer, "Noor");
    await newcomer
      .getByText("Your email address has to be verified before you can send your key.")
      .or(button(newcomer, "Make your key"))
      .first()
      .waitFor();
    await newcomer.context().close();

    // On another device, where nobody has opened the link: the page after the sign-in knows that words or a link wait.
    const other = await dashboard.open("/sign-in", phone);
    await other.getByLabel("Email address").fill(email);
    await other.getByLabel("Password", { exact: true }).fill(password);
    await other.keyboard.press("Enter");
    await other.getByRole("heading", { name: "Forms" }).waitFor();
    await other.goto(`${path}#${fragment}`);
    await other.getByRole("heading", { name: "Noor Newcomer" }).waitFor();
    await check(other, "the link on another device");
    // Opened where somebody else is signed in, for whom it is not.
    await page.goto(`${path}#${fragment}`);
    await page.getByText("This link does not work with this account").waitFor();
    await button(page, "Sign out").click();
    await page.getByText("You opened a link for your key. Sign in first").waitFor();
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Noor Newcomer" }).waitFor();
    for (const tab of [page, other]) await tab.context().close();
  });

  /** The link in the email to an invited address; other emails are passed over. */
  async function readInvitation(email: string): Promise<string> {
    for (;;) {
      const { to, text } = await smtp.next(`the invitation to ${email}`);
      const link = /^http\S+\/invitation#\S+$/m.exec(text)?.[0];
      if (to.includes(email) && link !== undefined) return link;
    }
  }
});
