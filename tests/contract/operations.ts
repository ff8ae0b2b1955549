import assert from "node:assert/strict";
import type { FastifyInstance } from "fastify";
import { type Permission, permissions } from "../../packages/server/src/access/permission.ts";

/** One operation of the OpenAPI document. */
export interface Operation {
  /** `GET /api/forms/{form_id}`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  /** Who may call it, as its security requirements say: an API key needs each of the permissions. */
  readonly access: readonly Permission[] | "session" | "operator" | "public";
}

interface DocumentOperation {
  readonly operationId?: string;
  readonly security?: readonly { readonly apiKey?: readonly string[]; readonly sessionToken?: readonly string[] }[];
}

/** Every operation of the document. Fails on one that does not name itself or say who may call it. */
export function listDocumentOperations(document: object): readonly Operation[] {
  const { paths } = document as { paths: Record<string, Record<string, DocumentOperation>> }; // the shape of OpenAPI 3.1
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security }]) => {
      const name = `${method.toUpperCase()} ${path}`;
      assert.ok(operationId !== undefined && security !== undefined, `${name} lacks operationId or security`);
      return { name, method: method.toUpperCase(), path, operationId, access: accessOf(name, security) };
    }),
  );
}

function accessOf(name: string, security: NonNullable<DocumentOperation["security"]>): Operation["access"] {
  if (security.length === 0) return "public";
  assert.ok(
    security.some(({ sessionToken }) => sessionToken !== undefined),
    `${name} takes no session`,
  );
  if (security.some(({ sessionToken }) => sessionToken?.includes("operator"))) return "operator";
  const roles = security.flatMap(({ apiKey }) => apiKey ?? []);
  if (roles.length === 0) return "session";
  const wanted = permissions.filter((one) => roles.includes(one));
  assert.equal(wanted.length, roles.length, `${name} wants ${roles}`);
  return wanted;
}

/**
 * Every route of the running app as `GET /api/forms/{form_id}`, without HEAD (each GET has one) and preflights. Read from
 * the router's own picture of itself: each line is a part of a path and its methods, indented under what it continues.
 */
export function listRoutes(app: FastifyInstance): readonly string[] {
  const routes: string[] = [];
  const parents: string[] = [];
  for (const line of app.printRoutes({ commonPrefix: false }).split("\n")) {
    const match = /^(?<indent>[│ ]*)[├└]── (?<part>\S*)(?: \((?<methods>[A-Z, ]+)\))?/.exec(line)?.groups;
    if (match === undefined) continue;
    const depth = (match.indent?.length ?? 0) / 4;
    const path = `${parents[depth - 1] ?? ""}${match.part}`;
    parents.length = depth;
    parents.push(path);
    const methods = (match.methods ?? "").split(", ").filter((method) => !["", "HEAD", "OPTIONS"].includes(method));
    for (const method of methods) routes.push(`${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
  }
  return routes;
}
