import type { AccountId, FormId } from "@sealpost/wire";
import type { DatabaseTransaction } from "../database/database.ts";
import { hasActiveOwner } from "../database/membership.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import { insertEmails } from "./insert-emails-store.ts";
import type { Instant, NoticedCause } from "./mail.ts";
import { lockFullKinds } from "./notice-store.ts";

export interface RefusalNotice {
  readonly accountId: AccountId;
  readonly formId: FormId;
  readonly cause: NoticedCause;
  readonly since: Instant;
}

/**
 * Puts the email about a form that refuses visitors into the queue, where its owners want notices about it. `false` where nobody would get it, and
 * where the organization has had those of its day: then it is for another time.
 */
export type SendRefusalNotice = (transaction: DatabaseTransaction, notice: RefusalNotice) => Promise<boolean>;

export function createSendRefusalNotice(secretBox: SecretBox, hasMail: boolean): SendRefusalNotice {
  return async (transaction, { accountId, formId, cause, since }) => {
    if (!hasMail || (await isRefused(transaction, [accountId, formId]))) return false;
    if (!(await hasActiveOwners(transaction, accountId))) return false;
    if ((await lockFullKinds(transaction, accountId, since)).has("refusal")) return false;
    await insertEmails(transaction, accountId, [{ kind: "refusal", formId, cause, since }], since, secretBox);
    return true;
  };
}

async function hasActiveOwners(transaction: DatabaseTransaction, accountId: AccountId): Promise<boolean> {
  const row = await transaction
    .selectFrom("organization")
    .select(hasActiveOwner("organization.id").as("is_owned"))
    .where("id", "=", accountId)
    .executeTakeFirst();
  return Boolean(row?.is_owned);
}

async function isRefused(transaction: DatabaseTransaction, ids: readonly string[]): Promise<boolean> {
  const row = await transaction.selectFrom("email_opt_out").select("id").where("id", "in", ids).executeTakeFirst();
  return row !== undefined;
}
