import type { Database } from "../database/database.ts";
import type { RecordEvents } from "../deliveries/record-events.ts";
import { isSameContent, type Submission, toPayload } from "./submission.ts";
import type { SubmissionStore } from "./submission-store.ts";

/** `created` with what was written, `repeated` with what the same id and content got the first time, or why not. */
export type IngestOutcome =
  | { readonly outcome: "created"; readonly submission: Submission }
  | { readonly outcome: "repeated"; readonly submission: Submission }
  | { readonly outcome: "conflict" }
  /** There was one with this id, and its form's owner deleted it: a late retry does not bring it back. */
  | { readonly outcome: "deleted" }
  | { readonly outcome: "form_gone" };

/** Stores a submission and what follows from it; resolves only after the commit is durable. */
export type Ingest = (submission: Submission) => Promise<IngestOutcome>;

export interface IngestDependencies {
  readonly database: Database;
  readonly submissions: SubmissionStore;
  readonly recordEvents: RecordEvents;
  /** Called after a commit that may have made deliveries due. */
  readonly wakeDeliveries: () => void;
}

/** One commit's worth: bounds the rows of a statement and the time that a batch holds the database. */
const batchMax = 128;

interface Waiting {
  readonly submission: Submission;
  readonly resolve: (outcome: IngestOutcome) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: submissions that arrive while a commit is running share the next one, so that the disk is waited for
 * once per batch. The submission, its counters, its event and its delivery are in the same transaction.
 */
export function createIngest({ database, submissions, recordEvents, wakeDeliveries }: IngestDependencies): Ingest {
  let waiting: Waiting[] = [];
  let isRunning = false;

  return (submission) =>
    new Promise((resolve, reject) => {
      waiting.push({ submission, resolve, reject });
      if (!isRunning) void run();
    });

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      await commit(batch);
    }
    isRunning = false;
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    try {
      const { written, liveForms } = await write(batch.map(({ submission }) => submission));
      wakeDeliveries();
      for (const { submission, resolve, reject } of batch) {
        const stored = written.get(submission);
        if (!liveForms.has(submission.formId)) resolve({ outcome: "form_gone" });
        else if (stored !== undefined) resolve({ outcome: "created", submission: stored });
        else compare(submission).then(resolve, reject);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  function write(batch: readonly Submission[]) {
    return database.transaction().execute(async (transaction) => {
      // A form can be deleted between the check of the request and this commit; its row decides.
      const rows = await transaction
        .selectFrom("form")
        .innerJoin("form_count", "form_count.form_id", "form.id")
        .select(["form.id", "form.name", "form_count.visible_from"])
        .where("form.id", "in", [...new Set(batch.map(({ formId }) => formId))])
        .execute();
      const forms = new Map<string, (typeof rows)[number]>(rows.map((row) => [row.id, row]));
      const deleted = await submissions.findDeleted(transaction, batch);
      // By what is stored: what is stored, by what was posted.
      const posted = new Map<Submission, Submission>();
      for (const submission of batch) {
        const form = forms.get(submission.formId);
        if (form === undefined || deleted.has(submission)) continue;
        // Behind what a bulk delete took away while this was waiting, or readers would not see it.
        const receivedAt = Math.max(submission.receivedAt, form.visible_from);
        posted.set(receivedAt === submission.receivedAt ? submission : { ...submission, receivedAt }, submission);
      }
      const inserted = posted.size === 0 ? [] : await submissions.insertNew(transaction, [...posted.keys()]);
      await recordEvents(
        transaction,
        inserted.map((submission) => ({
          kind: "submission.created",
          formId: submission.formId,
          formName: forms.get(submission.formId)?.name ?? "",
          occurredAt: submission.receivedAt,
          submissionId: submission.id,
          content: { submission: toEventSubmission(submission) },
        })),
      );
      const written = new Map(inserted.map((submission) => [posted.get(submission) ?? submission, submission]));
      return { written, liveForms: new Set(forms.keys()) };
    });
  }

  async function compare(submission: Submission): Promise<IngestOutcome> {
    const first = await submissions.find(submission.formId, submission.id);
    // Its row was in the way, but readers do not see it: deleted, and not purged yet.
    if (first === undefined) return { outcome: "deleted" };
    return isSameContent(first, submission) ? { outcome: "repeated", submission: first } : { outcome: "conflict" };
  }
}

/** The `submission` of a `submission.created` event (interface.md 2.5, decisions section 9). */
function toEventSubmission({ id, payload, keyVersion, timestamp, receivedAt }: Submission) {
  return { id, payload: toPayload(payload), keyVersion, timestamp, receivedAt };
}
