import { randomBytes } from "node:crypto";
import type { AccountId } from "@sealpost/wire";
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

export interface FlowCookies {
  /** The `Set-Cookie` header that begins a flow. */
  set(flow: Flow): string;
  /** The `Set-Cookie` header that ends it. */
  readonly end: string;
  /** `undefined` without one, and for one that is not ours or too old. */
  find(cookies: string | undefined, now: number): Flow | undefined;
}

export function createFlowCookies(secretBox: Pick<SecretBox, "seal" | "open">, isHttps: boolean): FlowCookies {
  const name = `${isHttps ? "__Host-" : ""}sealpost_oidc`;
  // Lax: the way back from the provider is a navigation from another site.
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isHttps ? "; Secure" : ""}`;
  return {
    set: (flow) =>
      `${name}=${encodeURIComponent(secretBox.seal(JSON.stringify(flow), context))}; Max-Age=${flowMilliseconds / 1000}; ${attributes}`,
    end: `${name}=; Max-Age=0; ${attributes}`,
    find(cookies, now) {
      const value = cookies
        ?.split(";")
        .map((part) => part.trim())
        .find((part) => part.startsWith(`${name}=`))
        ?.slice(name.length + 1);
      const flow = value === undefined || value === "" ? undefined : openFlow(secretBox, value);
      const age = flow === undefined ? Number.NaN : now - flow.startedAt;
      return age >= 0 && age <= flowMilliseconds ? flow : undefined;
    },
  };
}

const context = "oidc-flow";

function openFlow(secretBox: Pick<SecretBox, "open">, value: string): Flow | undefined {
  try {
    // Only `set` writes what opens under this context.
    return JSON.parse(secretBox.open(decodeURIComponent(value), context)) as Flow;
  } catch {
    return undefined;
  }
}

/** A path of the dashboard, and nothing that a browser could take for another site. */
export function parseNext(next: unknown): string | undefined {
  return typeof next === "string" && next.length <= 500 && /^\/(?!\/)[\w/-]*(\?submission=\w+)?$/.test(next)
    ? next
    : undefined;
}
