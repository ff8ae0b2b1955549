import assert from "node:assert/strict";
import { test } from "node:test";
import { renderPage } from "../../scripts/documentation/render.ts";
import { root } from "./blocks.ts";

const render = (markdown: string) => {
  const page = { source: "docs/page.md", address: "/docs/page", markdown, title: "Page", label: "Page" };
  return renderPage(page, [page], root);
};

test("HTML in the source is shown as text and reported, in a line and as a block", () => {
  for (const markdown of ["<script>alert(1)</script>", "a <img src=x onerror=alert(1)> b"]) {
    const { html, problems } = render(markdown);
    assert.doesNotMatch(html, /<(script|img)/);
    assert.match(html, /&lt;(script|img)/);
    assert.ok(problems.length > 0 && problems.every((problem) => problem.startsWith("raw HTML")));
  }
});

test("code, names of languages and addresses cannot leave their place", () => {
  const { html } = render('```x"><b> run\n</code><b>\n```\n\n[a](https://example.com/"><b>)\n\n`<b>`');
  assert.doesNotMatch(html, /<b>/);
});

test("a link leads to a page of the site or to a website; everything else is text, and is reported if it is not there", () => {
  const { html, links, problems } = render(
    "[a](page.md#x) [b](#y) [c](https://example.com) [d](javascript:alert(1)) [e](../package.json) [f](absent.md)",
  );
  assert.deepEqual(links, ["/docs/page#x", "/docs/page#y"]);
  assert.equal(html.match(/<a /g)?.length, 3);
  assert.doesNotMatch(html, /javascript:.*"/);
  assert.match(html, /e \(in the repository: <code>package.json<\/code>\)/);
  assert.deepEqual(problems, ["dead link: javascript:alert(1)", "dead link: absent.md"]);
});

test("headings have the anchors that GitHub gives them, repeated ones a number", () => {
  const { headings } = render("# What’s `new`?\n\n## Open it\n\n## Open it\n\n## 1. A & B: c_d");
  assert.deepEqual(
    headings.map(({ id }) => id),
    ["whats-new", "open-it", "open-it-1", "1-a--b-c_d"],
  );
});

test("a picture that is not there, comes from elsewhere or has no words is reported", () => {
  const { problems } = render(
    "![words](images/absent.svg) ![words](https://example.com/a.png) ![](images/sealed-way.svg)",
  );
  assert.deepEqual(problems, [
    "missing picture: images/absent.svg",
    "missing picture: https://example.com/a.png",
    "picture without words: images/sealed-way.svg",
  ]);
});
