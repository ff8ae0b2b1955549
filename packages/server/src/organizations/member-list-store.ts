import { entryNumberMax, pageEntries } from "@sealpost/envelope/form";
import type { AccountId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { ListEntryTable } from "../database/envelope-tables.ts";
import { dayMilliseconds, waitedMax } from "../time/clock.ts";
import type { RunPage } from "../time/page-turns.ts";

/** Entries that are read at once: each has some 2 KiB. */
const readEntries = 256;

/** The end of an organization's signed list: the number and the hash of its last entry. */
export interface StoredHead {
  readonly number: number;
  readonly hash: string;
  /** The bytes of the list. */
  readonly bytes: number;
}

/** Entries of a list, and the last of them. */
export interface StoredEntries {
  readonly text: string;
  readonly head: StoredHead;
}

export interface NewListEntry extends StoredHead {
  /** Its two lines. */
  readonly entry: string;
  /** The member that it is about; `undefined`: it is about nobody. */
  readonly memberId: string | undefined;
  readonly signerId: string;
  readonly addedAt: number;
}

/** Signed lists of members (SPECIFICATION.md section 14). Entries are only added. */
export interface MemberListStore {
  /** `undefined` for an organization that has no list yet. */
  findHead(organizationId: AccountId, transaction?: DatabaseTransaction): Promise<StoredHead | undefined>;
  /**
   * The newest page as text, or the one that has this entry: up to 16 MiB, some hundred entries after another (`list-reads.ts`: some pages at once).
   * `undefined`: there is no such entry.
   */
  findPage(organizationId: AccountId, runPage: RunPage, entry?: number): Promise<StoredEntries | undefined>;
  /** The entries from this one on, as many as a page has. `undefined`: there is no such entry. */
  findFrom(organizationId: AccountId, runPage: RunPage, from: number): Promise<StoredEntries | undefined>;
  /** All of its pages. */
  find(organizationId: AccountId, runPage: RunPage): Promise<StoredEntries | undefined>;
  /** Whether this was the end of the list once, or is. */
  hasEntry(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    head: Pick<StoredHead, "number" | "hash">,
  ): Promise<boolean>;
  /** When the last entry but `count - 1` of this signer was added, if that was within a day. */
  findFromEnd(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    signerId: string,
    count: number,
    now: number,
  ): Promise<number | undefined>;
  /** After `findHead` in the same transaction, which has locked the organization. */
  add(transaction: DatabaseTransaction, organizationId: AccountId, entry: NewListEntry): Promise<void>;
}

export function createMemberListStore(database: Database): MemberListStore {
  const listAfter = (organizationId: AccountId, number: number, last: number) =>
    database
      .selectFrom("list_entry")
      .select([...headColumns, "entry"])
      .where("organization_id", "=", organizationId)
      .where("number", ">", number)
      .where("number", "<=", last)
      .orderBy("number")
      .limit(readEntries)
      .execute();

  return {
    findHead,
    async findPage(organizationId, runPage, entry) {
      const number = entry ?? (await runPage(() => findHead(organizationId)))?.number ?? 1;
      const first = number - ((number - 1) % pageEntries);
      const page = await findEntries(organizationId, runPage, first, Math.min(first + pageEntries - 1, entryNumberMax));
      return page && number <= page.head.number ? page : undefined;
    },
    findFrom: (organizationId, runPage, from) =>
      findEntries(organizationId, runPage, from, Math.min(from + pageEntries - 1, entryNumberMax)),
    find: (organizationId, runPage) => findEntries(organizationId, runPage, 1, entryNumberMax),
    async hasEntry(transaction, organizationId, { number, hash }) {
      // PostgreSQL's integers end there.
      if (number > entryNumberMax) return false;
      const row = await transaction
        .selectFrom("list_entry")
        .select("hash")
        .where("organization_id", "=", organizationId)
        .where("number", "=", number)
        .executeTakeFirst();
      return row?.hash === hash;
    },
    async findFromEnd(transaction, organizationId, signerId, count, now) {
      const row = await transaction
        .selectFrom("list_entry")
        .select("added_at")
        .where("organization_id", "=", organizationId)
        .where("signer_id", "=", signerId)
        .where("added_at", ">", now - dayMilliseconds)
        // A later time comes from a clock that was wrong.
        .where("added_at", "<=", now + waitedMax)
        .orderBy("added_at", "desc")
        .offset(count - 1)
        .limit(1)
        .executeTakeFirst();
      return row && Number(row.added_at);
    },
    async add(transaction, organizationId, entry) {
      await transaction.insertInto("list_entry").values(toRow(organizationId, entry)).execute();
    },
  };

  /** `undefined` where there are none. */
  async function findEntries(
    organizationId: AccountId,
    runPage: RunPage,
    first: number,
    last: number,
  ): Promise<StoredEntries | undefined> {
    const texts: string[] = [];
    let head: StoredHead | undefined;
    for (;;) {
      const rows = await runPage(() => listAfter(organizationId, head?.number ?? first - 1, last));
      texts.push(...rows.map((row) => row.entry));
      const end = rows.at(-1);
      head = end === undefined ? head : toHead(end);
      if (rows.length < readEntries) break;
    }
    return head && { text: texts.join(""), head };
  }

  async function findHead(
    organizationId: AccountId,
    transaction?: DatabaseTransaction,
  ): Promise<StoredHead | undefined> {
    const row = await (transaction ?? database)
      .selectFrom("list_entry")
      .select(headColumns)
      .where("organization_id", "=", organizationId)
      .orderBy("number", "desc")
      .limit(1)
      .executeTakeFirst();
    return row && toHead(row);
  }
}

const headColumns = ["number", "hash", "list_bytes"] as const satisfies readonly (keyof ListEntryTable)[];
type HeadRow = Pick<ListEntryTable, (typeof headColumns)[number]>;

function toHead({ number, hash, list_bytes: bytes }: HeadRow): StoredHead {
  return { number, hash, bytes };
}

function toRow(organizationId: AccountId, entry: NewListEntry) {
  return {
    ...{ organization_id: organizationId, number: entry.number, hash: entry.hash, entry: entry.entry },
    ...{ member_id: entry.memberId ?? entry.signerId, signer_id: entry.signerId },
    ...{ list_bytes: entry.bytes, added_at: entry.addedAt },
  };
}
