import { CompiledQuery, sql } from "kysely";
import { createRowChange } from "../database/change-rows.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isDistributed } from "../database/distribution.ts";
import { kindOf } from "../database/kind.ts";
import { executePipeline } from "../database/pipeline.ts";
import { keepPlanned } from "../database/prepared-statements.ts";
import { leaseMilliseconds } from "./claim.ts";
import type { Instant } from "./delivery.ts";
import type { DestinationLimitPlan } from "./destination-limits.ts";
import type { DueForm, Grant } from "./grant.ts";
import { compileDetails, type Detail } from "./queue-details.ts";
import { countDue, divideByShard } from "./queue-shards.ts";

/** How much may be claimed, and for whom. */
export interface ClaimScope {
  readonly now: Instant;
  /** Free slots of this process; retries may take at most `retrySlots` of them. */
  readonly slots: number;
  readonly retrySlots: number;
  /** The destination that was served last: the walk continues after it, and round once. */
  readonly afterDestination: string;
  /** Destinations without room. */
  readonly fullDestinations: readonly string[];
  readonly destinationLimits: DestinationLimitPlan;
  /** Deliveries in flight here: never claimed again by ourselves, even if a jump of the clock ended their lease. */
  readonly inFlight: readonly { readonly id: string; readonly destination: string }[];
}

export interface QueueRow {
  readonly form_id: string;
  readonly delivery_id: string;
  readonly destination: string;
  readonly attempt: number;
  readonly claims: number;
  readonly start_secret: string | null;
}

export interface ClaimPlan {
  readonly grants: readonly Grant[];
  readonly lastDestination: string;
}

const destinationsAtOnce = 16;
/** Destinations without room that no list names are walked over; a claim gives up on them here, and the next continues after them. */
const pagesMax = 8;

/**
 * Finds the destinations that have something due, and what each of them may get. Outside of the transaction that claims: what is
 * not due any more by then is not claimed. The walk goes from destination to destination along the index and never along a destination's rows,
 * so that 100,000 due rows of one dead destination cost the others nothing.
 */
export async function planClaims(database: Database, scope: ClaimScope): Promise<ClaimPlan> {
  const grants: Grant[] = [];
  let lastDestination = scope.afterDestination;
  let { slots, retrySlots } = scope;
  // The second round is for first attempts only, and only if retries could have had all the slots that they may have.
  for (const onlyFirst of [false, true]) {
    if (onlyFirst && retrySlots > 0) break;
    let from: WalkPosition | undefined = { destination: scope.afterDestination, isRound: false };
    for (let page = 0; page < pagesMax && from !== undefined; page++) {
      if ((onlyFirst ? slots : Math.min(slots, retrySlots)) <= 0) break;
      const destinations: readonly DueDestination[] = await findDestinations(database, scope, from, onlyFirst);
      for (const { destination, due, forms } of destinations) {
        const left = onlyFirst ? slots : Math.min(slots, retrySlots);
        if (left <= 0) break;
        lastDestination = destination;
        const room = Math.min(left, scope.destinationLimits.room(destination), due);
        if (room <= 0) continue;
        scope.destinationLimits.taken(destination, room);
        slots -= room;
        // Each of them may turn out to be a retry. Were there fewer, other retries wait for the next claim, a second at most.
        if (!onlyFirst) retrySlots -= room;
        grants.push({ destination, room, onlyFirst, ...(forms && { forms }) });
      }
      const last = destinations.length < destinationsAtOnce ? undefined : destinations.at(-1);
      from = last && { destination: last.destination, isRound: last.round === 2 };
    }
  }
  return { grants, lastDestination };
}

/** After `destination`; once the walk has come round, up to the destination that it began after. */
interface WalkPosition {
  readonly destination: string;
  readonly isRound: boolean;
}

interface DueDestination {
  readonly destination: string;
  readonly round: number;
  /** How many rows are due, counted no further than a destination may get. */
  readonly due: number;
  readonly forms?: readonly DueForm[];
}

