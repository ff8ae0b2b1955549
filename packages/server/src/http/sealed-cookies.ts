import type { Sealer } from "../instance/secret-box.ts";
import { readCookies } from "./cookies.ts";
import { createSealedCookie, type SealedCookieOptions } from "./sealed-cookie.ts";

/**
 * Several things of one kind that a browser has begun, each in a sealed cookie of its own, named by the beginning of its key: a second tab
 * leaves the first one alone, and an answer with another key, which any page can have a browser send, ends nothing.
 */
export interface SealedCookies<Kept> {
  /** The `Set-Cookie` headers that begin one, and end what is too much: the oldest give way. */
  begin(kept: Kept, cookies: string | undefined, now: number): readonly string[];
  /** The one with this key. `undefined` when this browser has not begun it, or too long ago. */
  find(key: string | null, cookies: string | undefined, now: number): Kept | undefined;
  /** The `Set-Cookie` header that ends it. */
  end(kept: Kept): string;
}

export interface SealedCookiesOptions<Kept> extends SealedCookieOptions {
  /** At least 16 random characters of base64url: the state of a flow, say. */
  readonly keyOf: (kept: Kept) => string;
  /** Most of them in one browser. */
  readonly most: number;
}

/** Characters of the key in a cookie's name: 96 random bits. */
const nameLength = 16;

const isKey = (text: string) => /^[\w-]{16,100}$/.test(text);

export function createSealedCookies<Kept extends { readonly startedAt: number }>(
  sealer: Sealer,
  { name: kind, keyOf, most, ...options }: SealedCookiesOptions<Kept>,
): SealedCookies<Kept> {
  const cookieOf = (key: string) =>
    createSealedCookie<Kept>(sealer, { ...options, name: `${kind}_${key.slice(0, nameLength)}` });

  function list(cookies: string | undefined, now: number) {
    const bare = Array.from(readCookies(cookies).keys(), (name) => name.replace("__Host-", ""));
    const keys = bare.filter((name) => name.startsWith(`${kind}_`)).map((name) => name.slice(kind.length + 1));
    return Array.from(new Set(keys.filter((key) => isKey(key) && key.length === nameLength)), (key) => {
      const cookie = cookieOf(key);
      return { cookie, startedAt: cookie.find(cookies, now)?.startedAt ?? 0 };
    });
  }

  return {
    begin(kept, cookies, now) {
      const newestFirst = list(cookies, now).toSorted((a, b) => b.startedAt - a.startedAt);
      const ended = newestFirst.filter(({ startedAt }, index) => startedAt === 0 || index >= most - 1);
      return [cookieOf(keyOf(kept)).set(kept), ...ended.map(({ cookie }) => cookie.end)];
    },
    find(key, cookies, now) {
      if (key === null || !isKey(key)) return undefined;
      const kept = cookieOf(key).find(cookies, now);
      return kept !== undefined && keyOf(kept) === key ? kept : undefined;
    },
    end: (kept) => cookieOf(keyOf(kept)).end,
  };
}
