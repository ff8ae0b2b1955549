import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { accountOf } from "../access/access.ts";
import { decodeCursor, encodeCursor, invalidCursor } from "../http/cursor.ts";
import { pageLimitDefault, problems, reference } from "../http/schemas.ts";
import { type AuditChainStore, describeRemoved } from "./audit-chain-store.ts";
import type { AuditDetails, AuditEntry } from "./audit-entry.ts";
import type { AuditCursor, AuditLogStore } from "./audit-list-store.ts";
import { AuditLogBody, AuditLogQuery, actions, kindOfAction } from "./audit-log-schemas.ts";
import type { CountedActions } from "./counted-actions.ts";

export interface AuditLogRouteDependencies {
  readonly auditLog: AuditLogStore;
  readonly auditChain: AuditChainStore;
  readonly countedActions: CountedActions;
}

/** The log of an account: who did what, and when. For sessions alone: a stolen key can't look up what it did. */
export function createAuditLogRoutes({ auditLog, auditChain, countedActions }: AuditLogRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();
    app.route({
      method: "GET",
      url: "/api/audit-log",
      config: { access: "session" },
      schema: {
        operationId: "listAuditEntries",
        summary: "List what was done to the account, newest first",
        description:
          "Signing in and out and what failed of it, credentials, forms, their settings (from what to what) and keys, what was read, exports and bulk deletes: who, what and when. Nothing that was submitted, and no client's address. What happens often has an entry when it begins and one with the counts within the hour after it. Entries are kept for a year, unless the operator set another time, and chained by their hashes; `head` is the chain's end. With a filter a page may have fewer entries than `limit`, or none, and others follow: ask with `nextCursor` until it is null.",
        tags: ["Account"],
        querystring: AuditLogQuery,
        response: { 200: reference(AuditLogBody), ...problems(400, 401, 403, 429) },
      },
      handler: async (request) => {
        const { limit = pageLimitDefault, cursor, action, kind, actor, person, target, from, to } = request.query;
        const after = cursor === undefined ? undefined : parseCursor(cursor);
        const wanted =
          action === undefined && kind === undefined
            ? undefined
            : actions.filter((one) => (action ?? one) === one && (kind ?? kindOfAction(one)) === kindOfAction(one));
        const asked = {
          limit,
          after,
          actions: wanted,
          actorId: actor,
          personId: person,
          targetId: target,
          from,
          to,
        };
        // So that what somebody has just read is there.
        await countedActions.settle();
        const accountId = accountOf(request);
        const { head, removed } = await auditChain.chain(accountId, { batchesMax: 1 });
        const { entries, next } =
          wanted?.length === 0 ? { entries: [], next: undefined } : await auditLog.list(accountId, asked);
        return {
          entries: entries.map(toBody),
          nextCursor: next === undefined ? null : encodeCursor(next.occurredAt, next.id),
          head,
          ...(removed && { removed: describeRemoved(removed) }),
        };
      },
    });
  };
}

function toBody({ id, occurredAt, action, actor, target, count, details }: AuditEntry) {
  return {
    id,
    timestamp: occurredAt,
    action,
    actor,
    ...(target !== undefined && { target }),
    ...(count !== undefined && { count }),
    ...(details !== undefined && { details: toDetailsBody(details) }),
  };
}

function toDetailsBody({ changes, since, backupAt, counts }: AuditDetails) {
  return {
    ...(changes !== undefined && { changes: [...changes] }),
    ...(since !== undefined && { since }),
    ...(backupAt !== undefined && { backupAt }),
    ...(counts !== undefined && { counts }),
  };
}

function parseCursor(cursor: string): AuditCursor {
  const [occurredAt, id] = decodeCursor(cursor);
  if (typeof id !== "string" || !/^aud_[0-9a-z]{26}$/.test(id)) throw invalidCursor();
  return { occurredAt, id };
}
