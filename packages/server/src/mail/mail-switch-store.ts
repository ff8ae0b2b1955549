import { type AccountId, type FormId, isId } from "@sealpost/wire";
import type { NewAuditEntry } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { createRowChange } from "../database/change-rows.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isOneOf } from "../database/insert-rows.ts";
import { lockForm } from "../database/lock.ts";
import { isProven } from "../database/membership.ts";
import { isFromAhead } from "../time/clock.ts";
import { noticeKinds } from "./mail.ts";
import { takeBackMark } from "./notified-marks-store.ts";
import { type UnsubscribeLink, unsubscribeMilliseconds } from "./unsubscribe-link.ts";

const setReceived = createRowChange({ table: "form_notice", set: { received: "bigint" }, key: { form_id: "text" } });

/** The account and actor that turn a switch, and when: for the audit log. */
export type SwitchedBy = Pick<NewAuditEntry, "accountId" | "actor" | "occurredAt">;

/** `hasMore`: the second choice is open as well, which ends all notices of the organization. */
export type LinkState =
  | { readonly state: "open"; readonly accountId: AccountId; readonly hasMore: true }
  /** Its emails are off already, or its form is gone. */
  | { readonly state: "off"; readonly accountId: AccountId; readonly hasMore: boolean }
  /** It is too old, emails were switched on again after it was sent, the form now belongs to another account, or its recipient no longer owns it. */
  | { readonly state: "ended" };

/** Whether notices are wanted: by everybody who did not switch them off. */
export interface MailSwitchStore {
  /** The remaining effect of a link in a notice. */
  findLink(link: UnsubscribeLink, now: number): Promise<LinkState>;
  /** Whether the owner wants emails about the form; `undefined` when the account has no such form. */
  isWanted(accountId: AccountId, formId: string): Promise<boolean | undefined>;
  /** False when the account has no such form. Submissions that came while no emails were wanted are not announced later. */
  setWanted(by: SwitchedBy, formId: string, isWanted: boolean): Promise<boolean>;
  /** The same for all forms of the account at once. A form's own switch also counts. */
  isAccountWanted(accountId: AccountId): Promise<boolean>;
  setAccountWanted(by: SwitchedBy, isWanted: boolean): Promise<void>;
  /** The same for emails about the account's storage and its audit log. The account's switch also counts. */
  isStorageWanted(accountId: AccountId): Promise<boolean>;
  setStorageWanted(by: SwitchedBy, isWanted: boolean): Promise<void>;
}

