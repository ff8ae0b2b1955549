import type { AccountId } from "@sealpost/wire";
import { type Expression, type SqlBool, sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockPerson } from "../database/lock.ts";
import { createRound, orderOfRound } from "../database/round.ts";
import { createRowId } from "../database/row-id.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { formerKeysMax, keysPerDay, type PublicHalves, restorableMilliseconds } from "./personal-key.ts";
import {
  findKey,
  insertKey,
  isStored,
  type KeyCopy,
  type KeyToStore,
  parseRow,
  type StoredPersonalKey,
} from "./personal-key-store.ts";

/** A key that another one has replaced, and that can be brought back. */
export interface FormerKey extends StoredPersonalKey {
  readonly replacedAt: number;
  /** The id of the copy of this key that the one that replaced it opens; `null` where there is none. */
  readonly copyId: string | null;
  readonly copies: readonly KeyCopy[];
}

/** The state that the request was made for. */
interface Replaced {
  /** The signing key of the one that is to be replaced. */
  readonly replaces: string;
  /** That key, sealed for the one in its place. */
  readonly formerFile: string | undefined;
}

/** `sent`: a request that was sent twice. `changed`: another key than the request says is in use. */
type ReplaceOutcome = "replaced" | "sent" | "missing" | "changed" | "former" | { readonly retryAt: number };

/** Every change first locks the person's row, so that two at once wait for each other. Nothing is deleted by one: keys change places. */
export interface FormerKeyStore {
  /** The newest first. */
  list(personId: AccountId, now: number): Promise<readonly FormerKey[]>;
  /** The file of a former key that the one in its place opens. */
  findFile(personId: AccountId, copyId: string): Promise<string | undefined>;
  replace(transaction: DatabaseTransaction, key: KeyToStore & Replaced): Promise<ReplaceOutcome>;
  /** Puts a former key back, with its copies as they were, and makes the one in use a former one. */
  restore(
    transaction: DatabaseTransaction,
    key: Replaced & { readonly personId: AccountId; readonly signingKey: string; readonly now: number },
  ): Promise<"restored" | "sent" | "missing" | "changed">;
  /** Deletes for good what can't be brought back any more; `false` when there was none. */
  purge(now: number): Promise<boolean>;
}

/** Keys that one step of the purge deletes. */
const batch = 100;

export function createFormerKeyStore(database: Database): FormerKeyStore {
  return {
    async list(personId, now) {
      const keys = await selectKept(database, personId, now).selectAll().orderBy("replaced_at", "desc").execute();
      const copies = await database
        .selectFrom("former_key_copy")
        .select(["id", "way", "name", "created_at", "removed_at", "signing_key"])
        .where("person_id", "=", personId)
        .orderBy("created_at")
        .orderBy("id")
        .execute();
      return keys.map((row) => ({
        recipient: row.recipient,
        signingKey: row.signing_key,
        createdAt: Number(row.created_at),
        replacedAt: Number(row.replaced_at),
        copyId: row.copy_id,
        copies: copies.filter(({ signing_key }) => signing_key === row.signing_key).map(parseRow),
      }));
    },

    async findFile(personId, copyId) {
      const row = await database
        .selectFrom("former_key")
        .select("file")
        .where("person_id", "=", personId)
        .where("copy_id", "=", copyId)
        .executeTakeFirst();
      return row?.file ?? undefined;
    },

    async replace(transaction, key) {
      const { personId, replaces, formerFile, now } = key;
      await lockPerson(transaction, personId);
      const before = await findKey(transaction, personId);
      if (before === undefined) return "missing";
      if (await isStored(transaction, personId, before, key)) return "sent";
      if (before.signingKey !== replaces) return "changed";
      if (isAnyHalfOf(before, key) || (await wasUsed(transaction, key))) return "former";
      const retryAt = await findRetry(transaction, personId, before, now);
      if (retryAt !== undefined) return { retryAt };
      await setAside(transaction, { personId, before, formerFile, now });
      await insertKey(transaction, key);
      return "replaced";
    },

    async restore(transaction, { personId, signingKey, replaces, formerFile, now }) {
      await lockPerson(transaction, personId);
      const before = await findKey(transaction, personId);
      if (before?.signingKey === signingKey) return "sent";
      const former = await selectKept(transaction, personId, now)
        .selectAll()
        .where("signing_key", "=", signingKey)
        .executeTakeFirst();
      if (before === undefined || former === undefined) return "missing";
      if (before.signingKey !== replaces) return "changed";
      await setAside(transaction, { personId, before, formerFile, now });
      const { recipient, created_at } = former;
      await transaction
        .insertInto("personal_key")
        .values({ person_id: personId, recipient, signing_key: signingKey, created_at })
        .execute();
      await takeBackCopies(transaction, personId, signingKey, now - Number(former.replaced_at));
      await deleteFormer(transaction, { personId, signingKey });
      return "restored";
    },

    purge: createRound({
      max: batch,
      async find(after, max, now: number) {
        const order = orderOfRound(database, "person_id");
        const rows = await database
          .selectFrom("former_key")
          .select(order.as("person_id"))
          .where("replaced_at", "<=", now - restorableMilliseconds)
          .where(order, ">", after)
          .groupBy(order)
          .orderBy(order)
          .limit(max)
          .execute();
        return rows.map(({ person_id }) => person_id as AccountId); // a person's id, by its table
      },
      work: (personId, now) =>
        database.transaction().execute(async (transaction) => {
          await lockPerson(transaction, personId);
          const over = await transaction
            .selectFrom("former_key")
            .select("signing_key")
            .where("person_id", "=", personId)
            .where("replaced_at", "<=", now - restorableMilliseconds)
            .limit(batch)
            .execute();
          for (const { signing_key } of over) await deleteForGood(transaction, { personId, signingKey: signing_key });
          return over.length > 0;
        }),
    }),
  };
}

