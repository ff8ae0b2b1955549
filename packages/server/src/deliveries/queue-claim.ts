import { sql } from "kysely";
import type { DatabaseTransaction } from "../database/database.ts";
import type { Instant, SecretName } from "./delivery.ts";
import { leaseMilliseconds } from "./claim.ts";

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
  /** How many of a host's due deliveries may be claimed now. Asked before each claim, told of it by `taken`. */
  room(host: string): number;
  taken(host: string, count: number): void;
  /** Deliveries in flight here: never claimed again by ourselves, even if a jump of the clock ended their lease. */
  readonly inFlight: readonly string[];
}

export interface QueueRow {
  readonly delivery_id: string;
  readonly host: string;
  readonly attempt: number;
  readonly claims: number;
  readonly start_with: SecretName | null;
}

const hostsAtOnce = 16;

/**
 * Claims due rows host by host: `due_at` moves behind the lease, so that after a crash a row is simply due again. The walk
 * goes from host to host along the index and never along a host's rows, so that 100,000 due rows of one dead host cost the
 * others nothing. SQLite's form of it: one writer, so nothing has to be skipped as locked.
 */
export async function claimRows(transaction: DatabaseTransaction, token: string, scope: ClaimScope): Promise<QueueRow[]> {
  const claimed: QueueRow[] = [];
  const free = () => scope.slots - claimed.length;
  for (const onlyFirst of [false, true]) {
    for (const [after, until] of [
      [scope.afterHost, undefined],
      ["", scope.afterHost],
    ] as const) {
      let host: string | undefined = after;
      while (host !== undefined) {
        const limit: number = onlyFirst ? free() : Math.min(free(), scope.retrySlots - retriesOf(claimed));
        if (limit <= 0) break;
        const hosts: string[] = await findHosts(transaction, scope, { after: host, until, onlyFirst });
        for (const due of hosts) {
          const left = onlyFirst ? free() : Math.min(free(), scope.retrySlots - retriesOf(claimed));
          const room = Math.min(left, scope.room(due));
          if (room <= 0) continue;
          const rows = await claimOfHost(transaction, token, scope, { host: due, room, onlyFirst });
          scope.taken(due, rows.length);
          claimed.push(...rows);
        }
        host = hosts.length < hostsAtOnce ? undefined : hosts.at(-1);
      }
    }
  }
  return claimed;
}

function retriesOf(rows: readonly QueueRow[]): number {
  return rows.filter(({ attempt }) => attempt > 1).length;
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
    where host is not null ${end} and host not in (select value from json_each(${JSON.stringify(fullHosts)}))
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
  const { rows } = await sql<QueueRow>`
    update delivery_queue set due_at = ${now + leaseMilliseconds}, claim_token = ${token}, claims = claims + 1
    where delivery_id in (
      select delivery_id from delivery_queue
      where host = ${host} and due_at <= ${now} ${first}
        and delivery_id not in (select value from json_each(${JSON.stringify(inFlight)}))
      order by due_at, delivery_id limit ${room}
    )
    returning delivery_id, host, attempt, claims, start_with`.execute(transaction);
  return rows;
}