export function createMailSwitchStore(database: Database): MailSwitchStore {
  return {
    async findLink({ accountId, personId, formId, sentAt }, now) {
      const owner = await findOwner(database, formId ?? accountId);
      if (owner === undefined) return { state: "off", accountId, hasMore: false };
      if (owner !== accountId || !(await isOwner(database, accountId, personId))) return { state: "ended" };
      const isOld = now - sentAt > unsubscribeMilliseconds || isFromAhead(sentAt, now);
      const ofAccount = await findSwitch(database, accountId, sentAt, now);
      const own =
        formId === undefined
          ? await findStorageSwitch(database, accountId, sentAt, now)
          : await findSwitch(database, formId, sentAt, now);
      if (ofAccount === "off") return { state: "off", accountId, hasMore: false };
      const hasMore = !isOld && ofAccount === "open";
      if (own === "off") return { state: "off", accountId, hasMore };
      return own === "open" && hasMore ? { state: "open", accountId, hasMore } : { state: "ended" };
    },
    isWanted: findWanted,
    async setWanted(by, formId, isWanted) {
      if (!isId("form", formId)) return false;
      const known = await findWanted(by.accountId, formId);
      if (known === undefined || known === isWanted) return known !== undefined;
      return database.transaction().execute(async (transaction) => {
        await lockForm(transaction, formId, "change");
        const form = await transaction
          .selectFrom("form")
          .select(["id", "name"])
          .where("account_id", "=", by.accountId)
          .where("id", "=", formId)
          .executeTakeFirst();
        if (form === undefined) return false;
        const target = { type: "form", id: formId, name: form.name } as const;
        if (await switchEmails(transaction, formId, isWanted, [formId], by.occurredAt))
          await recordAction(transaction, { ...by, action: actionOf(isWanted), target });
        return true;
      });
    },
    isAccountWanted: findAccountWanted,
    async setAccountWanted(by, isWanted) {
      const { accountId } = by;
      if ((await findAccountWanted(accountId)) === isWanted) return;
      await database.transaction().execute(async (transaction) => {
        const forms = await transaction.selectFrom("form").select("id").where("account_id", "=", accountId).execute();
        const ids = forms.map(({ id }) => id);
        if (await switchEmails(transaction, accountId, isWanted, ids, by.occurredAt))
          await recordAction(transaction, { ...by, action: actionOf(isWanted) });
      });
    },
    isStorageWanted,
    async setStorageWanted(by, isWanted) {
      const { accountId, occurredAt } = by;
      if ((await isStorageWanted(accountId)) === isWanted) return;
      await database.transaction().execute(async (transaction) => {
        await switchStorageEmails(transaction, accountId, isWanted, occurredAt);
        const changes = [{ setting: "storageEmails", from: !isWanted, to: isWanted }];
        await recordAction(transaction, { ...by, action: actionOf(isWanted), details: { changes } });
      });
    },
  };

  async function isStorageWanted(accountId: AccountId): Promise<boolean> {
    return (await findStorageRow(database, accountId))?.refused_at == null;
  }

  async function findWanted(accountId: AccountId, formId: string): Promise<boolean | undefined> {
    if (!isId("form", formId)) return undefined;
    const row = await database
      .selectFrom("form")
      .leftJoin("email_opt_out", "email_opt_out.id", "form.id")
      .select("email_opt_out.id")
      .where("form.account_id", "=", accountId)
      .where("form.id", "=", formId)
      .executeTakeFirst();
    return row && row.id === null;
  }

  async function findAccountWanted(accountId: AccountId): Promise<boolean> {
    const row = await database.selectFrom("email_opt_out").select("id").where("id", "=", accountId).executeTakeFirst();
    return row === undefined;
  }
}

/** `wanted_again`: since the email was sent, so that its link ends nothing any more. */
type SwitchState = "off" | "open" | "wanted_again";

/** The switch of a form, or of all emails of an account. */
async function findSwitch(
  database: Database,
  id: FormId | AccountId,
  sentAt: number,
  now: number,
): Promise<SwitchState> {
  const refusal = database.selectFrom("email_opt_out").select("id").where("id", "=", id);
  if ((await refusal.executeTakeFirst()) !== undefined) return "off";
  const wanted = await database.selectFrom("mail_wanted").select("since").where("id", "=", id).executeTakeFirst();
  return stateOf(wanted?.since, sentAt, now);
}

async function findStorageSwitch(database: Database, id: AccountId, sentAt: number, now: number): Promise<SwitchState> {
  const row = await findStorageRow(database, id);
  return row?.refused_at == null ? stateOf(row?.wanted_since, sentAt, now) : "off";
}

function findStorageRow(database: Database, id: AccountId) {
  return database.selectFrom("storage_email_switch").selectAll().where("organization_id", "=", id).executeTakeFirst();
}

/** A time that a clock that was ahead has given would end every link until then. */
function stateOf(wantedSince: number | null | undefined, sentAt: number, now: number): SwitchState {
  const since = Number(wantedSince ?? 0);
  return since > sentAt && !isFromAhead(since, now) ? "wanted_again" : "open";
}

