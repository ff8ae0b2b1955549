import { after, before, describe, test } from "node:test";
import { startChromium } from "../browsers/chromium.ts";
import { buttonCases } from "./button-cases.ts";
import { compare } from "./compare.ts";
import { escapeCases } from "./escape-cases.ts";
import { fieldCases } from "./field-cases.ts";
import { scriptCases } from "./script-cases.ts";
import { type PageVisit, startPageVisit } from "./visit.ts";

// Pages of plain JavaScript, one of each kind; `npm run test:pages` has all of them, and those of libraries, in every browser.

describe("the opened fields equal the browser's own post of the same page", () => {
  let visit: PageVisit;
  before(async () => {
    visit = await startPageVisit(await startChromium(), { isSecure: false });
  });
  after(() => visit.close());
  for (const page of [...buttonCases, ...fieldCases, ...scriptCases, ...escapeCases])
    if (page.isInEachRun) test(page.title, () => compare(visit, page, page.markups?.[0] ?? "bare"));
});
