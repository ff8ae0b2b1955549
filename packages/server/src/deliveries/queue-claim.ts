import { CompiledQuery, sql } from "kysely";
import { createRowChange } from "../database/change-rows.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isDistributed } from "../database/distribution.ts";
import { kindOf } from "../database/kind.ts";
import { executePipeline } from "../database/pipeline.ts";
import { keepPlanned } from "../database/prepared-statements.ts";
import { leaseMilliseconds } from "./claim.ts";
import type { Instant } from "./delivery.ts";
import type { DueForm, Grant } from "./grant.ts";
import type { HostLimitPlan } from "./host-limits.ts";
import { compileDetails, type Detail } from "./queue-details.ts";
import { countDue, divideByShard } from "./queue-shards.ts";

/** How much may be claimed, and for whom. */
export interface ClaimScope {
  readonly now: Instant;
  /** Free slots of this process; retries may take at most `retrySlots` of them. */
  readonly slots: number;
  readonly retrySlots: number;
  /** The host that was served last: the walk continues after it, and round once. */
  readonly afterHost: string;
  /** Hosts without room. */
  readonly fullHosts: readonly string[];
  readonly hostLimits: HostLimitPlan;
  /** Deliveries in flight here: never claimed again by ourselves, even if a jump of the clock ended their lease. */
  readonly inFlight: readonly { readonly id: string; readonly host: string }[];
}

export interface QueueRow {
  readonly form_id: string;
  readonly delivery_id: string;
  readonly host: string;
  readonly attempt: number;
  readonly claims: number;
  readonly start_secret: string | null;
}

export interface ClaimPlan {
  readonly grants: readonly Grant[];
  readonly lastHost: string;
}

const hostsAtOnce = 16;
/** Hosts without room that no list names are walked over; a claim gives up on them here, and the next continues after them. */
const pagesMax = 8;

/**
 * Finds the hosts that have something due, and what each of them may get. Outside of the transaction that claims: what is
 * not due any more by then is not claimed. The walk goes from host to host along the index and never along a host's rows,
 * so that 100,000 due rows of one dead host cost the others nothing.
 */
export async function planClaims(database: Database, scope: ClaimScope): Promise<ClaimPlan> {
  const grants: Grant[] = [];
  let lastHost = scope.afterHost;
  let { slots, retrySlots } = scope;
  // The second round is for first attempts only, and only if retries could have had all the slots that they may have.
  for (const onlyFirst of [false, true]) {
    if (onlyFirst && retrySlots > 0) break;
    let from: WalkPosition | undefined = { host: scope.afterHost, isRound: false };
    for (let page = 0; page < pagesMax && from !== undefined; page++) {
      if ((onlyFirst ? slots : Math.min(slots, retrySlots)) <= 0) break;
      const hosts: readonly DueHost[] = await findHosts(database, scope, from, onlyFirst);
      for (const { host, due, forms } of hosts) {
        const left = onlyFirst ? slots : Math.min(slots, retrySlots);
        if (left <= 0) break;
        lastHost = host;
        const room = Math.min(left, scope.hostLimits.room(host), due);
        if (room <= 0) continue;
        scope.hostLimits.taken(host, room);
        slots -= room;
        // Each of them may turn out to be a retry. Were there fewer, other retries wait for the next claim, a second at most.
        if (!onlyFirst) retrySlots -= room;
        grants.push({ host, room, onlyFirst, ...(forms && { forms }) });
      }
      const last = hosts.length < hostsAtOnce ? undefined : hosts.at(-1);
      from = last && { host: last.host, isRound: last.round === 2 };
    }
  }
  return { grants, lastHost };
}

/** After `host`; once the walk has come round, up to the host that it began after. */
interface WalkPosition {
  readonly host: string;
  readonly isRound: boolean;
}

interface DueHost {
  readonly host: string;
  readonly round: number;
  /** How many rows are due, counted no further than a host may get. */
  readonly due: number;
  readonly forms?: readonly DueForm[];
}

