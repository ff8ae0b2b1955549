/**
 * Whether an answer is from an earlier visit of the page and is asked for again. Of a list that was empty then, the page doesn't say that it is:
 * what people wait for may have come meanwhile.
 */
export function isKept(query: { readonly isFetching: boolean; readonly isFetchedAfterMount: boolean }): boolean {
  return query.isFetching && !query.isFetchedAfterMount;
}
