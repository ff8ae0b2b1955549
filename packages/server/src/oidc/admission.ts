import type { Admission } from "../accounts/identity-store.ts";
import type { Inviter } from "../accounts/sign-up.ts";
import type { SignUpMode } from "../config/config.ts";
import type { OidcRefusalCode } from "./refusal.ts";

export interface AdmissionRequest {
  /** How the person was let in before; `undefined` for one who is new. */
  readonly known: Admission | undefined;
  readonly signUp: SignUpMode;
  readonly hasAccounts: boolean;
  /** The maker of the invitation that the sign-in brings and that this person can accept. It counts for somebody new alone. */
  readonly inviter?: Inviter | undefined;
  /** Members of these organizations, and people that they invite, are admitted whatever their groups. */
  readonly guestOrganizations: readonly string[];
  /** The organizations that a known person is a member of now. */
  readonly memberOf: readonly string[];
  /** `undefined`: no group is asked for. */
  readonly allowedGroups: readonly string[] | undefined;
  /** The person's groups; `undefined` when the provider did not say. */
  readonly groups: readonly string[] | undefined;
}

export type AdmissionDecision =
  | { readonly kind: "admitted"; readonly by: Admission }
  | { readonly kind: "refused"; readonly code: OidcRefusalCode };

/**
 * Who may come in by the identity provider, asked at each sign-in. Where groups are named: their members, people invited by an
 * operator, and guests, while they are members of an organization that the operator has named. Otherwise everybody who has come
 * before, who was invited, and everybody where sign-up is open. Never as the first of an instance: that one proves to run the
 * server. An invitation never loosens how a known person was let in: anybody with an organization of their own could then
 * arrange, by inviting each other, to outlast the group.
 */
export function decideAdmission(request: AdmissionRequest): AdmissionDecision {
  const { known, hasAccounts, allowedGroups } = request;
  if (!hasAccounts) return refuse("first_account");
  if (allowedGroups !== undefined) return decideByGroup(request, allowedGroups);
  if (known !== undefined) return admit(known);
  if (request.inviter !== undefined) return admit(request.inviter.kind);
  return request.signUp === "open" ? admit("open") : refuse("not_admitted");
}

function decideByGroup(request: AdmissionRequest, allowedGroups: readonly string[]): AdmissionDecision {
  const { known, inviter, groups, guestOrganizations } = request;
  if (groups?.some((group) => allowedGroups.includes(group))) return admit(known ?? "group");
  if (known === "operator") return admit(known);
  if (known === "organization" && request.memberOf.some((id) => guestOrganizations.includes(id))) return admit(known);
  if (known === undefined && inviter !== undefined) {
    const isTrusted = inviter.kind === "operator" || guestOrganizations.includes(inviter.organizationId);
    return isTrusted ? admit(inviter.kind) : refuse("inviter_not_trusted");
  }
  return refuse(groups === undefined ? "groups_missing" : "not_in_group");
}

function admit(by: Admission): AdmissionDecision {
  return { kind: "admitted", by };
}

function refuse(code: OidcRefusalCode): AdmissionDecision {
  return { kind: "refused", code };
}
