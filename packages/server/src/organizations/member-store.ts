import type { AccountId, FormId } from "@sealpost/wire";
import { readMembership } from "../access/membership.ts";
import type { Role } from "../access/roles.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockOrganization, lockPerson } from "../database/lock.ts";
import {
  insertMember,
  isProven,
  keepSessionsIn,
  leaveBehind,
  orderOfOrganizations,
  parseFormIds,
  shareProof,
} from "../database/membership.ts";
import { keepNotifying } from "../mail/former-owner-store.ts";
import { forgetNotified } from "../mail/notified-marks-store.ts";
import { type ChangedBy, noteChange } from "./member-change-store.ts";
import type { Grant, Member, OwnOrganization } from "./organization.ts";

export type NewMembership = {
  readonly organizationId: AccountId;
  readonly personId: AccountId;
  readonly since: number;
  readonly addedBy: AccountId | undefined;
  /** The address that a membership which comes back waited for. */
  readonly unprovenAddress?: string | undefined;
} & Grant;

/** Each change is noted (`member-change-store.ts`). Who makes one has locked the organization. */
export interface MemberStore {
  /** All members of an organization, the oldest first, in one statement. */
  list(organizationId: AccountId, transaction?: DatabaseTransaction): Promise<readonly Member[]>;
  /** The role of a person who is not disabled, and whose invited address is proven. */
  findRole(
    organizationId: AccountId,
    personId: AccountId,
    transaction?: DatabaseTransaction,
  ): Promise<Role | undefined>;
  findByEmail(transaction: DatabaseTransaction, organizationId: AccountId, email: string): Promise<Member | undefined>;
  find(
    target: Database | DatabaseTransaction,
    organizationId: AccountId,
    personId: AccountId,
  ): Promise<Member | undefined>;
  /** The organizations that a person belongs to, their own one first, then the oldest. */
  listOf(personId: AccountId, transaction?: DatabaseTransaction): Promise<readonly OwnOrganization[]>;
  /** Until the transaction ends, another one that locks the organization waits; or the person, if one is given. */
  lock(transaction: DatabaseTransaction, organizationId: AccountId, personId?: AccountId): Promise<void>;
  count(transaction: DatabaseTransaction, organizationId: AccountId): Promise<number>;
  /** Owners but this person, whose invited address is proven, and who are not disabled and not about to delete their account. */
  countOtherOwners(transaction: DatabaseTransaction, organizationId: AccountId, personId: AccountId): Promise<number>;
  /** False if they are a member already. */
  add(transaction: DatabaseTransaction, membership: NewMembership, by: ChangedBy): Promise<boolean>;
  change(
    transaction: DatabaseTransaction,
    member: Member,
    organizationId: AccountId,
    grant: Grant,
    by: ChangedBy,
  ): Promise<void>;
  /** Sessions that acted for the organization act for none from then on. The database removes the heads of its list that the person has signed. */
  remove(transaction: DatabaseTransaction, organizationId: AccountId, member: Member, by: ChangedBy): Promise<void>;
  /** The id that a person has now, who may have left the organization with this one; any other id unchanged. */
  findPresentId(id: string): Promise<string>;
  /** Which of these are forms of the organization. */
  filterForms(organizationId: AccountId, formIds: readonly FormId[]): Promise<readonly FormId[]>;
  /** Makes a session act for an organization of its person. False when they do not belong to it. */
  switchSession(
    transaction: DatabaseTransaction,
    sessionId: string,
    personId: AccountId,
    organizationId: AccountId,
  ): Promise<boolean>;
}

