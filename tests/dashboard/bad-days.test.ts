import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, describe, test } from "node:test";
import { type Client, fingerprint } from "@sealpost/sdk";
import { takeKeyPair } from "../support/key-pairs.ts";
import { assertAccessible, createAccount, type Dashboard, startDashboard, submit } from "./dashboard.ts";
import { intercept } from "./intercept.ts";

/** Names of forms are the owner's, but an API key that somebody stole can write them. */
const hostileNames = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "javascript:alert(1)",
  "{{7*7}} #{alert(1)}",
  "Ω≈ç√∫˜µ≤≥÷ 田中さん 👩‍👩‍👧 ̡͓̞ͅI̗̘̦͝n͇͇͙v̮̫ok̲̫̙͈i̖͙̭̹̠̞n̡̻̮̣̺g̲͈͙̭",
];

describe("hostile names, refusals and broken connections", () => {
  let dashboard: Dashboard;
  let client: Client;
  before(async () => {
    dashboard = await startDashboard();
    client = await createAccount(dashboard.service);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  test("the names of forms are texts wherever they are shown", async () => {
    const { publicKey } = takeKeyPair();
    for (const name of hostileNames) await client.forms.create({ name, publicKey });
    const page = await dashboard.signIn();
    for (const name of hostileNames) {
      await page.getByRole("link", { name }).first().click();
      await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
      await page.getByRole("link", { name: "Settings", exact: true }).click();
      await page.getByRole("button", { name: "Delete form" }).click();
      await page.getByText(`Type “${name}” to confirm`).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "Forms", exact: true }).click();
    }
    // However long a name is, the text next to it stays readable on the smallest phone.
    await page.setViewportSize({ width: 320, height: 640 });
    const long = page.getByRole("listitem").filter({ hasText: "javascript:alert(1)" }).getByText("submissions");
    const oneLine = (await long.boundingBox())?.height;
    for (const count of await page.getByRole("listitem").getByText("submissions", { exact: true }).all())
      assert.equal((await count.boundingBox())?.height, oneLine);
    assert.equal(await page.locator("main img, main script, main iframe").count(), 0);
    await page.getByLabel("Search forms").fill("script>");
    await page.getByRole("listitem").waitFor();
    await page.getByLabel("Search forms").fill("no such form");
    await page.getByRole("heading", { name: "No forms found" }).waitFor();
    await assertAccessible(page, "nothing found");
    await page.getByRole("button", { name: "Clear search" }).click();
    assert.equal(await page.getByRole("listitem").count(), hostileNames.length);
    await page.context().close();
  });

  test("an error of the server is said with the number of the request, and can be tried again", async () => {
    const page = await dashboard.signIn();
    await intercept(page, "**/api/api-keys", (route) =>
      route.fulfill({
        status: 500,
        headers: { "content-type": "application/json", "x-request-id": "11111111-2222" },
        body: JSON.stringify({
          error: "internal_error",
          message: "Something went wrong on our side",
          code: "internal_error",
        }),
      }),
    );
    await page.getByRole("link", { name: "API keys" }).click();
    const alert = page.getByRole("alert");
    await alert.getByText("Request 11111111-2222").waitFor();
    await assertAccessible(page, "an error");
    await page.unroute("**/api/api-keys");
    await alert.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "No API keys yet" }).waitFor();
    await page.context().close();
  });

  test("being offline is said, and what was typed stays", async () => {
    const page = await dashboard.signIn();
    const [form] = (await client.forms.list()).forms;
    await page.clock.install();
    await page.goto(`/forms/${form?.id}/settings`);
    await page.getByLabel("Name").fill("Renamed while offline");
    await page.context().setOffline(true);
    await page.getByText("You are offline").waitFor();
    // Somebody comes back to the window, and the app looks for news.
    await page.clock.fastForward(10_000);
    await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
    await page.getByRole("button", { name: "Save changes" }).click();
    const failed = page.getByRole("alert").filter({ hasText: "No answer came from the server" });
    await failed.waitFor();
    assert.equal(await failed.count(), 1, "that the device is offline is said above, and here only what failed for it");
    assert.equal(await page.getByLabel("Name").inputValue(), "Renamed while offline");
    await assertAccessible(page, "offline");
    await page.context().setOffline(false);
    // The app finds out by itself that the server is back; what could not be saved waits for the person.
    await page.getByText("You are offline").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("The settings are saved.").waitFor();
    // Nobody should go away and believe to be signed out.
    await intercept(page, "**/api/auth/sign-out", (route) => route.abort());
    await page.getByRole("button", { name: "Account menu" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    const notSignedOut = page.getByRole("dialog", { name: "You may still be signed in" });
    await notSignedOut.getByText("No answer came from the server").waitFor();
    await assertAccessible(page, "signing out without a server");
    await page.context().close();
  });

  test("an app whose scripts do not come says so instead of staying blank, and starts when they do", async () => {
    const page = await dashboard.open("/health/live");
    await intercept(page, "**/assets/**", (route) => route.abort());
    await page.goto("/account");
    await page.getByText("Sealpost has not started yet").waitFor();
    await page.unroute("**/assets/**");
    await page.getByRole("link", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Welcome back" }).waitFor();
    await page.context().close();
  });

  test("without a server at the start, or for the next page, the app says so, and continues when it is back", async () => {
    const page = await dashboard.signIn();
    const retry = page.getByRole("button", { name: "Try again" });
    await intercept(page, "**/api/auth/get-session", (route) => route.abort());
    await page.goto("/account");
    await page.getByRole("alert").filter({ hasText: "The server could not be reached" }).waitFor();
    await assertAccessible(page, "unreachable at the start");
    await page.unroute("**/api/auth/get-session");
    await retry.click();
    await page.getByRole("heading", { name: "Account", level: 1 }).waitFor();

    await intercept(page, /\/(assets|health)\//, (route) => route.abort());
    await page.getByRole("link", { name: "Forms" }).click();
    await page.getByRole("link", { name: "New form" }).first().click();
    await page.getByRole("heading", { name: "The server could not be reached" }).waitFor();
    await page.unroute(/\/(assets|health)\//);
    await retry.click();
    await page.getByRole("heading", { name: "New form", level: 1 }).waitFor();
    await page.context().close();
  });

  test("a form that is not sealed shows its submissions without a key, and says that the server could read them, on paper too", async () => {
    const { publicKey } = takeKeyPair();
    const form = await client.forms.create({ name: "Plain", publicKey, settings: { encryption: false } });
    const page = await dashboard.signIn(`/forms/${form.id}`);
    await page.getByRole("heading", { name: "No submissions yet" }).waitFor();
    await assertAccessible(page, "an empty inbox");
    const posted = await dashboard.service.request("POST", `/api/forms/${form.id}/submissions`, {
      body: { payload: { encrypted: false, version: "plain1", fields: { email: "reader@example.com" } } },
    });
    assert.equal(posted.status, 201);
    await submit(dashboard.service, form, { email: "sealed@example.com" });
    await page.getByText("reader@example.com").click();
    await page.getByText("Not sealed: this server could read it").waitFor();
    await page.emulateMedia({ media: "print" });
    await page.getByRole("article").getByText("Not sealed: this server could read it").waitFor();
    await page.emulateMedia({ media: "screen" });
    await page.getByText("No key for this version").waitFor();
    // A browser posts such a form itself, which a page's policy must allow too.
    await page.getByRole("link", { name: "Embed" }).click();
    const policy = page.getByRole("region", { name: "Content-Security-Policy" });
    assert.ok((await policy.innerText()).includes(`; form-action 'self' http`));
    await page.context().close();
  });

  test("while the form's keys cannot be read, the Embed page gives no snippet, and then one that names the key", async () => {
    const pair = takeKeyPair();
    const form = await client.forms.create({ name: "Without keys", publicKey: pair.publicKey });
    const page = await dashboard.signIn();
    await intercept(page, "**/keys", (route) => route.fulfill({ status: 500, body: "" }));
    await page.goto(`/forms/${form.id}/embed`);
    await page.getByText("No snippet is shown until").waitFor();
    const alert = page.getByRole("alert");
    await alert.waitFor();
    assert.equal(await page.getByText("Sealpost.init(").count(), 0);
    await assertAccessible(page, "no snippet");
    await page.unroute("**/keys");
    await alert.getByRole("button", { name: "Try again" }).click();
    const snippet = await page.locator("pre", { hasText: "Sealpost.init(" }).innerText();
    assert.ok(snippet.includes(await fingerprint(pair.publicKey)));
    await page.context().close();
  });

  test("a form that receives while nobody has proved its key says so in the list and above each of its pages, until somebody has", async () => {
    const pair = takeKeyPair();
    const form = await client.forms.create({ name: "Not proved", publicKey: pair.publicKey });
    const page = await dashboard.signIn();
    const row = page.getByRole("link", { name: /^Not proved/ });
    const warning = page.getByText("Nobody has shown yet that these submissions can be opened");
    await row.waitFor();
    assert.equal(await row.getByText("Key not proved").count(), 0, "nothing is lost as long as nothing comes");
    await submit(dashboard.service, form, { message: "can anybody read me?" });
    await page.reload();
    await row.getByText("Key not proved").waitFor();
    await row.click();
    await warning.waitFor();
    await assertAccessible(page, "a key that nobody has proved");
    const buffer = Buffer.from(JSON.stringify(pair.privateKey));
    await page.setInputFiles("input[type=file]", { name: "key.json", mimeType: "application/json", buffer });
    await page.getByText("can anybody read me?").waitFor();
    await warning.waitFor({ state: "detached" });
    await page.goto("/");
    await row.waitFor();
    assert.equal(await row.getByText("Key not proved").count(), 0);
    await page.context().close();
  });

  test("a page of another site that frames the dashboard stays empty", async () => {
    const server = createServer((_request, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<!doctype html><title>Frame</title><iframe src="${dashboard.service.url}/sign-in"></iframe>`);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const context = await dashboard.browser.newContext();
    const page = await context.newPage();
    const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`); // it listens on TCP
    await refused;
    const inside = page.frames().find((frame) => frame !== page.mainFrame());
    assert.equal(await inside?.locator("input").count(), 0);
    await context.close();
    server.close();
  });

  test("an address that the app does not know says so", async () => {
    const page = await dashboard.signIn("/forms/form_unknown/nothing");
    await page.getByRole("heading", { name: /There is no such/ }).waitFor();
    await page.getByRole("link", { name: "Go to your forms" }).click();
    await page.getByRole("heading", { name: "Forms", level: 1 }).waitFor();
    await page.context().close();
    const nowhere = await dashboard.open("/nothing/at/all");
    await nowhere.getByRole("heading", { name: "Page not found", level: 1 }).waitFor();
    await assertAccessible(nowhere, "page not found");
    await nowhere.getByRole("link", { name: "Go to the start page" }).click();
    await nowhere.waitForURL("**/sign-in");
    await nowhere.goto("/%E0%A4%A");
    await nowhere.getByRole("heading", { name: "Page not found", level: 1 }).waitFor();
    await nowhere.getByRole("link", { name: "Go to the start page" }).click();
    await nowhere.waitForURL("**/sign-in");
    await nowhere.context().close();
  });
});
