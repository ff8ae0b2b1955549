import { findClaimedHead, findLater } from "@sealpost/envelope";
import type { FormListItem, Member } from "@sealpost/sdk";
import { createListApi, type ListApi } from "@sealpost/sdk/envelopes";
import { queryOptions, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import type { Role } from "./offers.ts";

export const membersQuery = queryOptions({
  queryKey: ["members"],
  queryFn: ({ signal }) => client.members.list({ signal }),
});

export const invitationsQuery = queryOptions({
  queryKey: ["invitations"],
  queryFn: ({ signal }) => client.invitations.list({ signal }),
});

const listKey = ["members", "list"] as const;

/** The signed list as the server shows it; empty where there is none. What it says counts only once it was checked. */
export const memberListTextQuery = queryOptions({
  queryKey: listKey,
  queryFn: ({ signal, client: queryClient }) =>
    fetchListText(createListApi(client, { signal }), queryClient.getQueryData<string>(listKey)),
});

/** Fetches later entries alone, where this tab has the text of before. */
async function fetchListText(api: Pick<ListApi, "fetchList" | "fetchFrom">, before = ""): Promise<string> {
  const head = before === "" ? undefined : await findClaimedHead(new TextEncoder().encode(before));
  const served = head && (await api.fetchFrom(head));
  if (served === "unchanged") return before;
  const later = head && served && (await findLater(served, head));
  return later === undefined ? toText(await api.fetchList()) : before + toText(later);
}

const toText = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

export const roles = ["owner", "manager", "reader", "developer", "auditor"] as const satisfies readonly Role[];

/** The roles that are for some forms, which the membership names. */
export const isForNamedForms = (role: Role): boolean => role === "reader" || role === "developer";

/** The roles that may read submissions, and so need a key in the signed list. */
export const readingRoles: readonly Role[] = ["owner", "manager", "reader"];

/** The roles that a member with this one gives, changes and ends. */
export function manageableRoles(role: Role | undefined): readonly Role[] {
  if (role === "owner") return roles;
  return role === "manager" ? roles.filter(isForNamedForms) : [];
}

interface AllForms {
  readonly forms: readonly FormListItem[];
  readonly isComplete: boolean;
  /** Why they never will be; `null` while nothing failed. */
  readonly error: Error | null;
}

/** All forms, however many pages of them there are. */
export function useAllForms(): AllForms {
  const list = useInfiniteQuery(queries.forms());
  const { hasNextPage, isFetching, isError, fetchNextPage } = list;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  const forms = list.data?.pages.flatMap((page) => page.forms) ?? [];
  return { forms, isComplete: list.isSuccess && !hasNextPage, error: list.error };
}

/** Whether nobody else could own the organization: a disabled owner can't. */
export function isLastOwner(members: readonly Member[], member: Member): boolean {
  return (
    member.role === "owner" &&
    member.unprovenAddress === undefined &&
    !members.some(
      (one) => one.id !== member.id && one.role === "owner" && !one.disabled && one.unprovenAddress === undefined,
    )
  );
}
