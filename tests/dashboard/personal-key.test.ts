import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, afterEach, before, describe, test } from "node:test";
import {
  generatePersonalKey,
  generateSheet,
  openKeyCopy,
  parseSheet,
  RefusalError,
  sealKeyCopy,
  splitIdentity,
} from "@sealpost/envelope";
import { generatePassphrase, parseWords } from "@sealpost/vault";
import { identityToRecipient } from "age-encryption";
import { sql } from "kysely";
import type { Page } from "playwright-core";
import { addAuthenticator, choosePhoto, showToCamera } from "../support/browser-devices.ts";
import { findButton as button, checkPage as check, phone } from "../support/check-page.ts";
import { spellings } from "../support/spellings.ts";
import { type Dashboard, person, startDashboard, untilFocused, untilFocusIsKept, wouldAsk } from "./dashboard.ts";
import { intercept } from "./intercept.ts";

test("six words are drawn from the list of the Electronic Frontier Foundation, which is whole", () => {
  const file = new URL("../../packages/dashboard/src/personal-key/eff-large-wordlist.txt", import.meta.url);
  const words = parseWords(readFileSync(file, "utf8"));
  const dice = (index: number) =>
    index
      .toString(6)
      .padStart(5, "0")
      .replace(/./g, (digit) => `${Number(digit) + 1}`);
  const original = words.map((word, index) => `${dice(index)}\t${word}\n`).join("");
  // The hash of eff_large_wordlist.txt as it was published in 2016.
  const hash = "addd35536511597a02fa0a9ff1e5284677b8883b83e986e43f15a3db996b903e";
  assert.equal(createHash("sha256").update(original).digest("hex"), hash);
  assert.ok(Math.log2(words.length) * 6 >= 77);
  const drawn = new Set(Array.from({ length: 200 }, () => generatePassphrase(words)));
  assert.equal(drawn.size, 200);
  for (const passphrase of drawn)
    assert.ok(
      passphrase.split(" ").every((word) => words.includes(word)),
      passphrase,
    );
});

