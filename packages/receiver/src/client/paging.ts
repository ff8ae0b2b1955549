interface Page {
  readonly nextCursor: string | null;
}

/** All items of a paged list, one page fetched at a time as they are consumed. */
export async function* eachOf<OnePage extends Page, Item>(
  loadPage: (cursor: string | undefined) => Promise<OnePage>,
  itemsOf: (page: OnePage) => readonly Item[],
): AsyncGenerator<Item, void> {
  let cursor: string | undefined;
  do {
    const page = await loadPage(cursor);
    yield* itemsOf(page);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
