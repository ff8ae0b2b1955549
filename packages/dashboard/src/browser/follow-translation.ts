/** The element that stands for a text of the app. */
const translations = new WeakMap<Node, Element>();

/**
 * A browser that translates a page takes the app's texts out of it, and puts elements of its own in their place. A text that the app
 * changes afterwards comes back into the page, where it is translated once more; one that the app takes away takes its translation along.
 */
export function followTranslation(): void {
  const observer = new MutationObserver((changes) => {
    for (const change of changes) {
      if (change.type === "characterData") putBack(change.target);
      for (const text of change.removedNodes) {
        const translation = findTranslation(text, change);
        if (translation === undefined) continue;
        translations.set(text, translation);
        observer.observe(text, { characterData: true });
      }
    }
  });
  observer.observe(document, { childList: true, subtree: true });
  takeTranslationsAlong();
}

function findTranslation(
  text: Node,
  { addedNodes, previousSibling, nextSibling }: MutationRecord,
): Element | undefined {
  if (!(text instanceof Text) || text.isConnected) return undefined;
  return [addedNodes[0], previousSibling, nextSibling].find(
    (node): node is Element => node instanceof HTMLElement && node.localName === "font",
  );
}

function putBack(text: Node): void {
  const translation = translations.get(text);
  translations.delete(text);
  if (text instanceof Text && !text.isConnected) translation?.replaceWith(text);
}

/** React removes, and inserts before, the texts that it has made, wherever they are by now. */
function takeTranslationsAlong(): void {
  const { removeChild, insertBefore } = Node.prototype;
  const inPlaceOf = (node: Node, parent: Node): Node => {
    const translation = translations.get(node);
    return node.parentNode !== parent && translation?.parentNode === parent ? translation : node;
  };
  Node.prototype.removeChild = function remove<Child extends Node>(this: Node, child: Child): Child {
    removeChild.call(this, inPlaceOf(child, this));
    return child;
  };
  Node.prototype.insertBefore = function insert<Added extends Node>(
    this: Node,
    added: Added,
    before: Node | null,
  ): Added {
    insertBefore.call(this, added, before && inPlaceOf(before, this));
    return added;
  };
}
