import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { requireFreshSession, requireVerifiedAddress, sessionOf } from "../access/access.ts";
import { hasSecondFactor } from "../access/second-factor.ts";
import { byPrincipal, writeAuditTime } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database } from "../database/database.ts";
import { lockRightsIn } from "../database/right-lock.ts";
import { problems, reference } from "../http/schemas.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import { type Clock, dayMilliseconds } from "../time/clock.ts";
import type { MemberStore } from "./member-store.ts";
import { SecondFactorRuleBody, SecondFactorRuleInput } from "./organization-schemas.ts";
import type { OrganizationStore } from "./organization-store.ts";

export interface SecondFactorRuleRouteDependencies {
  readonly database: Database;
  readonly members: MemberStore;
  readonly organizations: OrganizationStore;
  readonly sendSecurityMail: SendSecurityMail;
  readonly clock: Clock;
}

/** A date further away than that is a typing error. */
const furthestMilliseconds = 366 * dayMilliseconds;

/** Routes for the time at which an organization starts to require a second factor of its members. */
export function createSecondFactorRuleRoutes(dependencies: SecondFactorRuleRouteDependencies) {
  const { database, members, organizations, sendSecurityMail, clock } = dependencies;
  return async (instance: FastifyInstance): Promise<void> => {
    instance.withTypeProvider<TypeBoxTypeProvider>().route({
      method: "PUT",
      url: "/api/organization/second-factor",
      config: { access: "session", changesRights: "organization" },
      schema: {
        operationId: "setSecondFactorRule",
        summary: "Require a second factor of all members",
        description:
          "From `requiredFrom` on, sessions of members that were opened with the password alone are refused in this organization (403, `second_factor_required`), until their person turns a second factor on. Public submissions, deliveries and API keys do not change. Owners who have a second factor themselves may; null ends it. Needs a sign-in within the last 60 minutes.",
        tags: ["Organizations"],
        body: SecondFactorRuleInput,
        response: { 200: reference(SecondFactorRuleBody), ...problems(400, 401, 403, 413, 415, 429) },
      },
      handler: async (request) => {
        requireVerifiedAddress(request);
        requireFreshSession(request, clock.now());
        const { requiredFrom } = request.body;
        const isFar = requiredFrom !== null && requiredFrom > clock.now() + furthestMilliseconds;
        refuseInvalid({ requiredFrom: isFar ? "Must be within a year" : undefined }, "Invalid request");
        if (requiredFrom !== null && !hasSecondFactor(sessionOf(request)))
          throw new Problem("forbidden", "Turn on a second factor of your own first");
        const by = byPrincipal(sessionOf(request));
        const { accountId } = by;
        const own = await members.listOf(sessionOf(request).personId);
        // Its lock would make all requests of the organization wait.
        if (own.find(({ id }) => id === accountId)?.secondFactorFrom === requiredFrom) return { requiredFrom };
        await database.transaction().execute(async (transaction) => {
          await lockRightsIn(transaction, accountId);
          await members.lock(transaction, accountId);
          // Not before the lock: of two changes the second would be dated before the first.
          const now = clock.now();
          const before = await organizations.setSecondFactorFrom(transaction, accountId, requiredFrom);
          if (before === requiredFrom) return;
          const [from, to] = [writeAuditTime(before), writeAuditTime(requiredFrom)];
          const changes = [{ setting: "secondFactorRequiredFrom", from, to }];
          const action = "organization.second_factor_rule_changed";
          await recordAction(transaction, { ...by, action, occurredAt: now, details: { changes } });
          const event = "second_factor_rule_changed";
          await sendSecurityMail(transaction, { accountId, event, by: by.actor, occurredAt: now });
        });
        return { requiredFrom };
      },
    });
  };
}
