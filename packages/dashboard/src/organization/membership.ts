import type { Organization } from "@sealpost/sdk";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { client, findShownOrganization, showOrganization } from "../api/client.ts";
import { isOffered, type Offer } from "./offers.ts";

/** The organizations of who is signed in. Asked again whenever an answer says that a role does not allow something. */
export const organizationsQuery = queryOptions({
  queryKey: ["organizations"],
  queryFn: async ({ signal }) => {
    const list = await client.organizations.list({ signal });
    // Requests name the organization that is shown, until this page itself switches: those of a page left open are refused.
    if (findShownOrganization() === undefined) showOrganization(list.organizations.find(({ current }) => current)?.id);
    return list;
  },
  staleTime: 60_000,
});

/** The organization that this session acts for; `undefined` when there is none, or while it is not known. */
export function useMembership(): Organization | undefined {
  return useQuery(organizationsQuery).data?.organizations.find(({ current }) => current);
}

/**
 * Whether the role of who is signed in is for an operation. While that is not known, everything is offered, as to the one
 * person that most instances have.
 */
export function useMay(): (offer: Offer) => boolean {
  const { data } = useQuery(organizationsQuery);
  const role = data?.organizations.find(({ current }) => current)?.role;
  return (offer) => (role === undefined ? data === undefined : isOffered(role, offer));
}
