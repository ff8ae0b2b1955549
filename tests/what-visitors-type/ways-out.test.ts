import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Client, exportFileName, type KeyPair, keyFileName } from "@sealpost/sdk";
import type { Fields } from "@sealpost/wire";
import type { Page } from "playwright-core";
import { formatRows, type RowFormat } from "../../packages/cli/src/row-formats.ts";
import { createAccount, type Dashboard, startDashboard, submit } from "../dashboard/dashboard.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { naughtyStrings } from "./naughty-strings.ts";

// Every way by which what visitors typed comes to the owner, and the whole list through each. docs/threat-model.md has the table.

const typed: Fields = Object.fromEntries([
  ...naughtyStrings.map((text, index) => [`value ${index}`, text]),
  ...naughtyStrings.map((text, index) => [text, `name ${index}`]),
]);
const row = { id: "sub_1", receivedAt: 0, timestamp: 0, keyVersion: 1, status: "opened" } as const;

/** The export of rows that hold all that was typed, 400 fields in each. */
async function write(format: RowFormat, isTerminal: boolean): Promise<string> {
  const entries = Object.entries(typed);
  async function* rows() {
    for (let start = 0; start < entries.length; start += 400)
      yield { ...row, fields: Object.fromEntries(entries.slice(start, start + 400)) };
  }
  const columns = format === "csv" ? { columns: Object.keys(typed) } : {};
  let text = "";
  for await (const piece of formatRows(rows(), format, { isTerminal, ...columns })) text += piece.toString();
  return text;
}

/** The cells of CSV by RFC 4180; fails on anything that is not quoted. */
function readCsv(text: string): readonly (readonly string[])[] {
  return (
    text.match(/(?:"(?:[^"]|"")*",?)+\r\n/g)?.map((line) => {
      return [...line.matchAll(/"((?:[^"]|"")*)"(?:,|\r\n)/g)].map(([, cell = ""]) => cell.replaceAll('""', '"'));
    }) ?? []
  );
}

test("terminal: nothing that visitors typed moves the cursor, sets a title, fills the clipboard or hides what is next to it", async () => {
  for (const format of ["csv", "json", "ndjson"] as const) {
    const shown = await write(format, true);
    assert.doesNotMatch(shown, /[^\P{Cc}\n\r\t]|[\p{Cf}\p{Zl}\p{Zp}]|\r(?!\n)/u, format);
    assert.match(await write(format, false), /\p{Cf}/u, "the control: the list holds what a terminal would act on");
  }
});

/** But for a number or what can only add and subtract some. */
function assertNoFormula(cell: string): void {
  if (!/^[+-]?[0-9 ()./-]+$/.test(cell)) assert.doesNotMatch(cell, /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u);
}

test("CSV: every value is in its own cell under a heading of its own, and none is a formula", async () => {
  const [headings = [], ...lines] = readCsv(await write("csv", false));
  assert.equal(new Set(headings).size, headings.length);
  assert.equal(headings.length, 4 + Object.keys(typed).length);
  const cells = new Map<string, string>();
  for (const line of lines) {
    assert.equal(line.length, headings.length);
    for (const [index, cell] of line.entries()) if (cell !== "") cells.set(headings[index] ?? "", cell);
  }
  for (const [index, text] of naughtyStrings.entries()) {
    const cell = cells.get(`value ${index}`) ?? "";
    assert.equal(cell.replaceAll("'", ""), text.replaceAll("'", ""));
    assertNoFormula(cell);
  }
  for (const heading of headings) assertNoFormula(heading);
});

test("JSON and NDJSON: every value and every name comes out as it was typed", async () => {
  const array: { fields: Fields }[] = JSON.parse(await write("json", false));
  const lines = (await write("ndjson", false)).trimEnd().split("\n");
  for (const rows of [array, lines.map((line): { fields: Fields } => JSON.parse(line))])
    assert.deepEqual(Object.assign({}, ...rows.map(({ fields }) => fields)), typed);
});

test("file names: they hold the form's name in letters, digits and hyphens, and nothing that was typed", () => {
  for (const name of naughtyStrings) {
    assert.match(exportFileName(name, 0, "csv"), /^sealpost-[a-z0-9-]{1,40}-1970-01-01\.csv$/);
    assert.match(keyFileName(name, 1), /^sealpost-[a-z0-9-]{1,40}-v1\.key\.json$/);
  }
});

