import { CompiledQuery } from "kysely";
import { type Columns, encodeColumn, encodeColumns, printColumns } from "../database/column-array.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { isDistributed } from "../database/distribution.ts";
import { kindOf } from "../database/kind.ts";
import { keepPlanned } from "../database/prepared-statements.ts";
import type { Submission } from "./submission.ts";

/** How far a form's order of receipt has come. */
export interface ReceiptPlace {
  readonly id: string;
  readonly visible_from: number;
  readonly newest_received_at: number;
}

/** A write, because on a cluster rows are locked of one server at a time. */
const locking = `
  update form_count set newest_received_at = newest_received_at where form_id = any($1::text[])
  returning form_id as id, visible_from, newest_received_at`;

/** On a cluster: reads how far the order of receipt of these forms has come, and keeps others from continuing it until the transaction ends. */
export function compileClusterPlaces(formIds: readonly string[]): CompiledQuery<ReceiptPlace> {
  return keepPlanned(CompiledQuery.raw(locking, [encodeColumn("text", formIds)]));
}

/** A submission that is dated later than it was written. */
export interface RaisedSubmission {
  readonly form_id: string;
  readonly received_at: number;
}

const written = { form_id: "text", id: "text", received_at: "bigint" } as const satisfies Columns;
const raising = `
  update submission set received_at = place.newest_received_at
  from ${printColumns(written)} as line(form_id, id, received_at)
  join form_count place on place.form_id = line.form_id and place.newest_received_at <> line.received_at
  where submission.form_id = line.form_id and submission.id = line.id
  returning submission.form_id, submission.received_at`;

/**
 * The statement that comes after the one that counts, and so has locked the rows of the forms and moved their newest time on: where
 * another commit has passed this one since it read that time, it dates the submissions of this one after it. Nobody has seen
 * the earlier times. Not on SQLite, where a transaction has the database to itself, nor on a cluster, where the rows were locked before.
 */
export function compileRaise(
  transaction: DatabaseTransaction,
  submissions: readonly Submission[],
): CompiledQuery<RaisedSubmission> | undefined {
  if (submissions.length === 0 || kindOf(transaction) === "sqlite" || isDistributed(transaction)) return undefined;
  const rows = submissions.map(({ formId, id, receivedAt }) => [formId, id, receivedAt]);
  return keepPlanned(CompiledQuery.raw(raising, encodeColumns(written, rows)));
}
