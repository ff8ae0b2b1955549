import { ApiError } from "./api-error.ts";

interface Page {
  readonly nextCursor: string | null;
}

/** Pages as large as the service makes them. */
const itemsAtOnce = 100;

/** The query of one page, and of the first one without a `cursor`. */
interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

/** All items of a paged list, one page fetched at a time while they are consumed. Throws when the server goes round in circles. */
export async function* eachOf<OnePage extends Page, Item>(
  loadPage: (query: PageQuery) => Promise<OnePage>,
  itemsOf: (page: OnePage) => readonly Item[],
): AsyncGenerator<Item, void> {
  let cursor: string | undefined;
  do {
    const page = await loadPage({ limit: itemsAtOnce, ...(cursor === undefined ? {} : { cursor }) });
    yield* itemsOf(page);
    const next = page.nextCursor ?? undefined;
    if (next !== undefined && next === cursor)
      throw new ApiError("The server's list has no end", { status: 200, code: "unexpected_answer" });
    cursor = next;
  } while (cursor !== undefined);
}
