import type { Options } from "minisearch";

/** A search result: the text below one heading. */
export interface Place {
  /** Its address on the site. */
  readonly id: string;
  readonly heading: string;
  readonly page: string;
  readonly text: string;
}

/** The same when the index is made and when it is read. */
export const searchOptions: Options<Place> = {
  fields: ["heading", "page", "text"],
  storeFields: ["heading", "page", "text"],
  searchOptions: {
    boost: { heading: 4, page: 2 },
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    combineWith: "AND",
  },
};
