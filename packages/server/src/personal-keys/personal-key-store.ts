import type { AccountId } from "@sealpost/wire";
import type { Selectable } from "kysely";
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockPerson } from "../database/lock.ts";
import type { KeyCopyTable } from "../database/personal-key-tables.ts";
import { createRowId } from "../database/row-id.ts";
import { createRowRemoval } from "../database/row-removal.ts";
import { dayMilliseconds, waitedMax } from "../time/clock.ts";
import {
  copiesMax,
  copiesPerDay,
  type NewKeyCopy,
  type PublicHalves,
  restorableMilliseconds,
  type Way,
} from "./personal-key.ts";

/** A copy of a personal key, as its person sees it in a list. */
export interface KeyCopy {
  readonly id: string;
  readonly way: Way;
  readonly name: string;
  readonly createdAt: number;
  /** When it was removed; `undefined` of one that opens. */
  readonly removedAt: number | undefined;
}

export interface StoredPersonalKey extends PublicHalves {
  readonly createdAt: number;
}

/** The copies are the oldest first, and among them those that can still be restored. */
export interface PersonalKeyState {
  readonly personalKey: StoredPersonalKey | undefined;
  readonly copies: readonly KeyCopy[];
}

export interface KeyToStore extends PublicHalves {
  readonly personId: AccountId;
  readonly copies: readonly NewKeyCopy[];
  readonly now: number;
}

type Target = Database | DatabaseTransaction;

/** Every change first locks the person's row, so that two at once wait for each other. */
export interface PersonalKeyStore {
  find(personId: AccountId, now: number): Promise<PersonalKeyState>;
  /** The file of a copy that was not removed, in base64url. */
  findFile(personId: AccountId, id: string): Promise<string | undefined>;
  /** `sent`: a request that was sent twice, whose answer got lost. */
  create(transaction: DatabaseTransaction, key: KeyToStore): Promise<"created" | "exists" | "sent">;
  /** `changed`: it is a copy of another key than the one in use. `retryAt`: as many as one adds within a day were added. */
  add(
    transaction: DatabaseTransaction,
    personId: AccountId,
    copy: NewKeyCopy & { readonly signingKey: string | undefined },
    now: number,
  ): Promise<
    | { readonly copy: KeyCopy; readonly isNew: boolean }
    | "without_key"
    | "changed"
    | "full"
    | { readonly retryAt: number }
  >;
  remove(
    transaction: DatabaseTransaction,
    personId: AccountId,
    id: string,
    now: number,
  ): Promise<KeyCopy | "missing" | "last_sheet">;
  /** Does nothing to one that was not removed. */
  restore(
    transaction: DatabaseTransaction,
    personId: AccountId,
    id: string,
    now: number,
  ): Promise<{ readonly copy: KeyCopy; readonly isChanged: boolean } | "missing" | "full">;
  /** Deletes for good what can't be restored any more; `false` when there was none. */
  purge(now: number): Promise<boolean>;
}

export function createPersonalKeyStore(database: Database): PersonalKeyStore {
  return {
    find: (personId, now) => findState(database, personId, now),

    async findFile(personId, id) {
      const row = await selectOwn(database, personId)
        .select("file")
        .where("id", "=", id)
        .where("removed_at", "is", null)
        .executeTakeFirst();
      return row?.file;
    },

    async create(transaction, { personId, recipient, signingKey, copies, now }) {
      await lockPerson(transaction, personId);
      const before = await findKey(transaction, personId);
      if (before !== undefined) {
        return (await isStored(transaction, personId, before, { recipient, signingKey, copies })) ? "sent" : "exists";
      }
      await insertKey(transaction, { personId, recipient, signingKey, copies, now });
      return "created";
    },

    async add(transaction, personId, { signingKey, ...copy }, now) {
      await lockPerson(transaction, personId);
      const key = await findKey(transaction, personId);
      if (key === undefined) return "without_key";
      if (signingKey !== undefined && signingKey !== key.signingKey) return "changed";
      const same = await findSame(transaction, personId, copy);
      if (same !== undefined) return { copy: parseRow(same), isNew: false };
      if ((await countOpening(transaction, personId)) >= copiesMax) return "full";
      const retryAt = await findRetry(transaction, personId, now);
      if (retryAt !== undefined) return { retryAt };
      const row = toRow(personId, copy, now);
      await transaction.insertInto("key_copy").values(row).execute();
      return { copy: parseRow(row), isNew: true };
    },

    async remove(transaction, personId, id, now) {
      await lockPerson(transaction, personId);
      const row = await transaction
        .updateTable("key_copy")
        .set({ removed_at: now })
        .where("person_id", "=", personId)
        .where("id", "=", id)
        .where("removed_at", "is", null)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return "missing";
      if (row.way === "sheet" && (await countOpening(transaction, personId, "sheet")) === 0) return "last_sheet";
      return parseRow(row);
    },

    async restore(transaction, personId, id, now) {
      await lockPerson(transaction, personId);
      const row = await selectKept(transaction, personId, now).selectAll().where("id", "=", id).executeTakeFirst();
      if (row === undefined) return "missing";
      if (row.removed_at === null) return { copy: parseRow(row), isChanged: false };
      if ((await countOpening(transaction, personId)) >= copiesMax) return "full";
      await transaction.updateTable("key_copy").set({ removed_at: null }).where("id", "=", id).execute();
      return { copy: parseRow({ ...row, removed_at: null }), isChanged: true };
    },

    purge: createRowRemoval(database, {
      table: "key_copy",
      key: ["id"],
      by: "removed_at",
      isDue: (now, name) => sql`${name("removed_at")} <= ${now - restorableMilliseconds}`,
    }),
  };
}

