import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { type AccountId, isId } from "@sealpost/wire";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { requireFreshSession, sessionOf } from "../access/access.ts";
import type { AccountOperations } from "../accounts/account-operations.ts";
import type { OperatorActor } from "../audit-log/operator-entries.ts";
import { decodeCursor, encodeCursor, invalidCursor } from "../http/cursor.ts";
import { pageLimitDefault, problems, reference } from "../http/schemas.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import type {
  InstanceOrganization,
  InstancePerson,
  OrganizationOrder,
  Page,
  PageQuery,
  PersonOrder,
} from "./instance.ts";
import {
  AccountChangeInput,
  AccountIdParameters,
  AccountQuery,
  ChangedAccountBody,
  ChangedOrganizationBody,
  EndedBody,
  InstanceAccountListBody,
  InstanceOrganizationListBody,
  OrganizationIdParameters,
  OrganizationQuery,
  PlanInput,
} from "./instance-schemas.ts";
import type { InstanceStore } from "./instance-store.ts";

export interface InstanceChangeRouteDependencies {
  readonly instance: InstanceStore;
  readonly accountOperations: AccountOperations;
  readonly hasQuotas: boolean;
  readonly clock: Clock;
}

/** The organizations and the persons of the instance, and what operators change about them. */
export function createInstanceChangeRoutes(dependencies: InstanceChangeRouteDependencies) {
  const { instance: store, accountOperations: operations, hasQuotas, clock } = dependencies;
  const describe = (organization: InstanceOrganization) => toOrganization(organization, hasQuotas);
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/instance/organizations",
      config: { access: "operator" },
      schema: {
        operationId: "listInstanceOrganizations",
        summary: "List the organizations of the instance",
        description: "With what they store. Names of forms are not in it.",
        tags: ["Instance"],
        querystring: OrganizationQuery,
        response: { 200: reference(InstanceOrganizationListBody), ...problems(400, 401, 403, 429) },
      },
      handler: async ({ query }) => {
        const sort: OrganizationOrder = query.sort ?? "newest";
        const { total, rows, last } = await page((asked) => store.listOrganizations(asked), { ...query, sort });
        const organizations = rows.map(describe);
        return { organizations, total, nextCursor: last === undefined ? null : encodeCursor(last.bytes, last.id) };
      },
    });

    app.route({
      method: "PATCH",
      url: "/api/instance/organizations/:organization_id",
      config: { access: "operator" },
      schema: {
        operationId: "setOrganizationPlan",
        summary: "Put an organization on another plan",
        description:
          "It counts from the next request. Its owners get an email, and its audit log says so. Needs a sign-in within the last 60 minutes.",
        tags: ["Instance"],
        params: OrganizationIdParameters,
        body: PlanInput,
        response: {
          200: ChangedOrganizationBody,
          ...problems(400, 401, 403, 404, 413, 415, 429),
        },
      },
      handler: async (request) => {
        requireFreshSession(request, clock.now());
        const id = readId(request.params.organization_id, organizationNotFound);
        await operations.setPlan(id, request.body.plan, actorOf(request));
        const organization = await store.findOrganization(id);
        if (organization === undefined) throw organizationNotFound();
        return { organization: describe(organization) };
      },
    });

    app.route({
      method: "GET",
      url: "/api/instance/accounts",
      config: { access: "operator" },
      schema: {
        operationId: "listInstanceAccounts",
        summary: "List the accounts of the instance",
        description: "The persons who can sign in, or could.",
        tags: ["Instance"],
        querystring: AccountQuery,
        response: { 200: reference(InstanceAccountListBody), ...problems(400, 401, 403, 429) },
      },
      handler: async ({ query }) => {
        const sort: PersonOrder = query.sort ?? "newest";
        const { total, rows, last } = await page((asked) => store.listPersons(asked), { ...query, sort });
        return {
          accounts: rows.map(toAccount),
          total,
          nextCursor: last === undefined ? null : encodeCursor(0, last.id),
        };
      },
    });

    app.route({
      method: "PATCH",
      url: "/api/instance/accounts/:account_id",
      config: { access: "operator" },
      schema: {
        operationId: "changeInstanceAccount",
        summary: "Disable or enable an account, or vouch for its address",
        description:
          "Disabled, nobody gets in: sessions end, API keys are refused, nobody can sign in. Forms accept submissions, and webhooks continue. Enabled again, API keys that were not revoked count again. An operator's account is not disabled here. The person gets an email, and the audit logs of their organizations say so. Needs a sign-in within the last 60 minutes.",
        tags: ["Instance"],
        params: AccountIdParameters,
        body: AccountChangeInput,
        response: {
          200: ChangedAccountBody,
          ...problems(400, 401, 403, 404, 409, 413, 415, 429),
        },
      },
      handler: async (request) => {
        requireFreshSession(request, clock.now());
        const id = readId(request.params.account_id, personNotFound);
        const { disabled, verified, leavesWithoutOwner = false } = request.body;
        const isEmpty = disabled === undefined && verified === undefined;
        refuseInvalid({ disabled: isEmpty ? "Is required" : undefined }, "Invalid request");
        const actor = actorOf(request);
        if (disabled === true) await operations.disable(id, actor, { mayLeaveWithoutOwner: leavesWithoutOwner });
        if (disabled === false) await operations.enable(id, actor);
        if (verified === true) await operations.verify(id, actor);
        const person = await store.findPerson(id);
        if (person === undefined) throw personNotFound();
        return { account: toAccount(person) };
      },
    });

    app.route({
      method: "DELETE",
      url: "/api/instance/accounts/:account_id/sessions",
      config: { access: "operator" },
      schema: {
        operationId: "endInstanceAccountSessions",
        summary: "Sign a person out everywhere",
        description:
          "Sign-ins that wait for a code, mailed links and invitations that they made end as well. API keys and the password stay. The person gets an email. Needs a sign-in within the last 60 minutes.",
        tags: ["Instance"],
        params: AccountIdParameters,
        response: { 200: EndedBody, ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        requireFreshSession(request, clock.now());
        const id = readId(request.params.account_id, personNotFound);
        return { success: true as const, ended: await operations.endSessions(id, actorOf(request)) };
      },
    });

    app.route({
      method: "DELETE",
      url: "/api/instance/accounts/:account_id/api-keys",
      config: { access: "operator" },
      schema: {
        operationId: "revokeInstanceAccountKeys",
        summary: "Revoke the API keys that a person made",
        description:
          "In all organizations. Programs that use one are refused from the next request on. The person gets an email. Needs a sign-in within the last 60 minutes.",
        tags: ["Instance"],
        params: AccountIdParameters,
        response: { 200: EndedBody, ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        requireFreshSession(request, clock.now());
        const id = readId(request.params.account_id, personNotFound);
        return { success: true as const, ended: await operations.revokeKeys(id, actorOf(request)) };
      },
    });
  };
}

