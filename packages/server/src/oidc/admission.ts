import type { Admission } from "../accounts/identity-store.ts";
import type { SignUpMode } from "../config/config.ts";
import type { OidcRefusalCode } from "./refusal.ts";

export interface AdmissionRequest {
  /** How the person was let in before; `undefined` for one who is new. */
  readonly known: Admission | undefined;
  readonly signUp: SignUpMode;
  readonly accounts: number;
  /** Whether the sign-in brings an invitation that this person can accept. */
  readonly isInvited: boolean;
  /** `undefined`: no group is asked for. */
  readonly allowedGroups: readonly string[] | undefined;
  /** Of the person; `undefined` when the provider did not say. */
  readonly groups: readonly string[] | undefined;
}

export type AdmissionDecision =
  | { readonly kind: "admitted"; readonly by: Admission }
  | { readonly kind: "refused"; readonly code: OidcRefusalCode };

/**
 * Who may come in by the identity provider, asked at each sign-in. Where groups are named, members of one alone, and who was
 * invited; else who has come before, who was invited, and everybody where sign-up is open. Never as the first of an instance:
 * that one proves to run the server.
 */
export function decideAdmission(request: AdmissionRequest): AdmissionDecision {
  const { known, signUp, accounts, isInvited, allowedGroups, groups } = request;
  if (accounts === 0) return { kind: "refused", code: "first_account" };
  // A link stays one, and so ends with a new password, also where somebody invites its account: any organization may.
  if (isInvited || known === "invitation") return { kind: "admitted", by: known === "link" ? "link" : "invitation" };
  if (allowedGroups !== undefined) {
    if (groups?.some((group) => allowedGroups.includes(group))) return { kind: "admitted", by: known ?? "group" };
    return { kind: "refused", code: groups === undefined ? "groups_missing" : "not_in_group" };
  }
  if (known !== undefined) return { kind: "admitted", by: known };
  return signUp === "open" ? { kind: "admitted", by: "open" } : { kind: "refused", code: "not_admitted" };
}
