import { Readable } from "node:stream";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FormId } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { askerOf, principalOf } from "../access/access.ts";
import { type AuditCounts, byPrincipal } from "../audit-log/audit-entry.ts";
import { type CountedActions, readOf } from "../audit-log/counted-actions.ts";
import type { RecordReading } from "../audit-log/owed-entries.ts";
import type { FormStore } from "../forms/form-store.ts";
import { loadOwnedForm } from "../forms/owned-form.ts";
import { closed, FormIdParameters, problems, reference } from "../http/schemas.ts";
import { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import type { PageTurns, RunPage } from "../time/page-turns.ts";
import { toSubmissionBody } from "./submission-routes.ts";
import { ReceivedRange, SubmissionBody } from "./submission-schemas.ts";
import type { SubmissionCursor, SubmissionStore } from "./submission-store.ts";

/** The approximate memory of one batch; one submission is at most 1 MiB. */
const batchBytesMax = 1_048_576;

/** A proxy may end an answer at the end of a line, so that it looks whole. */
const lastHeader = "sealpost-last-submission";

const ExportQuery = closed({
  ...ReceivedRange,
  after: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        "Id of a submission: the export begins after it. With the id of the last line that you have, it resumes where it was interrupted, also when that submission was deleted within the last 30 days. The order is that of `receivedAt`, and what comes later is dated later, also where the service's clock was set back by up to a day. If the clock had been ahead by more than that, newer submissions are dated before that line and are not in the answer; then export again without `after`, or with `from` at the time that the clock was set back to.",
    }),
  ),
});

export interface SubmissionExportRouteDependencies {
  readonly recordReading: RecordReading;
  readonly forms: FormStore;
  readonly submissions: SubmissionStore;
  readonly clock: Clock;
  readonly countedActions: CountedActions;
  readonly pageTurns: PageTurns;
}

/** NDJSON of any length in constant memory: a batch is read when the one before has been taken by the client, in a turn of its own. */
export function createSubmissionExportRoutes({
  recordReading,
  forms,
  submissions,
  clock,
  countedActions,
  pageTurns,
}: SubmissionExportRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();
    const running = new Set<Readable>();
    // A slow client would hold up a shutdown for ever; it sees an answer that broke off, and resumes with `after`.
    app.addHook("preClose", async () => {
      for (const stream of running) stream.destroy();
    });

    app.route({
      method: "GET",
      url: "/api/forms/:form_id/submissions/export",
      config: { access: "submissions:read" },
      schema: {
        operationId: "exportSubmissions",
        summary: "Export a form's submissions as NDJSON, oldest first",
        description:
          "One submission per line, as in the list. Holds what was stored when it began. The header `Sealpost-Last-Submission` has the id of the last line that is to come; it is missing where none comes. An answer that ends without the closing chunk broke off, and so did one whose last line is another, unless that submission was deleted in the meantime: ask again with `after`.",
        tags: ["Submissions"],
        params: FormIdParameters,
        querystring: ExportQuery,
        response: {
          200: {
            description: "Lines of JSON, each one submission.",
            content: { "application/x-ndjson": { schema: reference(SubmissionBody) } },
          },
          ...problems(400, 401, 403, 404, 429, 503),
        },
      },
      handler: async (request, reply) => {
        const { form } = await loadOwnedForm(forms, request, request.params.form_id);
        const runPage = pageTurns.begin(askerOf(request), reply.raw, form.id);
        const { from = 0, to = Number.MAX_SAFE_INTEGER, after } = request.query;
        const position = after === undefined ? undefined : await submissions.findPosition(form.id, after);
        if (after !== undefined && position === undefined) {
          throw new Problem("bad_request", "Invalid request", {
            details: { after: "Must be the id of a submission of this form" },
          });
        }
        const principal = principalOf(request);
        const isNamed = await recordReading({
          ...byPrincipal(principal),
          action: "submissions.exported",
          occurredAt: clock.now(),
          target: { type: "form", id: form.id, name: form.name },
        });
        const count = (counts: AuditCounts) =>
          countedActions.note({
            ...readOf(principal, form, counts),
            ...(!isNamed && { target: undefined }),
            isRecorded: true,
          });
        count({ exports: 1 });
        const start = later({ receivedAt: from, sequence: 0 }, position);
        const newest = await submissions.findNewest(form.id, { after: start, to });
        if (newest !== undefined) reply.header(lastHeader, newest.id);
        const stream = Readable.from(
          readLines(form.id, { runPage, count }, start, newest ?? { receivedAt: 0, sequence: 0 }),
          { objectMode: false, highWaterMark: 1 },
        );
        request.endsWithRight(stream, async () => (await forms.find(principal.accountId, form.id)) !== undefined);
        running.add(stream);
        stream.on("close", () => running.delete(stream));
        return reply.type("application/x-ndjson").send(stream as never); // its lines are what the schema describes
      },
    });
  };

  async function* readLines(
    formId: FormId,
    { runPage, count }: { readonly runPage: RunPage; readonly count: (counts: AuditCounts) => void },
    start: SubmissionCursor,
    until: SubmissionCursor,
  ): AsyncGenerator<string> {
    let after = start;
    for (;;) {
      const page = await runPage(async () => {
        const batch = await submissions.listOldest(formId, { after, until, bytesMax: batchBytesMax });
        const last = batch.at(-1);
        if (last === undefined) return undefined;
        after = last.cursor;
        count({ submissions: batch.length });
        return batch.map(({ submission }) => `${JSON.stringify(toSubmissionBody(submission))}\n`).join("");
      });
      if (page === undefined) return;
      yield page;
    }
  }
}

function later(first: SubmissionCursor, second: SubmissionCursor | undefined): SubmissionCursor {
  if (second === undefined) return first;
  return second.receivedAt < first.receivedAt ? first : second;
}
