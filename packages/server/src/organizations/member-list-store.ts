import { entryNumberMax } from "@sealpost/envelope/form";
import type { AccountId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { dayMilliseconds } from "../time/clock.ts";
import type { RunPage } from "../time/page-turns.ts";

/** Entries that are read at once: each has some 2 KiB. */
const pageEntries = 256;

/** The end of an organization's signed list: the number and the hash of its last entry. */
export interface StoredHead {
  readonly number: number;
  readonly hash: string;
  /** The bytes of the whole list. */
  readonly bytes: number;
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
  /** The whole list as text, with its head: up to 16 MiB, page after page (`list-reads.ts`: some at once). */
  find(
    organizationId: AccountId,
    runPage: RunPage,
  ): Promise<{ readonly text: string; readonly head: StoredHead } | undefined>;
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
  const listAfter = (organizationId: AccountId, number: number) =>
    database
      .selectFrom("list_entry")
      .select(["number", "hash", "list_bytes", "entry"])
      .where("organization_id", "=", organizationId)
      .where("number", ">", number)
      .orderBy("number")
      .limit(pageEntries)
      .execute();

  return {
    async findHead(organizationId, transaction) {
      const row = await (transaction ?? database)
        .selectFrom("list_entry")
        .select(["number", "hash", "list_bytes"])
        .where("organization_id", "=", organizationId)
        .orderBy("number", "desc")
        .limit(1)
        .executeTakeFirst();
      return row && toHead(row);
    },
    async find(organizationId, runPage) {
      let text = "";
      let last: Parameters<typeof toHead>[0] | undefined;
      for (;;) {
        const rows = await runPage(() => listAfter(organizationId, last?.number ?? 0));
        text += rows.map(({ entry }) => entry).join("");
        last = rows.at(-1) ?? last;
        if (rows.length < pageEntries) break;
      }
      return last && { text, head: toHead(last) };
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
        .where("added_at", "<=", now)
        .orderBy("added_at", "desc")
        .offset(count - 1)
        .limit(1)
        .executeTakeFirst();
      return row && Number(row.added_at);
    },
    async add(transaction, organizationId, { number, hash, bytes, entry, memberId, signerId, addedAt }) {
      await transaction
        .insertInto("list_entry")
        .values({
          ...{ organization_id: organizationId, number, hash, entry },
          ...{ member_id: memberId ?? signerId, signer_id: signerId, list_bytes: bytes, added_at: addedAt },
        })
        .execute();
    },
  };
}

function toHead({ number, hash, list_bytes: bytes }: { number: number; hash: string; list_bytes: number }): StoredHead {
  return { number, hash, bytes };
}
