import { timingSafeEqual } from "node:crypto";
import type { AccountId } from "@sealpost/wire";
import type { SignUpMode } from "../config/config.ts";

/** The maker of an invitation: an organization, or an operator, to the instance. */
export type Inviter =
  | { readonly kind: "organization"; readonly organizationId: AccountId }
  | { readonly kind: "operator" };

/** The invitations by which somebody may sign up, to an organization or to the instance. */
export interface SignUpInvitations {
  /** Throws unless the token is of an invitation for this address that can be accepted. */
  check(token: string, email: string): Promise<Inviter>;
  /** The same, just before the account is made. */
  use(token: string, email: string): Promise<UsedInvitation>;
}

export interface UsedInvitation {
  /** Whether the person gets an organization of their own; if not, they belong only to the one that invited them. */
  readonly hasOwnOrganization: boolean;
  /** Whether the link was only ever emailed, so that using it proves the mailbox. */
  readonly provesAddress: boolean;
  /** Uses it up, in the unit of work that has made the account. Throws when it has ended meanwhile. */
  accept(personId: AccountId): Promise<void>;
}

export interface SignUpRequest {
  readonly mode: SignUpMode;
  readonly hasAccounts: boolean;
  /** The one-time token of the set-up address, and what the request brought. */
  readonly setupToken: string;
  readonly givenToken: string | undefined;
  /** Whether it brought an invitation that its address can accept. */
  readonly isInvited?: boolean;
}

/** An invitation lets its address in where sign-up is closed; never as the first of an instance. */
export type SignUpDecision = "allowed" | "allowed_by_token" | "closed" | "setup_token_needed";

/** Whether somebody may sign up. A fresh instance wants the token from its log: what a request says of its host proves nothing. */
export function decideSignUp({ mode, hasAccounts, setupToken, givenToken, isInvited }: SignUpRequest): SignUpDecision {
  if (isInvited && hasAccounts) return "allowed";
  if (mode === "closed" || (mode === "first" && hasAccounts)) return "closed";
  if (hasAccounts) return "allowed";
  return givenToken !== undefined && equal(givenToken, setupToken) ? "allowed_by_token" : "setup_token_needed";
}

function equal(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
