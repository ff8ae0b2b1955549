import type { NameText, VerifiedList } from "@sealpost/envelope/form";
import type { AccountId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { RunPage } from "../time/page-turns.ts";

/** Lines that are read at once. */
const pageLines = 512;

/** The name after an entry: whose it is (`undefined`: the organization's), and what they are called from then on, unless they are gone. */
export interface NameAfter {
  readonly memberId: string | undefined;
  readonly commitment: string | undefined;
  /** Where the commitment is a new one. */
  readonly line: NameText | undefined;
}

/** The names next to signed lists (SPECIFICATION.md section 14): kept by person, so that they can go. */
export interface ListNameStore {
  /** All that are known of an organization's list, page after page. */
  list(organizationId: AccountId, runPage: RunPage): Promise<readonly NameText[]>;
  findName(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    commitment: string,
  ): Promise<string | undefined>;
  /** Keeps what an entry has made known, and lets names go that nobody has any more: of accounts that are gone, of programs, of the organization. */
  keep(transaction: DatabaseTransaction, organizationId: AccountId, after: NameAfter): Promise<void>;
  /** Keeps the names of a new part alone, with those that it has made known: a file has no room for all that were ever in a list. */
  keepPresent(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    before: VerifiedList,
    after: VerifiedList,
    lines: readonly NameText[],
  ): Promise<void>;
}

export function createListNameStore(database: Database): ListNameStore {
  const listAfter = (organizationId: AccountId, commitment: string) =>
    database
      .selectFrom("list_name")
      .select(["commitment", "salt", "name"])
      .where("organization_id", "=", organizationId)
      .where("commitment", ">", commitment)
      .orderBy("commitment")
      .limit(pageLines)
      .execute();

  const insert = (
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    memberId: string | null,
    line: NameText,
  ) =>
    transaction
      .insertInto("list_name")
      .values({ organization_id: organizationId, member_id: memberId, is_present: 1, ...line })
      .execute();

  return {
    async list(organizationId, runPage) {
      const lines: NameText[] = [];
      for (;;) {
        const rows = await runPage(() => listAfter(organizationId, lines.at(-1)?.commitment ?? ""));
        lines.push(...rows);
        if (rows.length < pageLines) return lines;
      }
    },
    async findName(transaction, organizationId, commitment) {
      const row = await transaction
        .selectFrom("list_name")
        .select("name")
        .where("organization_id", "=", organizationId)
        .where("commitment", "=", commitment)
        .executeTakeFirst();
      return row?.name;
    },
    async keep(transaction, organizationId, { memberId = null, commitment, line }) {
      await transaction
        .updateTable("list_name")
        .set(({ eb, ref }) => ({
          is_present: eb
            .case()
            .when(ref("commitment"), "=", commitment ?? "")
            .then(1)
            .else(0)
            .end(),
        }))
        .where("organization_id", "=", organizationId)
        .where("member_id", memberId === null ? "is" : "=", memberId)
        .execute();
      if (line !== undefined) await insert(transaction, organizationId, memberId, line);
      await transaction
        .deleteFrom("list_name")
        .where("organization_id", "=", organizationId)
        .where("member_id", memberId === null ? "is" : "=", memberId)
        .where("is_present", "=", 0)
        .where(({ and, exists, not, selectFrom }) =>
          and([
            not(exists(selectFrom("person").select("person.id").whereRef("person.id", "=", "list_name.member_id"))),
            not(
              exists(
                selectFrom("former_person_id")
                  .select("former_person_id.id")
                  .whereRef("former_person_id.id", "=", "list_name.member_id"),
              ),
            ),
          ]),
        )
        .execute();
    },
    async keepPresent(transaction, organizationId, before, { members }, lines) {
      const gone = [...before.members.values()].filter(
        ({ id, commitment }) => String(members.get(id)?.commitment) !== String(commitment),
      );
      const remove = () => transaction.deleteFrom("list_name").where("organization_id", "=", organizationId);
      // That of the organization: a part has none until it names it.
      await remove()
        .where(({ eb, or }) => or([eb("is_present", "=", 0), eb("member_id", "is", null)]))
        .execute();
      for (const { commitment } of gone) await remove().where("commitment", "=", String(commitment)).execute();
      for (const line of lines) {
        const owner = [...members.values()].find(({ commitment }) => String(commitment) === line.commitment);
        await insert(transaction, organizationId, owner?.id ?? null, line);
      }
    },
  };
}
