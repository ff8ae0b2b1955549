import { randomBytes } from "node:crypto";
import { isNext } from "@sealpost/dashboard/pages";
import type { AccountId } from "@sealpost/wire";
import { readCookies } from "../http/cookies.ts";
import { createSealedCookie } from "../http/sealed-cookie.ts";
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
/** Characters of the state in a cookie's name: 96 random bits. */
const nameLength = 16;

/**
 * Flows that a browser has begun, each in a cookie of its own, named by the beginning of its state: a second tab leaves the
 * first one alone, and an answer with another state, which any page can have a browser open, ends nothing.
 */
export interface FlowCookies {
  /** The `Set-Cookie` headers that begin a flow, and end what is too much. */
  begin(flow: Flow, cookies: string | undefined, now: number): readonly string[];
  /** The flow that an answer belongs to. `undefined` when this browser has not begun it, or too long ago. */
  find(state: string | null, cookies: string | undefined, now: number): Flow | undefined;
  /** The `Set-Cookie` header that ends it. */
  end(flow: Flow): string;
}

/** Lax: the way back from the provider is a navigation from another site. */
export function createFlowCookies(secretBox: Pick<SecretBox, "sealer">, isHttps: boolean): FlowCookies {
  const cookieOf = (name: string) =>
    createSealedCookie<Flow>(secretBox.sealer("oidc-flow"), {
      ...{ name: `sealpost_oidc_${name}`, sameSite: "Lax", isHttps },
      lifetimeMilliseconds: flowMilliseconds,
    });
  const nameOf = ({ state }: Pick<Flow, "state">) => state.slice(0, nameLength);

  return {
    begin(flow, cookies, now) {
      const others = Array.from(findNames(cookies), (name) => ({ name, flow: cookieOf(name).find(cookies, now) }));
      const newestFirst = others.toSorted((a, b) => (b.flow?.startedAt ?? 0) - (a.flow?.startedAt ?? 0));
      const ended = newestFirst.filter(({ flow: other }, index) => other === undefined || index >= flowsMax - 1);
      return [cookieOf(nameOf(flow)).set(flow), ...ended.map(({ name }) => cookieOf(name).end)];
    },
    find(state, cookies, now) {
      if (state === null || !/^[\w-]{16,100}$/.test(state)) return undefined;
      const flow = cookieOf(nameOf({ state })).find(cookies, now);
      return flow?.state === state ? flow : undefined;
    },
    end: (flow) => cookieOf(nameOf(flow)).end,
  };
}

function findNames(cookies = ""): ReadonlySet<string> {
  const found = [...readCookies(cookies).keys()].map(
    (name) => /^(?:__Host-)?sealpost_oidc_([\w-]{16})$/.exec(name)?.[1],
  );
  return new Set(found.filter((name) => name !== undefined));
}

export function parseNext(next: unknown): string | undefined {
  return isNext(next) ? next : undefined;
}
