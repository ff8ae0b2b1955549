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
import type { Grant } from "./grant.ts";
import { compileDetails, type Detail } from "./queue-details.ts";
import { divideByShard } from "./queue-shards.ts";

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

/** Conditions of claims, as SQL; each is the condition of an index. No first attempt waits. */
export const [ofAny, ofFirst] = ["is_waiting = 0", "attempt = 1"];
const [selectDue, selectDueFirst] = [printDue(ofAny), printDue(ofFirst)];

function printDue(condition: string): string {
  return `
    select ${queueColumns.join(", ")} from delivery_queue
    where destination = ? and due_at <= ? and ${condition} order by due_at, delivery_id limit ?`;
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
  const condition = sql.raw(onlyFirst ? ofFirst : ofAny);
  const ofForms = formIds === undefined ? sql`` : sql`and q.form_id = any(cast(${formIds} as text[]))`;
  // Materialized, because a subquery with a limit and locks may run more than once when it is joined; and as lines of arrays,
  // which the planner takes for few, so that it looks each of them up.
  const query = sql<QueueRow>`
    with due as materialized (
      select found.form_id, found.delivery_id
      from unnest(cast(${destinations} as text[]), cast(${rooms} as bigint[])) as granted(destination, room)
      cross join lateral (
        select q.form_id, q.delivery_id from delivery_queue q
        where q.destination = granted.destination and q.due_at <= ${now} and ${condition} ${ofForms} and ${isNotOneOf(transaction, "delivery_id", here)}
        order by q.due_at, q.delivery_id limit granted.room for update skip locked) as found)
    update delivery_queue q set due_at = ${now + leaseMilliseconds}, claim_token = ${token}, claims = claims + 1
    from unnest(array(select form_id from due), array(select delivery_id from due)) as line(form_id, delivery_id)
    where q.form_id = line.form_id and q.delivery_id = line.delivery_id ${ofForms}
    returning ${sql.join(queueColumns.map((column) => sql.ref(`q.${column}`)))}`;
  return keepPlanned(query.compile(transaction));
}

/** The values as one parameter: with one each, every number of them would be another statement to prepare. */
export function isNotOneOf(
  database: Pick<Database, "getExecutor">,
  column: "destination" | "delivery_id",
  values: readonly string[],
) {
  return kindOf(database) === "postgres"
    ? sql`${sql.ref(column)} <> all(cast(${[...values]} as text[]))`
    : sql`${sql.ref(column)} not in (select value from json_each(${JSON.stringify(values)}))`;
}
