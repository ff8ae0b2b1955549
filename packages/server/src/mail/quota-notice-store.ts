import type { AccountId, FormId } from "@sealpost/wire";
import type { Plan } from "../config/config.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockForm } from "../database/lock.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import { listNearAccounts, type NearAccount, type QuotaState } from "../quotas/account-usage-store.ts";
import { formShare, nextLevel, type QuotaLevel, roomShares } from "../quotas/quota.ts";
import { insertEmails } from "./insert-emails-store.ts";
import type { AccountQuotaSubject, Instant, QuotaSubject } from "./mail.ts";
import { listFullKinds } from "./notice-share-store.ts";
import { lockFullKinds, type NoticeStore } from "./notice-store.ts";
import { isHeldBack, listGivenUp } from "./notified-marks-store.ts";

/** Bounds what one statement reads and one look holds in memory. */
const batch = 200;

/** A quota whose level is not the one that its owner knows. */
interface Change {
  readonly accountId: AccountId;
  /** `undefined`: it is the account's own. */
  readonly formId: FormId | undefined;
  readonly room: AccountQuotaSubject["room"];
  readonly notified: QuotaLevel;
  readonly level: QuotaLevel;
}

/** Tells owners that an account, its audit log or a form is nearly full, and that it is full: once each, until it has emptied. */
export function createQuotaNoticeStore(database: Database, secretBox: SecretBox, defaultPlan: Plan): NoticeStore {
  return {
    async look(after, now, failed) {
      const { accounts, next } = await listNearAccounts(database, defaultPlan, after, batch);
      const changes = accounts.flatMap(listChanges);
      const full = await listFullKinds(
        database,
        changes.map(({ accountId }) => accountId),
        now,
      );
      for (const change of changes)
        if (change.level < change.notified || !full.get(change.accountId)?.has(kindOf(change)))
          await database
            .transaction()
            .execute((transaction) => tell(transaction, change, now))
            .catch((error) => failed.add(change.formId ?? change.accountId, error));
      return next;
    },
  };

  async function tell(transaction: DatabaseTransaction, change: Change, now: Instant): Promise<void> {
    const { accountId, formId, room, notified, level } = change;
    if (formId !== undefined && !(await holdForm(transaction, formId))) return;
    if (level > notified && (await lockFullKinds(transaction, accountId, now)).has(kindOf(change))) return;
    if (level <= notified || level === 0) {
      await note(transaction, change);
      return;
    }
    const subject: QuotaSubject =
      formId === undefined
        ? { kind: "account_quota", accountId, room, level }
        : { kind: "quota", accountId, formId, level };
    const givenUp = await listGivenUp(transaction, formId === undefined ? { accountId } : { formId }, now);
    if (isHeldBack(subject, givenUp, secretBox) || !(await note(transaction, change))) return;
    await insertEmails(transaction, accountId, [subject], now, secretBox);
  }
}

const kindOf = ({ formId }: Change): QuotaSubject["kind"] => (formId === undefined ? "account_quota" : "quota");

function listChanges({ accountId, bytesMax, log, forms, ...account }: NearAccount): readonly Change[] {
  if (bytesMax === undefined) return [];
  const classify = (
    { bytes, notified, isWanted }: QuotaState,
    formId: FormId | undefined,
    max: number,
    room: AccountQuotaSubject["room"] = "storage",
  ): readonly Change[] => {
    const level = nextLevel(notified, bytes, max);
    return level === notified || (level > notified && !isWanted) ? [] : [{ accountId, formId, room, notified, level }];
  };
  return [
    ...classify(account, undefined, bytesMax),
    ...classify(log, undefined, bytesMax * roomShares.anybody.log, "log"),
    ...forms.flatMap((form) => classify(form, form.formId, bytesMax * formShare)),
  ];
}

/** False when the form is gone: then nothing may be written about it any more. */
async function holdForm(transaction: DatabaseTransaction, formId: FormId): Promise<boolean> {
  await lockForm(transaction, formId, "keep");
  const row = await transaction.selectFrom("form").select("id").where("id", "=", formId).executeTakeFirst();
  return row !== undefined;
}

/** False when another process announced it meanwhile. */
async function note(
  transaction: DatabaseTransaction,
  { accountId, formId, room, notified, level }: Change,
): Promise<boolean> {
  const id = formId ?? accountId;
  if (notified === 0) {
    const inserted = await transaction
      .insertInto("quota_notice")
      .values({ id, room, level })
      .onConflict((conflict) =>
        conflict.columns(["id", "room"]).doUpdateSet({ level }).where("quota_notice.level", "=", 0),
      )
      .returning("id")
      .executeTakeFirst();
    return inserted !== undefined;
  }
  if (level === 0) {
    const { numDeletedRows } = await transaction
      .deleteFrom("quota_notice")
      .where("id", "=", id)
      .where("room", "=", room)
      .where("level", "=", notified)
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }
  const { numUpdatedRows } = await transaction
    .updateTable("quota_notice")
    .set({ level })
    .where("id", "=", id)
    .where("room", "=", room)
    .where("level", "=", notified)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
