import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { client } from "../api/client.ts";

/** The answers of the instance page's API, each with its key. */
export const instanceQuery = queryOptions({
  queryKey: ["instance"],
  queryFn: ({ signal }) => client.instance.get({ signal }),
  staleTime: 10_000,
  // Another try gives the same refusal.
  retry: false,
});

export type OrganizationSort = "newest" | "name" | "storage";
export type AccountSort = "newest" | "address";

interface Asked<Sort> {
  readonly search: string;
  readonly sort: Sort;
}

const pageOf = <Sort>({ search, sort }: Asked<Sort>, cursor: string) => ({
  limit: 20,
  sort,
  ...(search !== "" && { search }),
  ...(cursor !== "" && { cursor }),
});
const paged = {
  initialPageParam: "",
  getNextPageParam: (page: { readonly nextCursor: string | null }) => page.nextCursor,
  staleTime: 0,
};

export const organizationsOf = (asked: Asked<OrganizationSort>) =>
  infiniteQueryOptions({
    queryKey: ["instance", "organizations", asked],
    queryFn: ({ pageParam, signal }) => client.instance.organizations(pageOf(asked, pageParam), { signal }),
    ...paged,
  });

export const accountsOf = (asked: Asked<AccountSort>) =>
  infiniteQueryOptions({
    queryKey: ["instance", "accounts", asked],
    queryFn: ({ pageParam, signal }) => client.instance.accounts(pageOf(asked, pageParam), { signal }),
    ...paged,
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
