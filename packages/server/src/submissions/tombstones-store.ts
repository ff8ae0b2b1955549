import { CompiledQuery } from "kysely";
import { encodeColumns, printColumns } from "../database/column-array.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { encodeForms, isDistributed } from "../database/distribution.ts";
import { kindOf } from "../database/kind.ts";
import { keepPlanned } from "../database/prepared-statements.ts";
import type { Submission } from "./submission.ts";

type TombstoneKey = Pick<Submission, "formId" | "id">;

const columns = { form_id: "text", id: "text" } as const;
/** Joined, because an index is asked for each pair of two lists of values, whether they belong together or not. */
const onPostgres = `
  select tombstone.form_id, tombstone.id from ${printColumns(columns)} as line(form_id, id)
  join submission_tombstone tombstone on tombstone.form_id = line.form_id and tombstone.id = line.id`;
const onCluster = `${onPostgres} where tombstone.form_id = any($3::text[])`;
const onSqlite = "select form_id, id from submission_tombstone where id in (select value from json_each(?))";

/** Which of these submissions were deleted not long ago; on SQLite with those of other forms that have the same ids. */
export function compileTombstones(
  transaction: DatabaseTransaction,
  submissions: readonly TombstoneKey[],
): CompiledQuery<{ readonly form_id: string; readonly id: string }> {
  if (kindOf(transaction) === "sqlite")
    return CompiledQuery.raw(onSqlite, [JSON.stringify(submissions.map(({ id }) => id))]);
  const keys = encodeColumns(
    columns,
    submissions.map(({ formId, id }) => [formId, id]),
  );
  return isDistributed(transaction)
    ? CompiledQuery.raw(onCluster, [...keys, encodeForms(submissions.map(({ formId }) => formId))])
    : keepPlanned(CompiledQuery.raw(onPostgres, keys));
}
