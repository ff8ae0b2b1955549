import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Result, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

/** Half the size of what the package exports, and a page reads all of it each time. */
const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * What axe finds wrong with a page: violations of WCAG A and AA, and of its own best practices, unless `options` choose rules.
 * The page has no frames, which axe would have to be brought into one by one.
 */
export async function findViolations(page: Page, options: RunOptions = {}): Promise<readonly Result[]> {
  assert.equal(page.frames().length, 1);
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(source);
  return page.evaluate(
    // The source above defines it. Only violations are asked for: a page has thousands of elements that pass.
    async (given) => (await (Reflect.get(window, "axe") as typeof import("axe-core")).run(document, given)).violations,
    { ...options, resultTypes: ["violations" as const] },
  );
}
