import type { ValidateFunction } from "ajv";
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

/**
 * Makes integers of the parameters that a route wants as such, where they are written as integers are. Ajv's own coercion
 * also takes `0x10`, `1e1` and ` 5`, which nobody means.
 */
export function readIntegers(schema: object, validate: ValidateFunction) {
  const properties: Record<string, { readonly type?: unknown }> =
    "properties" in schema ? Object(schema.properties) : {};
  const names = Object.keys(properties).filter((name) => properties[name]?.type === "integer");
  return (query: Record<string, unknown>) => {
    for (const name of names) {
      const text = query[name];
      if (typeof text !== "string" || !/^(0|-?[1-9][0-9]{0,16})$/.test(text)) continue;
      const value = Number(text);
      if (Number.isSafeInteger(value)) query[name] = value;
    }
    return validate(query) ? { value: query } : { error: validate.errors ?? [] };
  };
}