async function findHosts(
  database: Database,
  scope: ClaimScope,
  position: WalkPosition,
  onlyFirst: boolean,
): Promise<readonly DueHost[]> {
  if (isDistributed(database)) return countDue(database, scope, position, onlyFirst);
  const { now, fullHosts, hostLimits, afterHost } = scope;
  const { host, isRound } = position;
  const isDue = sql`q.host = hosts.host and q.due_at <= ${now} ${onlyFirst ? sql`and q.attempt = 1` : sql``}`;
  // `limit 1` instead of `exists`, which PostgreSQL turns into a join along all rows; ordered, so that it takes the index.
  const query = sql<DueHost>`
    with recursive hosts(host, round) as (
      select (select min(host) from delivery_queue where host > ${host}), ${isRound ? sql`2` : sql`1`}
      union all
      select
        case when host is null then (select min(host) from delivery_queue)
          else (select min(q.host) from delivery_queue q where q.host > hosts.host) end,
        case when host is null then 2 else round end
      from hosts where round = 1 or host < ${afterHost}
    )
    select host, round,
      (select count(*) from (
        select 1 from delivery_queue q where ${isDue} order by q.due_at limit ${hostLimits.roomMax}) as few) as due
    from hosts
    where host is not null and (round = 1 or host <= ${afterHost}) and ${isNotOneOf(database, "host", fullHosts)}
      and (select 1 from delivery_queue q where ${isDue} order by q.due_at limit 1) is not null
    limit ${hostsAtOnce}`;
  const { rows } = await database.executeQuery(keepPlanned(query.compile(database)));
  return rows;
}

/** Claims what was planned: `due_at` moves after the lease, so that after a crash a row is simply due again. */
export async function claimRows(
  transaction: DatabaseTransaction,
  token: string,
  scope: ClaimScope,
  grants: readonly Grant[],
): Promise<{ readonly rows: readonly QueueRow[]; readonly details: readonly Detail[] }> {
  if (isDistributed(transaction)) return claimOnShards(transaction, token, scope, grants);
  const findDetails = compileDetails(transaction, token, scope.now);
  if (kindOf(transaction) === "postgres") {
    const [any, first, details] = await executePipeline<[QueueRow, QueueRow, Detail]>(transaction, [
      compileClaims(transaction, token, scope, { grants, onlyFirst: false }),
      compileClaims(transaction, token, scope, { grants, onlyFirst: true }),
      findDetails,
    ]);
    return { rows: sortByHost([...any, ...first], grants), details };
  }
  const rows: QueueRow[] = [];
  for (const grant of grants) rows.push(...(await claimAlone(transaction, token, scope, grant)));
  const { rows: details } = await transaction.executeQuery(findDetails);
  return { rows, details };
}

/** One statement for each shard that has something of these grants. */
async function claimOnShards(
  transaction: DatabaseTransaction,
  token: string,
  scope: ClaimScope,
  grants: readonly Grant[],
): Promise<{ readonly rows: readonly QueueRow[]; readonly details: readonly Detail[] }> {
  const shards = await divideByShard(transaction, grants);
  const formIds = shards.flatMap((shard) => shard.formIds);
  const claimed = await executePipeline<QueueRow[]>(
    transaction,
    shards.flatMap((shard) =>
      [false, true].map((onlyFirst) => compileClaims(transaction, token, scope, { ...shard, onlyFirst })),
    ),
  );
  const { rows: details } = await transaction.executeQuery(compileDetails(transaction, token, scope.now, formIds));
  return { rows: sortByHost(claimed.flat(), grants), details };
}

function sortByHost(rows: readonly QueueRow[], grants: readonly Grant[]): readonly QueueRow[] {
  const hosts = grants.map(({ host }) => host);
  return rows.toSorted((one, other) => hosts.indexOf(one.host) - hosts.indexOf(other.host));
}

