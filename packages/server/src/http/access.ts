import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Authenticate, Principal } from "../accounts/authentication.ts";

/** The contract's permissions of API keys (interface.md 2.3). */
export const permissions = ["forms:read", "forms:write", "submissions:read", "submissions:delete"] as const;
export type Permission = (typeof permissions)[number];

declare module "fastify" {
  interface FastifyContextConfig {
    /** Who may call this route: anybody, or an account (an API key needs the permission). Every route must say so. */
    readonly access?: "public" | Permission;
  }
  interface FastifyRequest {
    principal: Principal | undefined;
  }
}

/** Checks the credential before a body is read. A route that names no access stops the start: nothing is open by omission. */
export function installAccess(app: FastifyInstance, authenticate: Authenticate): void {
  app.decorateRequest("principal", undefined);
  app.addHook("onRoute", (route) => {
    if (route.config?.access === undefined && route.method !== "OPTIONS") {
      throw new Error(`Route ${String(route.method)} ${route.url} does not say who may call it`);
    }
  });
  app.addHook("onRequest", async (request) => {
    const { access } = request.routeOptions.config;
    if (access !== undefined && access !== "public") request.principal = await authenticate(request);
  });
}

/** The account that asks. Only for routes whose access is not `public`. */
export function accountOf(request: FastifyRequest): Principal["accountId"] {
  if (request.principal === undefined) throw new Error("This route has no account: its access is public");
  return request.principal.accountId;
}
