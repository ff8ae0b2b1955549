import type { AccountId } from "@sealpost/wire";
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { sentences } from "../problems/codes.ts";
import { Problem } from "../problems/problem.ts";
import { isFresh } from "./fresh-session.ts";
import type { Permission } from "./permission.ts";
import type { Authenticate, Principal } from "./principal.ts";
import { ensure } from "./requirements.ts";
import { findRoles, permissionsOfRole, type Role } from "./roles.ts";
import { hasSecondFactor } from "./second-factor.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /**
     * The callers that this route allows: anybody; a session alone; or a session or an API key with the permission, or with each of
     * several. What is done in an organization also needs a role, by the route's operation id (`roles.ts`); `person` is a
     * session whatever its organization and role, `operator` one of an operator with a second factor. Every route must say so.
     */
    readonly access?: "public" | "person" | "operator" | "session" | Permission | readonly Permission[];
    /** Whose rights the route's transactions change, which each locks first; of `person` its own, unless it says otherwise. */
    readonly changesRights?: RightChange;
  }
  interface FastifyRequest {
    principal: Principal | undefined;
  }
}

/** Whose rights a transaction changes: the caller's own, or all members'. */
export type RightChange = "person" | "organization";

/** Names the organization that a request is meant for. */
const organizationHeader = "sealpost-organization";

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
    if (isInOrganization(route.config?.access) && findRoles(operationIdOf(route.schema)) === undefined) {
      throw new Error(`Route ${String(route.method)} ${route.url} has no row in the table of roles`);
    }
  });
  app.addHook("onRequest", (request, reply, done) => {
    const { access } = request.routeOptions.config;
    if (access === undefined || access === "public") done();
    else admit(request, reply, access).then(() => done(), done);
  });
  // In a hook of its own, after the rates are counted: a key that is refused again and again is counted all the same.
  app.addHook("preParsing", (request, _reply, body, done) => {
    requireAccess(request);
    done(null, body);
  });
  app.addHook("preHandler", (request, _reply, done) => {
    hideForms(request);
    done();
  });

  async function admit(request: FastifyRequest, reply: FastifyReply, access: Access): Promise<void> {
    const found = await authenticate(request);
    const principal = found === "expired" ? undefined : found;
    if (principal === undefined || (isForSessions(access) && principal.kind !== "session")) {
      await onRefused(request, reply);
      if (found === "expired" && !isForSessions(access)) throw credentialEnded("expired");
      const issue = findCredentialError(request);
      const details = issue === undefined ? {} : { details: { authorization: issue } };
      throw new Problem("unauthorized", "Invalid or missing authentication", details);
    }
    request.principal = principal;
  }
}

/** Throws unless who asks may call the route, by all that is known of them. */
export function requireAccess(request: FastifyRequest): void {
  const { access } = request.routeOptions.config;
  if (access === "operator") requireOperator(request);
  if (!isInOrganization(access)) return;
  const isWaiting = awaitsProof(request);
  if (!isWaiting) requireMembership(request);
  requireNamedOrganization(request);
  if (isWaiting) {
    requireToLeave(request);
    return;
  }
  if (!isLeaving(request)) requireSecondFactor(request);
  if (access !== "session" && principalOf(request).kind === "api_key") requireHeld(principalOf(request), access);
  requireRole(request);
  requireReach(request);
}

export function credentialEnded(how: "expired" | undefined): Problem {
  return new Problem("unauthorized", how === "expired" ? sentences.api_key_expired : sentences.credential_invalid);
}

export function findRightChange({ routeOptions: { config } }: FastifyRequest): RightChange | undefined {
  return config.changesRights ?? (config.access === "person" ? "person" : undefined);
}

function isForSessions(access: Access): boolean {
  return access === "session" || access === "person" || access === "operator";
}

/** Whether it is done in an organization, with a role. */
export function isInOrganization(
  access: FastifyContextConfig["access"],
): access is "session" | Permission | readonly Permission[] {
  return access !== undefined && access !== "public" && access !== "person" && access !== "operator";
}

function operationIdOf(schema: object | undefined): unknown {
  return schema !== undefined && "operationId" in schema ? schema.operationId : undefined;
}

/** Read with each request, so that the right ends with the request that follows. */
function requireOperator(request: FastifyRequest): void {
  const session = sessionOf(request);
  if (!session.isOperator)
    throw new Problem("forbidden", "This is for the instance's operators: sealpost-server account operator names them");
  if (!hasSecondFactor(session))
    throw new Problem("forbidden", "Operators need a second factor: turn it on in your account, then come back");
}

function requireMembership(request: FastifyRequest): Role {
  const { role } = principalOf(request);
  if (role === undefined) throw organizationNone();
  return role;
}

function awaitsProof(request: FastifyRequest): boolean {
  const principal = principalOf(request);
  return principal.kind === "session" && principal.awaitsProof;
}

/** Leaving is always possible: whatever an organization asks of its members, nobody has to do that only to be rid of it. */
function isLeaving(request: FastifyRequest): boolean {
  return operationIdOf(request.routeOptions.schema) === "leaveOrganization";
}

/**
 * Anyone who signed up by the link of an invitation that was shown to its maker has a role only once the invited address is proven: its
 * maker could read with it in somebody else's name. They may leave, as anybody could have made them a member.
 */
