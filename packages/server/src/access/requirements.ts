import type { FastifyRequest } from "fastify";
import type { Principal } from "./principal.ts";

/** Throws for a principal that may not do what is asked. */
type Requirement = (principal: Principal) => void;

const requirements = new WeakMap<FastifyRequest, Requirement[]>();

/** Throws now, and in each later transaction of the request, if the principal does not meet the requirement. */
export function ensure(request: FastifyRequest, principal: Principal, requirement: Requirement): void {
  requirement(principal);
  const known = requirements.get(request);
  if (known === undefined) requirements.set(request, [requirement]);
  else known.push(requirement);
}

/** Requirements of a handler so far, beyond the access of its route. */
export function requirementsOf(request: FastifyRequest): readonly Requirement[] {
  return requirements.get(request) ?? [];
}
