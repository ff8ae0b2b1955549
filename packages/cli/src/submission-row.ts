import type { OpenedSubmission, Submission } from "@sealpost/sdk";
import { type ExactFields, exactFieldsOf } from "@sealpost/wire";

/** The outcome of a submission: opened with a private key, or why not. What was never sealed may have its fields all the same. */
export type RowStatus = "opened" | Extract<OpenedSubmission, { opened: false }>["reason"];

/** One submission of the output. Times are milliseconds since the Unix epoch. */
export interface SubmissionRow {
  readonly id: string;
  readonly receivedAt: number;
  readonly timestamp: number;
  readonly keyVersion: number;
  readonly status: RowStatus;
  /** Only of a row that was opened, or never sealed and accepted as such. */
  readonly fields?: ExactFields;
}

export function toRow({ id, receivedAt, timestamp, keyVersion }: Submission, opened: OpenedSubmission): SubmissionRow {
  const known = { id, receivedAt, timestamp, keyVersion };
  if (!opened.opened) return { ...known, status: opened.reason };
  return { ...known, status: opened.sealed ? "opened" : "not_sealed", fields: exactFieldsOf(opened) };
}
