import {
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  defaultTreeAdapter,
  html,
  parse,
  type TreeAdapter,
} from "parse5";

/** An element, and for a script the text in it. */
export interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly text: string;
}

export interface Markup {
  /** HTML elements in document order. The contents of templates count only where they become a shadow root. */
  readonly tags: readonly Tag[];
  /** The address that relative ones are relative to, where the page names one. */
  readonly base: string | undefined;
  /** False with scripts inside SVG or MathML, and for what is nested deeper than browsers nest it. */
  readonly isClear: boolean;
}

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;
type ParentNode = DefaultTreeAdapterTypes.ParentNode;

/** Chromium nests no deeper (`kMaximumHTMLParserDOMTreeDepth`). The parser's time grows with the depth. */
const depthMax = 512;

/** Reads a page as browsers do with scripts switched on (HTML Standard, section 13.2). */
export function readMarkup(page: string): Markup {
  const { document, isShallow } = parseShallow(page);
  const tags: Tag[] = [];
  let isClear = isShallow;
  for (const element of listElements(document, true)) {
    const isScript = element.tagName === "script";
    const isForeign = element.namespaceURI !== html.NS.HTML;
    if (isScript && isForeign) isClear = false;
    const text = isScript ? element.childNodes.map(textOf).join("") : "";
    if (!isForeign) tags.push({ name: element.tagName, attributes: readAttributes(element), text });
  }
  return { tags, base: findBase(document), isClear };
}

/** The first one of the document counts, and none in a shadow root (HTML Standard, section 4.2.3). */
function findBase(document: Node): string | undefined {
  for (const element of listElements(document, false)) {
    const href = element.tagName === "base" ? readAttributes(element).get("href") : undefined;
    if (href !== undefined && element.namespaceURI === html.NS.HTML) return href;
  }
  return undefined;
}

/** The elements below a node, in their order. The content of a template is among them only where it becomes a shadow root. */
function* listElements(root: Node, entersShadows: boolean): Generator<Element> {
  const waiting: Node[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if ("childNodes" in node) for (const child of node.childNodes.toReversed()) waiting.push(child);
    if (!defaultTreeAdapter.isElementNode(node)) continue;
    yield node;
    if (entersShadows && "content" in node && readAttributes(node).has("shadowrootmode")) waiting.push(node.content);
  }
}

function readAttributes({ attrs }: Element): ReadonlyMap<string, string> {
  return new Map(attrs.map(({ name, value }) => [name, value]));
}

function textOf(node: Node): string {
  return defaultTreeAdapter.isTextNode(node) ? node.value : "";
}

/** The page up to where it is nested too deep. */
function parseShallow(page: string): {
  readonly document: DefaultTreeAdapterTypes.Document;
  readonly isShallow: boolean;
} {
  const depths = new WeakMap<Node, number>();
  let document = defaultTreeAdapter.createDocument();
  const settle = (parent: ParentNode, child: Node) => {
    const depth = (depths.get(parent) ?? 0) + 1;
    if (depth > depthMax) throw new DepthError();
    depths.set(child, depth);
  };
  const treeAdapter: TreeAdapter<DefaultTreeAdapterMap> = {
    ...defaultTreeAdapter,
    createDocument() {
      document = defaultTreeAdapter.createDocument();
      return document;
    },
    appendChild(parent, child) {
      settle(parent, child);
      defaultTreeAdapter.appendChild(parent, child);
    },
    insertBefore(parent, child, next) {
      settle(parent, child);
      defaultTreeAdapter.insertBefore(parent, child, next);
    },
    setTemplateContent(template, content) {
      depths.set(content, depths.get(template) ?? 0);
      defaultTreeAdapter.setTemplateContent(template, content);
    },
  };
  try {
    return { document: parse(page, { scriptingEnabled: true, treeAdapter }), isShallow: true };
  } catch (error) {
    if (error instanceof DepthError) return { document, isShallow: false };
    throw error;
  }
}

class DepthError extends Error {}
