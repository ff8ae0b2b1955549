import type { Permission } from "./permission.ts";
import { permissions } from "./permission.ts";

/** The roles of members of an organization, from the one that may do most (docs/decisions/0023-organizations.md). */
export const roles = ["owner", "manager", "reader", "developer", "auditor"] as const;
export type Role = (typeof roles)[number];

/** Roles for some of the organization's forms, which their members name. */
export const rolesOfNamedForms = ["reader", "developer"] as const satisfies readonly Role[];

/** The permissions of API keys that a role holds: a key of its member has no others. */
export const permissionsOfRole = {
  owner: permissions,
  manager: permissions,
  reader: ["forms:read", "submissions:read"],
  developer: ["forms:read", "forms:write"],
  auditor: ["forms:read"],
} as const satisfies Record<Role, readonly Permission[]>;

/** The roles that a member of each role may give, change and end, but for their own. */
const manageable = {
  owner: roles,
  manager: rolesOfNamedForms,
  reader: [],
  developer: [],
  auditor: [],
} as const satisfies Record<Role, readonly Role[]>;

/** Whether a member of this role may give, change and end that one. Nobody does that with rights above their own. */
export function mayManage(role: Role, other: Role): boolean {
  return manageable[role].some((one) => one === other);
}

/** Whether a member who gets the other role instead of this one may manage fewer roles: an owner's or a manager's rights are taken. */
export function managesFewer(role: Role, other: Role): boolean {
  return manageable[other].length < manageable[role].length;
}

const everybody = roles;
const staff = ["owner", "manager"] as const;
const builders = ["owner", "manager", "developer"] as const;
const readers = ["owner", "manager", "reader"] as const;

/**
 * The roles that may do each operation of an organization, by operation id, with a session; with an API key its permissions
 * decide too. Of forms, readers and developers reach the named ones alone. Operations about the person are not here: they
 * have `access: "person"`; those of the instance's operators `access: "operator"`, which is no role.
 */
export const operationRoles = {
  listForms: everybody,
  getForm: everybody,
  listFormKeys: everybody,
  getFormStatistics: everybody,
  getRetention: everybody,
  getNotifications: everybody,
  getUsage: ["owner", "manager", "auditor"],
  // The maker of a key pair can open what is sealed to it.
  createForm: staff,
  reserveForm: staff,
  rotateFormKeys: staff,
  closeFormKeys: staff,
  addKeyLogEntry: staff,
  // Pages that pin it send nothing from then on.
  removeKeyLog: ["owner"],
  deleteForm: staff,
  setRetention: staff,
  setNotifications: staff,
  getAccountNotifications: staff,
  setAccountNotifications: staff,
  updateForm: builders,
  proveFormKey: readers,
  // The list names its members; who opens envelopes has to check it.
  getMemberList: [...readers, "auditor"],
  getMemberListNames: [...readers, "auditor"],
  // Members who are not staff put their own replaced key into it, and nothing else.
  addMemberListEntry: [...readers, "auditor"],
  // Entries that others have signed, and that the service has lost.
  // Entries of anybody: as much as an owner may do.
  giveBackMemberListEntries: ["owner"],
  listAdmissions: staff,
  getAdmission: staff,
  createAdmission: staff,
  revokeAdmission: staff,
  refuseAdmissionAnswer: staff,
  listEnvelopes: readers,
  getEnvelope: readers,
  listEnvelopeRevisions: readers,
  putEnvelope: staff,
  // Only owners rotate without an envelope, and so without its readers.
  removeEnvelopes: ["owner"],
  restoreEnvelopes: ["owner"],
  getWebhookSecret: builders,
  rotateWebhookSecret: builders,
  testWebhook: builders,
  listDeliveries: builders,
  getDelivery: builders,
  resendDelivery: staff,
  listSubmissions: readers,
  getSubmission: readers,
  exportSubmissions: readers,
  listBin: readers,
  binSubmissions: staff,
  restoreSubmissions: staff,
  emptyBin: staff,
  deleteSubmission: staff,
  deleteSubmissions: staff,
  deleteListedSubmissions: staff,
  listApiKeys: builders,
  createApiKey: builders,
  revokeApiKey: builders,
  listAuditEntries: ["owner", "auditor"],
  exportAuditLog: ["owner", "auditor"],
  shortenAuditLog: ["owner"],
  renameOrganization: ["owner"],
  takeOverUsage: ["owner"],
  setSecondFactorRule: ["owner"],
  setRecoveryRule: ["owner"],
  deleteOrganization: ["owner"],
  keepOrganization: ["owner"],
  handOverForm: ["owner"],
  // People who delete submissions day by day must not decide that evidence may go.
  setFormHold: ["owner"],
  liftFormHold: ["owner"],
  listMembers: ["owner", "manager", "auditor"],
  changeMember: staff,
  removeMember: staff,
  leaveOrganization: everybody,
  listInvitations: staff,
  createInvitation: staff,
  revokeInvitation: staff,
} as const satisfies Record<string, readonly Role[]>;
export type RoleOperation = keyof typeof operationRoles;

/** The roles of an operation; `undefined` for one without a row, which no route may have. */
export function findRoles(operationId: unknown): readonly Role[] | undefined {
  return typeof operationId === "string" && Object.hasOwn(operationRoles, operationId)
    ? operationRoles[operationId as RoleOperation] // just checked
    : undefined;
}

/** Whether members of the role reach the forms that their membership names, and no others. */
export function hasNamedForms(role: Role): boolean {
  return rolesOfNamedForms.some((one) => one === role);
}
