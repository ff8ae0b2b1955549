import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import { personalActions } from "../audit-log/audit-entry.ts";
import type { Database } from "../database/database.ts";
import type { RunPage } from "../time/page-turns.ts";
import { listFormerIds } from "./account-export-store.ts";

/** Entries of one statement: each has up to 30 KB. */
const entriesAtOnce = 50;

/**
 * Entries of what the person did, or what was done to them, in the logs of all organizations, the oldest first; without the names of
 * others. Each of three statements for an id has its index, so it costs what this person did, however much others do.
 */
export async function* readAuditEntries(database: Database, id: AccountId, runPage: RunPage) {
  const former = await listFormerIds(database, id);
  const ids = new Set<string | null>([id, ...former.map((one) => one.id)]);
  for (let after = ""; ; ) {
    const queries = [
      ...selectEntries(database, id, after),
      // Entries under it from then on are the organization's.
      ...former.flatMap((one) =>
        selectEntries(database, one.id, after).map((query) => query.where("occurred_at", "<=", one.leftAt)),
      ),
    ];
    const found = await runPage(() => Promise.all(queries.map((query) => query.execute())));
    const byId = new Map(found.flat().map((row) => [row.id, row]));
    const rows = [...byId.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1)).slice(0, entriesAtOnce);
    for (const row of rows)
      yield {
        id: row.id,
        organizationId: row.account_id,
        occurredAt: row.occurred_at,
        action: row.action,
        actor: row.actor,
        byYou: ids.has(row.person_id),
        target: row.target_id === null ? null : describeTarget(row.target_id, row.target_name, row.action, ids),
        count: row.count,
        details: row.details === null ? null : (JSON.parse(row.details) as unknown),
      };
    const last = rows.at(-1);
    if (last === undefined || rows.length < entriesAtOnce) return;
    after = last.id;
  }
}

/** The next entries: by the person, about the person, and about the person's own account without a session. */
export function selectEntries(database: Database, id: AccountId, after: string) {
  const next = database
    .selectFrom("audit_entry")
    .selectAll()
    .where("id", ">", after)
    .orderBy("id")
    .limit(entriesAtOnce);
  return [
    next.where("person_id", "=", id),
    // Said as the index says it (`database/baseline/audit-log.ts`), or the databases do not use that one.
    next.where("target_id", "=", id).where(sql<boolean>`substr(target_id, 1, 4) = 'acc_'`),
    next
      .where("account_id", "=", id)
      .where("person_id", "is", null)
      .where(sql<boolean>`actor <> 'api_key'`)
      // Others in the log with the person's id are about the organization, which others may have taken from them.
      .where("action", "in", personalActions),
  ];
}

/** The name of another member is theirs. */
function describeTarget(targetId: string, name: string | null, action: string, ids: ReadonlySet<string | null>) {
  return { id: targetId, name: action.startsWith("member.") && !ids.has(targetId) ? null : name };
}
