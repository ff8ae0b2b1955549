import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { sessionOf } from "../access/access.ts";
import type { AuditAction } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { closed, problems, reference } from "../http/schemas.ts";
import { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import { SessionListBody } from "./session-schemas.ts";
import type { ListedSession, SessionStore } from "./session-store.ts";

export interface SessionRouteDependencies {
  readonly sessions: SessionStore;
  readonly database: Database;
  readonly clock: Clock;
}

const SessionIdParameters = closed({ session_id: Type.String({ description: "The session's id." }) });

/** The sessions of the person who asks, whatever organization they act for. */
export function createSessionRoutes({ sessions, database, clock }: SessionRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/sessions",
      config: { access: "person", rate: "ending" },
      schema: {
        operationId: "listSessions",
        summary: "List your sessions, the newest first",
        description:
          "Where you are signed in: a coarse name of the browser out of a fixed list, and times. Neither a client's address nor its user agent is kept.",
        tags: ["Account"],
        response: { 200: reference(SessionListBody), ...problems(401, 429) },
      },
      handler: async (request) => {
        const { personId, sessionId } = sessionOf(request);
        const list = await sessions.list(personId, clock.now());
        return { sessions: list.map((one) => toBody(one, sessionId)), total: list.length };
      },
    });

    app.route({
      method: "DELETE",
      url: "/api/sessions/:session_id",
      config: { access: "person", rate: "ending" },
      schema: {
        operationId: "endSession",
        summary: "End a session",
        description: "It and its tokens are refused from the next request on. Ending the one that asks signs out.",
        tags: ["Account"],
        params: SessionIdParameters,
        response: {
          200: closed({ success: Type.Literal(true) }, { description: "The session has ended." }),
          ...problems(401, 404, 429),
        },
      },
      handler: async (request) => {
        const id = request.params.session_id;
        // The database is asked for ids alone: PostgreSQL takes no NUL in a text.
        const isEnded = /^[\w-]{1,64}$/.test(id) && (await end(request, id));
        if (!isEnded) throw new Problem("not_found", "You have no session with this id");
        return { success: true as const };
      },
    });

    app.route({
      method: "POST",
      url: "/api/sessions/end-others",
      config: { access: "person", rate: "ending" },
      schema: {
        operationId: "endOtherSessions",
        summary: "End all other sessions",
        description: "All of yours but the one that asks, with their tokens.",
        tags: ["Account"],
        response: {
          200: closed(
            { ended: Type.Integer({ minimum: 0, description: "How many there were." }) },
            { description: "The other sessions have ended." },
          ),
          ...problems(401, 429),
        },
      },
      handler: async (request) => {
        const { personId, sessionId } = sessionOf(request);
        return database.transaction().execute(async (transaction) => {
          const ended = await sessions.endOthers(transaction, personId, sessionId);
          if (ended > 0) await tell(transaction, request, "session.others_revoked");
          return { ended };
        });
      },
    });
  };

  function end(request: FastifyRequest, id: string): Promise<boolean> {
    return database.transaction().execute(async (transaction) => {
      const isEnded = await sessions.end(transaction, sessionOf(request).personId, id);
      if (isEnded) await tell(transaction, request, "session.revoked", id);
      return isEnded;
    });
  }

  async function tell(
    transaction: DatabaseTransaction,
    request: FastifyRequest,
    action: AuditAction,
    target?: string,
  ): Promise<void> {
    const { personId, sessionId } = sessionOf(request);
    await recordAction(transaction, {
      // Whatever the session acts for: it is about the person.
      accountId: personId,
      actor: { type: "session", id: sessionId, personId },
      action,
      occurredAt: clock.now(),
      target: target === undefined ? undefined : { type: "session", id: target },
    });
  }
}

function toBody({ id, label, createdAt, lastUsedAt, expiresAt }: ListedSession, current: string) {
  return {
    id,
    browser: label?.browser ?? null,
    system: label?.system ?? null,
    ...{ createdAt, lastUsedAt, expiresAt },
    current: id === current,
  };
}
