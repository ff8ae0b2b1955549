import type { Answer, CallOptions, Calls, Query } from "./call.ts";
import { eachOf } from "./paging.ts";
import { parseSubmission, parseSubmissions } from "./parse-submission.ts";

const listing = "GET /api/forms/{form_id}/submissions";
const one = "GET /api/forms/{form_id}/submissions/{submission_id}";
const exporting = "GET /api/forms/{form_id}/submissions/export";

export type Submission = Answer<typeof listing>["submissions"][number];

/** Submissions as they are stored, sealed; `openSubmission` opens one. Times are milliseconds since the Unix epoch, of `receivedAt`. */
export function createSubmissionsClient({ call, lines }: Calls) {
  /** One page of submissions, newest first. */
  const list = async (formId: string, query: Query<typeof listing> = {}, options?: CallOptions) => {
    const page = await call(listing, { path: { form_id: formId }, query }, options);
    return { ...page, submissions: parseSubmissions(page.submissions) };
  };
  return {
    list,
    /** All submissions between `from` and `to`, newest first, fetched as they are consumed. `export` is cheaper for many. */
    all: (formId: string, range: Pick<Query<typeof listing>, "from" | "to"> = {}, options?: CallOptions) =>
      eachOf(
        (cursor) => list(formId, { ...range, limit: 100, ...(cursor === undefined ? {} : { cursor }) }, options),
        (page) => page.submissions,
      ),
    get: async (formId: string, submissionId: string, options?: CallOptions) =>
      parseSubmission(
        (await call(one, { path: { form_id: formId, submission_id: submissionId } }, options)).submission,
      ),
    /** All submissions in one streamed answer, oldest first. `after` continues behind the submission of this id. */
    async *export(
      formId: string,
      query: Query<typeof exporting> = {},
      options?: CallOptions,
    ): AsyncGenerator<Submission, void> {
      const path = { form_id: formId };
      for await (const line of lines(exporting, { path, query }, options)) yield parseSubmission(line);
    },
    delete: async (formId: string, submissionId: string, options?: CallOptions) => {
      const path = { form_id: formId, submission_id: submissionId };
      return (await call("DELETE /api/forms/{form_id}/submissions/{submission_id}", { path }, options)).deleted;
    },
    /** Deletes the submissions of these ids, at most 1,000. */
    deleteMany: async (formId: string, ids: readonly string[], options?: CallOptions) => {
      const input = { path: { form_id: formId }, body: { ids: [...ids] } };
      return (await call("POST /api/forms/{form_id}/submissions/delete", input, options)).deleted;
    },
    /** Deletes all submissions received before this time. */
    deleteBefore: async (formId: string, before: number, options?: CallOptions) => {
      const query = { confirm: "DELETE_SUBMISSIONS", before } as const;
      return (await call("DELETE /api/forms/{form_id}/submissions", { path: { form_id: formId }, query }, options))
        .deleted;
    },
  };
}
