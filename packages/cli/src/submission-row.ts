import type { OpenedSubmission, Submission } from "@sealpost/sdk";
import { type ExactFields, exactFieldsOf, type Fields } from "@sealpost/wire";

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
  /** A part that the page has sealed along (`$sealpost`), which this version does not know. */
  readonly sealpost?: Fields;
}

export function toRow({ id, receivedAt, timestamp, keyVersion }: Submission, opened: OpenedSubmission): SubmissionRow {
  const known = { id, receivedAt, timestamp, keyVersion };
  if (!opened.opened) return { ...known, status: opened.reason };
  const { sealed, sealpost } = opened;
  const row = { ...known, status: sealed ? "opened" : "not_sealed", fields: exactFieldsOf(opened) } as const;
  return { ...row, ...(sealpost !== undefined && { sealpost }) };
}
