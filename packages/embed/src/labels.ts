import { type Control, nameOfControl, unclobbered } from "./page.ts";

/**
 * Gives the names for visitors of an unclobbered form's controls: their labels, or a substitute. With one look at the page; a control's own
 * `labels` is a look at all of it.
 */
export function createLabelOf(form: HTMLFormElement): (control: Control) => string {
  const root = unclobbered(form.getRootNode() as Document); // or a shadow root, which has the same method
  const labels = [...root.querySelectorAll("label")];
  return (control) => {
    const label = labels.find((one) => one.control === control);
    return (label ? captionOf(label) : (control.getAttribute("aria-label") ?? nameOfControl(control))).trim();
  };
}

/** The text of a label, without what was typed or can be chosen inside it, and without what only explains: `small`, and all after a break. */
function captionOf(node: Node): string {
  let text = "";
  for (const child of node.childNodes) {
    if (child.nodeName === "BR" && text.trim()) break;
    if (!/^(#comment|SMALL|SELECT|BUTTON|DATALIST|TEXTAREA)$/.test(child.nodeName))
      // How the page's source is wrapped means nothing; white space around elements may part what is not one line.
      text += child.nodeValue?.replace(/(\S)\s+(?=\S)/g, "$1 ") ?? captionOf(child);
  }
  return text;
}
