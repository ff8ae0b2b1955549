import type { Selectable } from "kysely";
import type { AuditEntryTable } from "../database/audit-tables.ts";

/** An entry in the form that is chained and exported. */
export interface ChainedEntry extends Readonly<Record<string, unknown>> {
  readonly sequence: number;
  /** The hash of the entry before. */
  readonly previous: string;
}

/**
 * The content of an entry that its hash is about (docs/audit-log.md). Straight from the columns, so that a row has the same
 * hash in every later version, whatever that makes of it elsewhere: never change what a column becomes, only add to it.
 */
export function toChainedEntry(row: Selectable<AuditEntryTable>, sequence: number, previous: string): ChainedEntry {
  const { id, action, actor, actor_id, person_id, target_id, target_name, count, details } = row;
  return {
    ...{ sequence, previous, id, timestamp: Number(row.occurred_at), action },
    actor: {
      type: actor,
      ...(actor_id !== null && { id: actor_id }),
      ...(person_id !== null && { personId: person_id }),
    },
    ...(target_id !== null && { target: { id: target_id, ...(target_name !== null && { name: target_name }) } }),
    ...(count !== null && { count }),
    ...(details !== null && { details: JSON.parse(details) as unknown }),
  };
}
