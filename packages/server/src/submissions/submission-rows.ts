import type { FormId, SubmissionId } from "@sealpost/wire";
import type { Selectable } from "kysely";
import { parseStoredPayload } from "../database/stored-payload.ts";
import type { BinnedSubmissionTable, SubmissionTable } from "../database/submission-tables.ts";
import type { Submission } from "./submission.ts";

export function parseSubmission(row: Selectable<SubmissionTable> | Selectable<BinnedSubmissionTable>): Submission {
  return {
    formId: row.form_id as FormId, // written from a FormId
    id: row.id as SubmissionId, // written from a SubmissionId
    keyVersion: row.key_version,
    payload: parseStoredPayload(row),
    timestamp: row.timestamp,
    receivedAt: row.received_at,
    ...(row.posted_digest !== null && { postedDigest: row.posted_digest }),
  };
}
