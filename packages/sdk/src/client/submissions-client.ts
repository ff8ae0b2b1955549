import { ApiError } from "./api-error.ts";
import type { Answer, CallOptions, Calls, Query } from "./call.ts";
import { eachOf } from "./paging.ts";
import { parseBinnedSubmission, parseSubmission, parseSubmissions } from "./parse-submission.ts";

const listing = "GET /api/forms/{form_id}/submissions";
const one = "GET /api/forms/{form_id}/submissions/{submission_id}";
const listingBin = "GET /api/forms/{form_id}/submissions/bin";
const exporting = "GET /api/forms/{form_id}/submissions/export";

export type Submission = Answer<typeof listing>["submissions"][number];
export type BinnedSubmission = Answer<typeof listingBin>["submissions"][number];

/** Names the last submission of an export, in case its answer is cut off. */
const lastHeader = "sealpost-last-submission";
/** Answers of one export: a proxy that ends each after a part of it is asked so often. */
const answersMax = 10_000;

/** The most ids that one request may name. */
const idsMax = 1000;

/** `restorable`: to the bin or not at all. */
export type MoveOptions = CallOptions & { readonly restorable?: boolean };

/** Stored submissions, still sealed; `openSubmission` opens one. Times are milliseconds since the Unix epoch, of `receivedAt`. */
export function createSubmissionsClient({ call, lines }: Calls) {
  /** One page of submissions, newest first. */
  const list = async (formId: string, query: Query<typeof listing> = {}, options?: CallOptions) => {
    const page = await call(listing, { path: { form_id: formId }, query }, options);
    return { ...page, submissions: parseSubmissions(page.submissions) };
  };
  const listBin = async (formId: string, query: Query<typeof listingBin> = {}, options?: CallOptions) => {
    const page = await call(listingBin, { path: { form_id: formId }, query }, options);
    return { ...page, submissions: page.submissions.map(parseBinnedSubmission) };
  };
  const move = async (
    formId: string,
    body: { ids: string[] } | { before: number },
    { restorable, ...options }: MoveOptions = {},
  ) => {
    const query = restorable ? ({ restorable: "true" } as const) : {};
    return (
      await call("POST /api/forms/{form_id}/submissions/bin", { path: { form_id: formId }, query, body }, options)
    ).binned;
  };
  const restore = async (formId: string, body: { ids: string[] } | { all: true }, options?: CallOptions) =>
    (await call("POST /api/forms/{form_id}/submissions/bin/restore", { path: { form_id: formId }, body }, options))
      .restored;
  return {
    list,
    /** All submissions between `from` and `to`, newest first, fetched while they are consumed. `export` is cheaper for many. */
    all: (formId: string, range: Pick<Query<typeof listing>, "from" | "to"> = {}, options?: CallOptions) =>
      eachOf(
        (query) => list(formId, { ...range, ...query }, options),
        (page) => page.submissions,
      ),
    get: async (formId: string, submissionId: string, options?: CallOptions) =>
      parseSubmission(
        (await call(one, { path: { form_id: formId, submission_id: submissionId } }, options)).submission,
      ),
    /**
     * All submissions in one streamed answer, oldest first. `after` continues after the submission of this id. Where a proxy has ended the
     * answer at the end of a line, so that it looks whole, the rest is asked for.
     */
    async *export(
      formId: string,
      query: Query<typeof exporting> = {},
      options?: CallOptions,
    ): AsyncGenerator<Submission, void> {
      const path = { form_id: formId };
      let [first, last]: (string | undefined)[] = [];
      let isAskedAgain = false;
      for (let answers = 0; answers < answersMax; answers++) {
        let expected: string | null = null;
        let count = 0;
        const input = { path, query: last === undefined ? query : { ...query, after: last } };
        const readLast = (headers: Headers) => {
          expected = headers.get(lastHeader);
        };
        for await (const line of lines(exporting, input, options, readLast)) {
          const submission = parseSubmission(line);
          if (answers > 0 && submission.id === first) throw unexpected(`The server gave ${first} twice`);
          yield submission;
          first ??= submission.id;
          last = submission.id;
          count++;
        }
        // The last one may have been deleted since the answer began: then nothing more is named.
        if (expected === null ? count === 0 : last === expected) return;
        if (count === 0 && isAskedAgain) throw unexpected("The server's answer ended twice before its first line");
        isAskedAgain = count === 0;
      }
      throw unexpected("The server's export has no end");
    },
    /** The submissions in the form's bin, the latest first, fetched while they are consumed; with `from` or `to` those received between them. */
    bin: (formId: string, { from, to, ...options }: CallOptions & Pick<Query<typeof listingBin>, "from" | "to"> = {}) =>
      eachOf(
        (query) =>
          listBin(formId, { ...query, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }, options),
        (page) => page.submissions,
      ),
    /** One page of the form's bin, the latest first, with how many there are between `from` and `to` in `total`. */
    listBin,
    /** Moves the submissions of these ids, any number of them, to the form's bin. Where its `binDays` is 0 they are deleted; with `restorable` that is refused (`bin_off`). */
    moveToBin: async (formId: string, ids: readonly string[], options?: MoveOptions) =>
      addUp(await eachPart(ids, (part) => move(formId, { ids: part }, options))),
    /** The same with all submissions received before this time; a request moves 5,000 at most. */
    moveToBinBefore: async (formId: string, before: number, options?: MoveOptions) =>
      addUp(await untilDone(() => move(formId, { before }, options))),
    /** Restores the submissions of these ids, any number of them. Gives how many there were. */
    restore: async (formId: string, ids: readonly string[], options?: CallOptions) =>
      count(await eachPart(ids, (part) => restore(formId, { ids: part }, options))),
    /** Restores all that is in the form's bin; a request restores 5,000 at most. */
    restoreAll: async (formId: string, options?: CallOptions) =>
      count(await untilDone(() => restore(formId, { all: true }, options))),
    /** Deletes for good what was moved to the form's bin before this time; all of it without one. */
    emptyBin: async (formId: string, { before, ...options }: CallOptions & { readonly before?: number } = {}) => {
      const query = { confirm: "EMPTY_BIN", ...(before !== undefined && { before }) } as const;
      return (await call("DELETE /api/forms/{form_id}/submissions/bin", { path: { form_id: formId }, query }, options))
        .deleted;
    },
    /** Deletes one for good, at once, also from the bin. */
    delete: async (formId: string, submissionId: string, options?: CallOptions) => {
      const path = { form_id: formId, submission_id: submissionId };
      return (await call("DELETE /api/forms/{form_id}/submissions/{submission_id}", { path }, options)).deleted;
    },
    /** Deletes the submissions of these ids, any number of them, for good, also from the bin. */
    deleteMany: async (formId: string, ids: readonly string[], options?: CallOptions) => {
      const parts = await eachPart(ids, async (some) => {
        const input = { path: { form_id: formId }, body: { ids: some } };
        return (await call("POST /api/forms/{form_id}/submissions/delete", input, options)).deleted;
      });
      return { submissionsDeleted: parts.reduce((total, { submissionsDeleted }) => total + submissionsDeleted, 0) };
    },
    /**
     * Deletes those of these ids, any number of them, for good that are in the form's bin. `submissionsLeft` have been restored, and
     * are left.
     */
    deleteBinned: async (formId: string, ids: readonly string[], options?: CallOptions) => {
      const parts = await eachPart(ids, async (some) => {
        const input = { path: { form_id: formId }, body: { ids: some, onlyInBin: true } } as const;
        return (await call("POST /api/forms/{form_id}/submissions/delete", input, options)).deleted;
      });
      return {
        submissionsDeleted: parts.reduce((total, { submissionsDeleted }) => total + submissionsDeleted, 0),
        submissionsLeft: parts.reduce((total, { submissionsLeft = 0 }) => total + submissionsLeft, 0),
      };
    },
    /** Deletes all submissions received before this time for good, also from the bin. */
    deleteBefore: async (formId: string, before: number, options?: CallOptions) => {
      const query = { confirm: "DELETE_SUBMISSIONS", before } as const;
      return (await call("DELETE /api/forms/{form_id}/submissions", { path: { form_id: formId }, query }, options))
        .deleted;
    },
  };
}