describe("a person's own key", () => {
  let dashboard: Dashboard;
  /** Everything that any page sent, as text. */
  const sent: string[] = [];
  let words = "";
  let lines: readonly string[] = [];
  let photo: Buffer;

  before(async () => {
    dashboard = await startDashboard();
    await dashboard.service.signUp(person.email);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  async function openKeyPage(options?: Parameters<Dashboard["signIn"]>[1]): Promise<Page> {
    const page = await dashboard.signIn("/account/key", options);
    record(page);
    await page.getByRole("heading", { name: "Your key", exact: true }).waitFor();
    return page;
  }

  function record(page: Page): void {
    page.on("request", (request) =>
      sent.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ""}`),
    );
  }

  const alert = (page: Page, hasText: string) => page.getByRole("alert").filter({ hasText });

  /** Prints the sheet that is shown, and gives its lines and a picture of its code. */
  async function print(page: Page): Promise<{ lines: readonly string[]; photo: Buffer }> {
    await page.evaluate(() => {
      window.print = () => undefined; // the outside world
    });
    await button(page, "Print the sheet").click();
    await page.emulateMedia({ media: "print", colorScheme: "light" });
    const code = page.getByRole("img", { name: "The sheet as a code to scan" });
    await code.waitFor();
    const picture = await code.screenshot();
    const items = await page.getByTestId("sheet-lines").last().getByRole("listitem").allInnerTexts();
    await page.emulateMedia({ media: "screen" });
    return { lines: items.map((line) => line.trim()), photo: picture };
  }

  async function typeSheet(page: Page, typed: readonly string[]): Promise<void> {
    for (const [index, line] of typed.entries()) await page.getByLabel(`Line ${index + 1}`).fill(line);
  }

  /** A photo of a whole page, somewhat turned, on a table, with the code in its corner. */
  async function drawPage(page: Page, code: Buffer): Promise<Buffer> {
    const drawn = await page.evaluate(async (data) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [3000, 4000];
      const context = canvas.getContext("2d");
      if (context === null) throw new Error("There is no canvas");
      context.fillStyle = "#765";
      context.fillRect(0, 0, 3000, 4000);
      context.rotate(0.05);
      context.fillStyle = "#eee";
      context.fillRect(300, 150, 2400, 3400);
      context.drawImage(image, 1700, 2500, 600, 600);
      return canvas.toDataURL("image/jpeg", 0.8);
    }, code.toString("base64"));
    return Buffer.from(drawn.split(",")[1] ?? "", "base64");
  }

  const mistyped = (line: string) => line.replace(/.$/, (last) => (last === "7" ? "8" : "7"));

  test("on a phone a key is made with six words and a sheet that were both brought back; nothing is sent before, and it is done once both copies were read back", async () => {
    const page = await dashboard.signIn(undefined, phone);
    record(page);
    await button(page, "Account menu").click();
    await page.getByRole("menuitem", { name: "Your key" }).click();
    await page.getByRole("heading", { name: "You have no key of your own yet" }).waitFor();
    assert.equal(await page.getByRole("main").getByRole("listitem").count(), 3);
    await check(page, "no key yet");
    await button(page, "Make your key").focus();
    await page.keyboard.press("Enter");

    // Left half-way: it asks, and the next words are others.
    await untilFocused(page.getByRole("heading", { name: "Keep these six words" }));
    const given = page.getByRole("list", { name: "Your six words" }).getByRole("listitem");
    await given.nth(5).waitFor();
    const before = await given.allInnerTexts();
    assert.ok(await wouldAsk(page));
    await page.evaluate(() => window.history.back());
    const leaving = page.getByRole("dialog", { name: "Leave without your key?" });
    await button(leaving, "Stay").click();
    await button(page, "Back").click();
    await button(leaving, "Leave").click();
    await button(page, "Make your key").click();
    await untilFocused(page.getByRole("heading", { name: "Keep these six words" }));
    await given.nth(5).waitFor();
    words = (await given.allInnerTexts()).join(" ");
    assert.equal(words.split(" ").length, 6);
    assert.notEqual(words, before.join(" "));
    await check(page, "six words");

    await button(page, "I have kept them").click();
    await untilFocused(page.getByRole("heading", { name: "Type the six words" }));
    assert.ok(!(await page.getByRole("main").innerText()).includes(words.split(" ")[3] ?? ""), "hidden again");
    const typed = page.getByLabel("Six words", { exact: true });
    await typed.fill("one two three");
    await page.keyboard.press("Enter");
    await alert(page, "You typed 3 words. There have to be six.").waitFor();
    await typed.fill(words.split(" ").with(3, "else").join(" "));
    await page.keyboard.press("Enter");
    await alert(page, "The fourth word is not the one that was shown").waitFor();
    await check(page, "words typed back");
    await typed.fill(`  ${words.toUpperCase().replaceAll(" ", "  ")} `);
    await page.keyboard.press("Enter");

    await untilFocused(page.getByRole("heading", { name: "Print your recovery sheet" }));
    assert.ok(await button(page, "I have the sheet on paper").isDisabled());
    await check(page, "recovery sheet");
    await page.getByText("No printer? Write the four lines down").click();
    const byHand = await page.getByTestId("sheet-lines").first().getByRole("listitem").allInnerTexts();
    await check(page, "lines to write down");
    ({ lines, photo } = await print(page));
    assert.deepEqual(
      byHand.map((line) => line.trim()),
      lines,
    );
    await button(page, "I have the sheet on paper").click();

    // A wrong line is named while the next one is typed; then the camera does it.
    await untilFocused(page.getByRole("heading", { name: "Show that the sheet works" }));
    // Back to the words and on again: what was printed is printed.
    await button(page, "Back").click();
    await button(page, "Back").click();
    await button(page, "Choose a passphrase instead").click();
    await page.getByRole("listitem", { name: "Step 1 of 3: Passphrase" }).waitFor();
    await button(page, "Back").click();
    await page.getByRole("listitem", { name: "Step 1 of 3: Six words" }).waitFor();
    await button(page, "I have kept them").click();
    await typed.fill(words);
    await page.keyboard.press("Enter");
    await button(page, "I have the sheet on paper").click();
    await page.getByLabel("Line 1").fill(mistyped(lines[0] ?? ""));
    await page.getByLabel("Line 2").fill((lines[1] ?? "").toLowerCase().replaceAll(" ", "-"));
    await alert(page, "Line 1 is not right").waitFor();
    await check(page, "sheet typed back");
    assert.equal(await page.getByRole("alert").count(), 1);
    await showToCamera(page, photo);
    const requests = sent.filter((request) => /personal-key|key-copies/.test(request));
    assert.ok(
      requests.every((request) => request.endsWith(" ")),
      "nothing but questions was sent",
    );
    await button(page, "Scan the sheet").click();
    await untilFocused(page.getByRole("heading", { name: "One step left: keep your key" }));
    await check(page, "everything is ready");
    // Neither is it done while the server gives back something else.
    await intercept(page, "**/api/account/key-copies/*", (route) => route.fulfill({ json: { file: "YWdl" } }));
    await button(page, "Keep my key").click();
    await alert(page, "The server gave back something else than it was sent").waitFor();
    await page.unroute("**/api/account/key-copies/*");
    await button(page, "Check again").click();
    await untilFocused(page.getByRole("heading", { name: "Your key is ready" }));
    await check(page, "key is ready");
    assert.equal(await wouldAsk(page), false);
    await button(page, "See the ways to unlock it").click();
    await page.getByRole("heading", { name: "Your key is unlocked" }).waitFor();
    const ways = page.getByRole("list", { name: "Your ways to unlock" }).getByRole("listitem");
    assert.equal(await ways.count(), 2);
    await check(page, "ways to unlock");
    const setText = (size: string) =>
      page.evaluate((value) => {
        document.documentElement.style.fontSize = value;
      }, size);
    await setText("200%");
    await check(page, "ways to unlock, in large text");
    await setText("");

    // A second tab uses the same key, and a lock in it locks the first.
    const other = await page.context().newPage();
    record(other);
    await other.goto("/account/key");
    await button(other, "Lock now").click();
    await page.getByRole("heading", { name: "Unlock your key" }).waitFor();
    await page.context().close();
  });

  test("no request carried the words, the sheet, or the key in any spelling, and no storage keeps them", async () => {
    const identity = await parseSheet("personal", lines);
    assert.ok("identity" in identity);
    const page = await openKeyPage();
    const copies = await page.evaluate(async () => {
      const { copies } = await (await fetch("/api/account/personal-key")).json();
      const files: Promise<string>[] = copies.map(
        async ({ id }: { id: string }) => (await (await fetch(`/api/account/key-copies/${id}`)).json()).file,
      );
      return Promise.all(files);
    });
    const opened = await Promise.all(
      copies.map((file) => openKeyCopy(new Uint8Array(Buffer.from(file, "base64url")), identity)),
    );
    const key = opened.find((one) => !(one instanceof RefusalError));
    assert.ok(key !== undefined && !(key instanceof RefusalError));
    const seed = Buffer.from(key.signingSeed, "base64url");
    const secrets = [
      words,
      words.replaceAll(" ", ""),
      ...lines,
      ...lines.map((line) => line.replaceAll(" ", "")),
      lines.join("").replaceAll(" ", ""),
      identity.identity,
      key.identity,
      ...[key.signingSeed, key.seed, seed.toString("hex")],
    ];
    const everything = sent.join("\n");
    assert.ok(everything.includes(key.recipient), "a control: the public half is found");
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    for (const secret of secrets)
      for (const spelling of spellings(secret))
        for (const place of [everything, everything.toLowerCase(), kept])
          assert.equal(place.includes(spelling), false, spelling);
    await page.context().close();
  });

  test("the words and the sheet each unlock it until it has not been used for a while, each refusal has its sentence, and a browser that keeps nothing is enough", async () => {
    const page = await openKeyPage();
    await page.addInitScript(() => {
      const refuse = () => {
        throw new DOMException("nothing is kept here", "SecurityError");
      };
      IDBFactory.prototype.open = refuse;
      Storage.prototype.setItem = refuse;
      navigator.locks.request = async () => refuse();
    });
    await page.clock.install();
    await page.reload();
    await page.getByText("This browser keeps nothing when it is closed").waitFor();
    const typed = page.getByLabel("Your six words");
    await typed.fill(person.password);
    await button(page, "Unlock").click();
    await alert(page, "Your sign-in password does not open your key").waitFor();
    await typed.fill("alpha beta gamma delta epsilon zeta");
    await button(page, "Unlock").click();
    await alert(page, "These words do not open your key").waitFor();
    await check(page, "wrong words");
    await typed.fill(words);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Your key is unlocked" }).waitFor();
    await page.getByLabel("Lock by itself after").selectOption("5");
    await page.clock.fastForward(4 * 60_000);
    await page.mouse.click(1, 1);
    await page.clock.fastForward(4 * 60_000);
    assert.ok(await button(page, "Keep it unlocked").isVisible());
    await page.clock.fastForward(2 * 60_000);
    await page.getByRole("heading", { name: "Unlock your key" }).waitFor();
    await button(page, "Recovery sheet").click();
    // A copy of another key, which the same sheet opens.
    const parsed = await parseSheet("personal", lines);
    assert.ok("identity" in parsed);
    const recipient = await identityToRecipient(parsed.identity);
    const file = Buffer.from(await sealKeyCopy(await generatePersonalKey(), { recipient })).toString("base64url");
    await intercept(page, "**/api/account/key-copies/*", (route) => route.fulfill({ json: { file } }));
    await typeSheet(page, lines);
    await button(page, "Unlock").click();
    await alert(page, "a copy of another key than yours").waitFor();
    await page.unroute("**/api/account/key-copies/*");
    // A sheet of an organization, and of somebody else.
    await typeSheet(page, (await generateSheet("organization")).lines);
    await alert(page, "This is the recovery sheet of an organization").first().waitFor();
    await typeSheet(page, (await generateSheet("personal")).lines);
    await button(page, "Unlock").click();
    await alert(page, "This recovery sheet does not open your key").waitFor();
    await typeSheet(page, ["00000 00000 00000", ...lines.slice(1)]);
    await button(page, "Unlock").click();
    await alert(page, "Line 1 is not right").waitFor();
    await check(page, "unlock with a sheet");
    await typeSheet(page, [lines[1] ?? "", lines[0] ?? "", ...lines.slice(2)]);
    for (const line of [1, 2]) await alert(page, `This is line ${line}`).waitFor();
    // One of an organization's several, pasted as a whole, is named once.
    const [share = assert.fail()] = await splitIdentity((await generateSheet("organization")).identity, 2, 3);
    await page.getByLabel("Line 1").fill(share.lines.join(""));
    await alert(page, "This is one of several recovery sheets of an organization").waitFor();
    await check(page, "a share in the place of a sheet");
    // As a photo: of something else, of the wrong kind, of another sheet's code; then the whole page with a small code.
    const screenshot = await page.screenshot();
    await choosePhoto(page, "screen.png", screenshot);
    await alert(page, "No code was found in this picture").waitFor();
    await check(page, "a photo without a code");
    await choosePhoto(page, "sheet.pdf", Buffer.from("%PDF-1.7"), "application/pdf");
    await alert(page, "This is a PDF").waitFor();
    await choosePhoto(page, "sheet.heic", Buffer.from("ftypheic"), "image/heic");
    await alert(page, "This browser can't read that picture").waitFor();
    await choosePhoto(page, "page.png", await drawPage(page, photo));
    await page.getByRole("heading", { name: "Your key is unlocked" }).waitFor();
    await untilFocusIsKept(page);
    await button(page, "Lock now").click();
    await button(page, "Recovery sheet").click();
    await typeSheet(page, lines);
    await button(page, "Unlock").click();
    await page.getByRole("heading", { name: "Your key is unlocked" }).waitFor();
    await page.context().close();
  });

  /** The next prompt is closed by its person: the outside world. */
  function closeNextPrompt(page: Page): Promise<void> {
    return page.evaluate(() => {
      const { get, create } = navigator.credentials;
      const close = async () => {
        Object.assign(navigator.credentials, { get, create });
        throw new DOMException("closed", "NotAllowedError");
      };
      Object.assign(navigator.credentials, { get: close, create: close });
    });
  }

  test("ways to unlock are added, changed, removed and restored, each read back first, the last sheet stays, and signing out locks the key", async () => {
    const page = await openKeyPage();
    const unlocked = page.getByRole("heading", { name: "Your key is unlocked" });
    const ways = page.getByRole("list", { name: "Your ways to unlock" }).getByRole("listitem");
    await page.getByText("Unlock your key to add or change ways.").waitFor();
    await page.getByLabel("Your six words").fill(words);
    await page.keyboard.press("Enter");
    await unlocked.waitFor();

    // A passkey that can only sign in is refused with its sentence; nothing is added.
    const weak = await addAuthenticator(page, { hasPrf: false });
    await button(page, "Add a passkey").click();
    await untilFocused(page.getByRole("heading", { name: "Add a passkey" }));
    await button(page, "Make a new passkey").click();
    await alert(page, "can't unlock a key").waitFor();
    await check(page, "passkey without prf");
    await weak.remove();
    await addAuthenticator(page, { hasPrf: true });
    await closeNextPrompt(page);
    await button(page, "Make a new passkey").click();
    await alert(page, "The passkey was not used").waitFor();
    await page.getByLabel("Name").fill("Laptop");
    await button(page, "Make a new passkey").click();
    await page.getByRole("status").filter({ hasText: "Laptop is added." }).waitFor();
    assert.equal(await ways.count(), 3);

    // From a tab that does not hold the key: the prompt comes where its person is.
    await button(page, "Lock now").click();
    await button(page, "Use the passkey").waitFor();
    await check(page, "unlock with a passkey");
    await closeNextPrompt(page);
    await button(page, "Use the passkey").click();
    await alert(page, "The passkey was not used").waitFor();
    await button(page, "Use the passkey").click();
    await unlocked.waitFor();

    // New words: the old ones are removed, and can be restored.
    await button(page, "Change the words").click();
    const given = page.getByRole("list", { name: "Your six words" }).getByRole("listitem");
    await given.nth(5).waitFor();
    const changed = (await given.allInnerTexts()).join(" ");
    await button(page, "I have kept them").click();
    await page.getByLabel("Six words", { exact: true }).fill(changed);
    await page.keyboard.press("Enter");
    await page.getByText("can still be opened with the old words").waitFor();
    await check(page, "change the words");
    await button(page, "Save changes").click();
    await page.getByRole("status").filter({ hasText: "The words are changed." }).waitFor();
    const removed = page.getByRole("list", { name: "Removed ways" }).getByRole("listitem");
    assert.equal(await removed.count(), 1);
    await check(page, "ways and a removed one");
    await button(page, "Lock now").click();
    await button(page, "Words").click();
    const typed = page.getByLabel("Your six words");
    await typed.fill(words);
    await page.keyboard.press("Enter");
    await alert(page, "These words do not open your key").waitFor();
    await removed.getByRole("button").click();
    await page.getByRole("status").filter({ hasText: "is restored." }).waitFor();
    await typed.fill(words);
    await page.keyboard.press("Enter");
    await unlocked.waitFor();

    // The last sheet stays until there is another; the session is asked for again where it is too old.
    const sheetRow = ways.filter({ hasText: "Recovery sheet" });
    await sheetRow.first().getByRole("button").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("This is your last sheet").waitFor();
    await button(dialog, "Close").first().click();
    await button(page, "Add a sheet").click();
    const second = await print(page);
    await button(page, "I have the sheet on paper").click();
    await typeSheet(page, lines);
    await button(page, "Continue").click();
    await alert(page, "not the one that was just made here").waitFor();
    // Pasted, or filled in by a password manager, as a whole.
    await page.getByLabel("Line 1").fill(second.lines.join("").replaceAll(" ", ""));
    await button(page, "Continue").click();
    await sql`update session set authenticated_at = 0`.execute(dashboard.service.database);
    await button(page, "Save changes").click();
    await dialog.getByLabel("Current password").fill(person.password);
    await button(dialog, "Continue").click();
    await page
      .getByRole("status")
      .filter({ hasText: /^Sheet of .* is added\.$/ })
      .waitFor();
    await sheetRow.first().getByRole("button").click();
    await check(page, "remove a way");
    await button(dialog, "Remove").click();
    await page.getByRole("status").filter({ hasText: "is removed." }).waitFor();

    // Signing out locks it.
    await button(page, "Account menu").click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("Email address").fill(person.email);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await button(page, "Sign in").click();
    await page.getByRole("heading", { name: "Forms" }).waitFor();
    await button(page, "Account menu").click();
    await page.getByRole("menuitem", { name: "Your key" }).click();
    await page.getByRole("heading", { name: "Unlock your key" }).waitFor();

    // A key that was seen can't be hidden.
    const other = await page.context().newPage();
    await intercept(other, "**/api/account/personal-key", (route) =>
      route.fulfill({ json: { personalKey: null, copies: [], formerKeys: [] } }),
    );
    await other.goto("/account/key");
    await alert(other, "this browser has seen one").waitFor();
    // Anyone who signs in after a session that has ended finds the key locked: any tab that notices the end locks it.
    await button(page, "Recovery sheet").click();
    await page.getByLabel("Line 1").fill(second.lines.join(" "));
    await button(page, "Unlock").click();
    await page.getByRole("heading", { name: "Your key is unlocked" }).waitFor();
    // A page that no session was shown on stays, whatever the others do.
    const listener = await page.context().newPage();
    await listener.goto("/sign-in");
    await listener.evaluate(() => {
      new BroadcastChannel("sealpost-personal-key").onmessage = ({ data }) => {
        document.documentElement.dataset[data.kind] = "yes";
      };
    });
    await page.context().clearCookies();
    await other.goto("/");
    await other.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    await listener.locator("html[data-locked]").waitFor({ state: "attached" });
    await page.context().close();
  });
});
