import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FormId } from "@sealpost/wire";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { accountOf, askerOf, principalOf } from "../access/access.ts";
import { type AuditAction, byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { type CountedActions, readOf } from "../audit-log/counted-actions.ts";
import type { FormStore } from "../forms/form-store.ts";
import { loadOwnedForm } from "../forms/owned-form.ts";
import { requireConfirmation } from "../http/confirmation.ts";
import { closed, FormIdParameters, PageQuery, pageLimitDefault, problems, reference } from "../http/schemas.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import { formNotFound, Problem } from "../problems/problem.ts";
import type { FairQueue } from "../rate-limits/fair-queue.ts";
import { type Clock, dayMilliseconds } from "../time/clock.ts";
import type { PageTurns } from "../time/page-turns.ts";
import type { Selection } from "./batches.ts";
import {
  BinBody,
  BinnedSubmissionsBody,
  BinSubmissionsInput,
  RestoredSubmissionsBody,
  RestoreSubmissionsInput,
} from "./bin-schemas.ts";
import type { BinCursor, BinStore } from "./bin-store.ts";
import { createRowCursors, type RowPlace } from "./row-cursor.ts";
import type { RecordDeletion } from "./submission-deletion-store.ts";
import { pageBytesMax, toSubmissionBody } from "./submission-routes.ts";
import { DeletedSubmissionsBody, moment, ReceivedRange } from "./submission-schemas.ts";

export interface BinRouteDependencies {
  readonly forms: FormStore;
  readonly bin: BinStore;
  readonly secretBox: SecretBox;
  /** Called after a commit that may have made deliveries due. */
  readonly wakeDeliveries: () => void;
  /** Called after a commit that left rows to purge. */
  readonly wakePurge: () => void;
  readonly clock: Clock;
  readonly countedActions: CountedActions;
  readonly countQueue: FairQueue;
  readonly pageTurns: PageTurns;
}

const url = "/api/forms/:form_id/submissions/bin";

const BinQuery = closed({ ...PageQuery.properties, ...ReceivedRange });

/** The bin of a form: what was moved there is gone from every other answer, and can be restored for the form's `binDays`. */
export function createBinRoutes({
  forms,
  bin,
  secretBox,
  wakeDeliveries,
  wakePurge,
  clock,
  countedActions,
  countQueue,
  pageTurns,
}: BinRouteDependencies) {
  const cursors = createRowCursors(secretBox);
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url,
      config: { access: "submissions:read" },
      schema: {
        operationId: "listBin",
        summary: "List what is in a form's bin, the latest first",
        description:
          "With when each was moved there and when it is deleted for good (`purgeAt`). `from` and `to` bound the time of receipt, of the list and of its `total`; with them a page may have fewer than `limit`, or none, and others follow. Ask with `nextCursor` for the next page until it is null.",
        tags: ["Submissions"],
        params: FormIdParameters,
        querystring: BinQuery,
        response: { 200: reference(BinBody), ...problems(400, 401, 403, 404, 429, 503) },
      },
      handler: async (request) => {
        const { form } = await loadOwnedForm(forms, request, request.params.form_id);
        const { limit = pageLimitDefault, cursor, from, to } = request.query;
        const after = cursor === undefined ? undefined : toPlace(cursors.decode(form.id, cursor));
        const look = () => bin.look(form.id, { from, to });
        const isBounded = from !== undefined || to !== undefined;
        const [page, { total, daysKept }] = await Promise.all([
          bin.list(form.id, { limit, bytesMax: pageBytesMax, after, received: { from, to } }),
          isBounded ? countQueue.run(askerOf(request), look, form.id) : look(),
        ]);
        const { length } = page.items;
        if (length > 0) countedActions.note(readOf(principalOf(request), form, { lists: 1, submissions: length }));
        const { next } = page;
        return {
          submissions: page.items.map(({ submission, cursor: { binnedAt } }) => ({
            ...toSubmissionBody(submission),
            binnedAt,
            purgeAt: Math.min(
              binnedAt + form.settings.binDays * dayMilliseconds,
              submission.receivedAt + daysKept * dayMilliseconds,
            ),
          })),
          total,
          nextCursor: next === undefined ? null : cursors.encode(form.id, [next.binnedAt, next.sequence]),
        };
      },
    });

    app.route({
      method: "POST",
      url,
      config: { access: "submissions:delete" },
      schema: {
        operationId: "binSubmissions",
        summary: "Move submissions to the bin, up to 1,000 by their ids or all before a moment",
        description:
          "They are gone from lists, exports and counts with the answer, and can be restored for as many days as the form's setting `binDays` says; then they are deleted for good, each with its `submission.deleted`. Where it is 0, they are deleted with the answer, or with `restorable` nothing is done. What is due to the webhook is still delivered.",
        tags: ["Submissions"],
        params: FormIdParameters,
        querystring: closed({
          restorable: Type.Optional(
            Type.Literal("true", { description: "To the bin or not at all: 409 (`bin_off`) where `binDays` is 0." }),
          ),
        }),
        body: BinSubmissionsInput,
        response: { 200: reference(BinnedSubmissionsBody), ...problems(400, 401, 403, 404, 409, 413, 415, 429, 503) },
      },
      handler: async (request, reply) => {
        const { form_id: formId } = request.params;
        const now = clock.now();
        const record = (isDeleted: boolean) =>
          recordCount(request, formId, isDeleted ? "submissions.deleted" : "submissions.binned", now);
        const selection = toSelection(request.body);
        const moved = await bin.move(
          pageTurns.begin(askerOf(request), reply.raw, formId),
          accountOf(request),
          formId,
          selection,
          now,
          record,
          request.query.restorable === "true",
        );
        if (moved === undefined) throw formNotFound();
        const { count, isDeleted, hasMore } = moved;
        if (isDeleted) wakeDeliveries();
        return {
          success: true as const,
          binned: {
            submissionsBinned: isDeleted ? 0 : count,
            submissionsDeleted: isDeleted ? count : 0,
            hasMore,
          },
        };
      },
    });

    app.route({
      method: "POST",
      url: `${url}/restore`,
      config: { access: "submissions:delete" },
      schema: {
        operationId: "restoreSubmissions",
        summary: "Restore submissions from the bin, up to 1,000 by their ids or all",
        description: "They are again where they were in every list and export. Nothing is sent to the webhook.",
        tags: ["Submissions"],
        params: FormIdParameters,
        body: RestoreSubmissionsInput,
        response: { 200: reference(RestoredSubmissionsBody), ...problems(400, 401, 403, 404, 413, 415, 429, 503) },
      },
      handler: async (request, reply) => {
        const { form_id: formId } = request.params;
        const record = recordCount(request, formId, "submissions.restored", clock.now());
        const runPage = pageTurns.begin(askerOf(request), reply.raw, formId);
        const restored = await bin.restore(runPage, accountOf(request), formId, request.body.ids, record);
        if (restored === undefined) throw formNotFound();
        const { count, hasMore } = restored;
        return { success: true as const, restored: { submissionsRestored: count, hasMore } };
      },
    });

    app.route({
      method: "DELETE",
      url,
      config: { access: "submissions:delete" },
      attachValidation: true,
      schema: {
        operationId: "emptyBin",
        summary: "Delete for good what is in a form's bin, all or what was moved there before a moment",
        description:
          "It can't be restored after the answer; rows are purged and `submission.deleted` is emitted in the background. To delete some of it for good, delete them by their ids, with `onlyInBin`.",
        tags: ["Submissions"],
        params: FormIdParameters,
        querystring: closed({
          confirm: Type.Literal("EMPTY_BIN", { description: "Says that you mean it." }),
          before: moment("Only what was moved there before this, in milliseconds since the Unix epoch."),
        }),
        response: { 200: reference(DeletedSubmissionsBody), ...problems(400, 401, 403, 404, 409, 429) },
      },
      handler: async (request) => {
        requireConfirmation(request, "Add ?confirm=EMPTY_BIN to delete for good what is in the bin of this form");
        const { form_id: formId } = request.params;
        const record = recordCount(request, formId, "submissions.bin_emptied", clock.now());
        const deleted = await bin.empty(accountOf(request), formId, request.query.before, record);
        if (deleted === undefined) throw formNotFound();
        if (deleted > 0) wakePurge();
        return { success: true as const, deleted: { submissionsDeleted: deleted } };
      },
    });
  };
}

/** The schema lets exactly one of the two through. */
function toSelection({ ids, before }: { readonly ids?: readonly string[]; readonly before?: number }): Selection {
  if (ids !== undefined) return { ids };
  if (before !== undefined) return { before };
  throw new Problem("bad_request", "Invalid request");
}

function toPlace([binnedAt, sequence]: RowPlace): BinCursor {
  return { binnedAt, sequence };
}

function recordCount(request: FastifyRequest, formId: string, action: AuditAction, occurredAt: number): RecordDeletion {
  return (transaction, name, count) =>
    recordAction(transaction, {
      ...byPrincipal(principalOf(request)),
      action,
      occurredAt,
      target: { type: "form", id: formId as FormId, name }, // found, so it is the id of one
      count,
    });
}