/** The answers of `request` to each thousand of the ids. */
async function eachPart<Part>(ids: readonly string[], request: (ids: string[]) => Promise<Part>): Promise<Part[]> {
  const parts: Part[] = [];
  for (let start = 0; start < ids.length; start += idsMax)
    parts.push(await request([...ids.slice(start, start + idsMax)]));
  return parts;
}

/** The answers of `request`, repeated until there is no more. Throws when the server never ends. */
async function untilDone<Part extends { readonly hasMore: boolean }>(request: () => Promise<Part>): Promise<Part[]> {
  const parts: Part[] = [];
  for (;;) {
    const part = await request();
    parts.push(part);
    if (!part.hasMore) return parts;
    if (Object.values(part).every((value) => typeof value !== "number" || value === 0))
      throw unexpected("The server's list has no end");
  }
}

const unexpected = (message: string) => new ApiError(message, { status: 200, code: "unexpected_answer" });

function addUp(parts: readonly { readonly submissionsBinned: number; readonly submissionsDeleted: number }[]) {
  const sum = (name: "submissionsBinned" | "submissionsDeleted") =>
    parts.reduce((total, part) => total + part[name], 0);
  return { submissionsBinned: sum("submissionsBinned"), submissionsDeleted: sum("submissionsDeleted") };
}

function count(parts: readonly { readonly submissionsRestored: number }[]): number {
  return parts.reduce((total, part) => total + part.submissionsRestored, 0);
}
