import type { FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockForm } from "../database/lock.ts";
import { type EnvelopeRevision, findDropped, restorableMilliseconds } from "./envelope.ts";
import { findHold, isNotHeld, isRowOfCoordinatorNotHeld } from "./form-hold-store.ts";

/** A revision with its bytes. */
export interface EnvelopeFile extends EnvelopeRevision {
  readonly file: Uint8Array;
}

/** The envelopes of forms (SPECIFICATION.md section 15), as bytes. Writers have locked the form (`FormStore.load`). */
export interface EnvelopeStore {
  /** The newest revision of each envelope in use, by ascending version. */
  list(formId: FormId, transaction?: DatabaseTransaction): Promise<readonly EnvelopeRevision[]>;
  /** A revision, or the newest. */
  find(formId: FormId, lowestVersion: number, revision?: number): Promise<EnvelopeFile | undefined>;
  /** How many revisions of an envelope in use are stored. */
  countRevisions(transaction: DatabaseTransaction, formId: FormId, lowestVersion: number): Promise<number>;
  /** Adds a revision, and drops those that need not stay. */
  add(transaction: DatabaseTransaction, formId: FormId, envelope: EnvelopeFile): Promise<void>;
  /** Drops all revisions but the newest two, unless a legal hold keeps them. */
  dropFormer(transaction: DatabaseTransaction, formId: FormId, lowestVersion: number): Promise<void>;
  /** When envelopes of the form were removed that can be restored, the latest first. */
  listRemovals(formId: FormId, now: number, transaction?: DatabaseTransaction): Promise<readonly number[]>;
  /** Takes all envelopes out of use. */
  remove(transaction: DatabaseTransaction, formId: FormId, now: number): Promise<void>;
  /** Brings those that were removed then back into use. */
  restore(transaction: DatabaseTransaction, formId: FormId, removedAt: number): Promise<void>;
  /** Removed ones can't be restored any more: they were for readers of another organization. */
  giveUpRemoved(transaction: DatabaseTransaction, formId: FormId, now: number): Promise<void>;
  /** Deletes a batch of what can't be restored any more, but for a legal hold; false when there was none. */
  purge(now: number): Promise<boolean>;
}

/** Each has up to 384 KiB. */
const purgeBatch = 100;

