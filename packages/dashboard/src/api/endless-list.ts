import { ApiError } from "@sealpost/sdk";

export interface FormsPage<Form = unknown> {
  readonly forms: readonly Form[];
  readonly nextCursor: string | null;
}

/** An organization has 10,000 at most. */
const formsMax = 10_000;

/** Throws where a list of forms, of which there are `count` with this page, would never end. */
export function refuseEndless({ forms, nextCursor }: FormsPage, count: number): void {
  const isEndless = count > formsMax || (forms.length === 0 && nextCursor !== null);
  if (isEndless) throw new ApiError("The server's list has no end", { status: 200, code: "unexpected_answer" });
}

/**
 * The page at a cursor, `""` for the first, or the next one with something on it: of a filtered list, a page may be empty although
 * others follow.
 */
export async function loadFilled<Page extends { readonly nextCursor: string | null }>(
  cursor: string,
  load: (query: { readonly cursor?: string }) => Promise<Page>,
  itemsOf: (page: Page) => readonly unknown[],
): Promise<Page> {
  for (let at = cursor; ; ) {
    const page = await load(at === "" ? {} : { cursor: at });
    if (itemsOf(page).length > 0 || page.nextCursor === null) return page;
    if (page.nextCursor === at)
      throw new ApiError("The server's list has no end", { status: 200, code: "unexpected_answer" });
    at = page.nextCursor;
  }
}
