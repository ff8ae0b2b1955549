import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { askerOf, principalOf } from "../access/access.ts";
import { type CountedActions, readOf } from "../audit-log/counted-actions.ts";
import { toPayload } from "../database/stored-payload.ts";
import type { FormStore } from "../forms/form-store.ts";
import { loadOwnedForm } from "../forms/owned-form.ts";
import { closed, FormIdParameters, PageQuery, pageLimitDefault, problems, reference } from "../http/schemas.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import { Problem } from "../problems/problem.ts";
import type { FairQueue } from "../rate-limits/fair-queue.ts";
import { createRowCursors, type RowPlace } from "./row-cursor.ts";
import type { Submission } from "./submission.ts";
import { ReceivedRange, SubmissionBody, SubmissionListBody, SubmissionParameters } from "./submission-schemas.ts";
import type { SubmissionCursor, SubmissionStore } from "./submission-store.ts";

export interface SubmissionRouteDependencies {
  readonly forms: FormStore;
  readonly submissions: SubmissionStore;
  readonly secretBox: SecretBox;
  readonly countedActions: CountedActions;
  readonly countQueue: FairQueue;
}

/** The approximate memory of one page, until its client has read it; one submission alone may be as long. */
export const pageBytesMax = 1_048_576;

const ListQuery = closed({ ...PageQuery.properties, ...ReceivedRange });

/** The account's side of submissions (contract, section 8.7). */
export function createSubmissionRoutes({
  forms,
  submissions,
  secretBox,
  countedActions,
  countQueue,
}: SubmissionRouteDependencies) {
  const cursors = createRowCursors(secretBox);
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/forms/:form_id/submissions",
      config: { access: "submissions:read" },
      schema: {
        operationId: "listSubmissions",
        summary: "List a form's submissions, newest first",
        description:
          "In their stored form: sealed ones are opened with the private key, which the service does not have. `from` and `to` bound the time of receipt. A page ends after `limit` submissions or about 1 MiB of what they hold, whichever comes first, and has at least one: ask with `nextCursor` for the next page until it is null.",
        tags: ["Submissions"],
        params: FormIdParameters,
        querystring: ListQuery,
        response: { 200: reference(SubmissionListBody), ...problems(400, 401, 403, 404, 429, 503) },
      },
      handler: async (request) => {
        const { form } = await loadOwnedForm(forms, request, request.params.form_id);
        const { limit = pageLimitDefault, cursor, from, to } = request.query;
        const after = cursor === undefined ? undefined : toPlace(cursors.decode(form.id, cursor));
        const count = () => submissions.count(form.id, { from, to });
        const isBounded = from !== undefined || to !== undefined;
        const [page, total] = await Promise.all([
          submissions.list(form.id, { limit, bytesMax: pageBytesMax, after, from, to }),
          isBounded ? countQueue.run(askerOf(request), count, form.id) : count(),
        ]);
        const { length } = page.items;
        if (length > 0) countedActions.note(readOf(principalOf(request), form, { lists: 1, submissions: length }));
        const last = page.hasMore ? page.items.at(-1)?.cursor : undefined;
        return {
          submissions: page.items.map(({ submission }) => toSubmissionBody(submission)),
          total,
          nextCursor: last === undefined ? null : cursors.encode(form.id, [last.receivedAt, last.sequence]),
        };
      },
    });

    app.route({
      method: "GET",
      url: "/api/forms/:form_id/submissions/:submission_id",
      config: { access: "submissions:read" },
      schema: {
        operationId: "getSubmission",
        summary: "Get one submission",
        description:
          "In its stored form: a sealed one is opened with the private key, which the service does not have.",
        tags: ["Submissions"],
        params: SubmissionParameters,
        response: { 200: closed({ submission: reference(SubmissionBody) }), ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        const { form } = await loadOwnedForm(forms, request, request.params.form_id);
        const submission = await submissions.find(form.id, request.params.submission_id);
        if (submission === undefined) throw new Problem("not_found", "Submission not found");
        countedActions.note(readOf(principalOf(request), form, { opened: 1, submissions: 1 }));
        return { submission: toSubmissionBody(submission) };
      },
    });
  };
}

function toPlace([receivedAt, sequence]: RowPlace): SubmissionCursor {
  return { receivedAt, sequence };
}

export function toSubmissionBody({ id, formId, payload, keyVersion, timestamp, receivedAt }: Submission) {
  return { id, formId, payload: toPayload(payload), keyVersion, timestamp, receivedAt };
}
