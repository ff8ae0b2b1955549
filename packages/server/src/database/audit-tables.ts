import type { Generated } from "kysely";

export interface AuditEntryTable {
  id: string;
  account_id: string;
  occurred_at: number;
  action: string;
  actor: "session" | "api_key" | "operator" | "nobody";
  /** The session or the API key. */
  actor_id: string | null;
  target_id: string | null;
  target_name: string | null;
  count: number | null;
  /** JSON: see `AuditDetails`. */
  details: string | null;
  /** The person whose session did it; null where no session did. */
  person_id: string | null;
  /** Its place in the organization's chain, from 1 (docs/audit-log.md); null until it is chained, which is soon after its commit. */
  sequence: Generated<number | null>;
  /** Over the entry and the hash of the one before, hex. */
  hash: Generated<string | null>;
  /** Its place among the organization's changes by sessions, or by API keys, that have a bound within a day; null in all other entries. */
  change_number: Generated<number | null>;
}

/** The ends of an organization's chain of audit entries. */
export interface AuditHeadTable {
  account_id: string;
  /** The newest entry in the chain; 0 before the first. */
  sequence: number;
  hash: string | null;
  /** The newest entry that was removed, for its age or by an owner, with all before it; 0 before the first. */
  removed_sequence: Generated<number>;
  removed_hash: Generated<string | null>;
  removed_occurred_at: Generated<number | null>;
  /** The newest entry that an owner wants removed, until all of them are; null otherwise. */
  shortened_to: Generated<number | null>;
  /** Entries since then stay all the same, in milliseconds. */
  shortened_before: Generated<number | null>;
}