async function isOwner(database: Database, organizationId: AccountId, personId: AccountId): Promise<boolean> {
  const row = await database
    .selectFrom("member")
    .innerJoin("person", "person.id", "member.person_id")
    .select("person.id")
    .where("member.organization_id", "=", organizationId)
    .where("member.person_id", "=", personId)
    .where("member.role", "=", "owner")
    .where(isProven("member"))
    .where("person.disabled_at", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whose form it is, or the organization itself; `undefined` when it is gone. */
async function findOwner(database: Database, id: FormId | AccountId): Promise<AccountId | undefined> {
  const row = isId("account", id)
    ? await database.selectFrom("organization").select("id as owner").where("id", "=", id).executeTakeFirst()
    : await database.selectFrom("form").select("account_id as owner").where("id", "=", id).executeTakeFirst();
  return row?.owner as AccountId | undefined; // only account ids are written there
}

/** The time that the instance has noted by this name; it is now if nobody asked before, or if a clock that was ahead has noted it. */
export async function loadInstant(database: Database, key: string, now: number): Promise<number> {
  const value = String(now);
  await database
    .insertInto("instance")
    .values({ key, value })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
  const found = await database.selectFrom("instance").select("value").where("key", "=", key).executeTakeFirstOrThrow();
  if (!isFromAhead(Number(found.value), now)) return Number(found.value);
  await database
    .updateTable("instance")
    .set({ value })
    .where("key", "=", key)
    .where("value", "=", found.value)
    .execute();
  return now;
}

function actionOf(isWanted: boolean) {
  return isWanted ? "mails.turned_on" : "mails.turned_off";
}

/** Writes the switch of a form or an account, and what follows for the forms that it is about. False when it stood so already. */
async function switchEmails(
  transaction: DatabaseTransaction,
  id: string,
  isWanted: boolean,
  formIds: readonly string[],
  now: number,
): Promise<boolean> {
  if (!isWanted) {
    const { numInsertedOrUpdatedRows } = await transaction
      .insertInto("email_opt_out")
      .values({ id })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .executeTakeFirstOrThrow();
    const untold = await transaction
      .deleteFrom("mail")
      .where(({ eb, or }) => or([isOneOf(transaction, "form_id", formIds), eb("account_id", "=", id)]))
      .where("kind", "in", noticeKinds)
      .where("claim_token", "is", null)
      .returning(["kind", "form_id", "account_id", "details", "finished_at", "reached"])
      .execute();
    for (const mail of untold)
      if (mail.finished_at === null && mail.reached === 0) await takeBackMark(transaction, mail);
    return (numInsertedOrUpdatedRows ?? 0n) > 0n;
  }
  const ended = await transaction.deleteFrom("email_opt_out").where("id", "=", id).executeTakeFirst();
  if (ended.numDeletedRows === 0n) return false;
  await transaction
    .insertInto("mail_wanted")
    .values({ id, since: now })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ since: now }))
    .execute();
  // Two statements: on a cluster the counts are on other servers.
  const counts = await transaction
    .selectFrom("form_count")
    .select(["form_id", "received"])
    .where(isOneOf(transaction, "form_id", formIds))
    .execute();
  const setting = setReceived(
    transaction,
    counts.map(({ form_id, received }) => [received, form_id]),
  );
  if (setting !== undefined) await transaction.executeQuery(setting);
  return true;
}

async function switchStorageEmails(
  transaction: DatabaseTransaction,
  id: AccountId,
  isWanted: boolean,
  now: number,
): Promise<void> {
  const change = isWanted ? { refused_at: null, wanted_since: now } : { refused_at: now };
  await transaction
    .insertInto("storage_email_switch")
    .values({ organization_id: id, ...change })
    .onConflict((conflict) => conflict.column("organization_id").doUpdateSet(change))
    .execute();
  if (isWanted) return;
  const untold = await transaction
    .deleteFrom("mail")
    .where("account_id", "=", id)
    .where("kind", "=", "account_quota")
    .where("claim_token", "is", null)
    .returning(["kind", "form_id", "account_id", "details", "finished_at", "reached"])
    .execute();
  for (const mail of untold) if (mail.finished_at === null && mail.reached === 0) await takeBackMark(transaction, mail);
}
