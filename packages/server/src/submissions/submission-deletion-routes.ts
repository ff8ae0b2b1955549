import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FormId, SubmissionId } from "@sealpost/wire";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { accountOf, askerOf, principalOf } from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { type CountedActions, deletionOf } from "../audit-log/counted-actions.ts";
import { requireConfirmation } from "../http/confirmation.ts";
import { closed, FormIdParameters, problems, reference } from "../http/schemas.ts";
import { formNotFound, Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import { type PageTurns, withoutTurns } from "../time/page-turns.ts";
import type { RecordDeletion, SubmissionDeletionStore } from "./submission-deletion-store.ts";
import {
  DeletedSubmissionBody,
  DeletedSubmissionsBody,
  DeleteSubmissionsInput,
  moment,
  SubmissionParameters,
} from "./submission-schemas.ts";

export interface SubmissionDeletionRouteDependencies {
  readonly deletions: SubmissionDeletionStore;
  /** Called after a commit that may have made deliveries due. */
  readonly wakeDeliveries: () => void;
  /** Called after a commit that left rows to purge. */
  readonly wakePurge: () => void;
  readonly clock: Clock;
  readonly countedActions: CountedActions;
  readonly pageTurns: PageTurns;
}

/** Deleting submissions (contract, section 8.7): gone from every answer at once, and `submission.deleted` for each. */
export function createSubmissionDeletionRoutes({
  deletions,
  wakeDeliveries,
  wakePurge,
  clock,
  countedActions,
  pageTurns,
}: SubmissionDeletionRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "DELETE",
      url: "/api/forms/:form_id/submissions/:submission_id",
      config: { access: "submissions:delete" },
      schema: {
        operationId: "deleteSubmission",
        summary: "Delete one submission",
        description:
          "Its id stays known for 30 days: a late retry of its post is answered 409 and does not bring it back.",
        tags: ["Submissions"],
        params: SubmissionParameters,
        response: { 200: reference(DeletedSubmissionBody), ...problems(400, 401, 403, 404, 409, 429) },
      },
      handler: async (request) => {
        const { form_id: formId, submission_id: submissionId } = request.params;
        const named = [accountOf(request), formId, [submissionId]] as const;
        let name = "";
        const deleted = await deletions.deleteListed(withoutTurns, ...named, clock.now(), async (_, formName) => {
          name = formName;
        });
        if (deleted === undefined) throw formNotFound();
        if (deleted === 0) throw new Problem("not_found", "Submission not found");
        // Found, so it is the id of a form.
        countedActions.note(deletionOf(principalOf(request), { id: formId as FormId, name }));
        wakeDeliveries();
        // One that was found has the id of a submission.
        return { success: true as const, deleted: { submissionId: submissionId as SubmissionId } };
      },
    });

    app.route({
      method: "POST",
      url: "/api/forms/:form_id/submissions/delete",
      config: { access: "submissions:delete" },
      schema: {
        operationId: "deleteListedSubmissions",
        summary: "Delete up to 1,000 submissions by their ids",
        description:
          "Deletes the named submissions of the form, at most 1,000 in one request; unknown ids are ignored. With `onlyInBin` what was restored from the bin meanwhile is left. Receivers are notified of each.",
        tags: ["Submissions"],
        params: FormIdParameters,
        body: DeleteSubmissionsInput,
        response: { 200: reference(DeletedSubmissionsBody), ...problems(400, 401, 403, 404, 409, 413, 415, 429, 503) },
      },
      handler: async (request, reply) => {
        const { form_id: formId } = request.params;
        const now = clock.now();
        const { ids, onlyInBin } = request.body;
        const runPage = pageTurns.begin(askerOf(request), reply.raw, formId);
        const deletion = [runPage, accountOf(request), formId, ids, now, recordPipeline(request, formId, now)] as const;
        const done = onlyInBin
          ? await deletions.deleteBinned(...deletion)
          : await deletions
              .deleteListed(...deletion)
              .then((deleted) => (deleted === undefined ? undefined : { deleted }));
        if (done === undefined) throw formNotFound();
        wakeDeliveries();
        return {
          success: true as const,
          deleted: {
            submissionsDeleted: done.deleted,
            ...("left" in done && { submissionsLeft: done.left }),
          },
        };
      },
    });

    app.route({
      method: "DELETE",
      url: "/api/forms/:form_id/submissions",
      config: { access: "submissions:delete" },
      attachValidation: true,
      schema: {
        operationId: "deleteSubmissions",
        summary: "Delete a form's submissions, all or those received before a moment",
        description:
          "They are gone from every answer at once; their events follow in the background. Submissions that come in meanwhile stay.",
        tags: ["Submissions"],
        params: FormIdParameters,
        querystring: closed({
          confirm: Type.Literal("DELETE_SUBMISSIONS", { description: "Says that you mean it." }),
          before: moment("Only those received before this, in milliseconds since the Unix epoch."),
        }),
        response: { 200: reference(DeletedSubmissionsBody), ...problems(400, 401, 403, 404, 409, 429) },
      },
      handler: async (request) => {
        requireConfirmation(request, "Add ?confirm=DELETE_SUBMISSIONS to delete submissions of this form");
        const { form_id: formId } = request.params;
        const now = clock.now();
        const deleted = await deletions.deleteBefore(
          accountOf(request),
          formId,
          request.query.before,
          now,
          recordPipeline(request, formId, now),
        );
        if (deleted === undefined) throw formNotFound();
        if (deleted > 0) wakePurge();
        return { success: true as const, deleted: { submissionsDeleted: deleted } };
      },
    });
  };
}

/** Each deletion of many has an entry. Those of one are counted: a program that deletes what it has would bury the rest. */
function recordPipeline(request: FastifyRequest, formId: string, occurredAt: number): RecordDeletion {
  return (transaction, name, count) =>
    recordAction(transaction, {
      ...byPrincipal(principalOf(request)),
      action: "submissions.deleted",
      occurredAt,
      target: { type: "form", id: formId as FormId, name }, // found, so it is the id of one
      count,
    });
}
