import type { NameText } from "@sealpost/envelope/form";
import type { AccountId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { RunPage } from "../time/page-turns.ts";

/** Lines that are read at once. */
const pageLines = 512;
/** The lines of a file: those of 2,048 members and of the organization always have a place in it. */
const linesMax = 4096;

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
  /**
   * Keeps what an entry has made known, and lets names go that nobody has any more: of accounts that are gone, of programs, of the organization; and where
   * the file has no room for more lines, all of them.
   */
  keep(transaction: DatabaseTransaction, organizationId: AccountId, after: NameAfter): Promise<void>;
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
      // An entry that is given back may commit to a name that is still there.
      .onConflict((conflict) => conflict.columns(["organization_id", "commitment"]).doNothing())
      .execute();

  const requirePlace = async (transaction: DatabaseTransaction, organizationId: AccountId) => {
    const { lines } = await transaction
      .selectFrom("list_name")
      .select(({ fn }) => fn.countAll().as("lines"))
      .where("organization_id", "=", organizationId)
      .executeTakeFirstOrThrow();
    if (Number(lines) < linesMax) return;
    await transaction
      .deleteFrom("list_name")
      .where("organization_id", "=", organizationId)
      .where("is_present", "=", 0)
      .execute();
  };

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
      if (line !== undefined) {
        await requirePlace(transaction, organizationId);
        await insert(transaction, organizationId, memberId, line);
      }
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
  };
}
