import type { Sealer } from "../instance/secret-box.ts";
import { readCookies } from "./cookies.ts";

/** Keeps something in one browser, for a while. Nobody can read or change it there, and no other site or script can take it. */
export interface SealedCookie<Kept> {
  /** The `Set-Cookie` header that begins it. */
  set(kept: Kept): string;
  /** The `Set-Cookie` header that ends it. */
  readonly end: string;
  /** `undefined` without one, and if it is not ours or is too old. */
  find(cookies: string | undefined, now: number): Kept | undefined;
}

export interface SealedCookieOptions {
  /** Without the prefix that a host with HTTPS has. Authenticated: what was sealed for another does not open. */
  readonly name: string;
  readonly sameSite: "Lax" | "Strict";
  readonly lifetimeMilliseconds: number;
  readonly isHttps: boolean;
}

export function createSealedCookie<Kept extends { readonly startedAt: number }>(
  sealer: Sealer,
  { name: bareName, sameSite, lifetimeMilliseconds, isHttps }: SealedCookieOptions,
): SealedCookie<Kept> {
  const name = `${isHttps ? "__Host-" : ""}${bareName}`;
  const attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isHttps ? "; Secure" : ""}`;
  return {
    set(kept) {
      const value = encodeURIComponent(sealer.seal(JSON.stringify(kept), bareName));
      return `${name}=${value}; Max-Age=${lifetimeMilliseconds / 1000}; ${attributes}`;
    },
    end: `${name}=; Max-Age=0; ${attributes}`,
    find(cookies, now) {
      const value = readCookies(cookies).get(name);
      const kept = value === undefined || value === "" ? undefined : open(value);
      const age = kept === undefined ? Number.NaN : now - kept.startedAt;
      return age >= 0 && age <= lifetimeMilliseconds ? kept : undefined;
    },
  };

  function open(value: string): Kept | undefined {
    try {
      // Only `set` writes what opens under this name.
      return JSON.parse(sealer.open(value, bareName)) as Kept;
    } catch {
      return undefined;
    }
  }
}
