import type { AccountId, ApiKeyId } from "@sealpost/wire";
import type { FastifyRequest } from "fastify";
import type { OwnAddress } from "../address.ts";
import type { ApiKeyStore } from "../api-keys/api-key-store.ts";
import { findApiKeyFault, hashApiKeyValue, looksLikeApiKey, parseApiKeyValue } from "../api-keys/api-key-value.ts";
import type { Permission } from "../api-keys/permission.ts";
import type { Clock } from "../clock.ts";
import { isRead } from "../http/is-read.ts";
import type { AccountStore } from "./account-store.ts";
import type { Auth } from "./auth.ts";
import { createOwnHeaders } from "./library-request.ts";

/** Who is asking. A session may do everything that its account may, a key what its permissions say. */
export type Principal =
  | {
      readonly kind: "session";
      readonly accountId: AccountId;
      readonly sessionId: string;
      /** When the password or a code was last entered. */
      readonly authenticatedAt: number;
      /** False while the address has to be verified before the account makes forms or API keys. */
      readonly isVerified: boolean;
    }
  | {
      readonly kind: "api_key";
      readonly accountId: AccountId;
      readonly keyId: ApiKeyId;
      readonly permissions: readonly Permission[];
    };

/** Finds out who is asking; `undefined` when the request carries no credential that is valid now. */
export type Authenticate = (request: FastifyRequest) => Promise<Principal | undefined>;

export interface AuthenticationDependencies {
  readonly auth: Auth;
  readonly accounts: AccountStore;
  readonly apiKeys: Pick<ApiKeyStore, "findByHash">;
  readonly address: OwnAddress;
  readonly clock: Clock;
}

/**
 * A request comes with an API key or a session token (JWT) as bearer, or with the session cookie from our own pages
 * (contract, section 3.1). Keys and sessions are looked up each time, so revoking and signing out take effect at once.
 */
export function createAuthenticate({
  auth,
  accounts,
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

  async function findByKey(credential: string): Promise<Principal | undefined> {
    const value = parseApiKeyValue(credential);
    const key = value && (await apiKeys.findByHash(hashApiKeyValue(value)));
    return key && { kind: "api_key", accountId: key.accountId, keyId: key.id, permissions: key.permissions };
  }

  async function findBySession(sessionId: string | undefined): Promise<Principal | undefined> {
    if (sessionId === undefined) return undefined;
    const found = await accounts.findBySession(sessionId, clock.now());
    return found && { kind: "session", ...found, sessionId };
  }

  async function findTokenSession(token: string): Promise<string | undefined> {
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
    const { payload } = await auth.api.verifyJWT({
      body: { token },
      headers: createOwnHeaders(address),
    });
    if (payload === null) await accounts.probe();
    return typeof payload?.sid === "string" ? payload.sid : undefined;
  }

  async function findCookieSession(request: FastifyRequest, cookie: string | undefined): Promise<string | undefined> {
    if (cookie === undefined || !isFromOwnPage(request, address)) return undefined;
    const session = await auth.api.getSession({
      headers: createOwnHeaders(address, cookie),
    });
    if (session === null) await accounts.probe();
    return session?.session.id;
  }
}

/** What is wrong with the credential of a request that was refused, where that can be told without looking for it. */
export function findCredentialFault({ headers: { authorization = "" } }: FastifyRequest): string | undefined {
  return findApiKeyFault(parseBearer(authorization) ?? "");
}

function parseBearer(authorization: string): string | undefined {
  return /^Bearer +([A-Za-z0-9_.-]+)$/i.exec(authorization)?.[1];
}

/** A session cookie counts only then. Browsers send no `Origin` on a same-origin GET, so such a read must say `Sec-Fetch-Site: same-origin` instead. */
export function isFromOwnPage(request: FastifyRequest, address: OwnAddress): boolean {
  const { origin } = request.headers;
  if (origin !== undefined) return address.isOwn(origin);
  return isRead(request) && request.headers["sec-fetch-site"] === "same-origin";
}
