import { sql } from "kysely";
import type { Database } from "../../database/database.ts";
import { listTables } from "../../testing/list-tables.ts";

/** From 2001 on. */
const earliest = 1e12;
const latest = 1e14;

/**
 * Times that are stored inside texts: numbers of milliseconds and dates, alone, in a list or in JSON. Each by its column and the way to it,
 * such as `webhook.earlier_secrets[].expiresAt`; of the table `instance` by its key up to the first slash.
 */
export async function findTimesInTexts(database: Database): Promise<readonly string[]> {
  const names = await listTables(database);
  const found = new Set<string>();
  for (const { name: table, columns } of await database.introspection.getTables()) {
    if (!names.includes(table)) continue;
    const texts = columns.filter(({ dataType }) => /text|char/i.test(dataType)).map(({ name }) => name);
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(database);
    for (const row of rows)
      for (const column of texts) {
        const value = row[column];
        if (typeof value !== "string") continue;
        const place = table === "instance" ? String(row.key).replace(/\/.*/, "") : column;
        for (const path of walk(parse(value))) found.add(`${table}.${place}${path}`);
      }
  }
  return [...found].toSorted();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const words = text.split(" ");
    return words.every((word) => /^\d{13,14}$/.test(word)) ? words.map(Number) : text;
  }
}

/** The ways to the times in a value. */
function walk(value: unknown): readonly string[] {
  if (typeof value === "number") return value > earliest && value < latest ? [""] : [];
  if (typeof value === "string") return /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/.test(value) ? [""] : [];
  if (Array.isArray(value)) return value.flatMap((one) => walk(one).map((path) => `[]${path}`));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => walk(one).map((path) => `.${name}${path}`));
}
