import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FormId } from "@sealpost/wire";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { FormStore } from "../forms/form-store.ts";
import { accountOf } from "../http/access.ts";
import { decodeCursor, encodeCursor } from "../http/cursor.ts";
import { closed, FormIdParameters, PageQuery, pageLimitDefault, problems, reference } from "../http/schemas.ts";
import { Problem } from "../problem.ts";
import { type Submission, toPayload } from "./submission.ts";
import { SubmissionBody, SubmissionListBody } from "./submission-schemas.ts";
import type { SubmissionStore } from "./submission-store.ts";

export interface SubmissionRouteDependencies {
  readonly forms: FormStore;
  readonly submissions: SubmissionStore;
}

const SubmissionParameters = closed({
  ...FormIdParameters.properties,
  submission_id: Type.String({ description: "The submission's id, `sub_…`." }),
});

const ListQuery = closed({
  ...PageQuery.properties,
  from: Type.Optional(Type.Integer({ minimum: 0, description: "Received at or after, in milliseconds." })),
  to: Type.Optional(Type.Integer({ minimum: 0, description: "Received at or before, in milliseconds." })),
});

/** The account's side of submissions (decisions, section 8). */
export function createSubmissionRoutes({ forms, submissions }: SubmissionRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/forms/:form_id/submissions",
      config: { access: "submissions:read" },
      schema: {
        operationId: "listSubmissions",
        summary: "List a form's submissions, newest first",
        tags: ["Submissions"],
        params: FormIdParameters,
        querystring: ListQuery,
        response: { 200: reference(SubmissionListBody), ...problems(400, 401, 403, 404, 429) },
      },
      handler: async (request) => {
        const formId = await loadFormId(request, request.params.form_id);
        const { limit = pageLimitDefault, cursor, from, to } = request.query;
        const [receivedAt, sequence] = cursor === undefined ? [] : decodeCursor(cursor);
        const after = receivedAt === undefined ? undefined : { receivedAt, sequence: Number(sequence) };
        const [items, total] = await Promise.all([
          submissions.list(formId, { limit: limit + 1, after, from, to }),
          submissions.count(formId, { from, to }),
        ]);
        const page = items.slice(0, limit);
        const last = items.length > limit ? page.at(-1)?.cursor : undefined;
        return {
          submissions: page.map(({ submission }) => toBody(submission)),
          total,
          nextCursor: last === undefined ? null : encodeCursor(last.receivedAt, last.sequence),
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
        tags: ["Submissions"],
        params: SubmissionParameters,
        response: { 200: closed({ submission: reference(SubmissionBody) }), ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        const formId = await loadFormId(request, request.params.form_id);
        const submission = await submissions.find(formId, request.params.submission_id);
        if (submission === undefined) throw new Problem("not_found", "Submission not found");
        return { submission: toBody(submission) };
      },
    });
  };

  async function loadFormId(request: FastifyRequest, formId: string): Promise<FormId> {
    const item = await forms.find(accountOf(request), formId);
    if (item === undefined) throw new Problem("not_found", "Form not found");
    return item.form.id;
  }
}

function toBody({ id, formId, payload, keyVersion, timestamp, receivedAt }: Submission) {
  return { id, formId, payload: toPayload(payload), keyVersion, timestamp, receivedAt };
}
