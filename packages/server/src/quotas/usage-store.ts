import type { AccountId, FormId } from "@sealpost/wire";
import type { Plan } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { bytesMaxOf } from "./quota.ts";
import {
  countBytes,
  findRoom,
  listOwnSharing,
  type OrganizationRoom,
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
  listFullest(accountId: AccountId, limit: number): Promise<FormUsage[]>;
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

/** `defaultPlan`: the one that everybody gets. */
export function createUsageStore(database: Database, defaultPlan: Plan = "free"): UsageStore {
  return {
    async findAccount(accountId) {
      const room = await findRoom(database, accountId, defaultPlan);
      const own = await countBytes(database, [accountId]);
      const sharing = room?.kind === "shared" ? selectSharing(database, room) : undefined;
      const isAlone = sharing === undefined || (await sharing.limit(2).execute()).length < 2;
      const shared = isAlone ? own : await countBytes(database, sharing);
      return { ...own, shared, bytesMax: room && bytesMaxOf(room.plan) };
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
      const own = room.kind === "shared" ? await listOwnSharing(database, room, owner) : [];
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
    async listFullest(accountId, limit) {
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
    },
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
