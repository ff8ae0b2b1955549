import type { AccountId } from "@sealpost/wire";
import type { FastifyRequest } from "fastify";
import { staleSession, unverifiedAddress } from "../access/access.ts";
import { isFresh } from "../access/fresh-session.ts";
import type { Auth } from "../authentication/auth.ts";
import { challengeOver } from "../authentication/better-auth-error.ts";
import { createOwnHeaders } from "../authentication/better-auth-request.ts";
import { challengeCookie } from "../authentication/person-sign-in.ts";
import { openSignedCookie } from "../authentication/signed-cookie.ts";
import { readCookies } from "../http/cookies.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import type { AccountSession, AccountStore } from "./account-store.ts";
import { requireOwnPasskey } from "./own-passkey.ts";

/** The session by whose cookie somebody asks. */
export interface AskingSession extends AccountSession {
  readonly hasSecondFactor: boolean;
}

export interface AskingDependencies {
  readonly auth: Auth;
  readonly address: OwnAddress;
  readonly accounts: Pick<AccountStore, "findBySession" | "findChallenged">;
  readonly passkeys: Parameters<typeof requireOwnPasskey>[0];
  readonly clock: Clock;
}

/** Who asks by the cookies of a request to the sign-in library, and whether that is enough for what is asked. */
export function createAsking({ auth, address, accounts, passkeys, clock }: AskingDependencies) {
  return { findSession, requireFreshSetUp, requireProven, requirePasskeyAgain, requireChallenged };

  async function findSession(request: FastifyRequest): Promise<AskingSession | undefined> {
    const { cookie } = request.headers;
    if (cookie === undefined) return undefined;
    const found = await auth.api.getSession({ headers: createOwnHeaders(address, cookie) });
    if (found === null) return undefined;
    const { session, user } = found;
    // Made by createId("account") in auth.ts.
    return { id: session.id, accountId: user.id as AccountId, hasSecondFactor: user.twoFactorEnabled === true };
  }

  /** Turning the second factor on: its password was entered when it was begun, which may have been long ago. */
  async function requireFreshSetUp(request: FastifyRequest): Promise<void> {
    const asking = await findSession(request);
    if (asking === undefined || asking.hasSecondFactor) return;
    const session = await accounts.findBySession(asking.id, clock.now());
    if (session !== undefined && !isFresh(session.authenticatedAt, clock.now())) throw staleSession();
  }

  /**
   * Otherwise anyone who signs up with somebody else's address could keep them out of it, and somebody who has only the password could
   * replace a required second factor by one of their own: a new password removes passkeys.
   */
  async function requireProven(request: FastifyRequest, path: string): Promise<void> {
    const asking = await findSession(request);
    const session = asking && (await accounts.findBySession(asking.id, clock.now()));
    if (session?.isVerified === false && path === "/two-factor/enable") throw unverifiedAddress();
    if (session !== undefined) await requireOwnPasskey(passkeys, session);
  }

  /** Otherwise a thief of such a session and the password could add a passkey of their own where more than a password is required. */
  async function requirePasskeyAgain({ id, accountId: personId }: AccountSession): Promise<void> {
    const session = await accounts.findBySession(id, clock.now());
    if (session?.secondFactor === "passkey") await requireOwnPasskey(passkeys, { personId, secondFactor: undefined });
  }

  /** Whose code is asked for. Without a challenge the library is not asked: it would compare a code that nobody counts. */
  async function requireChallenged({ headers: { cookie } }: FastifyRequest): Promise<AccountId> {
    const { createAuthCookie, secret } = await auth.$context;
    const identifier = openSignedCookie(readCookies(cookie).get(createAuthCookie(challengeCookie).name) ?? "", [
      secret,
    ]);
    const challenged = identifier === undefined ? undefined : await accounts.findChallenged(identifier);
    if (challenged === undefined) throw new Problem("forbidden", challengeOver);
    return challenged;
  }
}
