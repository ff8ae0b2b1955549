import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { requireFreshSession, sessionOf } from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database } from "../database/database.ts";
import { problems, reference } from "../http/schemas.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import type { Clock } from "../time/clock.ts";
import type { MemberStore } from "./member-store.ts";
import { RecoveryRuleBody, RecoveryRuleInput } from "./organization-schemas.ts";
import type { OrganizationStore } from "./organization-store.ts";

export interface RecoveryRuleRouteDependencies {
  readonly database: Database;
  readonly members: MemberStore;
  readonly organizations: OrganizationStore;
  readonly sendSecurityMail: SendSecurityMail;
  readonly clock: Clock;
}

/** Whether an organization wants a recovery key, without which no form's key is put into an envelope. */
export function createRecoveryRuleRoutes(dependencies: RecoveryRuleRouteDependencies) {
  const { database, members, organizations, sendSecurityMail, clock } = dependencies;
  return async (instance: FastifyInstance): Promise<void> => {
    instance.withTypeProvider<TypeBoxTypeProvider>().route({
      method: "PUT",
      url: "/api/organization/recovery",
      config: { access: "session" },
      schema: {
        operationId: "setRecoveryRule",
        summary: "Require a recovery key of the organization",
        description:
          "The service then takes no envelope while the signed list of members has no recovery key, and no entry that removes the last one (409, `recovery_key_needed`). Envelopes that it has do not change. It can't look into an envelope: clients hold every one to the recovery keys of the list. For owners, who are notified by email. Needs a sign-in within the last 60 minutes.",
        tags: ["Organizations"],
        body: RecoveryRuleInput,
        response: { 200: reference(RecoveryRuleBody), ...problems(400, 401, 403, 413, 415, 429) },
      },
      handler: async (request) => {
        requireFreshSession(request, clock.now());
        const { requireRecovery } = request.body;
        const by = byPrincipal(sessionOf(request));
        const { accountId } = by;
        if ((await organizations.requiresRecovery(accountId)) === requireRecovery) return { requireRecovery };
        await database.transaction().execute(async (transaction) => {
          await members.lock(transaction, accountId);
          // Not before the lock: of two changes the second would be dated before the first.
          const now = clock.now();
          const before = await organizations.requiresRecovery(accountId, transaction);
          if (before === requireRecovery) return;
          await organizations.setRecoveryRequired(transaction, accountId, requireRecovery ? now : null);
          const changes = [{ setting: "requireRecovery", from: before, to: requireRecovery }];
          const action = "organization.recovery_rule_changed";
          await recordAction(transaction, { ...by, action, occurredAt: now, details: { changes } });
          const event = "recovery_rule_changed";
          await sendSecurityMail(transaction, { accountId, event, by: by.actor, occurredAt: now });
        });
        return { requireRecovery };
      },
    });
  };
}
