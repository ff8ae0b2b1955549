import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../problems/problem.ts";
import { isFresh } from "./fresh-session.ts";
import type { Permission } from "./permission.ts";
import type { Authenticate, Principal } from "./principal.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /**
     * Who may call this route: anybody, an account session alone, or a session or an API key with the permission, or with
     * each of several. Every route must say so.
     */
    readonly access?: "public" | "session" | Permission | readonly Permission[];
  }
  interface FastifyRequest {
    principal: Principal | undefined;
  }
}

type Access = Exclude<NonNullable<FastifyContextConfig["access"]>, "public">;

export interface AccessDependencies {
  readonly authenticate: Authenticate;
  /** The error of a refused request's credential, if it is visible without a lookup. */
  readonly findCredentialError: (request: FastifyRequest) => string | undefined;
  /** Called for every request that is about to be answered 401; may throw another answer instead. */
  readonly onRefused: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

/** Checks the credential before a body is read. A route that names no access stops the start: nothing is open by omission. */
export function installAccess(
  app: FastifyInstance,
  { authenticate, findCredentialError, onRefused }: AccessDependencies,
): void {
  app.decorateRequest("principal", undefined);
  app.addHook("onRoute", (route) => {
    if (route.config?.access === undefined && route.method !== "OPTIONS") {
      throw new Error(`Route ${String(route.method)} ${route.url} does not say who may call it`);
    }
  });
  app.addHook("onRequest", (request, reply, done) => {
    const { access } = request.routeOptions.config;
    if (access === undefined || access === "public") done();
    else admit(request, reply, access).then(() => done(), done);
  });
  // In a hook of its own, after the rates are counted: a key that is refused again and again is counted all the same.
  app.addHook("preParsing", (request, _reply, body, done) => {
    const { access } = request.routeOptions.config;
    if (access !== undefined && access !== "public" && access !== "session") requirePermissions(request, access);
    done(null, body);
  });

  async function admit(request: FastifyRequest, reply: FastifyReply, access: Access): Promise<void> {
    const principal = await authenticate(request);
    if (principal === undefined || (access === "session" && principal.kind !== "session")) {
      await onRefused(request, reply);
      const issue = findCredentialError(request);
      const details = issue === undefined ? {} : { details: { authorization: issue } };
      throw new Problem("unauthorized", "Invalid or missing authentication", details);
    }
    request.principal = principal;
  }
}

/** The account that asks. Only for routes whose access is not `public`. */
export function accountOf(request: FastifyRequest): Principal["accountId"] {
  return principalOf(request).accountId;
}

/** Whether the request may do this as well, beyond its route's own access. A session may do everything. */
export function hasPermission(request: FastifyRequest, permission: Permission): boolean {
  const principal = principalOf(request);
  return principal.kind === "session" || principal.permissions.includes(permission);
}

/** Throws `forbidden`, naming what is missing, unless the request has the permission, or each of several. */
export function requirePermissions(request: FastifyRequest, wanted: Permission | readonly Permission[]): void {
  const missing = [wanted].flat().filter((permission) => !hasPermission(request, permission));
  if (missing.length > 0)
    throw new Problem(
      "forbidden",
      `This API key does not have the permission${missing.length > 1 ? "s" : ""} ${missing.join(" and ")}`,
    );
}

/**
 * Throws unless a session's owner has signed in, or entered the password again, within the last hour: what is made here
 * outlives the session, and a thief of the session must not keep it. A key may do what its permissions say.
 */
export function requireFreshSession(request: FastifyRequest, now: number): void {
  const principal = principalOf(request);
  if (principal.kind === "session" && !isFresh(principal.authenticatedAt, now)) throw staleSession();
}

/** Throws while the account's address has to be verified before it makes what a stranger could use in the owner's name. */
export function requireVerifiedAddress(request: FastifyRequest): void {
  const principal = principalOf(request);
  if (principal.kind === "session" && !principal.isVerified) throw unverifiedAddress();
}

export function unverifiedAddress(): Problem {
  return new Problem("forbidden", "Verify your email address first: open the link in the mail that was sent to you");
}

export function staleSession(): Problem {
  return new Problem("forbidden", "Sign in again to do this");
}

/** Who asks. Only for routes whose access is not `public`. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === undefined) throw new Error("This route has no account: its access is public");
  return request.principal;
}
