import { CompiledQuery, type Selectable, type SelectQueryBuilder } from "kysely";
import type { OrganizationTable, PersonTable } from "./account-tables.ts";
import { compileSharedLocks, type NamedLock, takeLocks } from "./advisory-lock.ts";
import { encodeColumns, printColumns } from "./column-array.ts";
import type { DatabaseTransaction } from "./database.ts";
import { isDistributed } from "./distribution.ts";
import { isOneOf } from "./insert-rows.ts";
import { kindOf } from "./kind.ts";

/**
 * A lock on a form until the transaction ends (docs/decisions/0007-two-databases.md):
 *
 * - `keep`: the form is not deleted meanwhile. For rows that belong to a form.
 * - shared (`compileFormShareLock`): it is not changed either, and nothing of it is deleted. For submissions: any number at once.
 * - `change`: nobody else has this, or shares the form. For changes of the form, its keys, and deleting submissions.
 * - `remove`: the same, and nobody keeps it. For deleting the form.
 */
export type FormLock = "keep" | "change" | "remove";

const nameOf = (formId: string) => `form/${formId}`;
const existenceOf = (formId: string) => `form-existence/${formId}`;

/**
 * Locks a form until the transaction ends. A statement of its own before those that read: one that has to wait for a lock
 * would continue with what it had read before. Every statement that changes or deletes a row of `form` comes after it.
 */
export async function lockForm(transaction: DatabaseTransaction, formId: string, lock: FormLock): Promise<void> {
  const locks: Record<FormLock, readonly NamedLock[]> = {
    keep: [{ name: existenceOf(formId), mode: "shared" }],
    change: [{ name: nameOf(formId), mode: "alone" }],
    remove: [
      { name: nameOf(formId), mode: "alone" },
      { name: existenceOf(formId), mode: "alone" },
    ],
  };
  await takeLocks(transaction, locks[lock]);
}

/** The statement that shares forms until the transaction ends, where one is needed: on SQLite it has the database to itself. */
export function compileFormShareLock(
  transaction: DatabaseTransaction,
  formIds: readonly string[],
): CompiledQuery<unknown> | undefined {
  if (kindOf(transaction) === "sqlite") return undefined;
  // In one order, so that two transactions never wait for each other.
  return compileSharedLocks(formIds.map(nameOf).toSorted());
}

/** Rows of `table` as a queue of jobs: each is taken by one transaction, and others pass it over until that one ends. */
export function selectForUpdateSkipLocked<DB, TB extends keyof DB & string, O>(
  database: Pick<DatabaseTransaction, "getExecutor">,
  query: SelectQueryBuilder<DB, TB, O>,
  table: TB,
): SelectQueryBuilder<DB, TB, O> {
  return kindOf(database) === "sqlite" ? query : query.forUpdate(table).skipLocked();
}

/** The row that this query finds is nobody else's to change until the transaction ends. */
export function lockRow<DB, TB extends keyof DB & string, O>(
  transaction: DatabaseTransaction,
  query: SelectQueryBuilder<DB, TB, O>,
): SelectQueryBuilder<DB, TB, O> {
  return kindOf(transaction) === "sqlite" ? query : query.forUpdate();
}

/** The row that this query finds is not deleted until the transaction ends. For rows that refer to it. */
export function lockRowKey<DB, TB extends keyof DB & string, O>(
  transaction: DatabaseTransaction,
  query: SelectQueryBuilder<DB, TB, O>,
): SelectQueryBuilder<DB, TB, O> {
  return kindOf(transaction) === "sqlite" ? query : query.forKeyShare();
}

/**
 * The row of a person, which is nobody else's to change or lock until the transaction ends. The write changes nothing: it locks on
 * every database, and SQLite has no other way to say so. A transaction that locks organizations as well locks them afterwards, by
 * their ids in order, so that two never wait for each other.
 */
export function lockPerson(transaction: DatabaseTransaction, id: string): Promise<Selectable<PersonTable> | undefined> {
  return transaction
    .updateTable("person")
    .set(({ ref }) => ({ name: ref("name") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

/** The same of an organization. */
export function lockOrganization(
  transaction: DatabaseTransaction,
  id: string,
): Promise<Selectable<OrganizationTable> | undefined> {
  return transaction
    .updateTable("organization")
    .set(({ ref }) => ({ plan: ref("plan") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

/** The same of several organizations, in order. */
export async function lockOrganizations(transaction: DatabaseTransaction, ids: readonly string[]): Promise<void> {
  for (const id of new Set(ids.toSorted())) await lockOrganization(transaction, id);
}

const byForm = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) => (one < other ? -1 : 1);
const eventKey = { form_id: "text", id: "text" } as const;
const lockingEvents = `
  select event.id from ${printColumns(eventKey)} as line(form_id, id)
  join event on event.form_id = line.form_id and event.id = line.id order by event.id for no key update of event`;

/** Locks events, each as its form and its id, until the transaction ends: no delivery is added to them, and their bodies are not wiped. */
export async function lockEvents(
  transaction: DatabaseTransaction,
  events: readonly (readonly [formId: string, eventId: string])[],
): Promise<void> {
  if (kindOf(transaction) === "sqlite" || events.length === 0) return;
  if (!isDistributed(transaction)) {
    await transaction.executeQuery(CompiledQuery.raw(lockingEvents, encodeColumns(eventKey, events)));
    return;
  }
  // There rows are locked of one server at a time; and in one order, too.
  for (const [formId, ofForm] of [...Map.groupBy(events, ([formId]) => formId)].sort(byForm))
    await transaction
      .selectFrom("event")
      .select("id")
      .where("form_id", "=", formId)
      .where(
        isOneOf(
          transaction,
          "id",
          ofForm.map(([, id]) => id),
        ),
      )
      .orderBy("id")
      .forNoKeyUpdate()
      .execute();
}
