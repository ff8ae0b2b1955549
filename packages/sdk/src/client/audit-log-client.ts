import type { CallOptions, Calls, Query } from "./call.ts";
import { eachOf } from "./paging.ts";

const listing = "GET /api/audit-log";
const exporting = "GET /api/audit-log/export";
const shortening = "POST /api/audit-log/shorten";

/** The account's audit log. Needs a session token: an API key sees none of it. */
export function createAuditLogClient({ call, lines }: Calls) {
  /** One page of entries, newest first. */
  const list = (query: Query<typeof listing> = {}, options?: CallOptions) => call(listing, { query }, options);
  return {
    list,
    /** All entries, newest first, fetched while they are consumed. */
    all: (options?: CallOptions) =>
      eachOf(
        (query) => list(query, options),
        (page) => page.entries,
      ),
    /**
     * The whole log in one streamed answer: a line about it, then the chained entries, oldest first. They are given as they come:
     * `sealpost verify-log` checks them. `after` continues after the entry of this number.
     */
    export: (query: Query<typeof exporting> = {}, options?: CallOptions): AsyncGenerator<unknown, void> =>
      lines(exporting, { query }, options),
    /**
     * Removes the oldest entries, up to this one of an export: keep the file. What stays verifies from there. Needs a sign-in of the last
     * hour; entries of the last 30 days stay.
     */
    shorten: (until: { readonly sequence: number; readonly hash: string }, options?: CallOptions) =>
      call(shortening, { body: { until } }, options),
  };
}
