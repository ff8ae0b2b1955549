import type { CallOptions, Calls, Query } from "./call.ts";
import { eachOf } from "./paging.ts";

const listing = "GET /api/audit-log";
const exporting = "GET /api/audit-log/export";

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
  };
}
