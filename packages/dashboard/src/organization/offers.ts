import type { Organization } from "@sealpost/sdk";

export type Role = Organization["role"];

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
  removeKeyLog: "owner",
  deleteForm: staff,
  setRetention: staff,
  setNotifications: staff,
  getAccountNotifications: staff,
  updateForm: builders,
  listDeliveries: builders,
  resendDelivery: staff,
  listApiKeys: builders,
  getUsage: "owner manager auditor",
  listMembers: "owner manager auditor",
  listAuditEntries: "owner auditor",
  createInvitation: staff,
  createAdmission: staff,
  renameOrganization: "owner",
  takeOverUsage: "owner",
  setSecondFactorRule: "owner",
  setRecoveryRule: "owner",
  deleteOrganization: "owner",
  handOverForm: "owner",
  setFormHold: "owner",
  shortenAuditLog: "owner",
} as const satisfies Record<string, string>;
export type Offer = keyof typeof offers;

export function isOffered(role: Role, offer: Offer): boolean {
  return offers[offer].includes(role);
}