interface AskedPage<Order> {
  readonly search?: string;
  readonly sort: Order;
  readonly limit?: number;
  readonly cursor?: string;
}

async function page<Order, Row extends { readonly id: string }>(
  list: (query: PageQuery<Order>) => Promise<Page<Row>>,
  { search = "", sort, limit = pageLimitDefault, cursor }: AskedPage<Order>,
): Promise<Page<Row> & { readonly last: Row | undefined }> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  // One more than asked for tells whether there is a next page.
  const asked = { search: search.trim() === "" ? undefined : search.trim(), sort, limit: limit + 1, after };
  const { total, rows } = await list(asked);
  return { total, rows: rows.slice(0, limit), last: rows.length > limit ? rows[limit - 1] : undefined };
}

function readCursor(cursor: string): { readonly bytes: number; readonly id: string } {
  const [bytes, id] = decodeCursor(cursor);
  if (!isId("account", id)) throw invalidCursor();
  return { bytes, id };
}

/** The database is asked for ids alone: PostgreSQL takes no NUL in a text. */
function readId(id: string, notFound: () => Problem): AccountId {
  if (!isId("account", id)) throw notFound();
  return id;
}

export function actorOf(request: FastifyRequest): OperatorActor {
  return { type: "operator", personId: sessionOf(request).personId };
}

function personNotFound(): Problem {
  return new Problem("not_found", "There is no account with this id");
}

function organizationNotFound(): Problem {
  return new Problem("not_found", "There is no organization with this id");
}

function toOrganization({ bytesMax, ...organization }: InstanceOrganization, hasQuotas: boolean) {
  return { ...organization, bytesMax: (hasQuotas ? bytesMax : undefined) ?? null };
}

function toAccount({ disabledAt, isVerified, hasSecondFactor, operatorSince, ...person }: InstancePerson) {
  return {
    ...person,
    disabledAt: disabledAt ?? null,
    verified: isVerified,
    secondFactor: hasSecondFactor,
    operatorSince: operatorSince ?? null,
  };
}
