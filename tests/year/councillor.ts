import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { untilFocused } from "../dashboard/dashboard.ts";
import { checkPage } from "../support/check-page.ts";
import { type Council, type LedgerEntry, readExport } from "./council.ts";
import { finger, type Hands } from "./hands.ts";

/** A person with their phone, and with what they have on paper: the newest of each. */
export interface Councillor {
  readonly name: string;
  readonly email: string;
  readonly password: string;
  hands: Hands;
  device: Page;
  words: string;
  sheet: PaperSheet;
}

export interface PaperSheet {
  readonly lines: readonly string[];
  /** Its code, photographed. */
  readonly photo: Buffer;
}

const nothing: PaperSheet = { lines: [], photo: Buffer.alloc(0) };

export async function meet(council: Council, name: string, hands: Hands = finger): Promise<Councillor> {
  const email = `${name.split(" ")[0]?.toLowerCase()}@example.com`;
  return {
    name,
    email,
    password: "correct horse battery",
    hands,
    device: await council.takeDevice(),
    words: "",
    sheet: nothing,
  };
}

export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole("heading", { name, ...(typeof name === "string" && { exact: true }) });

/** A part of a page, by the heading above it. */
export const section = (page: Page, name: string) => page.locator("section").filter({ has: heading(page, name) });

/** Months have passed: the session has ended, and a person signs in once more. */
export async function signIn(person: Councillor): Promise<void> {
  await person.device.goto("/");
  await signInHere(person);
}

/** Signs in where the session has ended. */
export async function arrive(person: Councillor): Promise<void> {
  const { device } = person;
  await device.goto("/");
  const welcome = heading(device, "Welcome back");
  await welcome.or(heading(device, "Forms")).first().waitFor();
  if (await welcome.isVisible()) await signInHere(person);
}

/** On the page that asks for it. */
export async function signInHere({ device, hands, email, password }: Councillor): Promise<void> {
  await heading(device, "Welcome back").waitFor();
  await hands.type(device, "Email address", email);
  await hands.type(device, "Password", password);
  await device.keyboard.press("Enter");
  await heading(device, "Welcome back").waitFor({ state: "detached" });
}

/** The outside world: a printer. */
export async function plugPrinterIn(page: Page): Promise<void> {
  await page.evaluate(() => {
    window.print = () => undefined;
  });
}

/** The sheets that a page has just printed. */
export async function takeSheets(page: Page): Promise<readonly PaperSheet[]> {
  await page.emulateMedia({ media: "print", colorScheme: "light" });
  const codes = page.getByRole("img", { name: "The sheet as a code to scan" });
  await codes.first().waitFor();
  const printed = page.getByTestId("sheet-lines").filter({ visible: true });
  const sheets: PaperSheet[] = [];
  for (let index = 0; index < (await codes.count()); index++) {
    const lines = await printed.nth(index).getByRole("listitem").allInnerTexts();
    sheets.push({ lines: lines.map((line) => line.trim()), photo: await codes.nth(index).screenshot() });
  }
  await page.emulateMedia({ media: "screen" });
  return sheets;
}

/** From the six words to the end, in a page where somebody has chosen to make a key. */
export async function makeKey(
  council: Council,
  person: Councillor,
  proves: "camera" | "typed" = "typed",
): Promise<void> {
  const { device: page, hands } = person;
  await untilFocused(heading(page, "Keep these six words"));
  const given = page.getByRole("list", { name: "Your six words" }).getByRole("listitem");
  await given.nth(5).waitFor();
  person.words = (await given.allInnerTexts()).join(" ");
  await checkPage(page, `six words of ${person.name}`);
  await hands.press(page, "I have kept them");
  await untilFocused(heading(page, "Type the six words"));
  await hands.type(page, "Six words", person.words);
  await page.keyboard.press("Enter");
  await untilFocused(heading(page, "Print your recovery sheet"));
  await plugPrinterIn(page);
  await hands.press(page, "Print the sheet");
  [person.sheet = nothing] = await takeSheets(page);
  await hands.press(page, "I have the sheet on paper");
  await untilFocused(heading(page, "Show that the sheet works"));
  if (proves === "camera") {
    await council.camera.show(council.blank, person.sheet.photo);
    await hands.press(page, "Scan the sheet");
  } else {
    for (const [index, line] of person.sheet.lines.entries()) await hands.type(page, `Line ${index + 1}`, line);
    await page.keyboard.press("Enter");
  }
  await untilFocused(heading(page, "One step left: keep your key"));
  await hands.press(page, "Keep my key");
  await untilFocused(heading(page, "Your key is ready"));
  await checkPage(page, `the key of ${person.name} is ready`);
  const isJoining = new URL(page.url()).pathname === "/join";
  await hands.press(page, isJoining ? "Next: send your public key" : "See the ways to unlock it");
}

export type UnlockWay = "words" | "typed sheet" | "camera";

/** Where a page asks for it. */
export async function unlock(
  council: Council,
  { device, hands, words, sheet }: Councillor,
  way: UnlockWay = "words",
): Promise<void> {
  const field = device.getByLabel("Your six words or passphrase");
  await field
    .or(device.getByRole("button", { name: "Recovery sheet", exact: true }))
    .first()
    .waitFor();
  if (way === "words") {
    await hands.type(device, "Your six words or passphrase", words);
    await hands.press(device, "Unlock");
    return;
  }
  await hands.press(device, "Recovery sheet");
  if (way === "camera") {
    await council.camera.show(council.blank, sheet.photo);
    await hands.press(device, "Scan the sheet");
    return;
  }
  for (const [index, line] of sheet.lines.entries()) await hands.type(device, `Line ${index + 1}`, line);
  await hands.press(device, "Unlock");
}

/** By the links of the app: a page that is loaded again is locked. */
export async function openForm({ device, hands }: Councillor, form: { readonly name: string }): Promise<void> {
  await hands.follow(device, /^Forms$/);
  await hands.follow(device, new RegExp(form.name));
  await heading(device, form.name).waitFor();
}

/** Reads every submission of these forms in the person's own browser, and exports them: they are all those of the ledger. */
export async function readEverything(
  council: Council,
  person: Councillor,
  forms: readonly { readonly name: string }[],
  way: UnlockWay | "open" = "words",
): Promise<void> {
  const { device: page } = person;
  for (const [index, form] of forms.entries()) {
    const expected = council.ledger.filter((entry) => entry.form === form.name);
    await openForm(person, form);
    if (index === 0 && way !== "open") await unlock(council, person, way);
    await page
      .getByText(expected.at(-1)?.fields.message as string)
      .first()
      .waitFor();
    await page.getByText(/^Opening/).waitFor({ state: "detached" });
    await finger.press(page, "Export");
    const saving = page.waitForEvent("download");
    await finger.press(page.getByRole("dialog"), "JSON");
    const read = readExport(await (await saving).path());
    await page.keyboard.press("Escape");
    assert.deepEqual(sorted(read), sorted(expected), `${person.name} reads all of ${form.name}`);
  }
}

const sorted = (rows: readonly Pick<LedgerEntry, "id" | "fields">[]) =>
  rows.map(({ id, fields }) => ({ id, fields })).toSorted((one, other) => (one.id < other.id ? -1 : 1));
