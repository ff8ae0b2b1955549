import { createHmac, randomBytes } from "node:crypto";
import type { KnownBrowser } from "../authentication/known-browsers.ts";
import type { Clock } from "../time/clock.ts";
import { type Shares, spaceShares, toClientNetworks } from "./client-address.ts";
import { createNetworkLimiter, type NetworkLimiter } from "./network-limiter.ts";
import type { RateLimitStore } from "./rate-limit-store.ts";
import { createRateLimiter, type LocalRateLimiter, type Quota } from "./rate-limiter.ts";

/** Contract, section 12.4. */
const apiKeyRateDefault = 20;
const signInRateDefault = 10;
/** Known browsers of an account that can use up their own sign-ins within one minute; sessions that can so with passwords. */
const browsersFactor = 3;
/** Requests that list and end sessions, from one of them. */
const endingRate = 60;
/** A visitor's browser says it at most a few times; each adds nothing to the first. */
const refusedKeyRate = 10;
const cleaningMilliseconds = 300_000;
/** Who has sent fewer within an hour may use what is kept of a full quota or disk (contract, section 14.2). */
const quietPerHour = 10;
/** Exports of everything about one person: each reads all of it, and one is enough for a while. */
export const exportsPerHour = 5;
/** For 60 submissions a minute (contract, section 12.4); a higher `SEALPOST_SUBMIT_RATE` gets as many more. */
export const submissionBytesPerMinute = 10 * 1_048_576;

/**
 * Every limit on how often somebody may ask. `undefined` where a limit is switched off. What counts for an address counts for the wider networks that it is
 * in as well (`toClientNetworks`).
 */
export interface RateLimits {
  /** A request with a valid credential: `principal` is the id of the account, or of the API key that it came with. */
  countPrincipal(principal: string): Promise<Quota | undefined>;
  /** A request without one. */
  countAddress(address: string): Promise<Quota | undefined>;
  /** A request to an API key endpoint, for the person and for the session; `isEnding`: it revokes a key. */
  countApiKeys(asking: {
    readonly personId: string;
    readonly sessionId: string;
    /** Then the session's own count says whether it is refused: another session, which somebody may have stolen, uses up nothing of it. */
    readonly isEnding: boolean;
  }): Promise<Quota | undefined>;
  /** A request that lists or ends sessions: for the session alone. */
  countEnding(sessionId: string): Promise<Quota | undefined>;
  /** `isForm` is asked once the address has named too many forms that do not exist: those that do keep their own limits. */
  countSubmission(address: string, formId: string, isForm: () => Promise<boolean>): Promise<Quota | undefined>;
  /** The bytes of a submission's body. */
  countSubmissionBytes(address: string, formId: string, bytes: number): Promise<Quota | undefined>;
  /** A checked submission: whether its address, and each network that it is in, has sent few within the hour. */
  countQuiet(address: string): Promise<boolean>;
  /** A word that a page pins a former key: as a request, and for the form alone. */
  countRefusedKey(address: string, formId: string): Promise<Quota | undefined>;
  /** A submission to a form that does not exist. */
  countMissedSubmission(address: string): Promise<void>;
  countSignIn(address: string): Promise<Quota | undefined>;
  /**
   * Many addresses may try passwords on one account, so attempts count per email address as well. A browser that is known
   * to the account has a number of its own, so that nobody else can use up its owner's; all of an account's browsers have three
   * times as many together, because each sign-in makes another one known.
   */
  countSignInFor(email: string, knownBrowser: KnownBrowser | undefined): Promise<Quota | undefined>;
  /**
   * A password asked for within a session. Somebody who has stolen one may send guesses from many addresses, and uses up nothing of
   * the person's other sessions; all of them have three times as many together.
   */
  countPasswordOf(session: { readonly accountId: string; readonly id: string }): Promise<Quota | undefined>;
  /** A sign-in by a passkey that was right: each leaves a session and an entry in the audit log. */
  countPasskeyOf(personId: string): Promise<Quota | undefined>;
  /** An export of everything about a person, whatever the rates: `exportsPerHour`. */
  countExport(personId: string): Promise<Quota>;
  stop(): Promise<void>;
}

export interface RateLimitOptions {
  /** Requests a minute; 0 switches a limit off. */
  readonly apiRate: number;
  readonly submitRate: number;
  readonly signInRate?: number | undefined;
  readonly apiKeyRate?: number | undefined;
  /** Where processes count accounts and keys together; absent when this process is the only one. */
  readonly shared?: RateLimitStore | undefined;
  readonly clock: Clock;
}

/**
 * Addresses and email addresses are kept only in memory, for a minute, and only as a hash keyed with random bytes that
 * this process alone has (docs/decisions/0005-rate-limits.md).
 */
