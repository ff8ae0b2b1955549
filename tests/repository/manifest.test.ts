import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseChecksums } from "../../packages/cli/src/verify/served-list.ts";
import { offers } from "../../packages/dashboard/src/organization/offers.ts";
import {
  fillPath,
  findOuter,
  findPage,
  isNext,
  type Page,
  pageNames,
  pages,
  pagesIn,
} from "../../packages/dashboard/src/pages.ts";
import { text } from "../../packages/texts/testing/english.ts";
import { createServedList } from "../../scripts/release/served-list.ts";

const rows: readonly Page[] = Object.values(pages);
const root = join(import.meta.dirname, "../..");

test("`sealpost verify` looks at every page of the manifest, all of them the same document", () => {
  const served = parseChecksums(createServedList());
  const hashes = rows.map(({ path }) => served?.get(fillPath(path as keyof object, "any")));
  assert.ok(hashes[0] !== undefined);
  assert.deepEqual(
    hashes,
    rows.map(() => hashes[0]),
  );
});

test("each page is found by its own path and by no other", () => {
  for (const name of pageNames) {
    const path = fillPath(pages[name].path, "form_x");
    assert.equal(findPage(path), name);
    for (const other of [`${path}/nothing/here`, `/x${path}`, `${path}?x`, `${path}\n`])
      assert.equal(findPage(other), undefined, other);
  }
});

test("every page has a name of its own, and is found in a menu, on another page or by a link", () => {
  assert.equal(new Set(pageNames.map((name) => text.pages[name])).size, pageNames.length);
  for (const name of pageNames) {
    const { found, offers: offered = [] }: Page = pages[name];
    for (const offer of offered) assert.ok(offer in offers, `${name} is offered by ${offer}`);
    if (found === "by link") continue;
    const inMenu = (["top", "account", "form"] as const).some((menu) => pagesIn(menu).some((one) => one === name));
    assert.ok(inMenu || findOuter(name) !== undefined, `${name} is found on ${JSON.stringify(found)}`);
    // Ends, and so does every walk over what is found where.
    for (let outer = findOuter(name), steps = 0; outer !== undefined; outer = findOuter(outer))
      assert.ok(steps++ < 5, name);
  }
});

test("people are led back to every page after signing in, and never to another site", () => {
  for (const { path } of Object.values(pages)) assert.ok(isNext(fillPath(path, "form_x")), path);
  assert.ok(isNext("/forms/form_x?submission=sub_1"));
  for (const next of [
    "//evil.example",
    "/\\evil.example",
    "/nothing",
    "https://evil.example/",
    "/forms/..",
    "",
    "/account#x",
    "/account?x=1",
    undefined,
  ])
    assert.equal(isNext(next), false, String(next));
});

test("no source puts together the address of a page by hand: it would not notice that the page has moved", () => {
  const paths = rows.map(({ path }) => path).filter((path) => !path.includes("$") && path !== "/");
  const written = new RegExp(`\\}(?:${paths.join("|")})["\`#?]`);
  const sources = globSync("packages/{server,cli,dashboard}/src/**/*.{ts,tsx}", { cwd: root });
  assert.ok(sources.length > 500);
  const byHand = sources
    .filter((path) => !/\.test\.ts$|\/testing\/|cli\/src\/answer-kinds|dashboard\/src\/api\//.test(path))
    .filter((path) => written.test(readFileSync(join(root, path), "utf8")));
  assert.deepEqual(byHand, []);
});
