import type { AccountId, ApiKeyId } from "@sealpost/wire";
import type { FastifyRequest } from "fastify";
import type { RightChange } from "../access/access.ts";
import type { Permission } from "../access/permission.ts";
import type { Authenticate, Membership, OpenSession, Principal } from "../access/principal.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { holdRight } from "../database/right-lock.ts";
import { isFromOwnPage } from "../http/own-page.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import type { Clock } from "../time/clock.ts";
import { findApiKeyError, hashApiKeyValue, looksLikeApiKey, parseApiKeyValue } from "./api-key-value.ts";
import type { Auth } from "./auth.ts";
import { createOwnHeaders } from "./better-auth-request.ts";

/** The sessions that the sign-in library says are valid: the store of accounts knows more of them. */
export interface Sessions {
  findBySession(sessionId: string, now: number, transaction?: DatabaseTransaction): Promise<OpenSession | undefined>;
}

/** The store of API keys, as far as they say who asks. */
export interface Credentials {
  findByHash(hash: string): Promise<Credential | undefined>;
  findUsable(id: ApiKeyId, transaction?: DatabaseTransaction): Promise<Credential | undefined>;
}

/** An API key, with its maker's membership. */
export interface Credential extends Membership {
  readonly madeBy: AccountId;
  readonly id: ApiKeyId;
  /** Only permissions that its maker holds now. */
  readonly permissions: readonly Permission[];
  /** The moment from which it is refused. */
  readonly expiresAt: number | undefined;
}

export interface AuthenticationDependencies {
  readonly auth: Auth;
  readonly sessions: Sessions;
  readonly apiKeys: Credentials;
  readonly address: OwnAddress;
  readonly clock: Clock;
}

/**
 * A request comes with an API key or a session token (JWT) as bearer, or with the session cookie from our own pages
 * (contract, section 3.1). Keys and sessions are looked up each time, so revoking and signing out take effect at once.
 */
export function createAuthenticate({
  auth,
  sessions,
  apiKeys,
  address,
  clock,
}: AuthenticationDependencies): Authenticate {
  return async (request) => {
    const { authorization, cookie } = request.headers;
    if (authorization === undefined) return findBySession(await findCookieSession(request, cookie));
    const credential = parseBearer(authorization);
    if (credential === undefined) return undefined;
    if (looksLikeApiKey(credential)) return findByKey(credential);
    return findBySession(await findTokenSession(credential));
  };

  async function findByKey(credential: string): Promise<Principal | "expired" | undefined> {
    const value = parseApiKeyValue(credential);
    return value && toKeyPrincipal(await apiKeys.findByHash(hashApiKeyValue(value)), clock.now());
  }

  async function findBySession(sessionId: string | undefined): Promise<Principal | undefined> {
    if (sessionId === undefined) return undefined;
    const found = await sessions.findBySession(sessionId, clock.now());
    return found && { kind: "session", ...found, sessionId };
  }

  async function findTokenSession(token: string): Promise<string | undefined> {
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
    const { payload } = await auth.api.verifyJWT({
      body: { token },
      headers: createOwnHeaders(address),
    });
    return typeof payload?.sid === "string" ? payload.sid : undefined;
  }

  async function findCookieSession(request: FastifyRequest, cookie: string | undefined): Promise<string | undefined> {
    if (cookie === undefined || !isFromOwnPage(request, address)) return undefined;
    const session = await auth.api.getSession({
      headers: createOwnHeaders(address, cookie),
    });
    return session?.session.id;
  }
}

/**
 * Finds somebody who was found before again, with the rights that they have by now; in a transaction, with rights that nobody takes
 * away before it ends, and locks first what it will change.
 */
export type FindAgain = (
  principal: Principal,
  transaction?: DatabaseTransaction,
  change?: RightChange,
) => Promise<Principal | "expired" | undefined>;

export function createFindAgain({
  sessions,
  apiKeys,
  clock,
}: Pick<AuthenticationDependencies, "sessions" | "apiKeys" | "clock">): FindAgain {
  return async (principal, transaction, change) => {
    if (transaction !== undefined)
      await holdRight(transaction, { ...principal, organizationId: principal.accountId }, change);
    if (principal.kind === "api_key")
      return toKeyPrincipal(await apiKeys.findUsable(principal.keyId, transaction), clock.now());
    const found = await sessions.findBySession(principal.sessionId, clock.now(), transaction);
    return found && { kind: "session", ...found, sessionId: principal.sessionId };
  };
}

function toKeyPrincipal(key: Credential | undefined, now: number): Principal | "expired" | undefined {
  if (key === undefined) return undefined;
  if (key.expiresAt !== undefined && key.expiresAt <= now) return "expired";
  const { id: keyId, madeBy, accountId, role, formIds, permissions } = key;
  return { kind: "api_key", keyId, madeBy, accountId, role, formIds, permissions };
}

/** The error of a refused request's credential, if it is visible without a lookup. */
export function findCredentialError({ headers: { authorization = "" } }: FastifyRequest): string | undefined {
  return findApiKeyError(parseBearer(authorization) ?? "");
}

function parseBearer(authorization: string): string | undefined {
  return /^Bearer +([A-Za-z0-9_.-]+)$/i.exec(authorization)?.[1];
}
