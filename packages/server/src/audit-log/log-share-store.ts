import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";

/** A person's sessions, or the API keys that they made, in one organization. */
interface LogWriter {
  readonly kind: "session" | "api_key";
  readonly accountId: AccountId;
  readonly personId: AccountId;
}

/** Entries of one writer in one log, from which on they add no more to a log that is filling up: 15 MB at most. */
export const ownEntriesMax = 10_000;

/** Whether a writer has left so many entries in the organization's log. Looks at as many at most, along an index. */
export async function hasLeftMany(database: Database, writer: LogWriter, max = ownEntriesMax): Promise<boolean> {
  const entries = writer.kind === "session" ? ofSessions(database, writer) : ofKeys(database, writer);
  const row = await entries
    .offset(max - 1)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function ofSessions(database: Database, { accountId, personId }: LogWriter) {
  return database
    .selectFrom("audit_entry")
    .select("audit_entry.occurred_at")
    .where("audit_entry.account_id", "=", accountId)
    .where("audit_entry.person_id", "=", personId);
}

/** Revoked keys count too: making a new one must not begin again. */
function ofKeys(database: Database, { accountId, personId }: LogWriter) {
  const ids = database
    .selectFrom("api_key")
    .select("api_key.id as value")
    .where("api_key.account_id", "=", accountId)
    .where("api_key.made_by", "=", personId)
    .union(
      database
        .selectFrom("audit_entry as made")
        .select(sql<string>`made.target_id`.as("value")) // each is about the key
        .where("made.account_id", "=", accountId)
        .where("made.action", "=", "api_key.created")
        .where("made.person_id", "=", personId),
    );
  return (
    database
      .selectFrom(ids.as("own_key"))
      // SQLite looks them up by the column's index, key by key, and at no others.
      .crossJoin("audit_entry")
      .whereRef("audit_entry.actor_id", "=", "own_key.value")
      .where("audit_entry.account_id", "=", accountId)
      .select("audit_entry.occurred_at")
  );
}
