import { entryNumberMax } from "@sealpost/envelope/form";
import type { AccountId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { ListEntryTable } from "../database/envelope-tables.ts";
import { dayMilliseconds, waitedMax } from "../time/clock.ts";
import type { RunPage } from "../time/page-turns.ts";

/** Entries that are read at once: each has some 2 KiB. */
const pageEntries = 256;

/** The end of an organization's signed list: the number and the hash of its last entry. */
export interface StoredHead {
  readonly number: number;
  readonly hash: string;
  /** The number of the entry that begins its part. */
  readonly first: number;
  /** The bytes of the part. */
  readonly bytes: number;
}

export interface StoredPart {
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
   * The newest part as text, or the one that has this entry, with the head at its end: up to 16 MiB, page after page (`list-reads.ts`: some at once).
   * `undefined`: there is no such entry.
   */
  findPart(organizationId: AccountId, runPage: RunPage, entry?: number): Promise<StoredPart | undefined>;
  /** The newest part, after those before it that say who has begun it, where that was another than the member it begins with. */
  find(organizationId: AccountId, runPage: RunPage): Promise<StoredPart | undefined>;
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
  /** When the last part but `count - 1` was begun, from the one that begins at `first` on, if that was within a day. */
  findBegun(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    first: number,
    count: number,
    now: number,
  ): Promise<number | undefined>;
  /** After `findHead` in the same transaction, which has locked the organization. */
  add(transaction: DatabaseTransaction, organizationId: AccountId, entries: readonly NewListEntry[]): Promise<void>;
}

export function createMemberListStore(database: Database): MemberListStore {
  const listAfter = (organizationId: AccountId, number: number) =>
    database
      .selectFrom("list_entry")
      .select([...headColumns, "entry"])
      .where("organization_id", "=", organizationId)
      .where("number", ">", number)
      .orderBy("number")
      .limit(pageEntries)
      .execute();
  const ofEntry = (target: Database | DatabaseTransaction, organizationId: AccountId, number: number) =>
    target
      .selectFrom("list_entry")
      .select(["part_first", "added_at"])
      .where("organization_id", "=", organizationId)
      .where("number", "=", number)
      .executeTakeFirst();

  return {
    findHead,
    findPart,
    async find(organizationId, runPage) {
      const newest = await findPart(organizationId, runPage);
      let text = newest?.text ?? "";
      for (let first = newest?.head.first ?? 1; first > 1 && isBegunByAnother(text); ) {
        const before = await findPart(organizationId, runPage, first - 1);
        if (before === undefined) break;
        text = before.text + text;
        first = before.head.first;
      }
      return newest && { ...newest, text };
    },
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
    async findBegun(transaction, organizationId, newest, count, now) {
      let first = newest;
      for (let left = count; first > 1; left--) {
        const begun = await ofEntry(transaction, organizationId, first);
        const at = Number(begun?.added_at ?? 0);
        // A later time comes from a clock that was wrong.
        if (at <= now - dayMilliseconds || at > now + waitedMax) return undefined;
        if (left === 1) return at;
        first = (await ofEntry(transaction, organizationId, first - 1))?.part_first ?? 1;
      }
      return undefined;
    },
    async add(transaction, organizationId, entries) {
      for (let start = 0; start < entries.length; start += pageEntries)
        await transaction
          .insertInto("list_entry")
          .values(entries.slice(start, start + pageEntries).map((entry) => toRow(organizationId, entry)))
          .execute();
    },
  };

  async function findPart(
    organizationId: AccountId,
    runPage: RunPage,
    entry?: number,
  ): Promise<StoredPart | undefined> {
    const first = await runPage(async () =>
      entry === undefined
        ? (await findHead(organizationId))?.first
        : (await ofEntry(database, organizationId, entry))?.part_first,
    );
    if (first === undefined) return undefined;
    let text = "";
    let last: HeadRow | undefined;
    for (;;) {
      const rows = await runPage(() => listAfter(organizationId, last?.number ?? first - 1));
      // Entries of the next part may be on the same page.
      const own = rows.filter(({ part_first }) => part_first === first);
      text += own.map((row) => row.entry).join("");
      last = own.at(-1) ?? last;
      if (own.length < pageEntries) break;
    }
    return last && { text, head: toHead(last) };
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

const headColumns = ["number", "hash", "part_first", "list_bytes"] as const satisfies readonly (keyof ListEntryTable)[];
type HeadRow = Pick<ListEntryTable, (typeof headColumns)[number]>;

function toHead({ number, hash, part_first: first, list_bytes: bytes }: HeadRow): StoredHead {
  return { number, hash, first, bytes };
}

function toRow(organizationId: AccountId, entry: NewListEntry) {
  return {
    ...{ organization_id: organizationId, number: entry.number, hash: entry.hash, entry: entry.entry },
    ...{ member_id: entry.memberId ?? entry.signerId, signer_id: entry.signerId },
    ...{ part_first: entry.first, list_bytes: entry.bytes, added_at: entry.addedAt },
  };
}

/** Whether another than the member it begins with has signed the first entry: who that may be, the part before says. */
function isBegunByAnother(text: string): boolean {
  const { member, signedBy } = JSON.parse(text.slice(0, text.indexOf("\n"))) as {
    // it was verified before it was stored
    readonly member: { readonly id: string };
    readonly signedBy: string;
  };
  return member.id !== signedBy;
}
