import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { findWorkers } from "../database/workers.ts";
import type { DueForm, Grant } from "./grant.ts";

/** Grants of which all rows are on one server, so that it can lock them. */
export interface ShardGrants {
  readonly grants: readonly Grant[];
  readonly formIds: readonly string[];
}

/**
 * Divides grants by the shards that have their forms: on a cluster a statement locks rows of one shard. What a destination gets goes
 * to its forms in their order, the one that waits longest first.
 */
export async function divideByShard(
  transaction: DatabaseTransaction,
  grants: readonly Grant[],
): Promise<readonly ShardGrants[]> {
  const shards = await findShards(transaction, [
    ...new Set(grants.flatMap(({ forms = [] }) => forms.map(({ formId }) => formId))),
  ]);
  const parts = grants.flatMap((grant) => {
    let left = grant.room;
    return (grant.forms ?? []).flatMap(({ formId, due }) => {
      const room = Math.min(due, left);
      left -= room;
      return room > 0 ? [{ formId, shard: shards.get(formId), grant, room }] : [];
    });
  });
  return [...Map.groupBy(parts, ({ shard }) => shard).values()].map((ofShard) => ({
    formIds: [...new Set(ofShard.map(({ formId }) => formId))],
    grants: [...Map.groupBy(ofShard, ({ grant }) => grant)].map(([grant, ofGrant]) => ({
      ...grant,
      room: ofGrant.reduce((sum, { room }) => sum + room, 0),
    })),
  }));
}

/** Asked each time: shards may be split. No server but the coordinator is asked. */
async function findShards(
  transaction: DatabaseTransaction,
  formIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ form_id: string; shard: number }>`
    select form_id, get_shard_id_for_distribution_column('delivery_queue', form_id) as shard
    from unnest(cast(${formIds} as text[])) as form(form_id)`.execute(transaction);
  return new Map(rows.map(({ form_id, shard }) => [form_id, shard]));
}

const linesMax = 1_000;

/**
 * `findDestinations` of queue-plan.ts on a cluster, whose servers cannot walk along an index together: each counts what is due there by destination and form.
 * While one is away, the others are asked for their forms.
 */
export async function countDue(
  database: Database,
  {
    now,
    fullDestinations,
    afterDestination,
  }: { readonly now: number; readonly fullDestinations: readonly string[]; readonly afterDestination: string },
  { destination, isRound }: { readonly destination: string; readonly isRound: boolean },
  onlyFirst: boolean,
) {
  const wrapped = sql`destination <= ${afterDestination}`;
  const after = isRound
    ? sql`destination > ${destination} and ${wrapped}`
    : sql`(destination > ${destination} or ${wrapped})`;
  const reachable = await findWorkers(database)?.listReachableForms();
  const { rows } = await sql<{ destination: string; wrapped: boolean; form_id: string; due: number }>`
    select destination, ${wrapped} as wrapped, form_id, count(*) as due from delivery_queue
    where due_at <= ${now} and ${after} and destination <> all(cast(${[...fullDestinations]} as text[]))
      ${onlyFirst ? sql`and attempt = 1` : sql``}
      ${reachable === undefined ? sql`` : sql`and form_id = any(cast(${reachable} as text[]))`}
    group by destination, form_id order by ${wrapped}, destination, min(due_at) limit ${linesMax}`.execute(database);
  return [...Map.groupBy(rows, (row) => row.destination)].map(([destination, lines]) => ({
    destination,
    // Compared by the database alone, whose order of texts may be another one.
    round: isRound || lines.some(({ wrapped }) => wrapped) ? 2 : 1,
    due: lines.reduce((sum, { due }) => sum + due, 0),
    forms: lines.map(({ form_id: formId, due }): DueForm => ({ formId, due })),
  }));
}
