import type { Page } from "playwright-core";
import { withoutData } from "../../packages/texts/testing/made-up.ts";

/** Addresses, ids and the like are data wherever they are shown. */
const data = [/\S+@[\w.-]+/g, /https?:\/\/\S+/g, /\b(?:form|sub|key|dlv|acc|adm|org|req)_[0-9a-zA-Z]+/g];

/** Every text on a page that has an English letter: what is shown, what a screen reader says, and the title; but for data and `translate="no"`. */
export async function findEnglish(page: Page): Promise<readonly string[]> {
  const shown = await page.evaluate(() => {
    const attributes = [
      "aria-label",
      "aria-description",
      "aria-roledescription",
      "aria-valuetext",
      "alt",
      "placeholder",
      "title",
    ];
    const isOurs = (element: Element) => element.closest("[translate=no], script, style, noscript") === null;
    const found: [words: string, where: string][] = [[document.title, "title"]];
    const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node instanceof Text && node.parentElement !== null && isOurs(node.parentElement))
        found.push([node.data, node.parentElement.outerHTML.slice(0, 200)]);
      if (node instanceof Element && isOurs(node))
        for (const name of attributes)
          found.push([node.getAttribute(name) ?? "", `${name} of ${node.outerHTML.slice(0, 200)}`]);
    }
    return found;
  });
  const hasEnglish = (words: string) =>
    /[A-Za-z]/.test(data.reduce((rest, one) => rest.replace(one, ""), withoutData(words)));
  return [
    ...new Set(shown.filter(([words]) => hasEnglish(words)).map(([words, where]) => `${words.trim()}  <  ${where}`)),
  ];
}
