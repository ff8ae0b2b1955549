/** Why a sign-in by the identity provider came to nothing, with what its page says of it (`packages/texts/src/en/dashboard/oidc.ts`). */
export const oidcRefusals = [
  "away",
  "busy",
  "misconfigured",
  "cancelled",
  "expired",
  "refused",
  "clock",
  "email_missing",
  "email_taken",
  "not_admitted",
  "not_in_group",
  "groups_missing",
  "first_account",
  "invitation_ended",
  "invitation_other_address",
  "inviter_not_trusted",
  "disabled",
  "linked_elsewhere",
  "linked_already",
  "session_changed",
  "not_fresh",
  "code_needed",
  "other_person",
  "full",
] as const;
export type OidcRefusalCode = (typeof oidcRefusals)[number];

/** Ends a sign-in. `detail` is for the operator alone: it may name what the provider said, never a person. */
export class OidcRefusal extends Error {
  readonly code: OidcRefusalCode;
  readonly detail: string;

  constructor(code: OidcRefusalCode, detail = "", cause?: unknown) {
    super(`${code}${detail === "" ? "" : `: ${detail}`}`, { cause });
    this.code = code;
    this.detail = detail;
  }
}
