import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { AccountId } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import { accountOf, requireFreshSession, sessionOf } from "../access/access.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { problems, reference } from "../http/schemas.ts";
import type { Clock } from "../time/clock.ts";
import { type AuditActor, byPrincipal, type NewAuditEntry } from "./audit-entry.ts";
import { ShortenedBody, ShortenInput } from "./audit-log-schemas.ts";
import { recordAction } from "./audit-log-store.ts";
import { noteShortening, type Shortening } from "./audit-shortening-store.ts";

export interface AuditShorteningRouteDependencies {
  readonly database: Database;
  /** Throws a problem while a legal hold keeps a form of the organization. */
  readonly requireNoHold: (transaction: DatabaseTransaction, accountId: AccountId) => Promise<void>;
  /** Tells all owners. */
  readonly sendSecurityMail: (
    transaction: DatabaseTransaction,
    mail: {
      readonly accountId: AccountId;
      readonly event: "audit_log_shortened";
      readonly by: AuditActor;
      readonly occurredAt: number;
    },
  ) => Promise<void>;
  /** Called after a commit that left something to delete. */
  readonly clock: Clock;
}

/** An owner's way out of a log that somebody has filled: the oldest entries go, and what stays verifies from the head before it. */
export function createAuditShorteningRoutes(dependencies: AuditShorteningRouteDependencies) {
  const { database, requireNoHold, sendSecurityMail, clock } = dependencies;
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();
    app.route({
      method: "POST",
      url: "/api/audit-log/shorten",
      config: { access: "session" },
      schema: {
        operationId: "shortenAuditLog",
        summary: "Remove the oldest entries of the audit log",
        description:
          'Removes all entries up to `until`, within a minute or so. Export the log first and keep the file: `until` is the number and hash of an entry in it. The export then begins after that entry, and verifies from there. Entries of the last 30 days stay (409, `code: "audit_entry_too_recent"`), and everything stays while a form of the organization is under legal hold (409, `code: "form_held"`). It is recorded as `audit_log.shortened`, and emailed to all owners. Entries that are gone already change nothing. Needs a sign-in of the last 60 minutes.',
        tags: ["Account"],
        body: ShortenInput,
        response: { 200: reference(ShortenedBody), ...problems(400, 401, 403, 409, 413, 415, 429) },
      },
      handler: async (request) => {
        const now = clock.now();
        requireFreshSession(request, now);
        const accountId = accountOf(request);
        const { until } = request.body;
        const { count } = await database.transaction().execute(async (transaction) => {
          await requireNoHold(transaction, accountId);
          const shortened = await noteShortening(transaction, accountId, until, now);
          if (shortened.shortening === undefined) return shortened;
          const by = byPrincipal(sessionOf(request));
          await recordAction(transaction, {
            ...by,
            ...describe(shortened.shortening),
            occurredAt: now,
          });
          const event = "audit_log_shortened";
          await sendSecurityMail(transaction, { accountId, event, by: by.actor, occurredAt: now });
          return shortened;
        });
        return { shortened: { count } };
      },
    });
  };
}

function describe({ after, until }: Shortening): Pick<NewAuditEntry, "action" | "details"> {
  const [from, to] = [after, until].map((head) => (head === undefined ? null : `${head.sequence}:${head.hash}`));
  return {
    action: "audit_log.shortened",
    details: {
      changes: [{ setting: "auditLogStart", from: from ?? null, to: to ?? null }],
      counts: { entries: until.sequence - (after?.sequence ?? 0) },
    },
  };
}