export function createRateLimits({
  apiRate,
  submitRate,
  signInRate = signInRateDefault,
  apiKeyRate = apiKeyRateDefault,
  shared,
  clock,
}: RateLimitOptions): RateLimits {
  const createPrincipalLimiter = shared?.create ?? createRateLimiter;
  const principals = apiRate === 0 ? undefined : createPrincipalLimiter({ name: "api", perMinute: apiRate });
  const apiKeys = apiKeyRate === 0 ? undefined : createPrincipalLimiter({ name: "api-keys", perMinute: apiKeyRate });
  const endings = apiRate === 0 ? undefined : createPrincipalLimiter({ name: "ending", perMinute: endingRate });
  const keyEndings =
    apiKeyRate === 0 ? undefined : createPrincipalLimiter({ name: "key-ending", perMinute: apiKeyRate });
  const passwords = signInRate === 0 ? undefined : createPrincipalLimiter({ name: "password", perMinute: signInRate });
  const allPasswords =
    signInRate === 0
      ? undefined
      : createPrincipalLimiter({ name: "all-passwords", perMinute: browsersFactor * signInRate });
  const passkeys = signInRate === 0 ? undefined : createPrincipalLimiter({ name: "passkey", perMinute: signInRate });
  const addresses = networksUnlessOff("api", apiRate);
  const submissions = networksUnlessOff("submissions", submitRate);
  const submissionBytes = networksUnlessOff("submission-bytes", toBytesRate(submitRate), spaceShares);
  // Counted whatever the rates: it refuses nobody while there is room.
  const recent = createNetworkLimiter({ name: "quiet", perMinute: quietPerHour, seconds: 3600 }, spaceShares);
  const exports = createPrincipalLimiter({ name: "account-export", perMinute: exportsPerHour, seconds: 3600 });
  const missedSubmissions = networksUnlessOff("submissions", submitRate);
  const refusedKeys = networksUnlessOff("refused-keys", submitRate === 0 ? 0 : refusedKeyRate);
  const signIns = networksUnlessOff("sign-in", signInRate);
  const signInEmails = limiterUnlessOff("sign-in", signInRate);
  const signInBrowsers = limiterUnlessOff("sign-in", signInRate);
  const signInKnown = limiterUnlessOff("sign-in", browsersFactor * signInRate);

  const key = randomBytes(32);
  const hide = (...parts: readonly string[]) =>
    createHmac("sha256", key).update(parts.join("\n")).digest("base64url").slice(0, 22);
  const hideAddress = (address: string, ...rest: readonly string[]) =>
    toClientNetworks(address).map(({ width, text }) => ({ width, key: hide(text, ...rest) }));

  let cleaning = Promise.resolve();
  const timer =
    shared &&
    setInterval(() => {
      // The next run removes what this one leaves.
      cleaning = shared.removeEnded(clock.now()).catch(() => {});
    }, cleaningMilliseconds);

  return {
    countPrincipal: async (principal) => principals?.consume(principal),
    countAddress: async (address) => addresses?.consume(hideAddress(address)),
    async countApiKeys({ personId, sessionId, isEnding }) {
      const [all, own] = [await apiKeys?.consume(personId), await keyEndings?.consume(sessionId)];
      return isEnding ? own : all;
    },
    async countSubmission(address, formId, isForm) {
      // Else each made-up form id would be a fresh minute, and fill the table at the cost of those who count.
      const missed = await missedSubmissions?.peek(hideAddress(address));
      if (missed?.remaining === 0 && !(await isForm())) return { ...missed, isExceeded: true };
      return submissions?.consume(hideAddress(address, formId));
    },
    countSubmissionBytes: async (address, formId, bytes) =>
      submissionBytes?.consume(hideAddress(address, formId), bytes),
    countQuiet: async (address) => !(await recent.consume(hideAddress(address))).isExceeded,
    async countRefusedKey(address, formId) {
      const all = await addresses?.consume(hideAddress(address));
      return all?.isExceeded ? all : refusedKeys?.consume(hideAddress(address, formId));
    },
    async countMissedSubmission(address) {
      await missedSubmissions?.consume(hideAddress(address));
    },
    countSignIn: async (address) => signIns?.consume(hideAddress(address)),
    async countSignInFor(email, knownBrowser) {
      if (knownBrowser === undefined) return signInEmails?.consume(hide(email.trim().toLowerCase()));
      const { accountId, id } = knownBrowser;
      const own = await signInBrowsers?.consume(hide(accountId, id));
      return own?.isExceeded ? own : signInKnown?.consume(hide(accountId));
    },
    countEnding: async (sessionId) => endings?.consume(sessionId),
    async countPasswordOf({ accountId, id }) {
      const own = await passwords?.consume(id);
      return own?.isExceeded ? own : allPasswords?.consume(accountId);
    },
    countPasskeyOf: async (personId) => passkeys?.consume(personId),
    countExport: (personId) => exports.consume(personId),
    async stop() {
      clearInterval(timer);
      await cleaning;
    },
  };
}

function toBytesRate(submitRate: number): number {
  return submitRate === 0 ? 0 : Math.ceil(submissionBytesPerMinute * Math.max(1, submitRate / 60));
}

function limiterUnlessOff(name: string, perMinute: number): LocalRateLimiter | undefined {
  return perMinute === 0 ? undefined : createRateLimiter({ name, perMinute });
}

function networksUnlessOff(name: string, perMinute: number, shares?: Shares): NetworkLimiter | undefined {
  return perMinute === 0 ? undefined : createNetworkLimiter({ name, perMinute }, shares);
}
