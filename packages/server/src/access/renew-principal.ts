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
  // What was asked of one organization must not be done to another, to which the session was switched since.
  if (isOfOrganization && found.accountId !== before.accountId)
    throw new Problem("forbidden", sentences.organization_changed);
  if (stage === "before_handler") return;
  for (const requirement of requirementsOf(request)) requirement(found);
  if (isLessAsPerson(found, before) || (isOfOrganization && isLessAsMember(found, before)))
    throw new Problem("forbidden", sentences.rights_changed);
}

function isLessAsPerson(now: Principal, before: Principal): boolean {
  return (
    now.kind === "session" &&
    before.kind === "session" &&
    ((before.isVerified && !now.isVerified) ||
      (before.isOperator && !now.isOperator) ||
      (before.secondFactor !== undefined && now.secondFactor === undefined))
  );
}

function isLessAsMember(now: Principal, before: Principal): boolean {
  if (now.role !== before.role) return true;
  if (now.formIds !== undefined && before.formIds?.every((id) => now.formIds?.includes(id)) !== true) return true;
  return (
    now.kind === "api_key" &&
    before.kind === "api_key" &&
    !before.permissions.every((permission) => now.permissions.includes(permission))
  );
}
