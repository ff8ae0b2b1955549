import { decodeEntities } from "./entities.ts";

/** An element's start tag, and for a script the text in it. */
export interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly text: string;
}

export interface Markup {
  /** Start tags in their order, without those in comments, in text and in templates. */
  readonly tags: readonly Tag[];
  /** False where browsers may see other tags: for scripts and much else inside SVG and MathML, and for comments in scripts that hide an end. */
  readonly isClear: boolean;
}

const textElements = ["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "noscript"];
/** Inside SVG and MathML, where these may hold HTML, they are read if they hold text alone. */
const foreignText = ["style", "title", "desc", "foreignobject", "annotation-xml", "mi", "mo", "mn", "ms", "mtext"];
const spaces = "\t\n\f\r ";

/** Reads a page as browsers do with scripts switched on, in one pass, however long it is: a tag that never ends is the last. */
export function readMarkup(html: string): Markup {
  const tags: Tag[] = [];
  const foreign: string[] = [];
  let templates = 0;
  let isClear = true;
  const opening = /<(?:(!--)|(\/?)([a-z][^\t\n\f\r />]*)|[!?/])/gi;
  for (let match = opening.exec(html); match !== null; match = opening.exec(html)) {
    const [, comment, slash, written] = match;
    const start = opening.lastIndex;
    const name = written?.toLowerCase();
    if (name === undefined) {
      if (foreign.length > 0 && html.startsWith("[CDATA[", start)) isClear = false;
      const end = comment === undefined ? html.indexOf(">", start - 1) + 1 : findCommentEnd(html, start);
      if (end <= 0) break;
      opening.lastIndex = end;
      continue;
    }
    const tag = readTag(html, start);
    if (tag === undefined || name === "plaintext") break;
    opening.lastIndex = tag.end;
    if (slash !== "") {
      if (foreign.at(-1) === name) foreign.pop();
      if (name === "template") templates = Math.max(templates - 1, 0);
      continue;
    }
    const isText = textElements.includes(name);
    if (foreign.length > 0) {
      if (foreignText.includes(name)) isClear &&= tag.isEmpty || isTextAlone(html, tag.end, name);
      else if (isText || name === "template") isClear = false;
    } else if (name === "template") {
      if (tag.attributes.has("shadowrootmode")) isClear = false;
      templates += 1;
    }
    if ((name === "svg" || name === "math") && !tag.isEmpty) foreign.push(name);
    const text = isText && foreign.length === 0 ? readText(html, tag.end, name) : "";
    if (name === "script" && /<!--/.test(text) && /<script/i.test(text)) isClear = false;
    opening.lastIndex += text.length;
    if (templates === 0) tags.push({ name, attributes: tag.attributes, text: name === "script" ? text : "" });
  }
  return { tags, isClear };
}

/** Where a comment ends; at once after `<!-->` and `<!--->`. 0 if it never does. */
function findCommentEnd(html: string, start: number): number {
  if (html[start] === ">") return start + 1;
  if (html.startsWith("->", start)) return start + 2;
  const end = /--!?>/g;
  end.lastIndex = start;
  return end.exec(html) === null ? 0 : end.lastIndex;
}

function isTextAlone(html: string, start: number, name: string): boolean {
  const end = html.indexOf("<", start);
  return end !== -1 && html.slice(end, end + 2 + name.length).toLowerCase() === `</${name}`;
}

function readText(html: string, start: number, name: string): string {
  const closing = /<\/([a-z]{1,9})[\t\n\f\r />]/gi;
  closing.lastIndex = start;
  for (let match = closing.exec(html); match !== null; match = closing.exec(html))
    if (match[1]?.toLowerCase() === name) return html.slice(start, match.index);
  return html.slice(start);
}

interface TagRest {
  readonly attributes: ReadonlyMap<string, string>;
  readonly end: number;
  readonly isEmpty: boolean;
}

/** The attributes after a tag's name, as HTML's tokenizer reads them; `undefined` for a tag that never ends. */
function readTag(html: string, start: number): TagRest | undefined {
  const attributes = new Map<string, string>();
  for (let at = start; ; ) {
    const next = skip(html, at, `${spaces}/`);
    if (next === html.length) return undefined;
    if (html[next] === ">") return { attributes, end: next + 1, isEmpty: next > at && html[next - 1] === "/" };
    // An equals sign that comes first is part of the name.
    const nameEnd = find(html, next + 1, `${spaces}/>=`);
    const name = html.slice(next, nameEnd).toLowerCase();
    const equals = skip(html, nameEnd, spaces);
    const value = html[equals] === "=" ? readValue(html, skip(html, equals + 1, spaces)) : { text: "", end: nameEnd };
    if (value === undefined) return undefined;
    if (!attributes.has(name)) attributes.set(name, decodeEntities(value.text));
    at = value.end;
  }
}

function readValue(html: string, start: number): { readonly text: string; readonly end: number } | undefined {
  const quote = html[start];
  if (quote !== '"' && quote !== "'") {
    const end = find(html, start, `${spaces}>`);
    return { text: html.slice(start, end), end };
  }
  const end = html.indexOf(quote, start + 1);
  return end === -1 ? undefined : { text: html.slice(start + 1, end), end: end + 1 };
}

function skip(html: string, start: number, characters: string): number {
  let at = start;
  while (at < html.length && characters.includes(html.charAt(at))) at += 1;
  return at;
}

function find(html: string, start: number, characters: string): number {
  let at = start;
  while (at < html.length && !characters.includes(html.charAt(at))) at += 1;
  return at;
}
