import type { Answer, CallOptions, Calls, Query } from "./call.ts";
import { eachOf } from "./paging.ts";

const listing = "GET /api/forms/{form_id}/submissions";
const one = "GET /api/forms/{form_id}/submissions/{submission_id}";

export type Submission = Answer<typeof listing>["submissions"][number];

/** Submissions as they are stored, sealed; `openSubmission` opens one. Times are milliseconds since the Unix epoch, of `receivedAt`. */
export function createSubmissionsClient({ call }: Calls) {
  /** One page of submissions, newest first. */
  const list = (formId: string, query: Query<typeof listing> = {}, options?: CallOptions) =>
    call(listing, { path: { form_id: formId }, query }, options);
  return {
    list,
    /** All submissions between `from` and `to`, newest first, fetched as they are consumed. */
    all: (formId: string, range: Pick<Query<typeof listing>, "from" | "to"> = {}, options?: CallOptions) =>
      eachOf(
        (cursor) => list(formId, { ...range, limit: 100, ...(cursor === undefined ? {} : { cursor }) }, options),
        (page) => page.submissions,
      ),
    get: async (formId: string, submissionId: string, options?: CallOptions) =>
      (await call(one, { path: { form_id: formId, submission_id: submissionId } }, options)).submission,
  };
}
