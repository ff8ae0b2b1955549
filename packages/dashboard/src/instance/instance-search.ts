/** The parts of the instance page, by the name in its address. */
export const instanceViews = ["health", "organizations", "accounts", "emails", "log"] as const;
export type InstanceView = (typeof instanceViews)[number];

/** The orders of its lists. */
export const sorts = ["newest", "name", "storage", "address"] as const;
export type Sort = (typeof sorts)[number];

/** The part that is shown, the page of its list, and the dialog over it: Back and a reload know them. */
export interface InstanceSearch {
  readonly view?: InstanceView | undefined;
  readonly search?: string | undefined;
  readonly sort?: Sort | undefined;
  /** The cursor of the page. */
  readonly after?: string | undefined;
  /** The id of a row whose dialog is open; or `invite`. */
  readonly open?: string | undefined;
}

/** Each name is there, or the router keeps what was in the address. */
export function readInstanceSearch({ view, search, sort, after, open }: Record<string, unknown>): InstanceSearch {
  // The router reads digits as a number.
  const text = typeof search === "number" ? String(search) : search;
  return {
    view: instanceViews.find((one) => one === view),
    search: typeof text === "string" && text !== "" ? text.slice(0, 100) : undefined,
    sort: sorts.find((one) => one === sort),
    after: typeof after === "string" && /^[\w-]{1,300}$/.test(after) ? after : undefined,
    open: typeof open === "string" && /^(acc_[0-9a-z]{26}|invite)$/.test(open) ? open : undefined,
  };
}
