import { setImmediate } from "node:timers/promises";
import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Plan } from "../config/config.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isProven } from "../database/membership.ts";
import { type AccountIds, logBytesOf, otherBytesOf } from "./counted-bytes-store.ts";
import type { Measured } from "./kept-measures.ts";

type Target = Database | DatabaseTransaction;

/** Bytes of submissions, of the audit log, and of everything else. */
export interface StoredBytes {
  readonly bytes: number;
  readonly otherBytes: number;
  /** These have room of their own. */
  readonly logBytes: number;
}

/**
 * Whose room an organization fills (docs/decisions/0041-counted-bytes.md):
 *
 * - `given`: its own, by a plan that an operator gave it.
 * - `left_behind`: its own, of the size that everybody's plan gives. Only what is done in it fills it. `leftBy`: the person for whom it
 *   counted, unless their account is gone.
 * - `shared`: that of all organizations with the plan that everybody gets that one person made or took over, and owns. A person may
 *   store no more with fifty of them than with one, and nobody else's act adds to what counts for them.
 */
export type OrganizationRoom = { readonly plan: Plan } & (
  | { readonly kind: "given" }
  | { readonly kind: "left_behind"; readonly leftBy: AccountId | undefined }
  | { readonly kind: "shared"; readonly personId: AccountId }
);

export type SharedRoom = Pick<Extract<OrganizationRoom, { kind: "shared" }>, "personId" | "plan">;

/** `undefined`: there is no such organization. `defaultPlan`: the one that everybody gets. */
export async function findRoom(
  target: Target,
  organizationId: string,
  defaultPlan: Plan,
): Promise<OrganizationRoom | undefined> {
  const row = await target
    .selectFrom("organization")
    .select(["plan", "counts_for", "left_by"])
    .where("id", "=", organizationId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const plan = row.plan as Plan; // written from one
  if (plan !== defaultPlan) return { kind: "given", plan };
  // Only ids are written there.
  const [personId, leftBy] = [row.counts_for as AccountId | null, row.left_by as AccountId | null];
  return personId === null
    ? { kind: "left_behind", plan, leftBy: leftBy ?? undefined }
    : { kind: "shared", plan, personId };
}

/** The ids of the organizations that share a room. */
export function selectSharing(target: Target, { personId, plan }: SharedRoom) {
  return target
    .selectFrom("organization")
    .select("organization.id")
    .where("counts_for", "=", personId)
    .where("plan", "=", plan);
}

export async function countBytes(target: Target, accountIds: AccountIds): Promise<StoredBytes> {
  return (await measureBytes(target, accountIds)).value;
}

/** The same, with the number of forms that were looked at. */
async function measureBytes(target: Target, accountIds: AccountIds): Promise<Measured<StoredBytes>> {
  const submissions = await target
    .selectFrom("form_count")
    .select(sql<number>`cast(coalesce(sum(form_count.bytes), 0) as bigint)`.as("bytes"))
    .select(({ fn }) => fn.countAll().as("forms"))
    .where(
      "form_count.form_id",
      "in",
      ({ selectFrom }) =>
        selectFrom("form")
          .select("form.id")
          .where("form.account_id", "in", accountIds as readonly string[]), // Kysely takes an expression too
    )
    .executeTakeFirstOrThrow();
  const other = await otherBytesOf(target, accountIds).executeTakeFirstOrThrow();
  const log = await logBytesOf(target, accountIds).executeTakeFirstOrThrow();
  const value = { bytes: Number(submissions.bytes), otherBytes: Number(other.bytes), logBytes: Number(log.bytes) };
  return { value, rows: Number(submissions.forms) };
}

/** Bytes of each organization that shares a room, and of all of them together. */
export interface RoomSums {
  readonly each: ReadonlyMap<string, StoredBytes>;
  readonly all: StoredBytes;
}

const nothing: StoredBytes = { bytes: 0, otherBytes: 0, logBytes: 0 };

/** One organization at a time: on SQLite a statement keeps everybody waiting, and this may be about fifty with 10,000 forms each. */
export async function measureRoom(target: Target, organizationIds: readonly string[]): Promise<Measured<RoomSums>> {
  const each = new Map<string, StoredBytes>();
  let all = nothing;
  let rows = 0;
  for (const id of organizationIds) {
    const measured = await measureBytes(target, [id]);
    each.set(id, measured.value);
    all = addBytes(all, measured.value);
    rows += measured.rows;
    await setImmediate();
  }
  return { value: { each, all }, rows };
}

function addBytes(one: StoredBytes, other: StoredBytes): StoredBytes {
  return {
    bytes: one.bytes + other.bytes,
    otherBytes: one.otherBytes + other.otherBytes,
    logBytes: one.logBytes + other.logBytes,
  };
}

export interface SharingOrganization extends StoredBytes {
  readonly id: string;
  readonly name: string;
}

/** Organizations that share the room and that the person owns, with what each stores; the fullest first. One person owns 50 at most. */
export async function listOwnSharing(
  target: Target,
  room: SharedRoom,
  personId: AccountId,
  sums?: RoomSums,
): Promise<readonly SharingOrganization[]> {
  const rows = await selectSharing(target, room)
    .innerJoin("member", "member.organization_id", "organization.id")
    .select("organization.name")
    .where("member.person_id", "=", personId)
    .where("member.role", "=", "owner")
    .where(isProven("member"))
    .execute();
  const all: SharingOrganization[] = [];
  for (const row of rows) all.push({ ...row, ...(sums?.each.get(row.id) ?? (await countBytes(target, [row.id]))) });
  return all.toSorted((one, other) => totalOf(other) - totalOf(one));
}

/** The bytes that count against a plan's. */
export const totalOf = ({ bytes, otherBytes }: Pick<StoredBytes, "bytes" | "otherBytes">): number => bytes + otherBytes;

/** Makes an organization count for one of its owners. */
export async function countFor(
  transaction: DatabaseTransaction,
  organizationId: AccountId,
  personId: AccountId,
): Promise<void> {
  await transaction
    .updateTable("organization")
    .set({ counts_for: personId, left_by: null })
    .where("id", "=", organizationId)
    .execute();
}
