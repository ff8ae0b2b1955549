import { CompiledQuery } from "kysely";
import { encodeColumn } from "../database/column-array.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { isDistributed } from "../database/distribution.ts";
import { kindOf } from "../database/kind.ts";
import { keepPlanned } from "../database/prepared-statements.ts";

/** How far a form's order of receipt has come. */
export interface ReceiptPlace {
  readonly id: string;
  readonly visible_from: number;
  readonly newest_received_at: number;
}

const columns = "form_id as id, visible_from, newest_received_at";
const onPostgres = `
  select ${columns} from form_count where form_id = any($1::text[]) order by form_id for no key update`;
/** There rows are locked of one server at a time, but written on all. */
const onCluster = `
  update form_count set newest_received_at = newest_received_at where form_id = any($1::text[]) returning ${columns}`;
const onSqlite = `select ${columns} from form_count where form_id in (select value from json_each(?))`;

/**
 * The statement that reads how far the order of receipt of these forms has come, and locks it until the transaction ends: of all
 * that store submissions of a form one at a time continues the order, so that readers see what it stores in that order.
 * Where forms are shared (`compileFormShareLock`) it comes after that, as in every other transaction. SQLite needs no lock: a
 * transaction that writes has the database to itself.
 */
export function compileReceiptLock(
  transaction: DatabaseTransaction,
  formIds: readonly string[],
): CompiledQuery<ReceiptPlace> {
  if (kindOf(transaction) === "sqlite") return CompiledQuery.raw(onSqlite, [JSON.stringify(formIds)]);
  const text = isDistributed(transaction) ? onCluster : onPostgres;
  return keepPlanned(CompiledQuery.raw(text, [encodeColumn("text", formIds)]));
}
