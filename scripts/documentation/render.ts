import { existsSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { Marked, type Tokens } from "marked";
import type { Page } from "./pages.ts";

export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

export interface RenderedPage {
  readonly page: Page;
  readonly html: string;
  readonly headings: readonly Heading[];
  /** Pages and places that it links to within the site, as in `href`. */
  readonly links: readonly string[];
  /** Pictures that it shows, relative to the repository. */
  readonly pictures: readonly string[];
  /** Data files that it links to, which the site serves too. */
  readonly files: readonly string[];
  /** Problems for readers: dead links, missing pictures, raw HTML. */
  readonly problems: readonly string[];
}

/** Markdown to HTML. What is HTML in the source is shown as text: nothing but what markdown can say gets into a page. */
export function renderPage(page: Page, pages: readonly Page[], root: string): RenderedPage {
  const headings: Heading[] = [];
  const links: string[] = [];
  const pictures: string[] = [];
  const files: string[] = [];
  const problems: string[] = [];
  const createSlug = slugger();
  const addressOf = new Map(pages.map(({ source, address }) => [source, address]));
  const resolve = (path: string) => posix.normalize(posix.join(posix.dirname(page.source), decodeURI(path)));

  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      html: ({ text }) => {
        problems.push(`raw HTML: ${text.trim().slice(0, 60)}`);
        return escapeHtml(text);
      },
      heading({ tokens, depth }) {
        const text = plainText(this.parser.parseInline(tokens, this.parser.textRenderer));
        const id = createSlug(text);
        headings.push({ level: depth, id, text });
        const content = this.parser.parseInline(tokens);
        if (depth === 1 || content.includes("<a ")) return `<h${depth} id="${id}">${content}</h${depth}>\n`;
        return `<h${depth} id="${id}"><a href="#${id}">${content}</a></h${depth}>\n`;
      },
      code({ text, lang = "" }) {
        const language = /^[\w-]+/.exec(lang)?.[0];
        const name = language === undefined ? "" : ` class="language-${language}"`;
        return `<pre tabindex="0"><code${name}>${escapeHtml(text)}</code></pre>\n`;
      },
      table(token: Tokens.Table) {
        const row = (cells: readonly Tokens.TableCell[], tag: "th" | "td") =>
          `<tr>${cells.map((cell) => `<${tag}${tag === "th" ? ' scope="col"' : ""}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>`;
        const head = token.header.map((cell) => (cell.text === "" ? { ...cell, tokens: [] } : cell));
        return `<div class="table" tabindex="0"><table><thead>${row(head, "th").replaceAll('<th scope="col"></th>', "<td></td>")}</thead><tbody>${token.rows.map((cells) => row(cells, "td")).join("\n")}</tbody></table></div>\n`;
      },
      image({ href, text }) {
        const path = resolve(href);
        if (/^\w+:/.test(href) || !existsSync(join(root, path))) problems.push(`missing picture: ${href}`);
        if (text.trim() === "") problems.push(`picture without words: ${href}`);
        pictures.push(path);
        return `<img src="${escapeHtml(pictureAddress(path))}" alt="${escapeHtml(text)}" loading="lazy"${describeSize(join(root, path))}>`;
      },
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        if (/^(https?|mailto):/.test(href)) return `<a href="${escapeHtml(href)}" rel="noreferrer">${content}</a>`;
        const [path = "", anchor] = href.split("#");
        const source = path === "" ? page.source : resolve(path);
        const address = addressOf.get(source);
        if (address !== undefined) {
          const target = anchor === undefined ? address : `${address}#${anchor}`;
          links.push(target);
          return `<a href="${escapeHtml(target)}">${content}</a>`;
        }
        if (!existsSync(join(root, source))) problems.push(`dead link: ${href}`);
        if (/\/vectors\/[\w-]+\.json$/.test(source)) {
          files.push(source);
          return `<a href="${escapeHtml(fileAddress(source))}">${content}</a>`;
        }
        // It is part of the repository and not of the site, which must not need the internet.
        // Names of tests stand close together in tables, where their paths would be in the way.
        if (source.endsWith(".test.ts"))
          return `<span title="In the repository: ${escapeHtml(source)}">${content}</span>`;
        const shown = `<code>${escapeHtml(source)}</code>`;
        return content === shown ? shown : `${content} (in the repository: ${shown})`;
      },
    },
  });
  const html = marked.parse(page.markdown, { async: false });
  return { page, html, headings, links, pictures, files, problems };
}

/** A reader's page does not jump when the picture comes, because its place is known before. */
function describeSize(file: string): string {
  const size = existsSync(file) ? findSize(file) : undefined;
  return size === undefined ? "" : ` width="${size.width}" height="${size.height}"`;
}

function findSize(file: string): { readonly width: number; readonly height: number } | undefined {
  const bytes = readFileSync(file);
  // The header chunk of PNG (its specification, 11.2.2) is the first: width and height stand at fixed places.
  if (file.endsWith(".png")) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  const [, width, height] = /<svg[^>]*\bviewBox="[\d.-]+ [\d.-]+ ([\d.]+) ([\d.]+)"/.exec(bytes.toString("utf8")) ?? [];
  return width === undefined || height === undefined ? undefined : { width: Number(width), height: Number(height) };
}

export function pictureAddress(path: string): string {
  return `/docs/images/${posix.basename(path)}`;
}

export function fileAddress(path: string): string {
  return `/docs/files/${posix.basename(path)}`;
}

/** Anchors as GitHub makes them, so that a link works in both places. */
function slugger(): (text: string) => string {
  const used = new Map<string, number>();
  return (text) => {
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
      .replace(/\s/g, "-");
    const count = used.get(slug);
    used.set(slug, (count ?? -1) + 1);
    return count === undefined ? slug : `${slug}-${count + 1}`;
  };
}

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Turns what `escapeHtml` and marked's own escaping made into text again. */
export function plainText(html: string): string {
  return html
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}
