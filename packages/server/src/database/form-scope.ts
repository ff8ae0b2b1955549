import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "./database.ts";
import { kindOf } from "./kind.ts";

/**
 * That rows which are found by their ids are this form's. PostgreSQL's keys end with the form, so that the tables of submissions
 * can be spread over servers by it (docs/decisions/0020-keys-with-the-form.md). SQLite's do not: there no index may serve this,
 * or a statement that names a few rows would walk through all of the form's.
 */
export function isOfForm(database: Database | DatabaseTransaction, formId: string, column = "form_id") {
  return kindOf(database) === "postgres"
    ? sql<boolean>`${sql.ref(column)} = ${formId}`
    : sql<boolean>`+${sql.ref(column)} = ${formId}`;
}

/** That two rows of a join by their ids are of one form. On SQLite, as above, no more than asked of what the ids have found. */
export function areOfOneForm(database: Database | DatabaseTransaction, one: string, other: string) {
  return kindOf(database) === "postgres"
    ? sql<boolean>`${sql.ref(one)} = ${sql.ref(other)}`
    : sql<boolean>`+${sql.ref(one)} = +${sql.ref(other)}`;
}