let dashboard: Dashboard;
let client: Client;
let pair: KeyPair;

before(async () => {
  dashboard = await startDashboard();
  client = await createAccount(dashboard.service);
  pair = takeKeyPair();
});
after(() => dashboard.close());

test("pages of HTML forms: they repeat nothing that was sent, and lead nowhere else", async () => {
  const form = await client.forms.create({ name: "Plain", settings: { encryption: false } });
  const send = async (fields: readonly (readonly [string, string])[]) => {
    const body = new URLSearchParams(fields.map(([name, value]) => [name, value]));
    const answer = await fetch(`${dashboard.service.url}/f/${form.id}`, { method: "POST", body, redirect: "manual" });
    return { status: answer.status, location: answer.headers.get("location"), page: await answer.text() };
  };
  const entries = Object.entries(typed).map(([name, value]) => [name, String(value)] as const);
  const ordinary = await send([["name", "Ada"]]);
  for (let start = 0; start < entries.length; start += 100) {
    const answered = await send(entries.slice(start, start + 100).filter(([name]) => !name.startsWith("_")));
    assert.deepEqual(answered, ordinary);
  }
  const addresses = naughtyStrings.filter((text) => /^[a-z+]*:|^\s*\/|\\/i.test(text)).slice(0, 40);
  assert.ok(addresses.length > 5);
  for (const address of addresses) {
    const { status, location } = await send([
      ["name", "Ada"],
      ["_next", address],
    ]);
    if (status !== 303) continue;
    const target = new URL(location ?? "", dashboard.service.url);
    assert.equal(target.origin, dashboard.service.url, address);
  }
});

test("dashboard, clipboard and printer: what was typed is text, whole, never markup, a link, a request or a dialog", async () => {
  const form = await client.forms.create({ name: "Contact", publicKey: pair.publicKey });
  const id = await submit(dashboard.service, form, typed);
  const page = await dashboard.signIn();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`/forms/${form.id}`);
  const buffer = Buffer.from(JSON.stringify(pair.privateKey));
  await page.setInputFiles("input[type=file]", { name: "key.json", mimeType: "application/json", buffer });
  await page.getByRole("row").nth(1).getByRole("button").first().click();
  const detail = page.getByRole("region", { name: "Submission" });
  await detail.getByText(id).waitFor();
  const more = detail.getByRole("button", { name: /^Show [\d,]+ more$/ });
  while (await more.isVisible()) await more.click();
  const expected = Object.entries(typed).map(([name, value]) => [name, value === "" ? "empty" : value]);
  assert.deepEqual(await readPairs(page, "section[aria-label=Submission] dl:first-of-type > div"), expected);
  const markup = "img, script, iframe, a[href]:not([href^='/'], [href^='#'])";
  assert.equal(await page.locator(markup).locator("visible=true").count(), 0, "no mail link either, and no other");

  await detail.getByRole("button", { name: "Copy as JSON" }).click();
  await detail.getByText("Copied").first().waitFor();
  const copied = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    return { types: item?.types, text: await navigator.clipboard.readText() };
  });
  assert.deepEqual(copied.types, ["text/plain"]);
  assert.deepEqual(JSON.parse(copied.text), typed);

  await page.emulateMedia({ media: "print" });
  await page.locator("[data-print-alone] dl").waitFor();
  assert.deepEqual(await readPairs(page, "[data-print-alone] dl > div"), expected);
  assert.equal(await page.locator(`[data-print-alone] :is(${markup})`).count(), 0);
  await page.context().close();
  assert.deepEqual(dashboard.complaints, []);
});

/** Names and values as the page shows them: a heading made for people has the name as it was sent in its title. */
function readPairs(page: Page, selector: string): Promise<string[][]> {
  return page
    .locator(selector)
    .evaluateAll((rows) =>
      rows.map((element) => [
        element.querySelector("dt [title]")?.getAttribute("title") ?? element.querySelector("dt")?.textContent ?? "",
        element.querySelector("dd")?.textContent ?? "",
      ]),
    );
}