async function findDestinations(
  database: Database,
  scope: ClaimScope,
  position: WalkPosition,
  onlyFirst: boolean,
): Promise<readonly DueDestination[]> {
  if (isDistributed(database)) return countDue(database, scope, position, onlyFirst);
  const { now, fullDestinations, destinationLimits, afterDestination } = scope;
  const { destination, isRound } = position;
  const isDue = sql`q.destination = destinations.destination and q.due_at <= ${now} ${onlyFirst ? sql`and q.attempt = 1` : sql``}`;
  // `limit 1` instead of `exists`, which PostgreSQL turns into a join along all rows; ordered, so that it takes the index.
  const query = sql<DueDestination>`
    with recursive destinations(destination, round) as (
      select (select min(destination) from delivery_queue where destination > ${destination}), ${isRound ? sql`2` : sql`1`}
      union all
      select
        case when destination is null then (select min(destination) from delivery_queue)
          else (select min(q.destination) from delivery_queue q where q.destination > destinations.destination) end,
        case when destination is null then 2 else round end
      from destinations where round = 1 or destination < ${afterDestination}
    )
    select destination, round,
      (select count(*) from (
        select 1 from delivery_queue q where ${isDue} order by q.due_at limit ${destinationLimits.roomMax}) as few) as due
    from destinations
    where destination is not null and (round = 1 or destination <= ${afterDestination}) and ${isNotOneOf(database, "destination", fullDestinations)}
      and (select 1 from delivery_queue q where ${isDue} order by q.due_at limit 1) is not null
    limit ${destinationsAtOnce}`;
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
    return { rows: sortByDestination([...any, ...first], grants), details };
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
  return { rows: sortByDestination(claimed.flat(), grants), details };
}

function sortByDestination(rows: readonly QueueRow[], grants: readonly Grant[]): readonly QueueRow[] {
  const destinations = grants.map(({ destination }) => destination);
  return rows.toSorted((one, other) => destinations.indexOf(one.destination) - destinations.indexOf(other.destination));
}

/** On SQLite, where nobody else writes meanwhile: both statements together take half as long as one that does both. */
async function claimAlone(
  transaction: DatabaseTransaction,
  token: string,
  { now, inFlight }: ClaimScope,
  { destination, room, onlyFirst }: Grant,
): Promise<readonly QueueRow[]> {
  const here = new Set(inFlight.filter((delivery) => delivery.destination === destination).map(({ id }) => id));
  const found = await transaction.executeQuery<QueueRow>(
    CompiledQuery.raw(onlyFirst ? selectDueFirst : selectDue, [destination, now, room + here.size]),
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
  "destination",
  "attempt",
  "claims",
  "start_secret",
] as const satisfies readonly (keyof QueueRow)[];

const [selectDue, selectDueFirst] = [printDue(""), printDue("and attempt = 1")];

function printDue(first: string): string {
  return `
    select ${queueColumns.join(", ")} from delivery_queue
    where destination = ? and due_at <= ? ${first} order by due_at, delivery_id limit ?`;
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
  const [destinations, rooms] = [granted.map(({ destination }) => destination), granted.map(({ room }) => room)];
  const here = inFlight.filter(({ destination }) => destinations.includes(destination)).map(({ id }) => id);
  const first = onlyFirst ? sql`and q.attempt = 1` : sql``;
  const ofForms = formIds === undefined ? sql`` : sql`and q.form_id = any(cast(${formIds} as text[]))`;
  // Materialized, because a subquery with a limit and locks may run more than once when it is joined; and as lines of arrays,
  // which the planner takes for few, so that it looks each of them up.
  const query = sql<QueueRow>`
    with due as materialized (
      select found.form_id, found.delivery_id
      from unnest(cast(${destinations} as text[]), cast(${rooms} as bigint[])) as granted(destination, room)
      cross join lateral (
        select q.form_id, q.delivery_id from delivery_queue q
        where q.destination = granted.destination and q.due_at <= ${now} ${first} ${ofForms} and ${isNotOneOf(transaction, "delivery_id", here)}
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
  column: "destination" | "delivery_id",
  values: readonly string[],
) {
  return kindOf(database) === "postgres"
    ? sql`${sql.ref(column)} <> all(cast(${[...values]} as text[]))`
    : sql`${sql.ref(column)} not in (select value from json_each(${JSON.stringify(values)}))`;
}
