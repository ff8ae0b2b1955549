import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import type { AuditLogStore } from "../audit-log/audit-list-store.ts";
import { instanceLog } from "../audit-log/operator-entries.ts";
import type { Config } from "../config/config.ts";
import { decodeCursor, encodeCursor, invalidCursor } from "../http/cursor.ts";
import { PageQuery, pageLimitDefault, problems, reference } from "../http/schemas.ts";
import { version } from "../instance/version.ts";
import type { FailedMailStore } from "../mail/failed-mail-store.ts";
import type { InstanceInvitationStore } from "./instance-invitation-store.ts";
import { InstanceBody, InstanceLogBody } from "./instance-schemas.ts";
import type { InstanceStore } from "./instance-store.ts";
import { describeEntry } from "./log-entry.ts";

/** One thing that `sealpost-server doctor` looked at. */
export interface HealthFinding {
  readonly check: string;
  readonly level: "ok" | "warning" | "problem";
  readonly message: string;
  readonly remedy?: string;
}

export interface Health {
  readonly findings: readonly HealthFinding[];
  readonly backlog: {
    readonly due: number;
    readonly oldestDueAt: number | undefined;
    readonly emails: number;
    readonly oldestMailAt: number | undefined;
  };
  readonly lastBackupAt: number | undefined;
}

export interface InstanceRouteDependencies {
  readonly config: Config;
  readonly instance: InstanceStore;
  readonly failedEmails: FailedMailStore;
  readonly instanceInvitationStore: InstanceInvitationStore;
  readonly auditLog: AuditLogStore;
  readonly findHealth: () => Promise<Health>;
}

/** The instance, its health, and what operators did. For operators, as every route below `/api/instance`. */
export function createInstanceRoutes(dependencies: InstanceRouteDependencies) {
  const { config, instance: store, failedEmails, instanceInvitationStore, auditLog, findHealth } = dependencies;
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/instance",
      config: { access: "operator" },
      schema: {
        operationId: "getInstance",
        summary: "Get the instance and its health",
        description:
          "What `sealpost-server doctor` and the metrics know from inside: numbers and settings, no content.",
        tags: ["Instance"],
        response: { 200: reference(InstanceBody), ...problems(401, 403, 429) },
      },
      handler: async () => {
        const [health, counts, failed] = await Promise.all([findHealth(), store.count(), failedEmails.count()]);
        const { due, oldestDueAt, emails, oldestMailAt } = health.backlog;
        return {
          version,
          signUp: config.signUp,
          sendsEmails: config.mail !== undefined,
          hasQuotas: config.hasQuotas,
          counts: { ...counts, failedEmails: failed },
          backlog: {
            deliveriesDue: due,
            oldestDeliveryAt: oldestDueAt ?? null,
            mailsWaiting: emails,
            oldestMailAt: oldestMailAt ?? null,
          },
          lastBackupAt: health.lastBackupAt ?? null,
          checks: [...health.findings],
        };
      },
    });

    app.route({
      method: "GET",
      url: "/api/instance/log",
      config: { access: "operator" },
      schema: {
        operationId: "listInstanceLog",
        summary: "List what operators did, the newest first",
        description:
          "On the instance page and with `sealpost-server` on the server. The organization concerned has it in its own audit log too.",
        tags: ["Instance"],
        querystring: PageQuery,
        response: { 200: reference(InstanceLogBody), ...problems(400, 401, 403, 429) },
      },
      handler: async ({ query: { limit = pageLimitDefault, cursor } }) => {
        const after = cursor === undefined ? undefined : readCursor(cursor);
        const { entries: page, next } = await auditLog.list(instanceLog, { limit, after });
        const ids = page.flatMap(({ actor, target }) => [
          ...(actor.type === "operator" && actor.personId !== undefined ? [actor.personId] : []),
          ...(target === undefined ? [] : [target.id]),
        ]);
        const emails = await instanceInvitationStore.findEmails(ids);
        const names = new Map(await store.findNames(ids));
        for (const [id, email] of emails) names.set(id, { name: "", email });
        return {
          entries: page.map((entry) => describeEntry(entry, names)),
          nextCursor: next === undefined ? null : encodeCursor(next.occurredAt, next.id),
        };
      },
    });
  };
}

function readCursor(cursor: string): { readonly occurredAt: number; readonly id: string } {
  const [occurredAt, id] = decodeCursor(cursor);
  if (typeof id !== "string" || !/^aud_[0-9a-z]{26}$/.test(id)) throw invalidCursor();
  return { occurredAt, id };
}
