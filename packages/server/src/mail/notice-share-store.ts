import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isProven } from "../database/membership.ts";
import { dayMilliseconds, waitedMax } from "../time/clock.ts";
import { type Instant, type NoticeKind, noticeKinds, noticesPerDay } from "./mail.ts";
import { countUsed, listSharing, type OwnedOrganization } from "./notice-share.ts";

type Target = Database | DatabaseTransaction;

/** For each of these organizations the kinds of which it has had the notices of the day, by `countUsed`: nothing more of them is queued. */
export async function listFullKinds(
  target: Target,
  accountIds: readonly string[],
  now: Instant,
): Promise<ReadonlyMap<string, ReadonlySet<NoticeKind>>> {
  if (accountIds.length === 0) return new Map();
  const organizationIds = [...new Set(accountIds)];
  const owned = await listOwned(target, organizationIds);
  const owners = owned.filter(({ organizationId }) => organizationIds.includes(organizationId));
  const counted = new Set([...organizationIds, ...owners.flatMap((owner) => listSharing(owned, owner))]);
  const counts = await listCounts(target, [...counted], now);
  const isFull = (id: string, kind: NoticeKind) =>
    countUsed(owned, id, counts.get(kind) ?? new Map()) >= noticesPerDay[kind];
  return new Map(organizationIds.map((id) => [id, new Set(noticeKinds.filter((kind) => isFull(id, kind)))]));
}

/** A notice that is about to be sent. */
export interface DueNotice {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly account_id: string;
  readonly created_at: Instant;
}

/**
 * The owners who have had the notices of this kind and day before this one, by the notice's id. Decided by the order of the notices, so that another
 * try decides the same.
 */
export async function listPassedOver(
  target: Target,
  notices: readonly DueNotice[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const passedOver = new Map<string, Set<string>>();
  if (notices.length === 0) return passedOver;
  const owned = await listOwned(target, [...new Set(notices.map(({ account_id }) => account_id))]);
  for (const notice of notices)
    for (const { personId } of owned.filter(({ organizationId }) => organizationId === notice.account_id)) {
      const sharing = listSharing(owned, { organizationId: notice.account_id, personId });
      if (sharing.length === 0 || (await countBefore(target, sharing, notice)) < noticesPerDay[notice.kind]) continue;
      passedOver.set(notice.id, (passedOver.get(notice.id) ?? new Set()).add(personId));
    }
  return passedOver;
}

/** All organizations of everybody who owns one of these. */
async function listOwned(target: Target, organizationIds: readonly string[]): Promise<readonly OwnedOrganization[]> {
  const rows = await target
    .selectFrom("member")
    .innerJoin("organization", "organization.id", "member.organization_id")
    .innerJoin("person", "person.id", "member.person_id")
    .select(["member.organization_id", "member.person_id"])
    .select(
      sql<number>`row_number() over (partition by member.person_id
        order by case when organization.counts_for = member.person_id then 0 else 1 end,
        member.since, member.organization_id)`.as("place"),
    )
    .where("member.role", "=", "owner")
    .where(isProven("member"))
    .where("person.disabled_at", "is", null)
    .where("member.person_id", "in", ({ selectFrom }) =>
      selectFrom("member as owner")
        .select("owner.person_id")
        .where("owner.organization_id", "in", organizationIds)
        .where("owner.role", "=", "owner")
        .where(isProven("owner")),
    )
    .execute();
  return rows.map(({ organization_id: organizationId, person_id: personId, place }) => ({
    ...{ organizationId, personId, place: Number(place) },
  }));
}

/** How many there were within the last day, by kind and organization. */
async function listCounts(
  target: Target,
  organizationIds: readonly string[],
  now: Instant,
): Promise<ReadonlyMap<NoticeKind, ReadonlyMap<string, number>>> {
  const rows = await target
    .selectFrom("mail")
    .select(["account_id", "kind", ({ fn }) => fn.countAll<number>().as("count")])
    .where("account_id", "in", organizationIds)
    .where("kind", "in", noticeKinds)
    .where("created_at", ">", now - dayMilliseconds)
    // A later time comes from a clock that was wrong.
    .where("created_at", "<=", now + waitedMax)
    .groupBy(["account_id", "kind"])
    .execute();
  return new Map(
    noticeKinds.map((kind) => [
      kind,
      new Map(rows.filter((row) => row.kind === kind).map(({ account_id, count }) => [account_id, Number(count)])),
    ]),
  );
}

/** Notices of its kind of these organizations, within the day before one of them. */
async function countBefore(
  target: Target,
  organizationIds: readonly string[],
  { id, kind, created_at }: DueNotice,
): Promise<number> {
  const { count } = await target
    .selectFrom("mail")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("account_id", "in", organizationIds)
    .where("kind", "=", kind)
    .where("created_at", ">", created_at - dayMilliseconds)
    .where(({ eb, or, and }) =>
      or([eb("created_at", "<", created_at), and([eb("created_at", "=", created_at), eb("id", "<", id)])]),
    )
    .executeTakeFirstOrThrow();
  return Number(count);
}
