import type { AccountId } from "@sealpost/wire";
import type { FastifyRequest } from "fastify";
import type { OwnAddress } from "../address.ts";
import type { Clock } from "../clock.ts";
import { Problem } from "../problem.ts";
import type { AccountStore } from "./account-store.ts";
import type { Auth } from "./auth.ts";

/** Who is asking. */
export type Principal = { readonly kind: "session"; readonly accountId: AccountId };

/** Finds out who is asking, or throws `unauthorized`. */
export type Authenticate = (request: FastifyRequest) => Promise<Principal>;

export interface AuthenticationDependencies {
  readonly auth: Auth;
  readonly accounts: AccountStore;
  readonly address: OwnAddress;
  readonly clock: Clock;
}

/**
 * A request is an account session if it carries the session token (JWT) as bearer, or the session cookie from our own
 * pages (decisions, section 3). The session is looked up each time, so signing out ends its tokens at once.
 */
export function createAuthenticate({ auth, accounts, address, clock }: AuthenticationDependencies): Authenticate {
  return async (request) => {
    const sessionId = await findSessionId(request);
    const accountId = sessionId === undefined ? undefined : await accounts.findBySession(sessionId, clock.now());
    if (accountId === undefined) throw new Problem("unauthorized", "Invalid or missing authentication");
    return { kind: "session", accountId };
  };

  async function findSessionId(request: FastifyRequest): Promise<string | undefined> {
    const { authorization, cookie } = request.headers;
    if (authorization !== undefined) {
      const token = /^Bearer ([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i.exec(authorization)?.[1];
      const { payload } =
        token === undefined
          ? { payload: null }
          : await auth.api.verifyJWT({ body: { token }, headers: new Headers({ host: request.host }) });
      return typeof payload?.sid === "string" ? payload.sid : undefined;
    }
    if (cookie === undefined || !isFromOwnPage(request, address)) return undefined;
    const session = await auth.api.getSession({ headers: new Headers({ cookie, host: request.host }) });
    return session?.session.id;
  }
}

/** Browsers send no `Origin` on a same-origin GET, so such a read must say `Sec-Fetch-Site: same-origin` instead. */
function isFromOwnPage(request: FastifyRequest, address: OwnAddress): boolean {
  const { origin } = request.headers;
  if (origin !== undefined) return address.isOwn(origin);
  return request.method === "GET" && request.headers["sec-fetch-site"] === "same-origin";
}
