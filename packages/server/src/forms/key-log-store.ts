import { type FormId, type KeyLogHead, keyLogPageEntries } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { isNotHeld } from "./form-hold-store.ts";

/** An entry of a form's key log: its two lines, each with its line feed. */
export interface StoredKeyLogEntry extends KeyLogHead {
  readonly entry: string;
}

/** Logs of forms' keys (SPECIFICATION.md section 20). Entries are only added, until a log is removed as a whole. */
export interface KeyLogStore {
  /** `undefined` for a form without a log. */
  findLast(formId: FormId, transaction?: DatabaseTransaction): Promise<StoredKeyLogEntry | undefined>;
  /** The entries from this number on, as text; at most `keyLogPageEntries`. */
  findText(formId: FormId, from: number): Promise<string>;
  /** When the last entry but `count - 1` was added, if that was within a day. */
  findFromEnd(
    formId: FormId,
    count: number,
    now: number,
    transaction?: DatabaseTransaction,
  ): Promise<number | undefined>;
  /** After `findLast` in the same transaction, which has locked the form. */
  add(transaction: DatabaseTransaction, formId: FormId, entry: StoredKeyLogEntry, addedAt: number): Promise<void>;
  remove(transaction: DatabaseTransaction, formId: FormId): Promise<void>;
}

export function createKeyLogStore(database: Database): KeyLogStore {
  return {
    async findLast(formId, transaction) {
      return (transaction ?? database)
        .selectFrom("key_log_entry")
        .select(["number", "hash", "entry"])
        .where("form_id", "=", formId)
        .orderBy("number", "desc")
        .limit(1)
        .executeTakeFirst();
    },
    async findText(formId, from) {
      const rows = await database
        .selectFrom("key_log_entry")
        .select("entry")
        .where("form_id", "=", formId)
        .where("number", ">=", from)
        .orderBy("number")
        .limit(keyLogPageEntries)
        .execute();
      return rows.map(({ entry }) => entry).join("");
    },
    async findFromEnd(formId, count, now, transaction) {
      const row = await (transaction ?? database)
        .selectFrom("key_log_entry")
        .select("added_at")
        .where("form_id", "=", formId)
        .orderBy("number", "desc")
        .offset(count - 1)
        .limit(1)
        .executeTakeFirst();
      const addedAt = Number(row?.added_at ?? 0);
      // A later time comes from a clock that was wrong.
      return addedAt > now - dayMilliseconds && addedAt <= now ? addedAt : undefined;
    },
    async add(transaction, formId, { number, hash, entry }, addedAt) {
      await transaction
        .insertInto("key_log_entry")
        .values({ form_id: formId, number, hash, entry, added_at: addedAt })
        .execute();
    },
    async remove(transaction, formId) {
      await transaction.deleteFrom("key_log_entry").where("form_id", "=", formId).where(isNotHeld(formId)).execute();
    },
  };
}
