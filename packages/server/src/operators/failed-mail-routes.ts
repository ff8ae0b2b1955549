import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { requireFreshSession } from "../access/access.ts";
import { instanceLog, recordOperatorAction } from "../audit-log/operator-entries.ts";
import type { Database } from "../database/database.ts";
import { decodeCursor, encodeCursor, invalidCursor } from "../http/cursor.ts";
import { PageQuery, pageLimitDefault, problems, reference } from "../http/schemas.ts";
import type { FailedMail, FailedMailStore } from "../mail/failed-mail-store.ts";
import { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import { actorOf } from "./instance-change-routes.ts";
import { FailedMailListBody, MailIdParameters, TriedBody } from "./instance-schemas.ts";
import type { InstanceStore } from "./instance-store.ts";

export interface FailedMailRouteDependencies {
  readonly database: Database;
  readonly instance: InstanceStore;
  readonly failedEmails: FailedMailStore;
  /** Says that a mail is due again. */
  readonly wakeEmails: () => void;
  readonly clock: Clock;
}

/** Emails that did not arrive: where to, why, and trying again. What was in them is not shown. */
export function createFailedMailRoutes(dependencies: FailedMailRouteDependencies) {
  const { database, instance: store, failedEmails, wakeEmails, clock } = dependencies;
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/instance/emails",
      config: { access: "operator" },
      schema: {
        operationId: "listFailedEmails",
        summary: "List the emails that did not arrive, the newest first",
        description:
          "Those that the mail server refused or that could not be sent, for thirty days, and those that wait for another try. A mail that was taken and came back later is not among them.",
        tags: ["Instance"],
        querystring: PageQuery,
        response: { 200: reference(FailedMailListBody), ...problems(400, 401, 403, 429) },
      },
      handler: async ({ query: { limit = pageLimitDefault, cursor } }) => {
        const after = cursor === undefined ? undefined : readCursor(cursor);
        const [total, emails] = await Promise.all([failedEmails.count(), failedEmails.list(limit + 1, after)]);
        const page = emails.slice(0, limit);
        const last = emails.length > limit ? page.at(-1) : undefined;
        return {
          emails: page.map(toBody),
          total,
          nextCursor: last === undefined ? null : encodeCursor(last.failedAt, last.id),
        };
      },
    });

    app.route({
      method: "POST",
      url: "/api/instance/emails/:mail_id/retry",
      config: { access: "operator" },
      schema: {
        operationId: "retryFailedMail",
        summary: "Try to send an email again",
        description: "At once, and then as often as a new one. Needs a sign-in within the last 60 minutes.",
        tags: ["Instance"],
        params: MailIdParameters,
        response: { 200: TriedBody, ...problems(401, 403, 404, 409, 429) },
      },
      handler: async (request) => {
        requireFreshSession(request, clock.now());
        const { mail_id: id } = request.params;
        await database.transaction().execute(async (transaction) => {
          const now = clock.now();
          // The database is asked for ids alone: PostgreSQL takes no NUL in a text.
          const found = /^[\w-]+$/.test(id) ? await failedEmails.tryAgain(transaction, id, now) : "unknown";
          if (found === "unknown") throw new Problem("not_found", "There is no failed email with this id");
          if (found === "too_old")
            throw new Problem("conflict", "The link in this email is too old by now: the person asks for a new one");
          const { accountId } = found;
          const entry = { actor: actorOf(request), occurredAt: now, action: "mail.tried_again" } as const;
          if (accountId === instanceLog) return recordOperatorAction(transaction, { ...entry, organizations: [] });
          const { name = "" } = (await store.findNames([accountId], transaction)).get(accountId) ?? {};
          const subject = { id: accountId, name };
          await recordOperatorAction(transaction, { ...entry, subject, organizations: [accountId] });
        });
        wakeEmails();
        return { success: true as const };
      },
    });
  };
}

function readCursor(cursor: string): { readonly failedAt: number; readonly id: string } {
  const [failedAt, id] = decodeCursor(cursor);
  if (typeof id !== "string" || !/^[\w-]+$/.test(id)) throw invalidCursor();
  return { failedAt, id };
}

function toBody({ id, kind, accountId, addresses, failedAt, failure, attempts, nextAt, mayBeTriedAgain }: FailedMail) {
  return {
    ...{ id, kind, accountId, failedAt, failure, attempts },
    to: [...addresses],
    nextAt: nextAt ?? null,
    canTryAgain: mayBeTriedAgain,
  };
}
