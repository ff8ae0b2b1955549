import type { Fields } from "@sealpost/wire";
import type { Submission } from "../client/submissions-client.ts";
import type { OpenedSubmission } from "../receiver.ts";

/** What became of a submission: opened with a private key, never sealed at all, or why it could not be opened. */
export type RowStatus = "opened" | "not_sealed" | Extract<OpenedSubmission, { opened: false }>["reason"];

/** One submission as it is written out. Times are milliseconds since the Unix epoch. */
export interface SubmissionRow {
  readonly id: string;
  readonly receivedAt: number;
  readonly timestamp: number;
  readonly keyVersion: number;
  readonly status: RowStatus;
  /** Only of a row that was opened or never sealed. */
  readonly fields?: Fields;
}

export function toRow({ id, receivedAt, timestamp, keyVersion }: Submission, opened: OpenedSubmission): SubmissionRow {
  const known = { id, receivedAt, timestamp, keyVersion };
  if (!opened.opened) return { ...known, status: opened.reason };
  return { ...known, status: opened.sealed ? "opened" : "not_sealed", fields: opened.fields };
}
