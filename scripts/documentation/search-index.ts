import MiniSearch from "minisearch";
import { plainText, type RenderedPage } from "./render.ts";
import { type Place, searchOptions } from "./search-options.ts";

/** The index of all places, a place being what stands below one heading, as JSON for the browser. */
export function createSearchIndex(pages: readonly RenderedPage[]): string {
  const index = new MiniSearch<Place>(searchOptions);
  index.addAll(pages.flatMap(findPlaces));
  return JSON.stringify(index);
}

function findPlaces({ page, html, headings }: RenderedPage): readonly Place[] {
  // Headings are the only elements with an id, each at its own beginning.
  const parts = html.split(/(?=<h[1-6] id=")/).filter((part) => /^<h[1-6] id="/.test(part));
  return parts.map((part, position) => {
    const heading = headings[position];
    if (heading === undefined) throw new Error(`${page.source}: its headings and its parts are not the same`);
    const body = part.replace(/^[\s\S]*?<\/h[1-6]>/, "").replace(/<\/(td|th|p|li|pre)>/g, "$& ");
    return {
      id: heading.level === 1 ? page.address : `${page.address}#${heading.id}`,
      heading: heading.text,
      page: heading.level === 1 ? heading.text : page.label,
      text: plainText(body).replace(/\s+/g, " ").trim(),
    };
  });
}
