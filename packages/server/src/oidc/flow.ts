import { randomBytes } from "node:crypto";
import { isNext } from "@sealpost/dashboard/pages";
import type { AccountId } from "@sealpost/wire";
import { createSealedCookies, type SealedCookies } from "../http/sealed-cookies.ts";
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
  /** The session that links or confirms. */
  readonly session: { readonly id: string; readonly personId: AccountId } | undefined;
  readonly invitation: string | undefined;
  /** A path of the dashboard to return to. */
  readonly next: string | undefined;
}

/** A person types a password and a code, looks for a device, or asks somebody. */
export const flowMilliseconds = 15 * 60_000;

export const randomValue = (): string => randomBytes(32).toString("base64url");

/** Tabs in which a person may be on the way at the same time; the oldest flow gives way to another one. */
const flowsMax = 4;

/** Flows that a browser has begun, by their state. */
export type FlowCookies = SealedCookies<Flow>;

/** Lax: the way back from the provider is a navigation from another site. */
export function createFlowCookies(secretBox: Pick<SecretBox, "sealer">, isHttps: boolean): FlowCookies {
  return createSealedCookies<Flow>(secretBox.sealer("oidc-flow"), {
    ...{ name: "sealpost_oidc", sameSite: "Lax", isHttps, most: flowsMax },
    keyOf: ({ state }) => state,
    lifetimeMilliseconds: flowMilliseconds,
  });
}

export function parseNext(next: unknown): string | undefined {
  return isNext(next) ? next : undefined;
}
