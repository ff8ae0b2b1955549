import { setImmediate } from "node:timers/promises";
import type { AccountId, FormId } from "@sealpost/wire";
import { sql } from "kysely";
import { readMembership } from "../access/membership.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isProven, parseFormIds } from "../database/membership.ts";
import { isRowOfCoordinatorHeld } from "../forms/form-hold-store.ts";
import type { Measured } from "../quotas/kept-measures.ts";
import { decideFate, type HeldForm, type LeavingOrganization } from "./account-life.ts";

type Target = Database | DatabaseTransaction;

/** When the account of a person is deleted for good, where that was asked for. */
export async function findLeavesAt(target: Target, personId: AccountId): Promise<number | undefined> {
  const row = await target.selectFrom("person").select("leaves_at").where("id", "=", personId).executeTakeFirst();
  return row?.leaves_at ?? undefined;
}

export async function isPerson(target: Target, id: AccountId): Promise<boolean> {
  return (await target.selectFrom("person").select("id").where("id", "=", id).executeTakeFirst()) !== undefined;
}

export async function setLeavesAt(target: Target, personId: AccountId, at: number | undefined): Promise<void> {
  await target
    .updateTable("person")
    .set({ leaves_at: at ?? null })
    .where("id", "=", personId)
    .execute();
}

export async function findEndsAt(target: Target, organizationId: AccountId): Promise<number | undefined> {
  const row = await target
    .selectFrom("organization")
    .select("ends_at")
    .where("id", "=", organizationId)
    .executeTakeFirst();
  return row?.ends_at ?? undefined;
}

export async function setEndsAt(target: Target, organizationId: AccountId, at: number | undefined): Promise<void> {
  await target
    .updateTable("organization")
    .set({ ends_at: at ?? null })
    .where("id", "=", organizationId)
    .execute();
}

type Fate = Pick<LeavingOrganization, "id" | "name" | "forms" | "fate">;

/** The organizations of a person, with the number of forms that they see there, and what becomes of each if the person leaves. */
export async function listFates(target: Target, personId: AccountId): Promise<readonly Fate[]> {
  const rows = await target
    .selectFrom("member")
    .innerJoin("organization", "organization.id", "member.organization_id")
    .leftJoin("account_count", "account_count.account_id", "organization.id")
    .select(["member.organization_id as id", "member.role", "member.form_ids", "account_count.forms"])
    .select("organization.name")
    .where("member.person_id", "=", personId)
    // A membership that waits for a proof is nothing to leave: it goes with the account.
    .where(isProven("member"))
    .orderBy("member.organization_id")
    .execute();
  const found: Fate[] = [];
  for (const { id: text, name, forms: all, role, form_ids } of rows) {
    const id = text as AccountId; // only ids are written there
    const { formIds: named } = readMembership(role, () => parseFormIds(form_ids));
    const forms = named === undefined ? all : await countForms(target, id, named);
    const fate = decideFate({ isOwner: role === "owner" }, await countOthers(target, id, personId));
    found.push({ id, name, fate, forms: Number(forms ?? 0) });
  }
  return found;
}

type Contents = Pick<LeavingOrganization, "submissions" | "heldForms">;

/** The contents of organizations that are deleted with an account, by their ids: some 50 of them, with 10,000 forms each. */
export async function measureContents(
  target: Target,
  ids: readonly AccountId[],
): Promise<Measured<ReadonlyMap<AccountId, Contents>>> {
  const value = new Map<AccountId, Contents>();
  let rows = 0;
  for (const id of ids) {
    value.set(id, { submissions: await countSubmissions(target, id), heldForms: await listHeldForms(target, [id]) });
    rows += await countAllForms(target, id);
    // On SQLite a statement keeps everybody waiting.
    await setImmediate();
  }
  return { value, rows };
}

async function countAllForms(target: Target, organizationId: AccountId): Promise<number> {
  const row = await target
    .selectFrom("account_count")
    .select("forms")
    .where("account_id", "=", organizationId)
    .executeTakeFirst();
  return Number(row?.forms ?? 0);
}

async function countOthers(target: Target, organizationId: AccountId, personId: AccountId) {
  const row = await target
    .selectFrom("member")
    .innerJoin("person", "person.id", "member.person_id")
    .select(({ fn }) => fn.countAll<number>().as("members"))
    .select(
      sql<number>`sum(case when member.role = 'owner' and person.disabled_at is null
        and person.leaves_at is null and ${isProven("member")} then 1 else 0 end)`.as("owners"),
    )
    .where("member.organization_id", "=", organizationId)
    .where("member.person_id", "<>", personId)
    .executeTakeFirstOrThrow();
  return { members: Number(row.members), owners: Number(row.owners ?? 0) };
}

/** The organizations that a person owns. */
export async function listOwned(target: Target, personId: AccountId): Promise<readonly AccountId[]> {
  const rows = await target
    .selectFrom("member")
    .select("organization_id")
    .where("person_id", "=", personId)
    .where("role", "=", "owner")
    .where(isProven("member"))
    .execute();
  return rows.map(({ organization_id }) => organization_id as AccountId); // only ids are written there
}

async function countForms(target: Target, organizationId: AccountId, named: readonly FormId[]): Promise<number> {
  if (named.length === 0) return 0;
  const { count } = await target
    .selectFrom("form")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("account_id", "=", organizationId)
    .where("id", "in", named)
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function countSubmissions(target: Target, organizationId: AccountId): Promise<number> {
  const row = await target
    .selectFrom("form_count")
    .select(({ fn }) => fn.sum<number>("stored").as("stored"))
    .where("form_id", "in", ({ selectFrom }) =>
      selectFrom("form").select("form.id").where("form.account_id", "=", organizationId),
    )
    .executeTakeFirstOrThrow();
  return Number(row.stored ?? 0);
}

/** The forms of these organizations that are under a legal hold. */
export async function listHeldForms(
  target: Target,
  organizationIds: readonly AccountId[],
): Promise<readonly HeldForm[]> {
  if (organizationIds.length === 0) return [];
  const rows = await target
    .selectFrom("form")
    .select(["id", "name"])
    .where("account_id", "in", organizationIds)
    .where(isRowOfCoordinatorHeld("form.id"))
    .execute();
  return rows.map(({ id, name }) => ({ id: id as FormId, name })); // only ids are written there
}

/** Keeps organizations that were to end with a person's account. */
export async function keepOrganizationsOf(
  transaction: DatabaseTransaction,
  personId: AccountId,
  at: number,
): Promise<void> {
  await transaction
    .updateTable("organization")
    .set({ ends_at: null })
    .where("ends_at", "=", at)
    .where("id", "in", ({ selectFrom }) =>
      selectFrom("member")
        .select("member.organization_id")
        .where("member.person_id", "=", personId)
        .where("member.role", "=", "owner")
        .where(isProven("member")),
    )
    .execute();
}
