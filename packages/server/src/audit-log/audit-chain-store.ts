import { type AccountId, type AuditHead, hashAuditEntry, startAuditLog } from "@sealpost/wire";
import { type Selectable, sql } from "kysely";
import type { AuditEntryTable, AuditHeadTable } from "../database/audit-tables.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isUnwritable } from "../database/errors.ts";
import { lockRow } from "../database/lock.ts";
import { createRound } from "../database/round.ts";
import { type RunPage, withoutTurns } from "../time/page-turns.ts";
import { toChainedEntry } from "./audit-chain.ts";

/** Entries in one transaction: on SQLite, others wait for it. */
const chainBatch = 100;
const organizationsAtOnceMax = 100;

/** The ends of an organization's log. */
export interface AuditLogEnds {
  readonly head: AuditHead;
  /** The entries that were removed, for their age or by an owner: all up to this one. */
  readonly removed: (AuditHead & { readonly occurredAt: number }) | undefined;
}

/** The removed entries, as answers say it. */
export function describeRemoved({ sequence, occurredAt }: NonNullable<AuditLogEnds["removed"]>) {
  return { count: sequence, timestamp: occurredAt };
}

/**
 * The chain of each organization's entries. They are written without a number, in the transaction of what they tell, and
 * chained afterwards, by whichever process looks first: so no change waits for another one, and a process that is killed in
 * between leaves the rest to the next. Until an entry is chained no head covers it; everything that shows a head chains first.
 */
export interface AuditChainStore {
  /** Chains all entries of an organization that are committed by now, each batch in its turn, or so many batches of them; as many as the disk has room for. */
  chain(accountId: AccountId, bounds?: ChainBounds): Promise<AuditLogEnds>;
  /** The same for a batch of each of some organizations; `false` when there was none. */
  chainSome(): Promise<boolean>;
  /** Entries after a number, up to another one, the oldest first; `limit` at most. */
  list(accountId: AccountId, range: ChainRange): Promise<readonly Selectable<AuditEntryTable>[]>;
}

export interface ChainBounds {
  readonly runPage?: RunPage;
  readonly batchesMax?: number;
}

export interface ChainRange {
  readonly after: number;
  readonly until: number;
  readonly limit: number;
}

export function createAuditChainStore(database: Database): AuditChainStore {
  async function chain(
    accountId: AccountId,
    { runPage = withoutTurns, batchesMax = Number.POSITIVE_INFINITY }: ChainBounds = {},
  ): Promise<AuditLogEnds> {
    try {
      for (let batch = 0; batch < batchesMax && (await hasUnchained(database, accountId)); batch++)
        await runPage(() => database.transaction().execute((transaction) => chainOnce(transaction, accountId)));
    } catch (error) {
      // On a full disk a log is read and exported up to its last chained entry.
      if (!isUnwritable(error)) throw error;
    }
    return findEnds(database, accountId);
  }
  const chainInTurn = createRound({
    max: organizationsAtOnceMax,
    async find(after, max) {
      const rows = await database
        .selectFrom("audit_entry")
        .select("account_id")
        .distinct()
        .where("sequence", "is", null)
        .where("account_id", ">", after)
        .orderBy("account_id")
        .limit(max)
        .execute();
      return rows.map(({ account_id }) => account_id as AccountId); // only ids are written there
    },
    async work(id: AccountId, _context: undefined) {
      await chain(id, { batchesMax: 1 });
      return true;
    },
  });
  return {
    chain,
    chainSome: () => chainInTurn(undefined),
    list: (accountId, { after, until, limit }) =>
      database
        .selectFrom("audit_entry")
        .selectAll()
        .where("account_id", "=", accountId)
        .where("sequence", ">", after)
        .where("sequence", "<=", until)
        .orderBy("sequence")
        .limit(limit)
        .execute(),
  };
}

async function hasUnchained(database: Database, accountId: AccountId): Promise<boolean> {
  return (await selectUnchained(database, accountId).select("id").limit(1).executeTakeFirst()) !== undefined;
}

function selectUnchained(database: Database | DatabaseTransaction, accountId: AccountId) {
  return database
    .selectFrom("audit_entry")
    .where("account_id", "=", accountId)
    .where("sequence", "is", null)
    .orderBy("occurred_at")
    .orderBy("id");
}

/** Chains a batch. Of several processes one does it at a time, and each sees what the one before has chained. */
async function chainOnce(transaction: DatabaseTransaction, accountId: AccountId): Promise<void> {
  const row = await lockAuditHead(transaction, accountId);
  const rows = await selectUnchained(transaction, accountId).selectAll().limit(chainBatch).execute();
  let head = await headOf(row);
  const lines: ChainLine[] = [];
  for (const entry of rows) {
    head = await follow(head, entry);
    lines.push({ ...head, id: entry.id });
  }
  if (lines.length > 0) await writeLines(transaction, lines);
  await transaction.updateTable("audit_head").set(head).where("account_id", "=", accountId).execute();
}

/** The organization's row, made if there is none; nobody else's to change until the transaction ends. */
export async function lockAuditHead(
  transaction: DatabaseTransaction,
  accountId: AccountId,
): Promise<Selectable<AuditHeadTable>> {
  await transaction
    .insertInto("audit_head")
    .values({ account_id: accountId, sequence: 0, hash: null })
    .onConflict((conflict) => conflict.column("account_id").doNothing())
    .execute();
  const row = transaction.selectFrom("audit_head").selectAll().where("account_id", "=", accountId);
  return lockRow(transaction, row).executeTakeFirstOrThrow();
}

async function headOf({ account_id, sequence, hash }: Selectable<AuditHeadTable>): Promise<AuditHead> {
  return hash === null ? startAuditLog(account_id) : { sequence: Number(sequence), hash };
}

async function follow(head: AuditHead, row: Selectable<AuditEntryTable>): Promise<AuditHead> {
  const sequence = head.sequence + 1;
  return { sequence, hash: await hashAuditEntry(toChainedEntry(row, sequence, head.hash)) };
}

interface ChainLine extends AuditHead {
  readonly id: string;
}

async function writeLines(transaction: DatabaseTransaction, lines: readonly ChainLine[]): Promise<void> {
  const values = lines.map(
    ({ id, sequence, hash }) => sql`(cast(${id} as text), cast(${sequence} as bigint), cast(${hash} as text))`,
  );
  const { numAffectedRows } = await sql`
    with line (id, sequence, hash) as (values ${sql.join(values)})
    update audit_entry set sequence = line.sequence, hash = line.hash from line where audit_entry.id = line.id`.execute(
    transaction,
  );
  // Some were removed for their age meanwhile: the chain must not name them. The next look chains the rest.
  if (numAffectedRows !== BigInt(lines.length)) throw new Error("Entries to be chained were removed meanwhile");
}

async function findEnds(database: Database, accountId: AccountId): Promise<AuditLogEnds> {
  const row = await database
    .selectFrom("audit_head")
    .selectAll()
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  if (row === undefined) return { head: await startAuditLog(accountId), removed: undefined };
  const { removed_sequence: sequence, removed_hash: hash, removed_occurred_at: occurredAt } = row;
  const removed = hash === null ? undefined : { sequence: Number(sequence), hash, occurredAt: Number(occurredAt) };
  return { head: await headOf(row), removed };
}
