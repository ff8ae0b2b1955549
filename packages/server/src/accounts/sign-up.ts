import { timingSafeEqual } from "node:crypto";
import type { SignUpMode } from "../config.ts";

export interface SignUpRequest {
  readonly mode: SignUpMode;
  readonly accounts: number;
  /** The one-time token of the set-up address, and what the request brought. */
  readonly setupToken: string;
  readonly givenToken: string | undefined;
  /** Whether the listening host, the base URL and the request's Host are loopback, without a proxy or a forwarding header. */
  readonly isLoopback: boolean;
}

export type SignUpDecision = "allowed" | "closed" | "setup_token_needed";

/** Who may sign up (decisions, section 3). A fresh instance wants the token from its log, unless only this machine can be asking. */
export function decideSignUp({ mode, accounts, setupToken, givenToken, isLoopback }: SignUpRequest): SignUpDecision {
  if (mode === "closed" || (mode === "first" && accounts > 0)) return "closed";
  if (accounts > 0 || isLoopback) return "allowed";
  return givenToken !== undefined && equal(givenToken, setupToken) ? "allowed" : "setup_token_needed";
}

function equal(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