type Target = Database | DatabaseTransaction;

/** Without those that wait for the purge. */
function selectKept(target: Target, personId: AccountId, now: number) {
  return target
    .selectFrom("former_key")
    .where("person_id", "=", personId)
    .where("replaced_at", ">", now - restorableMilliseconds);
}

/** Whether one of the halves was the person's already: it is brought back then, and with it the copies that open it. */
async function wasUsed(
  target: Target,
  { personId, recipient, signingKey }: PublicHalves & { readonly personId: AccountId },
): Promise<boolean> {
  const row = await target
    .selectFrom("former_key")
    .select("signing_key")
    .where("person_id", "=", personId)
    .where(
      ({ eb, or }): Expression<SqlBool> => or([eb("recipient", "=", recipient), eb("signing_key", "=", signingKey)]),
    )
    .executeTakeFirst();
  return row !== undefined;
}

function isAnyHalfOf(one: PublicHalves, other: PublicHalves): boolean {
  return one.recipient === other.recipient || one.signingKey === other.signingKey;
}

/** When the next key may be stored, if not now. */
async function findRetry(
  target: Target,
  personId: AccountId,
  { createdAt }: StoredPersonalKey,
  now: number,
): Promise<number | undefined> {
  const rows = await target
    .selectFrom("former_key")
    .select(["created_at", "replaced_at"])
    .where("person_id", "=", personId)
    .orderBy("replaced_at")
    .execute();
  if (rows.length >= formerKeysMax) return Number(rows[0]?.replaced_at) + restorableMilliseconds;
  const times = [createdAt, ...rows.map(({ created_at }) => Number(created_at))]
    // A later time comes from a clock that was wrong.
    .filter((time) => time > now - dayMilliseconds && time <= now)
    .toSorted((one, other) => other - one);
  const last = times[keysPerDay - 1];
  return last === undefined ? undefined : last + dayMilliseconds;
}

/** Makes the key in use a former one, with its copies. */
async function setAside(
  transaction: DatabaseTransaction,
  {
    personId,
    before,
    formerFile,
    now,
  }: {
    readonly personId: AccountId;
    readonly before: StoredPersonalKey;
    readonly formerFile: string | undefined;
    readonly now: number;
  },
): Promise<void> {
  const { recipient, signingKey, createdAt } = before;
  await transaction
    .insertInto("former_key")
    .values({
      ...{ person_id: personId, recipient, signing_key: signingKey, created_at: createdAt, replaced_at: now },
      copy_id: formerFile === undefined ? null : createRowId("copy", now),
      file: formerFile ?? null,
    })
    .execute();
  const copies = await transaction.selectFrom("key_copy").selectAll().where("person_id", "=", personId).execute();
  if (copies.length > 0)
    await transaction
      .insertInto("former_key_copy")
      .values(copies.map((copy) => ({ ...copy, signing_key: signingKey })))
      .execute();
  await transaction.deleteFrom("key_copy").where("person_id", "=", personId).execute();
  await transaction.deleteFrom("personal_key").where("person_id", "=", personId).execute();
}

/** Time stood still for those that were removed: nobody makes them end by replacing the key for a while. */
async function takeBackCopies(
  transaction: DatabaseTransaction,
  personId: AccountId,
  signingKey: string,
  stood: number,
): Promise<void> {
  const rows = await transaction
    .selectFrom("former_key_copy")
    .select(["id", "person_id", "way", "name", "file", "created_at"])
    .select(sql<number | null>`removed_at + ${sql.lit(stood)}`.as("removed_at"))
    .where("person_id", "=", personId)
    .where("signing_key", "=", signingKey)
    .execute();
  if (rows.length > 0) await transaction.insertInto("key_copy").values(rows).execute();
}

interface KeyOfPerson {
  readonly personId: AccountId;
  readonly signingKey: string;
}

/** Deletes the key, and heads that it has signed for other devices. */
async function deleteForGood(transaction: DatabaseTransaction, key: KeyOfPerson): Promise<void> {
  await deleteFormer(transaction, key);
  await transaction
    .deleteFrom("signed_head")
    .where("person_id", "=", key.personId)
    .where("signing_key", "=", key.signingKey)
    .execute();
}

async function deleteFormer(transaction: DatabaseTransaction, { personId, signingKey }: KeyOfPerson): Promise<void> {
  for (const table of ["former_key_copy", "former_key"] as const)
    await transaction
      .deleteFrom(table)
      .where("person_id", "=", personId)
      .where("signing_key", "=", signingKey)
      .execute();
}
