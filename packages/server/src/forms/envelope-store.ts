import { keysMax } from "@sealpost/envelope/form";
import type { AccountId, FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockForm } from "../database/lock.ts";
import { createRound, orderOfRound } from "../database/round.ts";
import { dayMilliseconds } from "../time/clock.ts";
import {
  daysKept,
  type EnvelopeRevision,
  restorableMilliseconds,
  revisionsKept,
  type WrittenRevision,
} from "./envelope.ts";
import { findHold, isNotHeld, isRowOfCoordinatorNotHeld } from "./form-hold-store.ts";

/** A revision with its bytes. */
export interface EnvelopeFile extends EnvelopeRevision {
  readonly file: Uint8Array;
}

export interface NewEnvelopeRevision extends EnvelopeFile {
  /** The person who stored it, or who made the API key that did. */
  readonly writerId: AccountId;
}

/** The revisions of one writer. */
type OfWriter = Pick<NewEnvelopeRevision, "lowestVersion" | "writerId">;

/** The envelopes of forms (SPECIFICATION.md section 15), as bytes. Writers have locked the form (`FormStore.load`). */
export interface EnvelopeStore {
  /** The newest revision of each envelope in use, by ascending version. */
  list(formId: FormId, transaction?: DatabaseTransaction): Promise<readonly EnvelopeRevision[]>;
  /** A revision, or the newest. */
  find(formId: FormId, lowestVersion: number, revision?: number): Promise<EnvelopeFile | undefined>;
  /** Revisions in use, the newest first, of those below a number where one is given. */
  listRevisions(
    formId: FormId,
    lowestVersion: number,
    page: { readonly below?: number | undefined; readonly limit: number },
  ): Promise<readonly WrittenRevision[]>;
  /** Whether the form is under a legal hold with so many revisions of an envelope in use. */
  holdsRevisions(
    transaction: DatabaseTransaction,
    formId: FormId,
    lowestVersion: number,
    count: number,
  ): Promise<boolean>;
  /** When the writer's last revision of an envelope but `count - 1` was stored, if that was within a day. */
  findFromEnd(
    transaction: DatabaseTransaction,
    formId: FormId,
    of: OfWriter,
    count: number,
    now: number,
  ): Promise<number | undefined>;
  /** Adds a revision, and drops those that need not stay. */
  add(transaction: DatabaseTransaction, formId: FormId, envelope: NewEnvelopeRevision): Promise<void>;
  /** Drops the writer's revisions but the newest two of all and those that came with a key, unless a legal hold keeps them: nobody drives out what another person wrote. */
  dropFormer(transaction: DatabaseTransaction, formId: FormId, of: OfWriter): Promise<void>;
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
/** Forms of one step: each is a transaction of its own. */
const formsAtOnceMax = 20;

/** `mayDropOld`: whether the time of a revision may say which ones before it are too old. */
export function createEnvelopeStore(database: Database, mayDropOld: () => boolean): EnvelopeStore {
  return {
    async list(formId, transaction) {
      const target = transaction ?? database;
      const newest = await listNewest(target, formId);
      if (newest.length === 0) return [];
      const rows = await revisionsOf(target, formId)
        .where(({ eb, or }) =>
          or(
            newest.map(({ lowest_version, revision }) =>
              eb("lowest_version", "=", lowest_version).and("revision", "=", revision),
            ),
          ),
        )
        .orderBy("lowest_version")
        .execute();
      return rows.map(toRevision);
    },
    async find(formId, lowestVersion, revision) {
      let query = revisionsOf(database, formId).select("file").where("lowest_version", "=", lowestVersion);
      if (revision !== undefined) query = query.where("revision", "=", revision);
      const row = await query.orderBy("revision", "desc").limit(1).executeTakeFirst();
      return row && { ...toRevision(row), file: row.file };
    },
    async listRevisions(formId, lowestVersion, { below, limit }) {
      let query = revisionsOf(database, formId).select("writer_id").where("lowest_version", "=", lowestVersion);
      if (below !== undefined) query = query.where("revision", "<", below);
      const rows = await query.orderBy("revision", "desc").limit(limit).execute();
      return rows.map((row) => ({ ...toRevision(row), writerId: row.writer_id }));
    },
    async holdsRevisions(transaction, formId, lowestVersion, count) {
      if ((await findHold(transaction, formId)) === undefined) return false;
      const row = await revisionsOf(transaction, formId)
        .where("lowest_version", "=", lowestVersion)
        .orderBy("revision", "desc")
        .offset(count - 1)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    async findFromEnd(transaction, formId, of, count, now) {
      const row = await revisionsOf(transaction, formId)
        .where("lowest_version", "=", of.lowestVersion)
        .where("writer_id", "=", of.writerId)
        .orderBy("revision", "desc")
        .offset(count - 1)
        .limit(1)
        .executeTakeFirst();
      const storedAt = Number(row?.created_at ?? 0);
      // A later time comes from a clock that was wrong.
      return storedAt > now - dayMilliseconds && storedAt <= now ? storedAt : undefined;
    },
    async add(transaction, formId, { lowestVersion, revision, hash, bytes, createdAt, file, writerId }) {
      await transaction
        .insertInto("envelope")
        .values({
          ...{ form_id: formId, lowest_version: lowestVersion, revision, hash, bytes, file },
          ...{ writer_id: writerId, created_at: createdAt },
        })
        .execute();
      if (mayDropOld()) await dropOld(transaction, formId, lowestVersion, createdAt);
    },
    async dropFormer(transaction, formId, { lowestVersion, writerId }) {
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
        .where("writer_id", "=", writerId)
        .where("revision", "<", oldest.revision)
        .where(cameWithoutKey(formId, lowestVersion))
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
    purge: createRound({
      max: formsAtOnceMax,
      async find(after, max, now: number) {
        const order = orderOfRound(database, "envelope.form_id");
        const rows = await selectRemoved(database, now)
          .select(order.as("form_id"))
          .where(isRowOfCoordinatorNotHeld("envelope.form_id"))
          .where(order, ">", after)
          .groupBy(order)
          .orderBy(order)
          .limit(max)
          .execute();
        return rows.map(({ form_id }) => form_id as FormId); // written from one
      },
      work: (formId, now) => database.transaction().execute((transaction) => removeForGood(transaction, formId, now)),
    }),
  };
}

/** Revisions that were removed for so long that nobody can restore them. */
function selectRemoved(target: Database | DatabaseTransaction, now: number) {
  return target
    .selectFrom("envelope")
    .where("removed_at", ">", 0)
    .where("removed_at", "<=", now - restorableMilliseconds);
}

/** A batch of those of the form, unless a hold was set. False: there are none. */
async function removeForGood(transaction: DatabaseTransaction, formId: FormId, now: number): Promise<boolean> {
  await lockForm(transaction, formId, "change");
  if ((await findHold(transaction, formId)) !== undefined) return false;
  const rows = await selectRemoved(transaction, now)
    .select(["lowest_version", "removed_at", "revision"])
    .where("form_id", "=", formId)
    .limit(purgeBatch)
    .execute();
  for (const row of rows)
    await transaction
      .deleteFrom("envelope")
      .where("form_id", "=", formId)
      .where("lowest_version", "=", row.lowest_version)
      .where("removed_at", "=", row.removed_at)
      .where("revision", "=", row.revision)
      .where(isNotHeld(formId))
      .execute();
  return rows.length > 0;
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

/** The newest revision of each envelope in use, from the last envelope on: two looks into the index for each, however many revisions it has. */
async function listNewest(target: Database | DatabaseTransaction, formId: FormId) {
  const lowestBelow = sql`select max(lowest_version) from envelope where form_id = ${formId} and removed_at = 0`;
  const { rows } = await sql<{ readonly lowest_version: number; readonly revision: number }>`
    with recursive found (lowest_version) as (
      select (${lowestBelow})
      union all
      select (${lowestBelow} and lowest_version < found.lowest_version) from found where found.lowest_version is not null
    )
    select lowest_version, (
      select max(revision) from envelope
      where form_id = ${formId} and removed_at = 0 and envelope.lowest_version = found.lowest_version
    ) as revision
    from found where lowest_version is not null`.execute(target);
  return rows;
}

/**
 * Drops revisions of which another one took the place long ago, but each writer's newest, those that came with a key, and the newest ones of all: who writes garbage as often
 * as they can drives out nothing of anybody else. Where times go back and forth, all from the first later one on stay. A legal hold keeps all.
 */
async function dropOld(
  transaction: DatabaseTransaction,
  formId: FormId,
  lowestVersion: number,
  now: number,
): Promise<void> {
  if ((await findHold(transaction, formId)) !== undefined) return;
  const inUse = () => revisionsOf(transaction, formId).where("lowest_version", "=", lowestVersion);
  const newest = await inUse().orderBy("revision", "desc").limit(1).executeTakeFirstOrThrow();
  const recent = await inUse()
    .where("created_at", ">", now - daysKept * dayMilliseconds)
    .orderBy("revision")
    .limit(1)
    .executeTakeFirst();
  // The one before the first recent one was in use until then.
  const end = Math.min((recent?.revision ?? newest.revision) - 1, newest.revision - revisionsKept + 1);
  if (end <= 1) return;
  await transaction
    .deleteFrom("envelope")
    .where("form_id", "=", formId)
    .where("lowest_version", "=", lowestVersion)
    .where("removed_at", "=", 0)
    .where("revision", "<", end)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("envelope as later")
          .select("later.revision")
          .where("later.form_id", "=", formId)
          .where("later.lowest_version", "=", lowestVersion)
          .where("later.removed_at", "=", 0)
          .whereRef("later.writer_id", "=", "envelope.writer_id")
          .whereRef("later.revision", ">", "envelope.revision"),
      ),
    )
    .where(cameWithoutKey(formId, lowestVersion))
    .where(isNotHeld(formId))
    .execute();
}

/**
 * A revision was not stored together with one of the versions that have their place in it. The others stay for as long as the form is there, at most 32: whatever their writers
 * store afterwards, each of these keys stays in the revision that its maker sent with it.
 */
function cameWithoutKey(formId: FormId, lowestVersion: number) {
  // Both have the time of the rotation.
  return sql<boolean>`not exists (
    select 1 from form_key as made where made.form_id = ${formId} and made.version >= ${lowestVersion}
    and made.version < ${lowestVersion + keysMax} and made.created_at = envelope.created_at)`;
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
