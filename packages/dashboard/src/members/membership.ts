import type { Organization } from "@sealpost/sdk";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { client } from "../api/client.ts";

export type Role = Organization["role"];

/** The organizations of who is signed in. Asked again whenever an answer says that a role does not allow something. */
export const organizationsQuery = queryOptions({
  queryKey: ["organizations"],
  queryFn: ({ signal }) => client.organizations.list({ signal }),
  staleTime: 60_000,
});

const everybody = "owner manager reader developer auditor";
const staff = "owner manager";
const builders = "owner manager developer";

/**
 * The roles to which the pages offer an operation, by its id in the API's document. The service decides; a test holds this to
 * its table.
 */
export const offers = {
  getFormStatistics: everybody,
  listSubmissions: "owner manager reader",
  binSubmissions: staff,
  createForm: staff,
  rotateFormKeys: staff,
  deleteForm: staff,
  setRetention: staff,
  setNotifications: staff,
  getAccountNotifications: staff,
  updateForm: builders,
  listDeliveries: builders,
  listApiKeys: builders,
  getUsage: "owner manager auditor",
  listMembers: "owner manager auditor",
  listAuditEntries: "owner auditor",
  createInvitation: staff,
  renameOrganization: "owner",
} as const satisfies Record<string, string>;
export type Offer = keyof typeof offers;

export function isOffered(role: Role, offer: Offer): boolean {
  return offers[offer].includes(role);
}

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
