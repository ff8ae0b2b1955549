import { channel } from "node:diagnostics_channel";
import type { AccountId, FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Static } from "typebox";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockForm } from "../database/lock.ts";
import { createRound } from "../database/round.ts";
import { formHeld, heldFormStays } from "../problems/problem.ts";
import { type FormHold, parseHold, writeHold } from "./form-hold.ts";
import type { FormHoldBody } from "./form-hold-schemas.ts";

/**
 * Legal holds. Whatever deletes something of a form locks it, asks here, and says so again in the statement itself
 * (`isNotHeld`); `legal-hold.test.ts` holds every such statement to that.
 */

/** Each time it is asked. Tests listen, which hold every request that removes something to it (`testing/watch-requests.ts`). */
export const holdAsked = channel("sealpost:hold-asked");

/** Throws while a hold keeps all of the form. The form is locked for its change, so the answer holds until the commit. */
export async function requireNotHeld(transaction: DatabaseTransaction, formId: FormId): Promise<void> {
  holdAsked.publish(formId);
  const hold = await findHold(transaction, formId);
  if (hold !== undefined) throw formHeld(hold.since);
}

/**
 * Throws while a hold keeps the form where it is: its owners are promised that they hear of it when one of them lifts it, and
 * those of another organization would lift it unheard. The form is locked for its change.
 */
export async function requireMovable(transaction: DatabaseTransaction, formId: FormId): Promise<void> {
  const hold = await findHold(transaction, formId);
  if (hold !== undefined) throw heldFormStays(hold.since);
}

export async function findHold(target: Database | DatabaseTransaction, formId: FormId): Promise<FormHold | undefined> {
  const row = await target.selectFrom("form_count").select("hold").where("form_id", "=", formId).executeTakeFirst();
  return parseHold(row?.hold ?? null);
}

/** That nothing holds the form of this id. For the `where` of every statement that deletes, or hides what is deleted later. */
export function isNotHeld(formId: FormId) {
  return sql<boolean>`not exists (
    select 1 from form_count as held where held.form_id = ${formId} and held.hold is not null)`;
}

/** The same about the form that a column names. */
export function isRowNotHeld(column: string) {
  return sql<boolean>`not exists (
    select 1 from form_count as held where held.form_id = ${sql.ref(column)} and held.hold is not null)`;
}

/** The same, of a table that a cluster has on one server: the forms with a hold, which are few, are asked for by themselves. */
export function isRowOfCoordinatorNotHeld(column: string) {
  return sql<boolean>`${sql.ref(column)} not in (select held.form_id from form_count as held where held.hold is not null)`;
}

/** That a hold does. */
export function isRowOfCoordinatorHeld(column: string) {
  return sql<boolean>`${sql.ref(column)} in (select held.form_id from form_count as held where held.hold is not null)`;
}

/** The hold as the API shows it: with the name that who set it has now, also where they have another id since (`former_person_id`). */
export async function describeHold(database: Database, hold: FormHold): Promise<ShownHold> {
  const { since, setBy: id, reason, until } = hold;
  const person =
    id === undefined
      ? undefined
      : await database
          .selectFrom("person")
          .select("name")
          .where(({ eb, or, selectFrom }) =>
            or([
              eb("id", "=", id),
              eb("id", "=", selectFrom("former_person_id").select("person_id").where("former_person_id.id", "=", id)),
            ]),
          )
          .executeTakeFirst();
  const setBy = id === undefined || person === undefined ? null : { id, name: person.name };
  return { since, setBy, reason: reason ?? null, until: until ?? null };
}

export type ShownHold = Static<typeof FormHoldBody>;

/** Called in the transaction, with the form's name and its hold before, if that changes. */
export type DecideHold = (form: {
  readonly name: string;
  readonly hold: FormHold | undefined;
}) => Promise<FormHold | undefined>;

