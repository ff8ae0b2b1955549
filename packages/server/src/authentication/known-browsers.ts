import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { SecretBox } from "../instance/secret-box.ts";
import type { Clock } from "../time/clock.ts";

/**
 * Browsers from which somebody has signed in to an account before. Such a one keeps a cookie that proves it for this one
 * email address, and has sign-ins of its own, whatever strangers do to the account
 * (docs/decisions/0009-sign-in-limits.md). Nothing of it is kept here.
 */
export interface KnownBrowsers {
  /** The id of the browser that these cookies prove to be known for this email address. */
  find(cookies: string | undefined, email: string): string | undefined;
  /** Whether there is a cookie that looks like a browser's, for whatever email address. */
  isClaimed(cookies: string | undefined): boolean;
  /** The `Set-Cookie` header that makes this browser, or a new one, known for the email address from now on. */
  remember(cookies: string | undefined, email: string): string;
}

const lifetimeSeconds = 180 * 86_400;

export interface KnownBrowsersDependencies {
  readonly secretBox: Pick<SecretBox, "signingKeys">;
  readonly isHttps: boolean;
  readonly clock: Clock;
}

export function createKnownBrowsers({ secretBox, isHttps, clock }: KnownBrowsersDependencies): KnownBrowsers {
  const prefix = `${isHttps ? "__Host-" : ""}sealpost_browser_`;
  const sign = (key: Buffer, ...parts: readonly (string | number)[]) =>
    createHmac("sha256", key).update(parts.join("\n")).digest("base64url");
  // One cookie for each account, so that people who share a browser do not make it forget each other.
  const nameOf = (key: Buffer, email: string) => `${prefix}${sign(key, "name", email).slice(0, 10)}`;

  function find(cookies: string | undefined, address: string): string | undefined {
    const email = normalise(address);
    for (const key of secretBox.signingKeys("known-browsers")) {
      const id = findBy(key, cookies, email);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  function findBy(key: Buffer, cookies: string | undefined, email: string): string | undefined {
    const value = findCookie(cookies, nameOf(key, email));
    const [, id, expiresAt, signature] = /^([\w-]{16})\.([0-9]{1,12})\.([\w-]{43})$/.exec(value ?? "") ?? [];
    if (id === undefined || expiresAt === undefined || signature === undefined) return undefined;
    const wanted = sign(key, "browser", email, id, expiresAt);
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(wanted))) return undefined;
    return Number(expiresAt) * 1000 > clock.now() ? id : undefined;
  }

  return {
    find,
    isClaimed: (cookies) => cookies?.includes(prefix) ?? false,
    remember(cookies, address) {
      const email = normalise(address);
      const id = find(cookies, email) ?? randomBytes(12).toString("base64url");
      const expiresAt = Math.floor(clock.now() / 1000) + lifetimeSeconds;
      const [key] = secretBox.signingKeys("known-browsers");
      const value = `${id}.${expiresAt}.${sign(key, "browser", email, id, expiresAt)}`;
      return `${nameOf(key, email)}=${value}; Max-Age=${lifetimeSeconds}; Path=/; HttpOnly; SameSite=Lax${isHttps ? "; Secure" : ""}`;
    },
  };
}

function normalise(email: string): string {
  return email.trim().toLowerCase();
}

function findCookie(cookies: string | undefined, name: string): string | undefined {
  for (const part of cookies?.split(";") ?? []) {
    const [own, value] = part.split("=", 2);
    if (own?.trim() === name) return value?.trim();
  }
  return undefined;
}
