import type { InstanceAccount, InstanceOrganization } from "@sealpost/sdk";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import type { Sort } from "./instance-search.ts";

/** The answers of the instance page's API, each with its key. */
export const instanceQuery = queryOptions({
  queryKey: ["instance"],
  queryFn: ({ signal }) => client.instance.get({ signal }),
  staleTime: 10_000,
  // Another try gives the same refusal.
  retry: false,
});

/** A page of a list that can be searched and sorted. */
export interface Asked {
  readonly search: string;
  readonly sort: Sort;
  /** Empty for the first. */
  readonly cursor: string;
}

export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
  readonly nextCursor: string | null;
}

const toQuery = ({ search, cursor }: Asked) => ({
  limit: 20,
  ...(search !== "" && { search }),
  ...(cursor !== "" && { cursor }),
});
const paged = {
  initialPageParam: "",
  getNextPageParam: (page: { readonly nextCursor: string | null }) => page.nextCursor,
  staleTime: 0,
};

export const organizationsOf = (asked: Asked) => ({
  queryKey: ["instance", "organizations", asked] as const,
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<ListPage<InstanceOrganization>> => {
    const sort = asked.sort === "address" ? "newest" : asked.sort;
    const { organizations, ...page } = await client.instance.organizations({ ...toQuery(asked), sort }, { signal });
    return { ...page, rows: organizations };
  },
  staleTime: 0,
});

export const accountsOf = (asked: Asked) => ({
  queryKey: ["instance", "accounts", asked] as const,
  queryFn: async ({ signal }: { readonly signal: AbortSignal }): Promise<ListPage<InstanceAccount>> => {
    const sort = asked.sort === "address" ? "address" : "newest";
    const { accounts, ...page } = await client.instance.accounts({ ...toQuery(asked), sort }, { signal });
    return { ...page, rows: accounts };
  },
  staleTime: 0,
});

/** The open invitations to make an account. */
export const instanceInvitations = queryOptions({
  queryKey: ["instance", "invitations"],
  queryFn: ({ signal }) => client.instance.invitations({ signal }),
  staleTime: 0,
});

export const failedEmails = infiniteQueryOptions({
  queryKey: ["instance", "emails"],
  queryFn: ({ pageParam, signal }) =>
    client.instance.failedEmails({ limit: 20, ...(pageParam !== "" && { cursor: pageParam }) }, { signal }),
  ...paged,
});

export const instanceLog = infiniteQueryOptions({
  queryKey: ["instance", "log"],
  queryFn: ({ pageParam, signal }) =>
    client.instance.log({ limit: 20, ...(pageParam !== "" && { cursor: pageParam }) }, { signal }),
  ...paged,
});
