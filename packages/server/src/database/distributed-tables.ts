import { sql } from "kysely";
import type { ClientBase } from "pg";
import type { Database } from "./database.ts";
import { recordOf, tableNames } from "./table-records.ts";

/**
 * The tables that a submission writes, or that belong to one: those that grow, and are spread by form where there are several
 * servers (docs/decisions/0021-citus.md). The first is created first; the others are co-located with it.
 */
export const formTables = tableNames.filter((table) => recordOf(table).spread === "form");

/** Small tables that statements on those join: each server has all of their rows. */
export const referenceTables = tableNames.filter((table) => recordOf(table).spread === "reference");

/** How Citus has a table: by the form, as a whole on every server, or otherwise than this service wants it. */
export type Spread = "form" | "reference" | "other";

/** The tables that are not only on the server that is asked, by their names. Empty without Citus. */
export async function findSpread(client: Pick<ClientBase, "query">): Promise<ReadonlyMap<string, Spread>> {
  const { rows: catalogs } = await client.query("select to_regclass('pg_dist_partition') is not null as exist");
  if (catalogs[0].exist !== true) return new Map();
  const { rows } = await client.query<SpreadRow>(spreadQuery);
  return new Map(rows.map(({ name, spread }) => [name, spread]));
}

interface SpreadRow {
  readonly name: string;
  readonly spread: Spread;
}

// Tables in other schemas are not the service's.
const spreadQuery = `
    select c.relname as name, case
      when p.partmethod = 'h' and column_to_column_name(p.logicalrelid, p.partkey) = 'form_id'
        and p.colocationid = (
          select colocationid from pg_dist_partition where logicalrelid = to_regclass('form_count')) then 'form'
      when p.partmethod = 'n' and p.repmodel = 't' then 'reference'
      else 'other' end as spread
    from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
    where c.oid = to_regclass(quote_ident(c.relname))`;

/** Throws a sentence for the operator if only some of the tables are spread: statements would join what no server has together. */
export async function requireWholeSpread(database: Database): Promise<void> {
  const { rows: catalogs } = await sql<{ exist: boolean }>`
    select to_regclass('pg_dist_partition') is not null as exist`.execute(database);
  if (catalogs[0]?.exist !== true) return;
  const { rows } = await sql.raw<SpreadRow>(spreadQuery).execute(database);
  const spread = new Map(rows.map(({ name, spread }) => [name, spread]));
  const isWhole =
    formTables.every((table) => spread.get(table) === "form") &&
    referenceTables.every((table) => spread.get(table) === "reference");
  const isAny = [...formTables, ...referenceTables].some((table) => spread.has(table));
  if (isAny && !isWhole)
    throw new Error(
      "Only some of the tables are spread over the workers: run `sealpost-server distribute`, or `undistribute`, to its end",
    );
}
