import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import type { AccountId } from "@sealpost/wire";
import { createSealedCookies, type SealedCookies } from "../http/sealed-cookies.ts";
import type { SecretBox } from "../instance/secret-box.ts";

export const ceremonyPurposes = ["sign_in", "add", "confirm"] as const;
export type CeremonyPurpose = (typeof ceremonyPurposes)[number];

/** One use of a passkey, from the challenge to the authenticator's signature. Only the browser keeps it, sealed. */
export interface Ceremony {
  readonly purpose: CeremonyPurpose;
  /** Base64url. */
  readonly challenge: string;
  readonly party: Party;
  readonly startedAt: number;
  /** The session that adds or confirms; `undefined` at a sign-in. */
  readonly session: { readonly id: string; readonly personId: AccountId } | undefined;
  /** The user handle of the passkey that is being added. */
  readonly userHandle?: string;
}

/** The "relying party" of Web Authentication: passkeys belong to a host name. */
export interface Party {
  readonly origin: string;
  readonly id: string;
}

/** Time to look for a device, and to read a sign-in page, which offers passkeys all the while. */
export const ceremonyMilliseconds = 10 * 60_000;

/** Base64url of 32 bytes: a challenge, or the name under which an authenticator keeps the person. */
export const createRandomValue = (): string => randomBytes(32).toString("base64url");

/**
 * Those that a browser may have begun at the same time: a page that is loaded again begins another. A cookie has some 500 bytes, and servers
 * in front take a `Cookie` header of 8 KiB.
 */
const ceremoniesMax = 6;

/** Ceremonies that a browser has begun, by their challenge: two tabs leave each other's alone. */
export type CeremonyCookies = SealedCookies<Ceremony>;

/** Nothing is stored here, so asking for many challenges fills nothing up, and no other browser can answer one. */
export function createCeremonyCookies(secretBox: Pick<SecretBox, "sealer">, isHttps: boolean): CeremonyCookies {
  return createSealedCookies<Ceremony>(secretBox.sealer("passkey-ceremony"), {
    ...{ name: "sealpost_passkey", sameSite: "Strict", isHttps, most: ceremoniesMax },
    keyOf: ({ challenge }) => challenge,
    lifetimeMilliseconds: ceremonyMilliseconds,
  });
}

/** `undefined` where browsers have no passkeys: without HTTPS, but for `localhost`, and where the host has no name. */
export function findParty(origin: string): Party | undefined {
  const { protocol, hostname } = new URL(origin);
  const isNamed = isIP(hostname) === 0 && !hostname.startsWith("[");
  const isSecure = protocol === "https:" || hostname === "localhost" || hostname.endsWith(".localhost");
  return isNamed && isSecure ? { origin, id: hostname } : undefined;
}
