import { randomBytes } from "node:crypto";
import type { AccountId } from "@sealpost/wire";
import { createSealedCookie, type SealedCookie } from "../http/sealed-cookie.ts";
import type { SecretBox } from "../instance/secret-box.ts";

/** Why somebody is sent to the provider: to sign in, to link it with the account of a session, or to prove to be its owner. */
export const purposes = ["sign_in", "link", "confirm"] as const;
export type Purpose = (typeof purposes)[number];

/** A way to the provider and back. It is kept by the browser alone, sealed, so that no other browser can end it. */
export interface Flow {
  readonly purpose: Purpose;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly issuer: string;
  readonly redirectUri: string;
  readonly startedAt: number;
  /** Of the session that links or confirms. */
  readonly session: { readonly id: string; readonly personId: AccountId } | undefined;
  readonly invitation: string | undefined;
  /** A path of the dashboard to return to. */
  readonly next: string | undefined;
}

/** A person types a password and a code, looks for a device, or asks somebody. */
export const flowMilliseconds = 15 * 60_000;

export const randomValue = (): string => randomBytes(32).toString("base64url");

export type FlowCookies = SealedCookie<Flow>;

/** Lax: the way back from the provider is a navigation from another site. */
export function createFlowCookies(secretBox: Pick<SecretBox, "seal" | "open">, isHttps: boolean): FlowCookies {
  return createSealedCookie(secretBox, {
    ...{ name: "sealpost_oidc", context: "oidc-flow", sameSite: "Lax", isHttps },
    lifetimeMilliseconds: flowMilliseconds,
  });
}

/** A path of the dashboard, and nothing that a browser could take for another site. */
export function parseNext(next: unknown): string | undefined {
  return typeof next === "string" && next.length <= 500 && /^\/(?!\/)[\w/-]*(\?submission=\w+)?$/.test(next)
    ? next
    : undefined;
}
