import type { CallOptions, Calls, Query } from "./call.ts";
import { eachOf } from "./paging.ts";

const listing = "GET /api/audit-log";

/** The account's audit log. Needs a session token: an API key sees none of it. */
export function createAuditLogClient({ call }: Calls) {
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
  };
}
