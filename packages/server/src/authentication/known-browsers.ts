import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { AccountId } from "@sealpost/wire";
import { readCookies } from "../http/cookies.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import { type Clock, isOpenUntil } from "../time/clock.ts";

/**
 * Browsers from which somebody has signed in to an account before. Such a one keeps a cookie that proves it for this one
 * account and its present password, and has sign-ins of its own, whatever strangers do to the account
 * (docs/decisions/0009-sign-in-limits.md). Nothing of it is kept here.
 */
export interface KnownBrowsers {
  /** The browser that these cookies prove to be known to the account with this email address. */
  find(cookies: string | undefined, email: string): Promise<KnownBrowser | undefined>;
  /** Whether there is a cookie that looks like a browser's, for whatever account. */
  isClaimed(cookies: string | undefined): boolean;
  /**
   * The `Set-Cookie` header that makes this browser, or a new one, known to the account with this email address from now on, until its password
   * is replaced; `undefined` for an account without a password.
   */
  remember(cookies: string | undefined, email: string): Promise<string | undefined>;
}

export interface KnownBrowser {
  readonly id: string;
  readonly accountId: AccountId;
}

/** The account of an email address, with the stored hash of its password. */
export interface PasswordAccount {
  readonly id: AccountId;
  /** The id of the password's row, which stays when the person gets another id. */
  readonly credentialId: string;
  readonly passwordHash: string;
}

const lifetimeSeconds = 180 * 86_400;

export interface KnownBrowsersDependencies {
  readonly secretBox: Pick<SecretBox, "signingKeys">;
  readonly findPasswordAccount: (email: string) => Promise<PasswordAccount | undefined>;
  readonly isHttps: boolean;
  readonly clock: Clock;
}

export function createKnownBrowsers(dependencies: KnownBrowsersDependencies): KnownBrowsers {
  const { secretBox, findPasswordAccount, isHttps, clock } = dependencies;
  const prefix = `${isHttps ? "__Host-" : ""}sealpost_browser_`;
  const sign = (key: Buffer, ...parts: readonly (string | number)[]) =>
    createHmac("sha256", key).update(parts.join("\n")).digest("base64url");
  // One cookie for each account, so that people who share a browser do not make it forget each other.
  const nameOf = (key: Buffer, { credentialId }: PasswordAccount) =>
    `${prefix}${sign(key, "name", credentialId).slice(0, 10)}`;
  // The hash has a salt: another password, even an equal one, is another hash.
  const signBrowser = (
    key: Buffer,
    { credentialId, passwordHash }: PasswordAccount,
    browser: string,
    expiresAt: string,
  ) => sign(key, "browser", credentialId, passwordHash, browser, expiresAt);
  const isClaimed = (cookies: string | undefined) => cookies?.includes(prefix) ?? false;

  function findId(cookies: string | undefined, account: PasswordAccount): string | undefined {
    for (const key of secretBox.signingKeys("known-browsers")) {
      const id = findBy(key, cookies, account);
      if (id !== undefined) return id;
    }
    return undefined;
  }

  function findBy(key: Buffer, cookies: string | undefined, account: PasswordAccount): string | undefined {
    const value = readCookies(cookies).get(nameOf(key, account));
    const [, id, expiresAt, signature] = /^([\w-]{16})\.([0-9]{1,12})\.([\w-]{43})$/.exec(value ?? "") ?? [];
    if (id === undefined || expiresAt === undefined || signature === undefined) return undefined;
    const wanted = signBrowser(key, account, id, expiresAt);
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(wanted))) return undefined;
    return isOpenUntil(Number(expiresAt) * 1000, clock.now(), lifetimeSeconds * 1000) ? id : undefined;
  }

  return {
    async find(cookies, email) {
      const account = isClaimed(cookies) ? await findPasswordAccount(email.trim()) : undefined;
      const id = account && findId(cookies, account);
      return account && id !== undefined ? { id, accountId: account.id } : undefined;
    },
    isClaimed,
    async remember(cookies, email) {
      const account = await findPasswordAccount(email.trim());
      const [key] = secretBox.signingKeys("known-browsers");
      if (account === undefined) return undefined;
      const id = findId(cookies, account) ?? randomBytes(12).toString("base64url");
      const expiresAt = Math.floor(clock.now() / 1000) + lifetimeSeconds;
      const value = `${id}.${expiresAt}.${signBrowser(key, account, id, String(expiresAt))}`;
      return `${nameOf(key, account)}=${value}; Max-Age=${lifetimeSeconds}; Path=/; HttpOnly; SameSite=Lax${isHttps ? "; Secure" : ""}`;
    },
  };
}
