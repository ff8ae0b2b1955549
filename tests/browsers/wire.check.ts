import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createCertificate } from "../../scripts/demo/certificate.ts";
import { type BrowserResult, bundle } from "../support/browser-tests.ts";
import { findEngines } from "./engines.ts";
import { startSite } from "./site.ts";
import { createTab } from "./tab.ts";

// `npm run test:browsers`: every test of the wire package that runs in Chromium (browser.node.test.ts there).

const folder = join(import.meta.dirname, "../../packages/wire/src");
const files = globSync("*.test.ts", { cwd: folder, exclude: ["*.node.test.ts"] }).sort();
const script = await bundle(files.map((file) => join(folder, file)));

for (const engine of await findEngines())
  test(`${engine.name} ${engine.version} gives every guarantee of the wire package that Node gives`, async (t) => {
    const site = await startSite(await createCertificate());
    t.after(site.close);
    const driver = await engine.start();
    t.after(driver.close);
    const tab = createTab(driver);
    await driver.navigate(site.add(`<script src="${site.addScript(script)}"></script>`));
    const results = await tab.run(() => {
      const { runTests } = globalThis as unknown as { runTests: () => Promise<BrowserResult[]> }; // the bundle leaves it
      return runTests();
    });
    assert.ok(results.length > 100, `only ${results.length} tests`);
    for (const { title, failure } of results)
      await t.test(title, () => {
        if (failure !== undefined) assert.fail(failure);
      });
  });
