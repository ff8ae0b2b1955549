import type { Page, Section } from "./pages.ts";
import { escapeHtml, type Heading } from "./render.ts";

/** The search's script and its index are not there on a page in which nothing may run. */
export interface Assets {
  /** The element that brings the style sheet. */
  readonly style: string;
  readonly search?: { readonly script: string; readonly index: string };
}

export interface Content {
  readonly page: Pick<Page, "address" | "title">;
  readonly html: string;
  /** The headings of "On this page", or its HTML. */
  readonly headings: readonly Heading[] | string;
}

/** One whole page. Its only script is the search; the rest is HTML and a style sheet. */
export function createDocument(
  { page, html, headings }: Content,
  sections: readonly Section[],
  { style, search }: Assets,
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.address === "/docs" ? "Sealpost documentation" : `${page.title} · Sealpost documentation`)}</title>
${style}
${search === undefined ? "" : `<script type="module" src="${search.script}"></script>\n`}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="home" href="/docs"><strong>Sealpost</strong> documentation</a>
${search === undefined ? "" : createSearch(search.index)}<a class="to-pages" href="#pages">All pages</a>
<a href="/">Dashboard</a>
</header>
<div class="frame">
<nav id="pages" aria-label="Pages">
${sections.map((section) => createSection(section, page.address)).join("\n")}
<h2>On this instance</h2>
<ul>
<li><a href="/api/docs"${page.address === "/api/docs" ? ' aria-current="page"' : ""}>API reference</a></li>
<li><a href="/api/openapi.json">OpenAPI document</a></li>
</ul>
</nav>
<main id="content" tabindex="-1">
${html}${createNeighbours(sections, page.address)}
</main>
${typeof headings === "string" ? headings : createContents(headings)}
</div>
</body>
</html>
`;
}

function createSearch(index: string): string {
  return `<search>
<form class="search" data-index="${index}" hidden>
<input type="search" name="search" aria-label="Search the documentation" placeholder="Search" autocomplete="off" spellcheck="false" aria-controls="results">
</form>
<div id="results" hidden><p role="status"></p><ul></ul></div>
</search>
`;
}

function createSection({ name, pages }: Section, current: string): string {
  const items = pages.map(({ address, label }) => {
    const mark = address === current ? ' aria-current="page"' : "";
    return `<li><a href="${address}"${mark}>${escapeHtml(label)}</a></li>`;
  });
  const list = `<ul>\n${items.join("\n")}\n</ul>`;
  if (name !== "Decisions") return `<h2>${escapeHtml(name)}</h2>\n${list}`;
  // For who works on Sealpost; everybody else need not scroll past them.
  const isOpen = pages.some(({ address }) => address === current);
  return `<details${isOpen ? " open" : ""}><summary>${escapeHtml(name)}</summary>\n${list}\n</details>`;
}

function createNeighbours(sections: readonly Section[], current: string): string {
  const pages = sections.flatMap((section) => section.pages);
  const position = pages.findIndex(({ address }) => address === current);
  if (position < 0) return "";
  const [before, after] = [pages[position - 1], pages[position + 1]];
  const link = (page: Page | undefined, words: string, relation: string) =>
    page === undefined
      ? ""
      : `<a rel="${relation}" href="${page.address}">${words} <b>${escapeHtml(page.label)}</b></a>`;
  return `<nav class="neighbours" aria-label="Previous and next page">${link(before, "Previous:", "prev")}${link(after, "Next:", "next")}</nav>`;
}

function createContents(headings: readonly Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2);
  if (shown.length < 2) return "";
  const items = shown.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>\n${items.join("\n")}\n</ul></nav>`;
}