function requireToLeave(request: FastifyRequest): void {
  if (isLeaving(request)) return;
  throw sessionOf(request).isVerified ? unprovenInvitation() : unverifiedAddress();
}

/**
 * A request that names an organization is for that one: a page that was left open shows it while its session was switched elsewhere, and must
 * change nothing there (contract, section 15.2).
 */
function requireNamedOrganization(request: FastifyRequest): void {
  const named = request.headers[organizationHeader];
  if (named !== undefined && named !== principalOf(request).accountId)
    throw new Problem("forbidden", sentences.organization_changed);
}

/** The session's person belongs to no organization, or not any more to the one that it acts for. */
export function organizationNone(): Problem {
  return new Problem("forbidden", sentences.organization_none);
}

/** An API key is no session of a person: it stays valid, so that no program stops because somebody has yet to set one up. */
function requireSecondFactor(request: FastifyRequest): void {
  const principal = principalOf(request);
  if (principal.kind === "session" && principal.lacksSecondFactor) throw secondFactorRequired();
}

export function secondFactorRequired(): Problem {
  return new Problem("forbidden", sentences.second_factor_required);
}

function requireRole(request: FastifyRequest): void {
  const role = requireMembership(request);
  if (findRoles(operationIdOf(request.routeOptions.schema))?.includes(role) !== true) throw roleInsufficient();
}

/** An API key that is limited to named forms does nothing but with them, and lists them. */
function requireReach(request: FastifyRequest): void {
  const { kind, formIds } = principalOf(request);
  const { url, schema } = request.routeOptions;
  if (kind !== "api_key" || formIds === undefined || url?.includes("/:form_id")) return;
  if (operationIdOf(schema) !== "listForms") throw new Problem("forbidden", sentences.api_key_limited);
}

/** For an operation that the role of who asks does not allow, or that of the API key's maker. */
export function roleInsufficient(): Problem {
  return new Problem("forbidden", "Your role in this organization does not allow this");
}

/** An id of the right kind that no form has. */
const noForm = "form_00000000000000000000000000";

/**
 * A form that the role does not name is asked for as one that does not exist: whatever the handler does with its id, it
 * answers the same.
 */
function hideForms({ principal, params }: FastifyRequest): void {
  if (principal?.formIds === undefined || typeof params !== "object" || params === null) return;
  if ("form_id" in params && !principal.formIds.some((id) => id === params.form_id)) params.form_id = noForm;
}

/** The organization that is asked for. Only for routes whose access is neither `public` nor `person`. */
export function accountOf(request: FastifyRequest): Principal["accountId"] {
  return principalOf(request).accountId;
}

/** The person whose session asks, or who made the API key that does. */
export function personOf(request: FastifyRequest): AccountId {
  const principal = principalOf(request);
  return principal.kind === "session" ? principal.personId : principal.madeBy;
}

/** In whose turn slow work for the request is done: the person's, within their organization. */
export function askerOf(request: FastifyRequest): { readonly accountId: AccountId; readonly personId: AccountId } {
  return { accountId: accountOf(request), personId: personOf(request) };
}

/** Whether the request may do this as well, beyond its route's own access. A session may do what its role holds. */
export function hasPermission(request: FastifyRequest, permission: Permission): boolean {
  return holds(principalOf(request), permission);
}

function holds(principal: Principal, permission: Permission): boolean {
  if (principal.kind === "api_key") return principal.permissions.includes(permission);
  return principal.role !== undefined && permissionsOfRole[principal.role].some((one) => one === permission);
}

/** Throws `forbidden`, naming what is missing, unless the request has the permission, or each of several. */
export function requirePermissions(request: FastifyRequest, wanted: Permission | readonly Permission[]): void {
  ensure(request, principalOf(request), (principal) => requireHeld(principal, wanted));
}

function requireHeld(principal: Principal, wanted: Permission | readonly Permission[]): void {
  const missing = [wanted].flat().filter((permission) => !holds(principal, permission));
  if (missing.length > 0 && principal.kind === "session") throw roleInsufficient();
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
  ensure(request, principalOf(request), (principal) => {
    if (principal.kind === "session" && !isFresh(principal.authenticatedAt, now)) throw staleSession();
  });
}

/** Throws while the account's address has to be verified before it makes what a stranger could use in the owner's name. */
export function requireVerifiedAddress(request: FastifyRequest): void {
  ensure(request, principalOf(request), (principal) => {
    if (principal.kind === "session" && !principal.isVerified) throw unverifiedAddress();
  });
}

export function unverifiedAddress(): Problem {
  return new Problem("forbidden", "Verify your email address first: open the link in the mail that was sent to you");
}

/** For a membership that was given to an address which the account has left. */
function unprovenInvitation(): Problem {
  return new Problem("forbidden", sentences.invited_address_unproven);
}

export function staleSession(): Problem {
  return new Problem("forbidden", "Sign in again to do this");
}

/** The principal of a route that is for sessions alone. */
export function sessionOf(request: FastifyRequest): Extract<Principal, { readonly kind: "session" }> {
  const principal = principalOf(request);
  if (principal.kind !== "session") throw new Error("This route is for sessions");
  return principal;
}

/** The request's principal. Only for routes whose access is not `public`. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === undefined) throw new Error("This route has no account: its access is public");
  return request.principal;
}