export function createMemberStore(database: Database): MemberStore {
  const members = (target: Database | DatabaseTransaction) =>
    target
      .selectFrom("member")
      .innerJoin("person", "person.id", "member.person_id")
      .selectAll("member")
      .select(["person.name", "person.email", "person.disabled_at", "person.leaves_at"])
      .select("person.second_factor_enabled")
      .select(({ exists, selectFrom }) =>
        exists(selectFrom("passkey").select("passkey.id").whereRef("passkey.person_id", "=", "member.person_id")).as(
          "has_passkey",
        ),
      );

  return {
    async list(organizationId, transaction) {
      const rows = await members(transaction ?? database)
        .where("member.organization_id", "=", organizationId)
        .orderBy("member.since")
        .orderBy("member.person_id")
        .execute();
      return rows.flatMap((row) => parseMember(row) ?? []);
    },
    async findByEmail(transaction, organizationId, email) {
      const row = await members(transaction)
        .where("member.organization_id", "=", organizationId)
        .where("person.email", "=", email)
        .executeTakeFirst();
      return row && parseMember(row);
    },
    async findRole(organizationId, personId, transaction) {
      const row = await members(transaction ?? database)
        .where("member.organization_id", "=", organizationId)
        .where("member.person_id", "=", personId)
        .where("person.disabled_at", "is", null)
        .where(isProven("member"))
        .executeTakeFirst();
      return row && parseMember(row)?.role;
    },
    async find(target, organizationId, personId) {
      const row = await members(target)
        .where("member.organization_id", "=", organizationId)
        .where("member.person_id", "=", personId)
        .executeTakeFirst();
      return row && parseMember(row);
    },
    async listOf(personId, transaction) {
      const rows = await (transaction ?? database)
        .selectFrom("member")
        .innerJoin("organization", "organization.id", "member.organization_id")
        .select(["organization.id", "organization.name", "member.role", "member.form_ids", "member.since"])
        .select("member.unproven_address")
        .select(["organization.second_factor_from", "organization.recovery_required_at", "organization.ends_at"])
        .where("member.person_id", "=", personId)
        .orderBy(orderOfOrganizations("member"))
        .execute();
      return rows.flatMap((row) => {
        const grant = parseGrant(row);
        if (grant === undefined) return [];
        const secondFactorFrom = row.second_factor_from === null ? null : Number(row.second_factor_from);
        const endsAt = row.ends_at ?? undefined;
        const id = row.id as AccountId; // written from one
        const requiresRecovery = row.recovery_required_at !== null;
        const since = Number(row.since);
        const unprovenAddress = row.unproven_address ?? undefined;
        const { name } = row;
        return [{ ...grant, id, name, since, unprovenAddress, secondFactorFrom, requiresRecovery, endsAt }];
      });
    },
    async lock(transaction, organizationId, personId) {
      if (personId !== undefined) {
        await shareProof(transaction, personId);
        await lockPerson(transaction, personId);
      }
      await lockOrganization(transaction, organizationId);
    },
    async count(transaction, organizationId) {
      const { count } = await transaction
        .selectFrom("member")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("organization_id", "=", organizationId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async countOtherOwners(transaction, organizationId, personId) {
      const { count } = await transaction
        .selectFrom("member")
        .innerJoin("person", "person.id", "member.person_id")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("organization_id", "=", organizationId)
        .where("person_id", "<>", personId)
        .where("role", "=", "owner")
        .where("disabled_at", "is", null)
        .where("leaves_at", "is", null)
        .where(isProven("member"))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async add(transaction, { organizationId, personId, role, formIds = [], since, addedBy, unprovenAddress }, by) {
      const member = { organizationId, personId, role, formIds, since, addedBy, unprovenAddress };
      if (!(await insertMember(transaction, member))) return false;
      await noteChange(transaction, { organizationId, personId, before: undefined }, by);
      return true;
    },
    async change(transaction, member, organizationId, { role, formIds }, by) {
      const { personId } = member;
      if (role !== "owner") {
        await leaveBehind(transaction, organizationId, personId);
        await keepNotifyingOwner(transaction, organizationId, member);
      }
      await transaction
        .updateTable("member")
        .set({ role, form_ids: JSON.stringify(formIds ?? []) })
        .where("organization_id", "=", organizationId)
        .where("person_id", "=", personId)
        .execute();
      await noteChange(transaction, { organizationId, personId, before: member }, by);
    },
    async remove(transaction, organizationId, member, by) {
      const { personId } = member;
      await keepSessionsIn(transaction, organizationId, personId);
      await leaveBehind(transaction, organizationId, personId);
      await keepNotifyingOwner(transaction, organizationId, member);
      await transaction
        .deleteFrom("member")
        .where("organization_id", "=", organizationId)
        .where("person_id", "=", personId)
        .execute();
      await noteChange(transaction, { organizationId, personId, before: member }, by);
    },
    async findPresentId(id) {
      const row = await database
        .selectFrom("former_person_id")
        .select("person_id")
        .where("id", "=", id)
        .executeTakeFirst();
      return row?.person_id ?? id;
    },
    async filterForms(organizationId, formIds) {
      if (formIds.length === 0) return [];
      const rows = await database
        .selectFrom("form")
        .select("id")
        .where("account_id", "=", organizationId)
        .where("id", "in", formIds)
        .execute();
      const known = new Set(rows.map(({ id }) => id));
      return formIds.filter((id) => known.has(id));
    },
    async switchSession(transaction, sessionId, personId, organizationId) {
      const { numUpdatedRows } = await transaction
        .updateTable("session")
        .set({ organization_id: organizationId })
        .where("id", "=", sessionId)
        .where("person_id", "=", personId)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom("member")
              .select("member.person_id")
              .where("member.person_id", "=", personId)
              .where("member.organization_id", "=", organizationId),
          ),
        )
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
  };
}

interface GrantRow {
  readonly role: string;
  readonly form_ids: string;
}

/** `undefined` for a role that this version does not know. */
export function parseGrant({ role, form_ids }: GrantRow): Grant | undefined {
  const read = readMembership(role, () => parseFormIds(form_ids));
  return read.role && { role: read.role, formIds: read.formIds };
}

function parseMember(
  row: GrantRow & {
    readonly person_id: string;
    readonly name: string;
    readonly email: string;
    readonly since: number;
    readonly added_by: string | null;
    readonly unproven_address: string | null;
    readonly disabled_at: number | null;
    readonly leaves_at: number | null;
    readonly second_factor_enabled: boolean | number;
    readonly has_passkey: boolean | number | string;
  },
): Member | undefined {
  const grant = parseGrant(row);
  return (
    grant && {
      ...grant,
      personId: row.person_id as AccountId, // only ids are written there
      name: row.name,
      email: row.email,
      since: Number(row.since),
      addedBy: (row.added_by ?? undefined) as AccountId | undefined, // as above
      unprovenAddress: row.unproven_address ?? undefined,
      isDisabled: row.disabled_at !== null,
      isLeaving: row.leaves_at !== null,
      // SQLite has 0 and 1.
      hasSecondFactor: Number(row.second_factor_enabled) === 1 || Number(row.has_passkey) === 1,
    }
  );
}

/** Who was no owner before, or had not proven the address of the invitation, got none of the emails. */
async function keepNotifyingOwner(
  transaction: DatabaseTransaction,
  organizationId: AccountId,
  { personId, role, unprovenAddress }: Member,
): Promise<void> {
  if (role !== "owner" || unprovenAddress !== undefined) return;
  await keepNotifying(transaction, organizationId, personId);
  await forgetNotified(transaction, organizationId);
}
