import type { FastifyRequest } from "fastify";
import { sentences } from "../problems/codes.ts";
import { Problem } from "../problems/problem.ts";
import { credentialEnded, isInOrganization, principalOf, requireAccess } from "./access.ts";
import type { Principal } from "./principal.ts";
import { requirementsOf } from "./requirements.ts";

/**
 * Puts the rights that a principal has by now in the place of those that it had. Throws if they are not enough any more; and, once the
 * handler has begun to decide by them, if they are less than they were.
 */
export function renewPrincipal(
  request: FastifyRequest,
  found: Principal | "expired" | undefined,
  stage: "before_handler" | "in_handler",
): void {
  const before = principalOf(request);
  if (found === undefined || found === "expired") throw credentialEnded(found);
  request.principal = found;
  requireAccess(request);
  const isOfOrganization = isInOrganization(request.routeOptions.config.access);
  // A request to one organization must not be done to another, to which the session was switched since.
  if (isOfOrganization && found.accountId !== before.accountId)
    throw new Problem("forbidden", sentences.organization_changed);
  if (stage === "before_handler") return;
  for (const requirement of requirementsOf(request)) requirement(found);
  if (isOfOrganization && isLess(found, before)) throw new Problem("forbidden", sentences.rights_changed);
}

/** Whether the handler would decide otherwise by now, since role, forms or permissions are less. */
function isLess(now: Principal, before: Principal): boolean {
  if (now.role !== before.role) return true;
  if (now.formIds !== undefined && before.formIds?.every((id) => now.formIds?.includes(id)) !== true) return true;
  return (
    now.kind === "api_key" &&
    before.kind === "api_key" &&
    !before.permissions.every((permission) => now.permissions.includes(permission))
  );
}