/** Sets, changes or lifts the hold of a form as `decide` says. False when the account has no such form. */
export async function changeFormHold(
  transaction: DatabaseTransaction,
  accountId: AccountId,
  formId: FormId,
  decide: DecideHold,
): Promise<boolean> {
  await lockForm(transaction, formId, "change");
  const form = await findFormWithHold(transaction, accountId, formId);
  if (form === undefined) return false;
  await saveHold(transaction, formId, await decide(form));
  return true;
}

/** A form's name and its hold; `undefined` when the account has no such form. */
export async function findFormWithHold(target: Database | DatabaseTransaction, accountId: AccountId, formId: FormId) {
  const form = await target
    .selectFrom("form")
    .select("name")
    .where("account_id", "=", accountId)
    .where("id", "=", formId)
    .executeTakeFirst();
  return form && { name: form.name, hold: await findHold(target, formId) };
}

async function saveHold(transaction: DatabaseTransaction, formId: FormId, hold: FormHold | undefined): Promise<void> {
  await transaction
    .updateTable("form_count")
    .set({ hold: hold === undefined ? null : writeHold(hold) })
    .where("form_id", "=", formId)
    .execute();
}

/** Every hold there is; "unreadable" where it is damaged, which holds the form all the same. Few forms have one. */
export async function listHolds(
  database: Database | DatabaseTransaction,
): Promise<readonly { readonly formId: FormId; readonly hold: FormHold | "unreadable" }[]> {
  const rows = await database
    .selectFrom("form_count")
    .select(["form_id", "hold"])
    .where("hold", "is not", null)
    .execute();
  if (rows.length === 0) return [];
  // Two statements: on a cluster the forms are on one server, and their counts on others.
  const forms = await database.selectFrom("form").select("id").where(isRowOfCoordinatorHeld("form.id")).execute();
  const found = new Set(forms.map(({ id }) => id));
  return rows.flatMap(({ form_id, hold: column }) => {
    const hold = readHold(column);
    return hold === undefined || !found.has(form_id) ? [] : [{ formId: form_id as FormId, hold }]; // written from one
  });
}

function readHold(column: string | null): FormHold | "unreadable" | undefined {
  try {
    return parseHold(column);
  } catch {
    return "unreadable";
  }
}

/** Forms of one look for holds whose date has come. */
const formsAtOnceMax = 100;

/** Tells of holds whose date has come, of each once. `false` ends a round in which there was none. */
export function createRemindOfHolds(
  database: Database,
  tell: (
    transaction: DatabaseTransaction,
    hold: { formId: FormId; accountId: AccountId; until: number },
  ) => Promise<void>,
): (now: number) => Promise<boolean> {
  return createRound({
    max: formsAtOnceMax,
    async find(after, max) {
      const rows = await database
        .selectFrom("form_count")
        .select("form_id")
        .where("hold", "is not", null)
        .where("form_id", ">", after)
        .orderBy("form_id")
        .limit(max)
        .execute();
      return rows.map(({ form_id }) => form_id as FormId); // written from one
    },
    async findBlocked(ids, now: number) {
      const rows = await database
        .selectFrom("form_count")
        .select(["form_id", "hold"])
        .where("form_id", "in", ids)
        .execute();
      return new Set(rows.filter(({ hold }) => !mayBeDue(hold, now)).map(({ form_id }) => form_id));
    },
    async work(formId, now) {
      const form = await database.selectFrom("form").select("account_id").where("id", "=", formId).executeTakeFirst();
      if (form === undefined) return false;
      const accountId = form.account_id as AccountId; // written from one
      return database.transaction().execute((transaction) =>
        changeFormHold(transaction, accountId, formId, async ({ hold: found }) => {
          if (found?.until === undefined || !isDue(found, now)) return found;
          await tell(transaction, { formId, accountId, until: found.until });
          return { ...found, isReminded: true };
        }),
      );
    },
  });
}

/** A hold that can't be read fails alone, when it is looked at. */
function mayBeDue(column: string | null, now: number): boolean {
  const hold = readHold(column);
  return hold === "unreadable" || (hold !== undefined && isDue(hold, now));
}

function isDue({ until, isReminded }: FormHold, now: number): boolean {
  return until !== undefined && until <= now && !isReminded;
}
