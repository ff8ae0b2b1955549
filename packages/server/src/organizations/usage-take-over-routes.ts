import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { requireFreshSession, requireVerifiedAddress, sessionOf } from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Plan } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { closed, problems } from "../http/schemas.ts";
import type { Clock } from "../time/clock.ts";
import type { MemberStore } from "./member-store.ts";
import type { OrganizationStore } from "./organization-store.ts";
import { takeOverUsage } from "./usage-take-over.ts";

export interface UsageTakeOverRouteDependencies {
  readonly database: Database;
  readonly members: Pick<MemberStore, "lock">;
  readonly organizations: Pick<OrganizationStore, "countCounting">;
  readonly defaultPlan: Plan;
  readonly hasQuotas: boolean;
  readonly clock: Clock;
}

/** An owner has what the organization stores count for them, after the one for whom it counted has left. */
export function createUsageTakeOverRoutes(dependencies: UsageTakeOverRouteDependencies) {
  const { database, members, organizations, defaultPlan, hasQuotas, clock } = dependencies;
  return async (instance: FastifyInstance): Promise<void> => {
    instance.withTypeProvider<TypeBoxTypeProvider>().route({
      method: "POST",
      url: "/api/usage/take-over",
      config: { access: "session" },
      schema: {
        operationId: "takeOverUsage",
        summary: "Have what the organization stores count for you",
        description:
          "For owners, where `shared.countsFor` of the usage is `former_owner`. From then on the organization shares `bytesMax` with the others that count for you; refused (409, `usage_too_large`) where these would be too full, and where 50 count for you (`too_many_organizations`). It no longer counts for the person who left it. Does nothing where it counts for you already. Needs a sign-in within the last 60 minutes.",
        tags: ["Account"],
        response: {
          200: closed({ success: Type.Literal(true) }, { description: "It counts for you." }),
          ...problems(401, 403, 409, 429),
        },
      },
      handler: async (request) => {
        requireVerifiedAddress(request);
        requireFreshSession(request, clock.now());
        const by = byPrincipal(sessionOf(request));
        const { personId, accountId } = sessionOf(request);
        await database.transaction().execute(async (transaction) => {
          await members.lock(transaction, accountId, personId);
          const takeOver = { organizations, organizationId: accountId, personId, defaultPlan, hasQuotas };
          if (!(await takeOverUsage(transaction, takeOver))) return;
          const action = "organization.usage_taken_over";
          await recordAction(transaction, { ...by, action, occurredAt: clock.now() });
        });
        return { success: true as const };
      },
    });
  };
}