/** `isClockTrusted`: whether the time of a revision may say which ones before it are too old. */
export function createEnvelopeStore(database: Database, isClockTrusted: () => boolean): EnvelopeStore {
  return {
    async list(formId, transaction) {
      const rows = await revisionsOf(transaction ?? database, formId)
        .orderBy("lowest_version")
        .orderBy("revision")
        .execute();
      return [...new Map(rows.map((row) => [row.lowest_version, toRevision(row)])).values()];
    },
    async find(formId, lowestVersion, revision) {
      let query = revisionsOf(database, formId).select("file").where("lowest_version", "=", lowestVersion);
      if (revision !== undefined) query = query.where("revision", "=", revision);
      const row = await query.orderBy("revision", "desc").limit(1).executeTakeFirst();
      return row && { ...toRevision(row), file: row.file };
    },
    async countRevisions(transaction, formId, lowestVersion) {
      const { count } = await transaction
        .selectFrom("envelope")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("form_id", "=", formId)
        .where("lowest_version", "=", lowestVersion)
        .where("removed_at", "=", 0)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async add(transaction, formId, { lowestVersion, revision, hash, bytes, createdAt, file }) {
      await transaction
        .insertInto("envelope")
        .values({
          form_id: formId,
          lowest_version: lowestVersion,
          revision,
          hash,
          bytes,
          file,
          created_at: createdAt,
        })
        .execute();
      await dropOld(transaction, formId, lowestVersion, isClockTrusted() ? createdAt : undefined);
    },
    async dropFormer(transaction, formId, lowestVersion) {
      const kept = await revisionsOf(transaction, formId)
        .where("lowest_version", "=", lowestVersion)
        .orderBy("revision", "desc")
        .limit(2)
        .execute();
      const oldest = kept.at(-1);
      if (oldest === undefined) return;
      await transaction
        .deleteFrom("envelope")
        .where("form_id", "=", formId)
        .where("lowest_version", "=", lowestVersion)
        .where("removed_at", "=", 0)
        .where("revision", "<", oldest.revision)
        .where(isNotHeld(formId))
        .execute();
    },
    async listRemovals(formId, now, transaction) {
      const rows = await (transaction ?? database)
        .selectFrom("envelope")
        .select("removed_at")
        .distinct()
        .where("form_id", "=", formId)
        .where("removed_at", ">", now - restorableMilliseconds)
        .orderBy("removed_at", "desc")
        .execute();
      return rows.map(({ removed_at }) => removed_at);
    },
    async remove(transaction, formId, now) {
      await setRemoved(transaction, formId, { from: 0, to: now });
    },
    async restore(transaction, formId, removedAt) {
      await setRemoved(transaction, formId, { from: removedAt, to: 0 });
    },
    async giveUpRemoved(transaction, formId, now) {
      const { last } = await transaction
        .selectFrom("envelope")
        .select(({ fn }) => fn.max("removed_at").as("last"))
        .where("form_id", "=", formId)
        .executeTakeFirstOrThrow();
      // A clock that was ahead may have dated removals into the future: these go back by so much more.
      const ahead = Math.max(0, Number(last) - now);
      await transaction
        .updateTable("envelope")
        .set({
          removed_at: sql`removed_at - ${sql.lit(restorableMilliseconds)}
            - case when removed_at > ${sql.lit(now)} then ${sql.lit(ahead)} else 0 end`,
        })
        .where("form_id", "=", formId)
        .where("removed_at", ">", restorableMilliseconds)
        .execute();
    },
    async purge(now) {
      const rows = await database
        .selectFrom("envelope")
        .select(["form_id", "lowest_version", "removed_at", "revision"])
        .where("removed_at", ">", 0)
        .where("removed_at", "<=", now - restorableMilliseconds)
        .where(isRowOfCoordinatorNotHeld("envelope.form_id"))
        .limit(purgeBatch)
        .execute();
      for (const [form_id, ofForm] of Map.groupBy(rows, (row) => row.form_id))
        await database.transaction().execute((transaction) => removeForGood(transaction, form_id as FormId, ofForm)); // written from one
      return rows.length > 0;
    },
  };
}

/** Those of them that were not restored meanwhile, unless a hold was set. */
async function removeForGood(
  transaction: DatabaseTransaction,
  formId: FormId,
  rows: readonly { readonly lowest_version: number; readonly removed_at: number; readonly revision: number }[],
): Promise<void> {
  await lockForm(transaction, formId, "change");
  if ((await findHold(transaction, formId)) !== undefined) return;
  for (const row of rows)
    await transaction
      .deleteFrom("envelope")
      .where("form_id", "=", formId)
      .where("lowest_version", "=", row.lowest_version)
      .where("removed_at", "=", row.removed_at)
      .where("revision", "=", row.revision)
      .where(isNotHeld(formId))
      .execute();
}

async function setRemoved(
  transaction: DatabaseTransaction,
  formId: FormId,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  await transaction
    .updateTable("envelope")
    .set({ removed_at: to })
    .where("form_id", "=", formId)
    .where("removed_at", "=", from)
    .execute();
}

/** A legal hold keeps all of them: who writes garbage for a month must not have deleted the keys to what is held. */
async function dropOld(
  transaction: DatabaseTransaction,
  formId: FormId,
  lowestVersion: number,
  now: number | undefined,
): Promise<void> {
  if ((await findHold(transaction, formId)) !== undefined) return;
  const rows = await revisionsOf(transaction, formId).where("lowest_version", "=", lowestVersion).execute();
  const dropped = findDropped(rows.map(toRevision), now);
  if (dropped.length === 0) return;
  await transaction
    .deleteFrom("envelope")
    .where("form_id", "=", formId)
    .where("lowest_version", "=", lowestVersion)
    .where("removed_at", "=", 0)
    .where("revision", "in", dropped)
    .where(isNotHeld(formId))
    .execute();
}

/** The revisions in use. */
function revisionsOf(target: Database | DatabaseTransaction, formId: FormId) {
  return target
    .selectFrom("envelope")
    .select(["lowest_version", "revision", "hash", "bytes", "created_at"])
    .where("form_id", "=", formId)
    .where("removed_at", "=", 0);
}

interface RevisionRow {
  readonly lowest_version: number;
  readonly revision: number;
  readonly hash: string;
  readonly bytes: number;
  readonly created_at: number;
}

function toRevision({ lowest_version: lowestVersion, created_at: createdAt, ...row }: RevisionRow): EnvelopeRevision {
  const { revision, hash, bytes } = row;
  return { lowestVersion, revision, hash, bytes, createdAt };
}
