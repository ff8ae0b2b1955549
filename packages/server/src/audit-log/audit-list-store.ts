import { type AccountId, type ApiKeyId, isId } from "@sealpost/wire";
import type { ExpressionBuilder, Selectable, SelectQueryBuilder } from "kysely";
import type { AuditEntryTable } from "../database/audit-tables.ts";
import type { Database } from "../database/database.ts";
import { beyondIndex, rowsLookedAtMax } from "../database/looked-rows.ts";
import type { Tables } from "../database/schema.ts";
import {
  type AuditAction,
  type AuditActor,
  type AuditDetails,
  type AuditEntry,
  type AuditTarget,
  auditActions,
} from "./audit-entry.ts";

export interface AuditCursor {
  readonly occurredAt: number;
  readonly id: string;
}

export interface AuditQuery {
  readonly limit: number;
  readonly after: AuditCursor | undefined;
  readonly actions?: readonly AuditAction[] | undefined;
  /** A session's or an API key's id. */
  readonly actorId?: string | undefined;
  /** Whose session it was. */
  readonly personId?: string | undefined;
  /** The id of a form, an API key, a session, a member or an invitation. */
  readonly targetId?: string | undefined;
  /** Both inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** Where the next page begins; `undefined` on the last. A page may have fewer than `limit` entries, or none, and others follow. */
  readonly next: AuditCursor | undefined;
}

export interface AuditLogStore {
  /** A page of the account's own entries, newest first. */
  list(accountId: AccountId, query: AuditQuery): Promise<AuditPage>;
}

export function createAuditLogStore(database: Database): AuditLogStore {
  /** Along one index: that of the filter which finds the fewest, as a rule. */
  function selectAlong({ actions, actorId, personId, targetId }: AuditQuery) {
    const entries = database.selectFrom("audit_entry");
    if (targetId !== undefined) return entries.where("target_id", "=", targetId);
    if (actorId !== undefined) return entries.where("actor_id", "=", actorId);
    if (personId !== undefined) return entries.where("person_id", "=", personId);
    const [action] = actions ?? [];
    return action === undefined || actions?.length !== 1 ? entries : entries.where("action", "=", action);
  }

  return {
    async list(accountId, query) {
      const { limit, after, actions, actorId, personId, targetId, from, to } = query;
      const upper = earlier(after, to === undefined ? undefined : { occurredAt: to + 1, id: "" });
      let along = selectAlong(query)
        .where("account_id", "=", accountId)
        .orderBy("occurred_at", "desc")
        .orderBy("id", "desc");
      if (upper !== undefined) along = along.where(isPlace("<", upper));
      const isFiltered = [actions, actorId, personId, targetId].some((filter) => filter !== undefined);
      const looked = from === undefined ? along : along.where(isPlace(">=", { occurredAt: from, id: "" }));
      const end = isFiltered ? await findEnd(looked.select(["occurred_at", "id"])) : undefined;
      const lowest = end ?? (from === undefined ? undefined : { occurredAt: from, id: "" });
      let page = lowest === undefined ? along : along.where(isPlace(">=", lowest));
      if (actions !== undefined) page = page.where(beyondIndex("action"), "in", actions);
      if (actorId !== undefined) page = page.where(beyondIndex("actor_id"), "=", actorId);
      if (personId !== undefined) page = page.where(beyondIndex("person_id"), "=", personId);
      // One more than asked for tells whether there is a next page.
      const rows = await page
        .selectAll()
        .limit(limit + 1)
        .execute();
      const entries = rows.slice(0, limit).map(parseRow);
      return { entries, next: rows.length > limit ? entries.at(-1) : end };
    },
  };
}

/** The last of as many rows as one page looks at; `undefined` if there are no more. */
async function findEnd(rows: SelectQueryBuilder<Tables, "audit_entry", { id: string; occurred_at: number }>) {
  const row = await rows
    .offset(rowsLookedAtMax - 1)
    .limit(1)
    .executeTakeFirst();
  return row && { occurredAt: Number(row.occurred_at), id: row.id };
}

function isPlace(operator: "<" | ">=", { occurredAt, id }: AuditCursor) {
  return ({ eb, refTuple, tuple }: ExpressionBuilder<Tables, "audit_entry">) =>
    eb(refTuple("occurred_at", "id"), operator, tuple(occurredAt, id));
}

/** The one of two places that comes first in the log. */
function earlier(one: AuditCursor | undefined, other: AuditCursor | undefined): AuditCursor | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.occurredAt < other.occurredAt ? one : other;
}

function parseRow(row: Selectable<AuditEntryTable>): AuditEntry {
  if (!(row.action in auditActions)) throw new Error(`An audit entry tells of ${row.action}`);
  return {
    id: row.id,
    accountId: row.account_id as AccountId, // only ids are written there
    action: row.action as AuditAction, // just checked
    actor: parseActor(row),
    occurredAt: Number(row.occurred_at),
    target: parseTarget(row),
    count: row.count ?? undefined,
    details: row.details === null ? undefined : (JSON.parse(row.details) as AuditDetails), // written from one
  };
}

function parseActor({ actor, actor_id: id, person_id }: Selectable<AuditEntryTable>): AuditActor {
  switch (actor) {
    case "session":
      // Written from one; the table takes no such row without a person.
      return { type: actor, id: id ?? "", personId: person_id as AccountId };
    case "api_key":
      return { type: actor, id: id as ApiKeyId }; // written from one
    case "operator":
      // As above.
      return { type: actor, ...(person_id !== null && { personId: person_id as AccountId }) };
    case "nobody":
      return { type: actor };
    default:
      return actor satisfies never;
  }
}

/** Whether it is the id of an invitation: nobody but the service makes or checks one. */
export function isInvitationId(id: string): boolean {
  return /^inv_[0-9a-z]{26}$/.test(id);
}

/** The id says what it is: only sessions have none of our own ids. */
function parseTarget({ target_id: id, target_name }: Selectable<AuditEntryTable>): AuditTarget | undefined {
  if (id === null) return undefined;
  const name = target_name ?? "";
  if (isId("form", id)) return { type: "form", id, name };
  if (isId("account", id)) return { type: "member", id, name };
  if (isInvitationId(id)) return { type: "invitation", id };
  return isId("apiKey", id) ? { type: "api_key", id, name } : { type: "session", id };
}
