import { timingSafeEqual } from "node:crypto";
import type { SignUpMode } from "../config/config.ts";

export interface SignUpRequest {
  readonly mode: SignUpMode;
  readonly accounts: number;
  /** The one-time token of the set-up address, and what the request brought. */
  readonly setupToken: string;
  readonly givenToken: string | undefined;
  /** Whether it brought an invitation that its address can accept. */
  readonly isInvited?: boolean;
}

/** An invitation lets its address in where sign-up is closed; never as the first of an instance. */
export type SignUpDecision = "allowed" | "allowed_by_token" | "closed" | "setup_token_needed";

/** Who may sign up. A fresh instance wants the token from its log: what a request says of its host proves nothing. */
export function decideSignUp({ mode, accounts, setupToken, givenToken, isInvited }: SignUpRequest): SignUpDecision {
  if (isInvited && accounts > 0) return "allowed";
  if (mode === "closed" || (mode === "first" && accounts > 0)) return "closed";
  if (accounts > 0) return "allowed";
  return givenToken !== undefined && equal(givenToken, setupToken) ? "allowed_by_token" : "setup_token_needed";
}

function equal(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
