import { appendFileSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launchBrowser } from "../support/chromium.ts";
import { fillIn, sendForm } from "./fill-in.ts";

// A page asks its reader to do this: paste the snippet that was printed into this file, open it in a browser, fill it in and send it.
const [, , file = "", printed = ""] = process.argv;
const snippet = readFileSync(printed, "utf8").match(/^<script.*$/gm) ?? [];
appendFileSync(file, snippet.join("\n"));
const browser = await launchBrowser();
try {
  const page = await browser.newPage();
  await page.goto(pathToFileURL(resolve(file)).href);
  const form = page.locator("form");
  await fillIn(form);
  await sendForm(page, form);
  await page.getByRole("status").filter({ hasText: "Thank you" }).waitFor();
} finally {
  await browser.close();
}
