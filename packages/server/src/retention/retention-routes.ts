import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FormId } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { accountOf, principalOf } from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { closed, FormIdParameters, problems, reference } from "../http/schemas.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { formNotFound } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import type { RetentionStore } from "./retention-store.ts";

/** A hundred years: longer is unlimited. */
const daysMax = 36_500;

const members = {
  days: Type.Unsafe<number | null>({
    type: ["integer", "null"],
    minimum: 1,
    maximum: daysMax,
    description:
      "Submissions received longer ago than this many days of 24 hours are deleted. Null: they are kept until somebody deletes them.",
    "x-message": `Must be a whole number from 1 to ${daysMax}, or null`,
  }),
};

export const RetentionBody = closed(members, {
  $id: "Retention",
  description: "After how many days submissions are deleted.",
});

const RetentionInput = closed(members);

export interface RetentionRouteDependencies {
  readonly retention: RetentionStore;
  /** Called after a commit that may have left rows to delete. */
  readonly wakePurge: (formId: FormId) => void;
  readonly sendSecurityMail: SendSecurityMail;
  readonly clock: Clock;
}

/** How long a form keeps its submissions. */
export function createRetentionRoutes({ retention, wakePurge, sendSecurityMail, clock }: RetentionRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/forms/:form_id/retention",
      config: { access: "forms:read" },
      schema: {
        operationId: "getRetention",
        summary: "Get how long a form keeps its submissions",
        description: "After how many days submissions are deleted; `null` keeps them.",
        tags: ["Forms"],
        params: FormIdParameters,
        response: { 200: reference(RetentionBody), ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        const found = await retention.find(accountOf(request), request.params.form_id);
        if (found === undefined) throw formNotFound();
        return { days: found.days };
      },
    });

    app.route({
      method: "PUT",
      url: "/api/forms/:form_id/retention",
      // A limit of a day deletes nearly everything that is stored.
      config: { access: ["forms:write", "submissions:delete"] },
      schema: {
        operationId: "setRetention",
        summary: "Set how long a form keeps its submissions",
        description:
          "Those that are older already are deleted right after the answer, in batches, each with its `submission.deleted`; from then on each goes when its time is over. After the service's clock went ahead by more than a week, or stood still for so long because the service was stopped, all of that begins a day later. How many are older now says the list's `total` with `to`. An API key needs `submissions:delete` as well.",
        tags: ["Forms"],
        params: FormIdParameters,
        body: RetentionInput,
        response: { 200: reference(RetentionBody), ...problems(400, 401, 403, 404, 413, 415, 429) },
      },
      handler: async (request) => {
        const { days } = request.body;
        const changed: FormId[] = [];
        const isSet = await retention.set(
          accountOf(request),
          request.params.form_id,
          days,
          async (transaction, form, from) => {
            if (days !== null) changed.push(form.id);
            const occurredAt = clock.now();
            await recordAction(transaction, {
              ...byPrincipal(principalOf(request)),
              action: "form.updated",
              occurredAt,
              target: { type: "form", ...form },
              details: { changes: [{ setting: "retentionDays", from, to: days }] },
            });
            if (days === null || (from !== null && from < days)) return;
            const [accountId, event] = [accountOf(request), "keeping_shortened"] as const;
            const { actor: by } = byPrincipal(principalOf(request));
            await sendSecurityMail(transaction, { accountId, event, by, occurredAt, formId: form.id });
          },
        );
        if (!isSet) throw formNotFound();
        for (const formId of changed) wakePurge(formId);
        return { days };
      },
    });
  };
}