/** On SQLite, where nobody else writes meanwhile: both statements together take half as long as one that does both. */
async function claimAlone(
  transaction: DatabaseTransaction,
  token: string,
  { now, inFlight }: ClaimScope,
  { host, room, onlyFirst }: Grant,
): Promise<readonly QueueRow[]> {
  const here = new Set(inFlight.filter((delivery) => delivery.host === host).map(({ id }) => id));
  const found = await transaction.executeQuery<QueueRow>(
    CompiledQuery.raw(onlyFirst ? selectDueFirst : selectDue, [host, now, room + here.size]),
  );
  const due = found.rows.filter((row) => !here.has(row.delivery_id)).slice(0, room);
  const rows = due.map((row) => ({ ...row, claims: row.claims + 1 }));
  const taking = take(
    transaction,
    rows.map((row) => [now + leaseMilliseconds, token, row.claims, row.form_id, row.delivery_id]),
  );
  if (taking !== undefined) await transaction.executeQuery(taking);
  return rows;
}

/** The columns of a `QueueRow`. */
export const queueColumns = [
  "form_id",
  "delivery_id",
  "host",
  "attempt",
  "claims",
  "start_secret",
] as const satisfies readonly (keyof QueueRow)[];

const [selectDue, selectDueFirst] = [printDue(""), printDue("and attempt = 1")];

function printDue(first: string): string {
  return `
    select ${queueColumns.join(", ")} from delivery_queue
    where host = ? and due_at <= ? ${first} order by due_at, delivery_id limit ?`;
}

const take = createRowChange({
  table: "delivery_queue",
  set: { due_at: "bigint", claim_token: "text", claims: "bigint" },
  key: { form_id: "text", delivery_id: "text" },
});

/** On PostgreSQL, all in one statement. Rows that another process is just claiming are passed over. */
function compileClaims(
  transaction: DatabaseTransaction,
  token: string,
  { now, inFlight }: ClaimScope,
  { grants, onlyFirst, formIds }: { grants: readonly Grant[]; onlyFirst: boolean; formIds?: readonly string[] },
): CompiledQuery<QueueRow> | undefined {
  const granted = grants.filter((grant) => grant.onlyFirst === onlyFirst);
  if (granted.length === 0) return undefined;
  const [hosts, rooms] = [granted.map(({ host }) => host), granted.map(({ room }) => room)];
  const here = inFlight.filter(({ host }) => hosts.includes(host)).map(({ id }) => id);
  const first = onlyFirst ? sql`and q.attempt = 1` : sql``;
  const ofForms = formIds === undefined ? sql`` : sql`and q.form_id = any(cast(${formIds} as text[]))`;
  // Materialized, because a subquery with a limit and locks may run more than once when it is joined; and as lines of arrays,
  // which the planner takes for few, so that it looks each of them up.
  const query = sql<QueueRow>`
    with due as materialized (
      select found.form_id, found.delivery_id
      from unnest(cast(${hosts} as text[]), cast(${rooms} as bigint[])) as granted(host, room)
      cross join lateral (
        select q.form_id, q.delivery_id from delivery_queue q
        where q.host = granted.host and q.due_at <= ${now} ${first} ${ofForms} and ${isNotOneOf(transaction, "delivery_id", here)}
        order by q.due_at, q.delivery_id limit granted.room for update skip locked) as found)
    update delivery_queue q set due_at = ${now + leaseMilliseconds}, claim_token = ${token}, claims = claims + 1
    from unnest(array(select form_id from due), array(select delivery_id from due)) as line(form_id, delivery_id)
    where q.form_id = line.form_id and q.delivery_id = line.delivery_id ${ofForms}
    returning ${sql.join(queueColumns.map((column) => sql.ref(`q.${column}`)))}`;
  return keepPlanned(query.compile(transaction));
}

/** The values as one parameter: with one each, every number of them would be another statement to prepare. */
function isNotOneOf(
  database: Pick<Database, "getExecutor">,
  column: "host" | "delivery_id",
  values: readonly string[],
) {
  return kindOf(database) === "postgres"
    ? sql`${sql.ref(column)} <> all(cast(${[...values]} as text[]))`
    : sql`${sql.ref(column)} not in (select value from json_each(${JSON.stringify(values)}))`;
}
