/** An element's start tag, and for a script the text in it. */
export interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly text: string;
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  quot: '"',
  apos: "'",
  lt: "<",
  gt: ">",
  "#39": "'",
  "#34": '"',
};

/**
 * The start tags with these names in a page, in their order. Not a parser of HTML, but enough for pages that are honest: what is in comments
 * is left out, and so are tags in strings of scripts. In one pass, however long the page is: a tag that never ends is the last.
 */
export function readTags(html: string, names: readonly string[]): readonly Tag[] {
  const tags: Tag[] = [];
  const opening = /<!--|<([a-z][a-z0-9-]*)/gi;
  for (let match = opening.exec(html); match !== null; match = opening.exec(html)) {
    const name = match[1]?.toLowerCase();
    const start = opening.lastIndex;
    const end = name === undefined ? html.indexOf("-->", start) : findTagEnd(html, start);
    if (end === -1) break;
    opening.lastIndex = end + 1;
    if (name === undefined) continue;
    const text = name === "script" ? readScript(html, opening.lastIndex) : "";
    opening.lastIndex += text.length;
    if (names.includes(name)) tags.push({ name, attributes: readAttributes(html.slice(start, end)), text });
  }
  return tags;
}

/** Where the `>` of a tag is, which is not one in a quoted value; -1 if there is none. */
function findTagEnd(html: string, start: number): number {
  const mark = /=\s*["']|>/g;
  mark.lastIndex = start;
  for (let match = mark.exec(html); match !== null; match = mark.exec(html)) {
    if (match[0] === ">") return match.index;
    const end = html.indexOf(match[0].at(-1) ?? "", mark.lastIndex);
    if (end === -1) return -1;
    mark.lastIndex = end + 1;
  }
  return -1;
}

function readScript(html: string, start: number): string {
  const closing = /<\/script/gi;
  closing.lastIndex = start;
  return html.slice(start, closing.exec(html)?.index ?? html.length);
}

function readAttributes(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = "", quoted, single, bare] of text.matchAll(
    /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g,
  )) {
    const value = quoted ?? single ?? bare ?? "";
    if (!attributes.has(name.toLowerCase())) attributes.set(name.toLowerCase(), decode(value));
  }
  return attributes;
}

function decode(value: string): string {
  return value.replace(/&(#?\w{1,6});/g, (all, name: string) => entities[name] ?? all);
}
