import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { buildDocumentation, type Site } from "../../scripts/documentation/build.ts";
import { renderPage } from "../../scripts/documentation/render.ts";
import { assertAccessible, type Dashboard, startDashboard } from "../dashboard/dashboard.ts";

const root = join(import.meta.dirname, "..", "..");
let site: Site;
let parts: Dashboard;

before(async () => {
  // The same sources give the same site, so that building it once more takes nothing from other tests.
  site = await buildDocumentation();
  parts = await startDashboard();
});
after(() => parts.close());

test("every link and every picture of the documentation and the README leads somewhere, and nothing in it is raw HTML", () => {
  const places = new Set<string>();
  for (const { page, headings } of site.pages) {
    places.add(page.address);
    for (const { id } of headings) places.add(`${page.address}#${id}`);
  }
  const problems = site.pages.flatMap(({ page, links, pictures, problems }) => [
    ...problems.map((problem) => `${page.source}: ${problem}`),
    ...links.filter((link) => !places.has(link)).map((link) => `${page.source}: nothing at ${link}`),
    ...pictures.filter((path) => !existsSync(join(root, path))).map((path) => `${page.source}: no picture ${path}`),
  ]);
  const pages = site.pages.map(({ page }) => page);
  const markdown = readFileSync(join(root, "README.md"), "utf8");
  const front = renderPage({ source: "README.md", address: "/", markdown, title: "", label: "" }, pages, root);
  problems.push(...front.links.filter((link) => !places.has(link)).map((link) => `README.md: nothing at ${link}`));
  // Its one picture has a width, which markdown can't say.
  problems.push(
    ...front.problems.filter((problem) => !problem.startsWith('raw HTML: <img src="docs/images/demo.png"')),
  );
  assert.deepEqual(problems, []);
  assert.ok(site.pages.flatMap(({ links }) => links).length > 20);
});

test("every page of the site is served, fits a phone, asks nobody else and breaks no policy", async () => {
  const page = await parts.open("/docs", { viewport: { width: 320, height: 640 } });
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to the content");
  for (const { page: source } of site.pages) {
    const answer = await page.goto(source.address);
    assert.equal(answer?.status(), 200, source.address);
    const seen = await page.evaluate(async () => {
      const pictures = [...document.querySelectorAll<HTMLImageElement>("main img")];
      for (const picture of pictures) picture.loading = "eager";
      await Promise.all(pictures.map((picture) => picture.decode()));
      return {
        title: document.querySelector("main h1")?.textContent,
        current: document.querySelector("nav [aria-current=page]")?.getAttribute("href"),
        // Their places are known before they come, so that nothing jumps.
        sizeless: pictures
          .filter(
            (picture) =>
              picture.getAttribute("width") !== String(picture.naturalWidth) ||
              picture.getAttribute("height") !== String(picture.naturalHeight),
          )
          .map(({ src }) => src),
        fits: document.documentElement.scrollWidth <= window.innerWidth,
        // WCAG 2.2, target size: a finger needs 24 pixels.
        small: [...document.querySelectorAll("header a, nav a, nav summary, button, input")]
          .filter((target) => target.checkVisibility() && target.getBoundingClientRect().height < 24)
          .map((target) => target.outerHTML),
      };
    });
    assert.deepEqual(
      seen,
      { title: source.title, current: source.address, sizeless: [], fits: true, small: [] },
      source.address,
    );
  }
  await page.context().close();
  assert.deepEqual(parts.complaints, []);
});

test("every file of vectors that the specification names is served unchanged", async () => {
  const names = readdirSync(join(root, "packages/wire/vectors"));
  assert.ok(names.length >= 9);
  for (const name of names) {
    const { status, headers, body } = await parts.service.request("GET", `/docs/files/${name}`);
    assert.deepEqual([status, headers.get("content-type")], [200, "application/json; charset=utf-8"], name);
    assert.deepEqual(body, JSON.parse(readFileSync(join(root, "packages/wire/vectors", name), "utf8")), name);
  }
});

test("policy and headers of a page: no inline script or style, nothing from elsewhere, no frame", async () => {
  const { headers } = await parts.service.request("GET", "/docs/glossary");
  const policy = headers.get("content-security-policy") ?? "";
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
  assert.doesNotMatch(policy, /unsafe|\*|http/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.equal(headers.get("cache-control"), "no-cache");
});

test("an unknown page is 404, with the site around it for people and as JSON for programs", async () => {
  const { service } = parts;
  const page = await service.request("GET", "/docs/nothing", { headers: { accept: "text/html" } });
  assert.equal(page.status, 404);
  assert.match(page.body, /<h1>No such page<\/h1>/);
  for (const path of ["/docs/nothing", "/docs/../package.json", "/docs/assets/..%2f..%2fpackage.json", "/docs/404"]) {
    assert.equal((await service.request("GET", path, { headers: { accept: "application/json" } })).status, 404, path);
  }
  const home = await service.request("GET", "/docs/");
  assert.equal(home.status, 308);
  assert.equal(home.headers.get("location"), "/docs");
});

test("the search finds a section by words of it, by the keyboard alone, and leads there", async () => {
  const page = await parts.open("/docs");
  await page.keyboard.press("/");
  await page.keyboard.type("raw bytes");
  await page.getByRole("status").filter({ hasText: "place" }).waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await page.locator("#results").isVisible(), false);
  await page.getByRole("searchbox").fill("fingerprint");
  await page.locator("#results a").first().waitFor();
  await page.getByRole("searchbox").fill("zzzzqqqq");
  await page.getByRole("status").filter({ hasText: "Nothing found for “zzzzqqqq”." }).waitFor();
  assert.equal(await page.locator("#results a").count(), 0);
  await page.getByRole("searchbox").fill("SEALPOST_WEBHOOK_ALLOW_NETWORKS");
  await page.locator("#results a").first().waitFor();
  const address = (await page.locator("#results a").first().getAttribute("href")) ?? "";
  await page.keyboard.press("Enter");
  await page.waitForURL(`**${address}`);
  await page.context().close();
  assert.deepEqual(parts.complaints, []);
});

test("a button at a block of code copies just this code, and says so", async () => {
  const page = await parts.open("/docs/quick-start", { permissions: ["clipboard-read", "clipboard-write"] });
  const block = page.locator(".code").filter({ hasText: "npm start" });
  await block.getByRole("button", { name: "Copy" }).click();
  await block.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "npm start");
  await page.context().close();
});

test("without JavaScript every page reads the same, only the search and the copy buttons are not there", async () => {
  const page = await parts.open("/docs/receivers", { javaScriptEnabled: false });
  assert.equal(await page.getByRole("searchbox").isVisible(), false);
  await page.getByRole("navigation", { name: "Pages", exact: true }).getByRole("link", { name: "Glossary" }).click();
  await page.getByRole("heading", { name: "Glossary", level: 1 }).waitFor();
  await page.context().close();
});

test("the site is accessible in both themes", async () => {
  const page = await parts.open("/docs/concepts");
  await page.getByRole("searchbox").fill("key");
  await page.locator("#results a").first().waitFor();
  await assertAccessible(page, "a page with pictures and tables, and the results of a search");
  await page.context().close();
});
