import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { addPerson, switchTo } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { openBrowserOf } from "../support/people.ts";
import { type ContactForm, createContactForm } from "./contact-form.ts";
import { assertAccessible, assertTouchable, type Dashboard, person, startDashboard, submit } from "./dashboard.ts";
import { intercept } from "./intercept.ts";

describe("submissions on a phone", () => {
  let dashboard: Dashboard;
  let contact: ContactForm;

  before(async () => {
    dashboard = await startDashboard();
    contact = await createContactForm(dashboard);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  test("on a phone Delete leads back to the list, and Undo is within reach there and over another submission", async () => {
    const before = (await contact.client.forms.get(contact.form.id)).submissionCount;
    const page = await dashboard.signIn(`/forms/${contact.form.id}`, { viewport: { width: 390, height: 844 } });
    await contact.unlock(page);
    // The second half of a double tap, on what came to its place: it opens nothing, so the list is still free for the next.
    await page.getByText("Person 118 · pay, hours · Question number 118").hover();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await page.getByText("Person 119 · pay, hours · Question number 119").click();
    const detail = page.getByRole("dialog", { name: "Submission" });
    await detail.getByText("Question number 119").waitFor();
    const place = await detail.getByRole("button", { name: "Delete", exact: true }).boundingBox();
    assert.ok(place !== null);
    const middle = [place.x + place.width / 2, place.y + place.height / 2] as const;
    await page.mouse.click(...middle);
    await page.getByRole("status").filter({ hasText: "1 submission moved to the bin" }).waitFor();
    assert.equal(await detail.count(), 0, "no other Delete under the finger");
    await page.getByText("Person 118 · pay, hours · Question number 118").click();
    await detail.getByRole("status").filter({ hasText: "1 submission moved to the bin" }).waitFor();
    await assertAccessible(page, "undo over a submission");
    await detail.getByRole("button", { name: "Undo" }).click();
    await detail.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
    await detail.getByRole("button", { name: "Newer" }).click();
    await detail.getByText("Question number 119").waitFor();
    assert.equal((await contact.client.forms.get(contact.form.id)).submissionCount, before);
    await page.context().close();
  });

  test("the second half of a double tap that opened a dialog chooses nothing in it, and the tap after does", async () => {
    const page = await dashboard.signIn("/members", { viewport: { width: 390, height: 844 } });
    await page.getByRole("heading", { name: "You are the only member" }).waitFor();
    await page.getByRole("button", { name: "Invite somebody" }).click();
    const choice = page.getByRole("dialog").getByRole("checkbox", { name: "Contact" });
    await choice.hover();
    const tapSecond = async () => {
      await page.mouse.down({ clickCount: 2 });
      await page.mouse.up({ clickCount: 2 });
      return choice.isChecked();
    };
    assert.equal(await tapSecond(), false);
    await choice.click();
    assert.equal(await choice.isChecked(), true);
    assert.equal(await tapSecond(), false, "a second tap in it, once something was chosen, counts");
    await page.context().close();
  });

  test("the way back closes the open submission, forward and a reload open it again, and its address leads to it", async () => {
    const page = await dashboard.signIn("/", { viewport: { width: 390, height: 844 } });
    await page.goto(`/forms/${contact.form.id}`);
    await page.getByLabel("Remember on this").check();
    await contact.unlock(page);
    const dialog = page.getByRole("dialog", { name: "Submission" });
    const isClosed = () => dialog.waitFor({ state: "detached" });
    await page.getByText("Person 129 · pay, hours · Question number 129").click();
    await dialog.getByText("Question number 129").waitFor();
    await page.goBack();
    await isClosed();
    assert.equal(page.url(), `${dashboard.service.url}/forms/${contact.form.id}`);
    await page.goForward();
    await dialog.getByText("Question number 129").waitFor();
    const id = new URL(page.url()).searchParams.get("submission") ?? "";
    const { submissions } = await contact.client.submissions.list(contact.form.id);
    assert.ok(submissions.some((submission) => submission.id === id));
    await page.reload();
    await dialog.getByText("Question number 129").waitFor();
    // However many were read, the list is one step back; closing is that step too.
    await dialog.getByRole("button", { name: "Older" }).click();
    await dialog.getByRole("button", { name: "Older" }).click();
    await dialog.getByText("Question number 127").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await isClosed();
    await page.goBack();
    await page.getByRole("heading", { name: "Forms" }).waitFor();

    await page.goto(`/forms/${contact.form.id}?submission=${id}`);
    await dialog.getByText("Question number 129").waitFor();
    await page.keyboard.press("Escape");
    await isClosed();
    await page.getByRole("table").waitFor();
    await page.goto(`/forms/${contact.form.id}?submission=sub_00000000000000000000000000`);
    await page.getByText("The submission of this address is not here").waitFor();
    await assertAccessible(page, "an address of no submission");

    await page.context().clearCookies();
    await page.goto(`/forms/${contact.form.id}?submission=${id}`);
    await page.getByLabel("Email address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.keyboard.press("Enter");
    await dialog.getByText("Question number 129").waitFor();
    await page.context().close();
  });

  test("what became of a press is under no bar, wherever the page was scrolled when Save was pressed", async () => {
    const page = await dashboard.signIn(`/forms/${contact.form.id}/settings`, {
      viewport: { width: 390, height: 844 },
    });
    await intercept(page, "**/api/forms/*", (route) =>
      route.request().method() === "PATCH" ? route.abort() : route.continue(),
    );
    await page.getByRole("switch").first().click();
    const save = page.getByRole("button", { name: "Save changes" });
    const bottom = await save.evaluate((button) => button.closest("form")?.getBoundingClientRect().bottom ?? 0);
    for (let top = Math.max(0, bottom - 844 - 200); top < bottom - 100; top += 60) {
      await page.evaluate((y) => window.scrollTo(0, y), top);
      await save.click();
      const alert = page.getByRole("alert").filter({ hasText: "No answer came" });
      await alert.waitFor();
      const covered = await alert.evaluate((element) => {
        const { left, width, top, bottom } = element.getBoundingClientRect();
        const hits = [top + 1, bottom - 1].map((y) => document.elementFromPoint(left + width / 2, y));
        return hits.filter((hit) => !element.contains(hit)).map((hit) => hit?.outerHTML.slice(0, 80) ?? "out of sight");
      });
      assert.deepEqual(covered, [], `scrolled to ${top}`);
    }
    await page.context().close();
  });

  test("on the smallest phone no page is wider than the screen, however long a name without a space is", async (t) => {
    const rename = (name: string) => contact.client.forms.update(contact.form.id, { name });
    await rename("Vertrauensstelle_".repeat(5));
    t.after(() => rename("Contact"));
    const page = await dashboard.signIn("/", { viewport: { width: 320, height: 640 } });
    const own = ["", "/bin", "/embed", "/statistics", "/webhook", "/keys", "/settings"];
    const paths = [
      "/",
      "/forms/new",
      "/api-keys",
      "/account",
      "/audit-log",
      ...own.map((part) => `/forms/${contact.form.id}${part}`),
    ];
    const widths: Record<string, number> = {};
    for (const path of paths) {
      await page.goto(path);
      // Every page has one; one that is not drawn yet has none.
      await page.locator("main h1").first().waitFor();
      await page.getByText("Loading…", { exact: true }).first().waitFor({ state: "detached" });
      widths[path] = await widthOf(page);
    }
    await page.goto(`/forms/${contact.form.id}`);
    await contact.unlock(page);
    widths.inbox = await widthOf(page);
    await page.getByText("Person 129 · pay, hours · Question number 129").click();
    await page.getByRole("dialog", { name: "Submission" }).getByText("Question number 129").waitFor();
    widths.detail = await widthOf(page);
    await page.context().clearCookies();
    for (const path of ["/sign-in", "/reset-password", "/sign-up"]) {
      await page.goto(path);
      await page.locator("main h1").waitFor();
      widths[path] = await widthOf(page);
    }
    assert.deepEqual(widths, Object.fromEntries(Object.keys(widths).map((path) => [path, 320])));
    await page.context().close();
  });

  test("the bar on top has one row on every phone, however long the organization's name is", async () => {
    const owner = await dashboard.service.signUp("olive@example.com", "Olive Owner");
    const page = await openBrowserOf({ account: owner }, dashboard, { hasTouch: true });
    for (const name of ["Works council of the northern district", "Vertrauensstelle_".repeat(4), "BR"]) {
      const { status, body } = await owner.request("POST", "/api/organizations", { name });
      assert.equal(status, 200, JSON.stringify(body));
      await switchTo(owner, body.organization.id);
      for (const width of [320, 352, 390, 416, 640]) {
        await page.setViewportSize({ width, height: 844 });
        await page.goto("/");
        await page.getByRole("banner").getByText(name).waitFor({ state: "attached" });
        await page.getByRole("button", { name: "Account menu" }).waitFor();
        const rows = await page
          .locator("header :is(a, button)")
          .evaluateAll((all) =>
            all.map((one) => one.getBoundingClientRect()).map(({ top, height }) => top + height / 2),
          );
        assert.ok(Math.max(...rows) - Math.min(...rows) < 4, `${name} at ${width}: ${rows}`);
        assert.equal(await widthOf(page), width);
      }
    }
    await page.context().close();
  });

  test("what a role can't press looks it, switches that are on as well", async () => {
    const { service } = dashboard;
    const owner = await service.signUp("boss@example.com", "Boss");
    const { body } = await owner.request("POST", "/api/forms", { name: "Box" });
    const wanted = { role: "developer", forms: [body.form.id] } as const;
    const account = await addPerson(service, owner, "developer@example.com", wanted);
    const page = await openBrowserOf({ account }, dashboard, { viewport: { width: 390, height: 844 } });
    await page.goto(`/forms/${body.form.id}/settings`);
    const locked = page.locator("main :is(button, [role=switch]):disabled");
    await locked
      .and(page.getByRole("switch", { checked: true }))
      .first()
      .waitFor();
    const opacities = await locked.evaluateAll((all) => all.map((one) => Number(getComputedStyle(one).opacity)));
    assert.ok(
      opacities.every((opacity) => opacity < 1),
      `opacities ${opacities}`,
    );
    await page.context().close();
  });

  test("letters of twice the size overlap nowhere, and nothing is wider than the phone", async () => {
    const page = await dashboard.signIn("/", { viewport: { width: 390, height: 844 } });
    const session = await page.context().newCDPSession(page);
    await session.send("Page.setFontSizes", { fontSizes: { standard: 32, fixed: 26 } });
    const widths: Record<string, number> = {};
    for (const path of ["/", "/statistics", "/settings", "/embed"].map((part) =>
      part === "/" ? part : `/forms/${contact.form.id}${part}`,
    )) {
      await page.goto(path);
      await page.locator("main h1").first().waitFor();
      await page.getByText("Loading…", { exact: true }).first().waitFor({ state: "detached" });
      widths[path] = await widthOf(page);
    }
    await page.goto(`/forms/${contact.form.id}`);
    await contact.unlock(page);
    const row = page.locator("[data-submission]").nth(1);
    await row.getByText("Question").waitFor();
    widths.inbox = await widthOf(page);
    const cut = await row.evaluate((element) => element.scrollHeight - element.clientHeight);
    assert.ok(cut <= 0, `a row is ${cut} pixels too low for its lines`);
    await row.getByRole("button").click();
    const dialog = page.getByRole("dialog", { name: "Submission" });
    await dialog.getByText("Question number").waitFor();
    for (const button of await dialog.getByRole("button").all()) {
      const { x, width } = (await button.boundingBox()) ?? { x: -1, width: 0 };
      assert.ok(x >= 0 && x + width <= 390, `${await button.innerText()} is cut`);
    }
    assert.deepEqual(widths, Object.fromEntries(Object.keys(widths).map((path) => [path, 390])));
    await page.context().close();
  });

  test("a phone shows the inbox and the open submission one over the other", async () => {
    const { form } = contact;
    await submit(dashboard.service, form, { name: "محمد بن علي", message: "مرحبا ".repeat(20) });
    const page = await dashboard.signIn(`/forms/${contact.form.id}`, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await page.getByText("These submissions are sealed").waitFor();
    assert.ok(await page.getByText("or drop it here").isHidden(), "nobody drops a file on a phone");
    const tabs = page.getByRole("navigation", { name: "Parts of this form" });
    await page.waitForFunction(() => document.querySelector('nav[aria-label^="Parts"]')?.className.includes("mask-r"));
    assert.deepEqual(await fadesOf(tabs), { left: false, right: true }, "tabs that do not fit fade out at the side");
    await tabs.evaluate((element) => element.scrollTo({ left: element.scrollWidth, behavior: "instant" }));
    await page.waitForFunction(() => document.querySelector('nav[aria-label^="Parts"]')?.className.includes("mask-l"));
    assert.deepEqual(await fadesOf(tabs), { left: true, right: false }, "at either side");
    await contact.unlock(page);
    await assertTouchable(page, "the list on a phone");
    // A name from right to left keeps its beginning: the line is cut at its end, which is on the left.
    const line = page.getByText("محمد بن علي");
    assert.equal(await line.evaluate((element) => getComputedStyle(element).direction), "rtl");
    const row = page.getByText("Person 129 · pay, hours · Question number 129");
    await page.getByText("Opening").waitFor({ state: "detached" });
    const placeBefore = await row.boundingBox();
    assert.ok((placeBefore?.y ?? 844) < 844 / 2, "the list begins in the upper half of the screen");
    const time = page.locator("[data-submission]", { has: row }).getByRole("button");
    assert.deepEqual(await prominenceOf(row), { weight: "500", isMuted: false }, "who wrote comes first");
    assert.deepEqual(
      await prominenceOf(time),
      { weight: "400", isMuted: true },
      "and the time stays in the background",
    );
    const choice = page.locator("[data-submission]", { has: row }).getByRole("checkbox");
    await choice.check();
    await page.getByRole("status").filter({ hasText: "1 selected" }).waitFor();
    assert.deepEqual(await row.boundingBox(), placeBefore, "selecting moves no row under the finger");
    await assertAccessible(page, "one selected on a phone");
    await assertTouchable(page, "one selected on a phone");
    // Without a connection nothing is deleted: what was selected still is, and what went wrong can be put away.
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const failed = page.getByRole("alert").filter({ hasText: "No answer came" });
    await failed.getByRole("button", { name: "Close" }).click();
    await failed.waitFor({ state: "detached" });
    assert.equal(await choice.isChecked(), true, "the selection is kept");
    await page.context().setOffline(false);
    await choice.uncheck();
    await page.getByRole("button", { name: "Clear selection" }).waitFor({ state: "detached" });
    await row.click();
    const detail = page.getByRole("dialog", { name: "Submission" });
    await detail.getByText("Question number 129").waitFor();
    await assertAccessible(page, "detail on a phone");
    const placesOfSteps = async () =>
      Promise.all(["Newer", "Older"].map((name) => detail.getByRole("button", { name }).boundingBox()));
    const places = await placesOfSteps();
    await detail.getByRole("button", { name: "Newer" }).click();
    await detail.getByText("محمد").first().waitFor();
    assert.deepEqual(
      await placesOfSteps(),
      places,
      "the next tap meets the same button, however long the submission is",
    );
    await detail.getByRole("button", { name: "Older" }).click();
    await detail.getByText("Question number 129").waitFor();
    await assertTouchable(page, "detail on a phone");
    await page.keyboard.press("Escape");
    await detail.waitFor({ state: "detached" });
    // Turned: a whole submission is in sight without scrolling.
    await page.setViewportSize({ width: 844, height: 390 });
    await page.evaluate(() => window.scrollTo(0, 0));
    const first = await page.locator("[data-submission]").first().boundingBox();
    assert.ok(
      first !== null && first.y + first.height <= 390,
      `the first row ends at ${first && first.y + first.height}`,
    );
    await page.setViewportSize({ width: 390, height: 844 });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(overflow <= 0, `the page is ${overflow}px wider than the screen`);
    await contact.client.submissions.moveToBin(contact.form.id, [
      await submit(dashboard.service, form, { name: "Binned" }),
    ]);
    await page.goto(`/forms/${contact.form.id}/bin`);
    await page.getByRole("listitem").first().waitFor();
    await page.getByText("They are sealed. Unlock the form").waitFor();
    assert.ok(await page.getByText("Sealed", { exact: true }).last().isVisible(), "and each row says so in a word");
    await assertTouchable(page, "the bin on a phone");
    await page.context().close();
  });

  test("on a phone the message about what was pressed stays in view, whatever else on the page can't be had meanwhile", async () => {
    const page = await dashboard.signIn("/account", { viewport: { width: 390, height: 844 } });
    await page.getByLabel("Current password").fill("wrong horse battery 9");
    await page.getByLabel("New password").fill("correct horse battery 10");
    await page.getByRole("heading", { name: "Sessions" }).waitFor();
    await intercept(page, "**/api/**", (route) => route.abort());
    await page.getByRole("button", { name: "Change password" }).click();
    const said = page.getByRole("alert").filter({ hasText: "No answer came from the server" }).first();
    await said.waitFor();
    // Everything else of the page is asked for again, and fails.
    const sessions = page.locator("section", { has: page.getByRole("heading", { name: "Sessions", exact: true }) });
    await sessions.getByText("The server could not be reached").waitFor();
    assert.ok(await isInView(said));
    await page.unroute("**/api/**");
    await page.context().close();
  });

  test("a secret that was rotated and can't be shown is said to be rotated", async () => {
    await contact.client.forms.update(contact.form.id, {
      settings: { webhookUrl: "https://receiver.example.com/hook" },
    });
    const page = await dashboard.signIn(`/forms/${contact.form.id}/webhook`, { viewport: { width: 390, height: 844 } });
    await page.getByRole("button", { name: "Rotate secret" }).click();
    await intercept(page, "**/webhook-secret", (route) => route.abort());
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    const done = page.getByRole("status").filter({ hasText: "The secret was rotated" });
    await done.waitFor();
    assert.ok(await isInView(done));
    await assertAccessible(page, "a secret that can't be shown");
    await page.unroute("**/webhook-secret");
    await page.getByRole("button", { name: "Show secret" }).click();
    await done.waitFor({ state: "detached" });
    await page.context().close();
  });
});

const isInView = (target: Locator) =>
  target.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top >= 0 && bottom <= window.innerHeight;
  });

const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

/** At which side there is more than is seen. */
const fadesOf = (target: Locator) =>
  target.evaluate(({ className }) => ({ left: className.includes("mask-l"), right: className.includes("mask-r") }));

/** How heavy its letters are, and whether they are paler than the page's text. */
const prominenceOf = (target: Locator) =>
  target.evaluate((element) => {
    const { fontWeight, color } = getComputedStyle(element);
    return { weight: fontWeight, isMuted: color !== getComputedStyle(document.body).color };
  });
