import type { AccountId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockOrganization, lockOrganizations, lockPerson } from "../database/lock.ts";
import { isProven, lockProof } from "../database/membership.ts";
import { lockRightsOf } from "../database/right-lock.ts";

/** A person, as far as an operator's change concerns them. */
export interface ConcernedPerson {
  readonly id: AccountId;
  readonly name: string;
  readonly email: string;
  readonly isOperator: boolean;
  /** Organizations in which the person is a member. */
  readonly organizations: readonly AccountId[];
}

/** The instance's operators, and whom their changes concern. */
export interface OperatorStore {
  /**
   * Until the transaction ends, another one that asks for them waits, and so does
   * anyone who changes the members of an organization that they own.
   */
  lockPerson(transaction: DatabaseTransaction, personId: AccountId): Promise<ConcernedPerson | undefined>;
  /** The name of an organization, and whether there is one. Locked as above. */
  lockOrganization(transaction: DatabaseTransaction, organizationId: AccountId): Promise<string | undefined>;
  /** False when they are one already. */
  name(transaction: DatabaseTransaction, personId: AccountId, now: number): Promise<boolean>;
  /** False when they were none. */
  end(transaction: DatabaseTransaction, personId: AccountId): Promise<boolean>;
  /** The ids of all operators. */
  list(): Promise<readonly AccountId[]>;
  /** How many organizations of several members nobody who can sign in would own without this person. */
  countOwnedAlone(transaction: DatabaseTransaction, personId: AccountId): Promise<number>;
}

export function createOperatorStore(database: Database): OperatorStore {
  return {
    async lockPerson(transaction, personId) {
      await lockRightsOf(transaction, personId);
      await lockProof(transaction, personId);
      const owned = (await listMemberships(transaction, personId)).filter(({ role }) => role === "owner");
      const row = await lockPerson(transaction, personId);
      if (row === undefined) return undefined;
      await lockOrganizations(
        transaction,
        owned.map(({ organization_id }) => organization_id),
      );
      const { name, email, operator_since } = row;
      const memberships = await listMemberships(transaction, personId);
      const organizations = memberships.map(({ organization_id }) => organization_id as AccountId); // only ids are written there
      return { id: personId, name, email, isOperator: operator_since !== null, organizations };
    },
    async lockOrganization(transaction, organizationId) {
      return (await lockOrganization(transaction, organizationId))?.name;
    },
    async name(transaction, personId, now) {
      const { numUpdatedRows } = await transaction
        .updateTable("person")
        .set({ operator_since: now })
        .where("id", "=", personId)
        .where("operator_since", "is", null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async end(transaction, personId) {
      const { numUpdatedRows } = await transaction
        .updateTable("person")
        .set({ operator_since: null })
        .where("id", "=", personId)
        .where("operator_since", "is not", null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async list() {
      const rows = await database
        .selectFrom("person")
        .select("id")
        .where("operator_since", "is not", null)
        .orderBy("id")
        .execute();
      return rows.map(({ id }) => id as AccountId); // as above
    },
    async countOwnedAlone(transaction, personId) {
      const { count } = await transaction
        .selectFrom("member as own")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("own.person_id", "=", personId)
        .where("own.role", "=", "owner")
        .where(isProven("own"))
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom("member as another")
              .select("another.person_id")
              .whereRef("another.organization_id", "=", "own.organization_id")
              .where("another.person_id", "<>", personId),
          ),
        )
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("member as other")
                .innerJoin("person", "person.id", "other.person_id")
                .select("other.person_id")
                .whereRef("other.organization_id", "=", "own.organization_id")
                .where("other.role", "=", "owner")
                .where(isProven("other"))
                .where("other.person_id", "<>", personId)
                .where("person.disabled_at", "is", null),
            ),
          ),
        )
        .executeTakeFirstOrThrow();
      return Number(count);
    },
  };
}

function listMemberships(transaction: DatabaseTransaction, personId: AccountId) {
  return transaction
    .selectFrom("member")
    .select(["organization_id", "role"])
    .where("person_id", "=", personId)
    .orderBy("organization_id")
    .execute();
}
