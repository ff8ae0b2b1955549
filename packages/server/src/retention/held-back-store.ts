import type { AccountId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { byNobody, type SendSecurityMail } from "../mail/security-mail-store.ts";
import { begin, type HeldBack, hasBegun, isOver, noneCalledOff } from "./held-back.ts";

const key = "held_back";

/** Has nothing deleted for its age from now on, or for longer: the service begins the wait at its next look. */
export async function holdBack(target: Database | DatabaseTransaction, held: Omit<HeldBack, "until">): Promise<void> {
  const value = print({ ...held, until: undefined });
  await target
    .insertInto("instance")
    .values({ key, value })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
    .execute();
}

/** Ends the wait. False: nothing was held back. */
export async function endHoldingBack(database: Database): Promise<boolean> {
  const { numDeletedRows } = await database.deleteFrom("instance").where("key", "=", key).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** `undefined`: nothing is held back at that time. */
export async function findHeldBack(target: Database | DatabaseTransaction, now: number): Promise<HeldBack | undefined> {
  const value = await findValue(target);
  const held = value === undefined ? undefined : parse(value);
  return held === undefined || isOver(held, now) ? undefined : held;
}

/** Looks like `findHeldBack`, and begins a wait that has not begun: owners hear of it. Of several processes one does. */
export async function beginHeldBack(
  database: Database,
  now: number,
  sendSecurityMail: SendSecurityMail,
): Promise<HeldBack | undefined> {
  const held = await findHeldBack(database, now);
  if (held === undefined || hasBegun(held, now)) return held;
  const begun = begin(held, now);
  await database.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable("instance")
      .set({ value: print({ ...begun, calledOff: noneCalledOff }) })
      .where("key", "=", key)
      .where("value", "=", print(held))
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) await tellOwners(transaction, begun, now, sendSecurityMail);
  });
  return findHeldBack(database, now);
}

async function findValue(target: Database | DatabaseTransaction): Promise<string | undefined> {
  const row = await target.selectFrom("instance").select("value").where("key", "=", key).executeTakeFirst();
  return row?.value;
}

/** The owners of what goes when the wait is over, and those whose deletion the restore has called off. */
async function tellOwners(
  transaction: DatabaseTransaction,
  { days, calledOff }: HeldBack,
  now: number,
  sendSecurityMail: SendSecurityMail,
): Promise<void> {
  const organizations = new Set([...(await listConcerned(transaction)), ...calledOff.organizations]);
  for (const accountId of organizations)
    await sendSecurityMail(transaction, {
      ...{ accountId, event: "deletions_held_back", by: byNobody, occurredAt: now, count: days },
    });
  for (const accountId of calledOff.persons)
    await sendSecurityMail(transaction, { accountId, event: "account_leaving_called_off", occurredAt: now });
}

const batch = 1000;

/** The organizations with a form that deletes submissions by their age, or has some in its bin. */
async function listConcerned(transaction: DatabaseTransaction): Promise<readonly AccountId[]> {
  const found = new Set<AccountId>();
  for (const table of ["form_retention", "form_bin"] as const)
    for (let after: string | undefined = ""; after !== undefined; ) {
      const forms = await transaction
        .selectFrom(table)
        .select("form_id")
        .where("form_id", ">", after)
        .orderBy("form_id")
        .limit(batch)
        .execute();
      const ids = forms.map(({ form_id }) => form_id);
      after = forms.length < batch ? undefined : ids.at(-1);
      if (ids.length === 0) continue;
      const rows = await transaction
        .selectFrom("form")
        .select("account_id")
        .distinct()
        .where("id", "in", ids)
        .execute();
      for (const { account_id } of rows) found.add(account_id as AccountId); // written from one
    }
  return [...found];
}

const print = ({ since, days, until, calledOff }: HeldBack): string =>
  JSON.stringify({ since, days, until, calledOff });

/** Only what `print` has written is there. */
function parse(value: string): HeldBack {
  const { since, days, until, calledOff } = JSON.parse(value);
  return { since, days, until, calledOff };
}