async function findState(database: Database, personId: AccountId, now: number): Promise<PersonalKeyState> {
  const personalKey = await findKey(database, personId);
  const rows = await selectKept(database, personId, now)
    .select(["id", "way", "name", "created_at", "removed_at"])
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return { personalKey, copies: rows.map(parseRow) };
}

export async function insertKey(
  transaction: DatabaseTransaction,
  { personId, recipient, signingKey, copies, now }: KeyToStore,
): Promise<void> {
  await transaction
    .insertInto("personal_key")
    .values({ person_id: personId, recipient, signing_key: signingKey, created_at: now })
    .execute();
  await transaction
    .insertInto("key_copy")
    .values(copies.map((copy) => toRow(personId, copy, now)))
    .execute();
}

export async function findKey(target: Target, personId: AccountId): Promise<StoredPersonalKey | undefined> {
  const row = await target.selectFrom("personal_key").selectAll().where("person_id", "=", personId).executeTakeFirst();
  return row && { recipient: row.recipient, signingKey: row.signing_key, createdAt: Number(row.created_at) };
}

function selectOwn(target: Target, personId: AccountId) {
  return target.selectFrom("key_copy").where("person_id", "=", personId);
}

/** Without those that can't be restored any more, and wait for the purge. */
function selectKept(target: Target, personId: AccountId, now: number) {
  return selectOwn(target, personId).where(({ eb, or }) =>
    or([eb("removed_at", "is", null), eb("removed_at", ">", now - restorableMilliseconds)]),
  );
}

/** Whether it is the key and the copies that a request brings: the same request again. */
export async function isStored(
  transaction: DatabaseTransaction,
  personId: AccountId,
  stored: PublicHalves,
  { recipient, signingKey, copies }: PublicHalves & { readonly copies: readonly NewKeyCopy[] },
): Promise<boolean> {
  if (stored.recipient !== recipient || stored.signingKey !== signingKey) return false;
  const found = await Promise.all(copies.map((copy) => findSame(transaction, personId, copy)));
  return !found.includes(undefined);
}

/** No two seals have the same bytes: it is the same request again. */
export function findSame(target: Target, personId: AccountId, { way, file }: NewKeyCopy) {
  return selectOwn(target, personId)
    .selectAll()
    .where("removed_at", "is", null)
    .where("way", "=", way)
    .where("file", "=", file)
    .executeTakeFirst();
}

async function countOpening(target: Target, personId: AccountId, way?: Way): Promise<number> {
  let query = selectOwn(target, personId)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("removed_at", "is", null);
  if (way !== undefined) query = query.where("way", "=", way);
  return Number((await query.executeTakeFirstOrThrow()).count);
}

/** When the next copy may be added, if it may not now. */
async function findRetry(target: Target, personId: AccountId, now: number): Promise<number | undefined> {
  const ofDay = (table: "key_copy" | "former_key_copy") =>
    target
      .selectFrom(table)
      .select("created_at")
      .where("person_id", "=", personId)
      .where("created_at", ">", now - dayMilliseconds)
      // A later time comes from a clock that was wrong.
      .where("created_at", "<=", now + waitedMax);
  const row = await ofDay("key_copy")
    .unionAll(ofDay("former_key_copy"))
    .orderBy("created_at", "desc")
    .offset(copiesPerDay - 1)
    .limit(1)
    .executeTakeFirst();
  return row && Number(row.created_at) + dayMilliseconds;
}

export function toRow(personId: AccountId, { way, name, file }: NewKeyCopy, now: number): Selectable<KeyCopyTable> {
  const id = createRowId("copy", now);
  return { id, way, name: name.trim(), file, person_id: personId, created_at: now, removed_at: null };
}

export function parseRow(
  row: Pick<Selectable<KeyCopyTable>, "id" | "way" | "name" | "created_at" | "removed_at">,
): KeyCopy {
  return {
    id: row.id,
    way: row.way as Way, // only ways are written there
    name: row.name,
    createdAt: Number(row.created_at),
    removedAt: row.removed_at === null ? undefined : Number(row.removed_at),
  };
}
