import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { hasPermission, principalOf } from "../access/access.ts";
import { isOwnerWithSession } from "../access/owner-session.ts";
import { type CountedActions, readOf } from "../audit-log/counted-actions.ts";
import type { FormStore } from "../forms/form-store.ts";
import { loadOwnedForm } from "../forms/owned-form.ts";
import { decodeCursor, encodeCursor } from "../http/cursor.ts";
import { closed, FormIdParameters, pageLimitDefault, problems, reference } from "../http/schemas.ts";
import { Problem } from "../problems/problem.ts";
import { type HasRoom, requireRoom } from "../quotas/room.ts";
import type { Clock } from "../time/clock.ts";
import { describeError } from "./delivery-error.ts";
import {
  type AttemptLine,
  type DeliveryLine,
  type DeliveryLogStore,
  sendingsForOwners,
  sendingsMax,
} from "./delivery-log-store.ts";
import { DeliveryDetailBody, DeliveryLogBody, DeliveryParameters, LogQuery, ResentBody } from "./delivery-schemas.ts";

export interface DeliveryRouteDependencies {
  readonly forms: FormStore;
  readonly deliveryLog: DeliveryLogStore;
  /** Called after a commit that may have made deliveries due. */
  readonly wakeDeliveries: () => void;
  readonly hasRoom: HasRoom;
  readonly clock: Clock;
  readonly countedActions: CountedActions;
}

/** The outcomes of a form's deliveries (contract, section 9.8). */
export function createDeliveryRoutes({
  forms,
  deliveryLog,
  wakeDeliveries,
  hasRoom,
  clock,
  countedActions,
}: DeliveryRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/forms/:form_id/webhook/logs",
      config: { access: "forms:read" },
      schema: {
        operationId: "listDeliveries",
        summary: "List the form's deliveries, newest first",
        description:
          "A delivery is here from the end of its first attempt on, for 30 days after its end. While another attempt is due, its status is `failed` and `nextAttemptAt` says when. A page may have fewer deliveries than `limit`, or none, and others follow: ask with `nextCursor` until it is null.",
        tags: ["Webhooks"],
        params: FormIdParameters,
        querystring: LogQuery,
        response: { 200: reference(DeliveryLogBody), ...problems(400, 401, 403, 404, 429) },
      },
      handler: async (request) => {
        const { form } = await loadOwnedForm(forms, request, request.params.form_id);
        const { limit = pageLimitDefault, cursor, status, submissionId } = request.query;
        const [createdAt, id] = cursor === undefined ? [] : decodeCursor(cursor);
        const after = createdAt === undefined ? undefined : { createdAt, id: String(id) };
        const { lines, next } = await deliveryLog.list(form.id, { limit, after, status, submissionId });
        const nextCursor = next === undefined ? null : encodeCursor(next.createdAt, next.id);
        return { logs: lines.map(toLogEntry), nextCursor };
      },
    });

    app.route({
      method: "GET",
      url: "/api/forms/:form_id/webhook/logs/:delivery_id",
      config: { access: "forms:read" },
      schema: {
        operationId: "getDelivery",
        summary: "Get a delivery with its attempts and what was sent",
        description: "One delivery with each of its attempts, and the body that was sent.",
        tags: ["Webhooks"],
        params: DeliveryParameters,
        response: { 200: closed({ log: reference(DeliveryDetailBody) }), ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        const { form } = await loadOwnedForm(forms, request, request.params.form_id);
        const detail = await deliveryLog.find(form.id, request.params.delivery_id);
        if (detail === undefined) throw deliveryNotFound();
        const { line, attempts, body } = detail;
        const text = body === undefined ? null : Buffer.from(body).toString("utf8");
        const mayRead = hasPermission(request, "submissions:read");
        // It holds the submission, as `getSubmission` would show it; a test's is made up.
        if (mayRead && text !== null && line.kind === "submission.created" && !line.isTest)
          countedActions.note(readOf(principalOf(request), form, { opened: 1, submissions: 1 }));
        return {
          log: {
            ...toLogEntry(line),
            attempts: attempts.map(toAttemptEntry),
            ...(mayRead && { body: text }),
          },
        };
      },
    });

    app.route({
      method: "POST",
      url: "/api/forms/:form_id/webhook/logs/:delivery_id/resend",
      // Anyone who may change the webhook URL could have stored submissions sent to themselves.
      config: { access: ["forms:write", "submissions:read"] },
      schema: {
        operationId: "resendDelivery",
        summary: "Send a delivery's content again, as a new delivery",
        description:
          "The same bytes to the form's webhook URL, signed with its secret, with six attempts of their own. An API key needs `submissions:read` as well: what is sent may be a stored submission.",
        tags: ["Webhooks"],
        params: DeliveryParameters,
        response: { 202: reference(ResentBody), ...problems(400, 401, 403, 404, 409, 429, 503) },
      },
      handler: async (request, reply) => {
        const { form } = await loadOwnedForm(forms, request, request.params.form_id);
        await requireRoom(hasRoom);
        const sendings = sendingsMax - (isOwnerWithSession(principalOf(request)) ? 0 : sendingsForOwners);
        const resent = await deliveryLog.resend(form.id, request.params.delivery_id, clock.now(), sendings);
        if (resent.outcome === "not_found") throw deliveryNotFound();
        if (resent.outcome === "wiped")
          throw new Problem("conflict", "The submission was deleted, and with it what this delivery sent");
        if (resent.outcome === "too_often")
          throw new Problem(
            "conflict",
            `The log has at most ${sendingsMax} deliveries of one event, the last ${sendingsForOwners} for owners with a session. It has to forget some of them first.`,
          );
        if (resent.outcome === "no_url") throw webhookUrlMissing();
        wakeDeliveries();
        return reply.status(202).send({ success: true as const, delivery: { id: resent.deliveryId } });
      },
    });
  };
}

function deliveryNotFound(): Problem {
  return new Problem("not_found", "Delivery not found");
}

export function webhookUrlMissing(): Problem {
  return new Problem("bad_request", "Invalid request", { details: { webhookUrl: "Set the form's webhook URL first" } });
}

/** Contract, section 9.8: while another attempt is due, the status is `failed`. */
export function toLogEntry(line: DeliveryLine) {
  const { id, kind, occurredAt, state, statusCode, error, durationMilliseconds, nextAttemptAt, attempts } = line;
  return {
    id,
    event: kind,
    timestamp: occurredAt,
    status: state === "delivered" ? ("success" as const) : ("failed" as const),
    ...(statusCode !== undefined && { statusCode }),
    ...(durationMilliseconds !== undefined && { duration: durationMilliseconds }),
    ...(error !== undefined && { error: describeError(error, statusCode), errorCode: error }),
    retryCount: Math.max(0, attempts - 1),
    ...(nextAttemptAt !== undefined && { nextAttemptAt }),
    ...(line.isTest && { test: true as const }),
  };
}

function toAttemptEntry({
  number,
  startedAt,
  durationMilliseconds,
  statusCode,
  error,
  url,
  repeatReason,
}: AttemptLine) {
  return {
    number,
    startedAt,
    ...(durationMilliseconds !== undefined && { duration: durationMilliseconds }),
    ...(statusCode !== undefined && { statusCode }),
    ...(error !== undefined && { error: describeError(error, statusCode), errorCode: error }),
    url,
    ...(repeatReason !== undefined && { repeatReason }),
  };
}
