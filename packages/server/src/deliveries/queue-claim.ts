import { sql } from "kysely";
import type { DatabaseTransaction } from "../database/database.ts";
import { kindOf } from "../database/kind.ts";
import { leaseMilliseconds } from "./claim.ts";
import type { Instant, SecretName } from "./delivery.ts";
import type { LanePlan } from "./lanes.ts";

/** How much may be claimed, and for whom. */
export interface ClaimScope {
  readonly now: Instant;
  /** Free slots of this process; retries may take at most `retrySlots` of them. */
  readonly slots: number;
  readonly retrySlots: number;
  /** The host that was served last: the walk goes on behind it, and round once. */
  readonly afterHost: string;
  /** Hosts without room. */
  readonly fullHosts: readonly string[];
  readonly lanes: LanePlan;
  /** Deliveries in flight here: never claimed again by ourselves, even if a jump of the clock ended their lease. */
  readonly inFlight: readonly { readonly id: string; readonly host: string }[];
}

export interface QueueRow {
  readonly delivery_id: string;
  readonly host: string;
  readonly attempt: number;
  readonly claims: number;
  readonly start_with: SecretName | null;
}

const hostsAtOnce = 16;
/** Hosts without room that no list names are walked over; a claim gives up on them here, and the next goes on behind. */
const pagesMax = 8;

/**
 * Claims due rows host by host: `due_at` moves behind the lease, so that after a crash a row is simply due again. The walk
 * goes from host to host along the index and never along a host's rows, so that 100,000 due rows of one dead host cost the
 * others nothing.
 */
export async function claimRows(
  transaction: DatabaseTransaction,
  token: string,
  scope: ClaimScope,
): Promise<{ readonly rows: readonly QueueRow[]; readonly lastHost: string }> {
  const claimed: QueueRow[] = [];
  let lastHost = scope.afterHost;
  function left(onlyFirst: boolean): number {
    const free = scope.slots - claimed.length;
    const retries = claimed.filter(({ attempt }) => attempt > 1).length;
    return onlyFirst ? free : Math.min(free, scope.retrySlots - retries);
  }
  const walks: { readonly after: string; readonly until: string | undefined }[] = [
    { after: scope.afterHost, until: undefined },
  ];
  if (scope.afterHost !== "") walks.push({ after: "", until: scope.afterHost });
  // The second round is for first attempts only, and only if retries could not have had all the slots.
  for (const onlyFirst of scope.retrySlots < scope.slots ? [false, true] : [false]) {
    for (const { after, until } of walks) {
      let host: string | undefined = after;
      for (let page = 0; page < pagesMax && host !== undefined && left(onlyFirst) > 0; page++) {
        const hosts: string[] = await findHosts(transaction, scope, { after: host, until, onlyFirst });
        for (const due of hosts) {
          if (left(onlyFirst) <= 0) break;
          lastHost = due;
          const room = Math.min(left(onlyFirst), scope.lanes.room(due));
          if (room <= 0) continue;
          const rows = await claimOfHost(transaction, token, scope, { host: due, room, onlyFirst });
          scope.lanes.taken(due, rows.length);
          claimed.push(...rows);
        }
        host = hosts.length < hostsAtOnce ? undefined : hosts.at(-1);
      }
    }
  }
  return { rows: claimed, lastHost };
}

async function findHosts(
  transaction: DatabaseTransaction,
  { now, fullHosts }: ClaimScope,
  { after, until, onlyFirst }: { after: string; until: string | undefined; onlyFirst: boolean },
): Promise<string[]> {
  const end = until === undefined ? sql`` : sql`and host <= ${until}`;
  const first = onlyFirst ? sql`and q.attempt = 1` : sql``;
  const { rows } = await sql<{ host: string }>`
    with recursive hosts(host) as (
      select min(host) from delivery_queue where host > ${after} ${end}
      union all
      select (select min(q.host) from delivery_queue q where q.host > hosts.host) from hosts where hosts.host is not null ${end}
    )
    select host from hosts
    where host is not null ${end} and ${isNoneOf(transaction, "host", fullHosts)}
      and exists (select 1 from delivery_queue q where q.host = hosts.host and q.due_at <= ${now} ${first})
    limit ${hostsAtOnce}`.execute(transaction);
  return rows.map(({ host }) => host);
}

async function claimOfHost(
  transaction: DatabaseTransaction,
  token: string,
  { now, inFlight }: ClaimScope,
  { host, room, onlyFirst }: { host: string; room: number; onlyFirst: boolean },
): Promise<readonly QueueRow[]> {
  const first = onlyFirst ? sql`and attempt = 1` : sql``;
  const isShared = kindOf(transaction) === "postgres";
  const here = inFlight.filter((delivery) => delivery.host === host).map(({ id }) => id);
  // Rows that another process is just claiming are passed over. As an array, because a subquery with a limit and locks
  // may run more than once when it is joined.
  const due = sql`
      select delivery_id from delivery_queue
      where host = ${host} and due_at <= ${now} ${first} and ${isNoneOf(transaction, "delivery_id", here)}
      order by due_at, delivery_id limit ${room} ${isShared ? sql`for update skip locked` : sql``}`;
  const { rows } = await sql<QueueRow>`
    update delivery_queue set due_at = ${now + leaseMilliseconds}, claim_token = ${token}, claims = claims + 1
    where delivery_id ${isShared ? sql`= any(array(${due}))` : sql`in (${due})`}
    returning delivery_id, host, attempt, claims, start_with`.execute(transaction);
  return rows;
}

/** The values as one parameter: with one each, every number of them would be another statement to prepare. */
function isNoneOf(transaction: DatabaseTransaction, column: "host" | "delivery_id", values: readonly string[]) {
  return kindOf(transaction) === "postgres"
    ? sql`${sql.ref(column)} <> all(cast(${[...values]} as text[]))`
    : sql`${sql.ref(column)} not in (select value from json_each(${JSON.stringify(values)}))`;
}
