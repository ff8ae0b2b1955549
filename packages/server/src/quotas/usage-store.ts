import type { AccountId, FormId } from "@sealpost/wire";
import type { Plan } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { createKeptMeasures } from "./kept-measures.ts";
import { bytesMaxOf } from "./quota.ts";
import {
  countBytes,
  findRoom,
  listOwnSharing,
  measureRoom,
  type OrganizationRoom,
  type SharedRoom,
  type SharingOrganization,
  type StoredBytes,
  selectSharing,
} from "./shared-room-store.ts";

export interface AccountUsage extends StoredBytes {
  /** The same of all organizations that share its limit, this one included. */
  readonly shared: StoredBytes;
  /** `undefined`: nothing limits it. */
  readonly bytesMax: number | undefined;
}

export interface FormUsage {
  readonly formId: FormId;
  readonly name: string;
  readonly bytes: number;
  readonly submissions: number;
}

/** For whom an organization counts, or counted until it was left behind. */
export interface SharedUsage {
  readonly room: Exclude<OrganizationRoom, { kind: "given" }>;
  /** That person's name; null if they are no member any more. */
  readonly name: string | null;
  /** The organizations that share its limit and that `owner` owns, the fullest first. None with one that was left behind. */
  readonly own: readonly SharingOrganization[];
}

export interface UsageStore {
  findAccount(accountId: string): Promise<AccountUsage>;
  /** `undefined`: its plan gives it room of its own. */
  findShared(accountId: string, owner: AccountId | undefined): Promise<SharedUsage | undefined>;
  findFormBytes(formId: string): Promise<number>;
  /** The account's forms that store the most, the fullest first. */
  listFullest(accountId: AccountId, limit: number): Promise<readonly FormUsage[]>;
  /**
   * How many submissions the form received after `from` and before `to`, also of those that were deleted or moved to the bin, and
   * when it received the one that is `max` from the end.
   */
  findReceived(
    formId: string,
    time: { readonly from: number; readonly to: number },
    max: number,
  ): Promise<{ readonly count: number; readonly reachedAt: number | undefined }>;
}

/** `defaultPlan`: the one that everybody gets. `now`: milliseconds of a clock that nobody sets. */
export function createUsageStore(database: Database, defaultPlan: Plan = "free", now?: () => number): UsageStore {
  /** By the organization, or by the person and plan of a room that organizations share. */
  const sums = createKeptMeasures((key) => {
    const [kind, id = "", plan] = key.split(" ");
    return kind === "shared"
      ? measureShared(database, { personId: id as AccountId, plan: plan as Plan }) // `keyOf` has written them
      : measureRoom(database, [id]);
  }, now);
  const fullest = createKeptMeasures<readonly FormUsage[]>(async (key) => {
    const [accountId = "", limit] = key.split(" ");
    const { rows } = await sums.find(keyOf(accountId, await findRoom(database, accountId, defaultPlan)));
    // Kept as if it had looked at the forms of all that share the room: fifty organizations have no more turns than one.
    return { value: await listFullest(database, accountId, Number(limit)), rows };
  }, now);

  return {
    async findAccount(accountId) {
      const room = await findRoom(database, accountId, defaultPlan);
      const { value } = await sums.find(keyOf(accountId, room));
      const own = value.each.get(accountId) ?? (await countBytes(database, [accountId]));
      return { ...own, shared: value.all, bytesMax: room && bytesMaxOf(room.plan) };
    },
    async findShared(accountId, owner) {
      const room = await findRoom(database, accountId, defaultPlan);
      if (room === undefined || room.kind === "given") return undefined;
      if (owner === undefined) return { room, name: null, own: [] };
      const personId = room.kind === "shared" ? room.personId : room.leftBy;
      // Members see each other's names; people who have left have no name here, whatever they call themselves now.
      const person =
        personId &&
        (await database
          .selectFrom("person")
          .innerJoin("member", "member.person_id", "person.id")
          .select("person.name")
          .where("person.id", "=", personId)
          .where("member.organization_id", "=", accountId)
          .executeTakeFirst());
      if (room.kind !== "shared") return { room, name: person?.name ?? null, own: [] };
      const { value } = await sums.find(keyOf(accountId, room));
      const own = await listOwnSharing(database, room, owner, value);
      return { room, name: person?.name ?? null, own };
    },
    async findFormBytes(formId) {
      const row = await database
        .selectFrom("form_count")
        .select("bytes")
        .where("form_id", "=", formId)
        .executeTakeFirst();
      return row?.bytes ?? 0;
    },
    listFullest: async (accountId, limit) => (await fullest.find(`${accountId} ${limit}`)).value,
    async findReceived(formId, { from, to }, max) {
      // A deleted submission has a tombstone: a flooder must not get another hour when the form's owner cleans up.
      const newest = (table: "submission" | "submission_tombstone") =>
        database
          .selectFrom(table)
          .select("received_at")
          .where("form_id", "=", formId)
          .where("received_at", ">", from)
          .where("received_at", "<", to)
          .orderBy("received_at", "desc")
          .limit(max);
      const all = database
        .selectFrom(newest("submission").as("stored"))
        .select("stored.received_at")
        .unionAll(database.selectFrom(newest("submission_tombstone").as("gone")).select("gone.received_at"));
      const rows = database
        .selectFrom(all.as("all_rows"))
        .select("received_at")
        .orderBy("received_at", "desc")
        .limit(max);
      const row = await database
        .selectFrom(rows.as("rows"))
        .select(({ fn }) => [fn.countAll().as("count"), fn.min("received_at").as("oldest")])
        .executeTakeFirstOrThrow();
      const count = Number(row.count);
      return { count, reachedAt: count < max || row.oldest === null ? undefined : Number(row.oldest) };
    },
  };
}

const keyOf = (accountId: string, room: OrganizationRoom | undefined): string =>
  room?.kind === "shared" ? `shared ${room.personId} ${room.plan}` : `own ${accountId}`;

async function measureShared(database: Database, room: SharedRoom) {
  const rows = await selectSharing(database, room).execute();
  return measureRoom(
    database,
    rows.map(({ id }) => id),
  );
}

async function listFullest(database: Database, accountId: string, limit: number): Promise<readonly FormUsage[]> {
  const rows = await database
    .selectFrom("form")
    .innerJoin("form_count", "form_count.form_id", "form.id")
    .select(["form.id", "form.name", "form_count.bytes", "form_count.stored"])
    .where("form.account_id", "=", accountId)
    .orderBy("form_count.bytes", "desc")
    .orderBy("form.id")
    .limit(limit)
    .execute();
  return rows.map(({ id, name, bytes, stored }) => ({
    formId: id as FormId, // written from one
    name,
    bytes,
    submissions: stored,
  }));
}
