import type { TableName } from "../database/table-record.ts";
import { leadsTo, recordOf, tableNames } from "../database/table-records.ts";

/** Tables of a statement, or of several. */
export interface RowChanges {
  /** It adds rows whose bytes count, or writes their content. */
  readonly adds: Set<TableName>;
  /** It removes, hides or overwrites rows that a legal hold keeps. */
  readonly removes: Set<TableName>;
}

/** Columns whose content counts, of the tables for whose rows a request has to ask for room. */
const columnsAsked = new Map<string, readonly string[]>(
  tableNames.flatMap((table) => {
    const { bytes } = recordOf(table);
    return bytes.kind === "rows" && bytes.unasked === undefined ? [[table, bytes.columns]] : [];
  }),
);

/** Columns with content, of the tables whose rows a hold keeps. */
const columnsHeld = new Map<string, readonly string[]>([
  // Settings are changed under a hold too.
  ["form", []],
  ...leadsTo("form").flatMap((lead): readonly (readonly [string, readonly string[]])[] =>
    lead.to === "form" && lead.held === "kept" ? [[lead.table, contentOf(lead.table)]] : [],
  ),
]);

function contentOf(table: TableName): readonly string[] {
  const { bytes } = recordOf(table);
  if (bytes.kind === "submissions") return ["data", "key", "iv", "fields"];
  return bytes.kind === "rows" ? bytes.columns : [];
}

/** Columns that say from when on a row is gone. */
const hiding = /"?\b(?:removed_at|visible_from)"? = /;
const changing = /\b(insert into|delete from|update) "?(\w+)"?/g;

const known = new Map<string, RowChanges>();

/** The rows that a statement adds and removes, as its text and the records of the tables say. */
export function findRowChanges(text: string): RowChanges {
  const changes = known.get(text) ?? parse(text);
  known.set(text, changes);
  return changes;
}

function parse(text: string): RowChanges {
  const changes: RowChanges = { adds: new Set(), removes: new Set() };
  for (const match of text.matchAll(changing)) {
    const [, verb, name = ""] = match;
    const table = name as TableName; // looked up before it is one
    const [written = ""] = text.slice(match.index).split(/\bwhere\b/);
    const writes = (columns: readonly string[] | undefined) =>
      columns?.some((column) => new RegExp(`\\b${column}"? = `).test(written)) === true;
    if (verb === "insert into" ? columnsAsked.has(name) : verb === "update" && writes(columnsAsked.get(name)))
      changes.adds.add(table);
    if (!columnsHeld.has(name)) continue;
    if (verb === "delete from" || (verb === "update" && (hiding.test(written) || writes(columnsHeld.get(name)))))
      changes.removes.add(table);
  }
  return changes;
}
