import type { Database } from "../database/database.ts";
import { commitPipeline } from "../database/pipeline.ts";
import type { Submission } from "../submissions/submission.ts";
import { createSubmissionStore } from "../submissions/submission-store.ts";

/** Writes and counts submissions without HTTP, in a transaction of their own. */
export function insertSubmissions(database: Database, submissions: readonly Submission[]): Promise<void> {
  return commitPipeline(database, async (transaction) => {
    const { counts } = await createSubmissionStore(database).insertNew(transaction, submissions);
    return { result: undefined, last: counts };
  });
}
