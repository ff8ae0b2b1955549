import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createClient } from "@sealpost/sdk";
import { createTestService, type TestService } from "../../packages/server/src/testing/test-service.ts";
import { type SharedBrowser, shareBrowser } from "../support/shared-browser.ts";
import { type Block, findGuides, readBlocks, root } from "./blocks.ts";
import { guideOfEveryRun, testCommands } from "./command-tests.ts";
import { visitPages } from "./pages.ts";

const guides = findGuides();
const blocksOf = (guide: string) => readBlocks(guide);

test("every block of the documentation is run, or says why it is only shown", () => {
  const blocks = guides.flatMap((guide) => blocksOf(guide));
  assert.ok(blocks.length > 40);
  const unmarked = blocks.filter(({ mark }) => mark.kind === "none");
  assert.deepEqual(
    unmarked.map(({ source, line, text }) => `${source}:${line} ${text.split("\n")[0]}`),
    [],
  );
  for (const { source, line, mark } of blocks) {
    if (mark.kind === "shown") assert.ok(mark.reason.length > 15, `${source}:${line}: that is no reason`);
    // The test must at least read the page whose part it says to be.
    if (mark.kind !== "part") continue;
    assert.ok(existsSync(join(root, mark.test)), `${source}:${line} names a test that is not there`);
    assert.ok(readFileSync(join(root, mark.test), "utf8").includes(source), `${mark.test} does not read ${source}`);
  }
});

test("the commands of README.md are those of the quick start, which are run", () => {
  const lines = (blocks: readonly Block[]) =>
    blocks.flatMap(({ text }) => text.split(/\n| && /)).map((line) => line.replace(/\s+#.*/, ""));
  const known = lines(blocksOf("docs/quick-start.md").filter(({ language }) => language === "sh"));
  const named = blocksOf("README.md").filter(
    ({ mark }) => mark.kind === "part" && import.meta.filename.endsWith(mark.test),
  );
  assert.equal(named.length, 2);
  for (const line of lines(named)) assert.ok(known.includes(line), line);
});

testCommands((guide) => guide === guideOfEveryRun);

describe("pages that show forms", () => {
  let browser: SharedBrowser;
  let service: TestService;
  const closers: (() => unknown)[] = [];
  before(async () => {
    service = await createTestService({ after: (close) => closers.push(close as () => unknown) }); // nothing is waited for by it
    browser = await shareBrowser();
  });
  after(async () => {
    await browser.close();
    for (const close of closers.reverse()) await close();
  });
  for (const guide of guides) {
    if (!blocksOf(guide).some(({ mark }) => mark.kind === "page")) continue;
    test(`the forms of ${guide} send what is typed into them, and the owner can open it`, async () => {
      const { token } = await service.signUp();
      await visitPages(blocksOf(guide), createClient({ baseUrl: service.url, token }), browser, service.url);
    });
  }
});
