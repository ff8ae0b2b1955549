import type { FastifyInstance } from "fastify";
import { closed } from "./schemas.ts";

/**
 * Refuses query parameters that a route does not know, also on routes that take none: a misspelt `befor` must not delete
 * everything. Not on public routes, to which pages and proxies add parameters of their own.
 */
export function installStrictQueries(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    const { access } = route.config ?? {};
    if (access === undefined || access === "public") return;
    route.schema ??= {};
    if (route.schema.querystring !== undefined) return;
    route.schema.querystring = closed({});
    // All errors of a route have the shape of its 401.
    const answers = route.schema.response as Record<number, unknown> | undefined; // Fastify's own type says no more than unknown
    if (answers !== undefined) answers[400] ??= answers[401];
  });
}
