import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { repeatAfterDeadlock } from "../database/repeat.ts";
import { type SealedColumn, sealedColumns } from "../instance/key-purposes.ts";
import { sealedPrefix } from "../instance/secret-box.ts";

type Column = (typeof sealedColumns)[number];

/** The value under the active secret. Throws where it does not open: somebody has changed it in the database. */
export type SealAgain = (column: Column, rowKey: string, sealed: string) => Promise<string>;

export interface Pass {
  /** How many values were sealed with each former key when they were read. */
  readonly found: ReadonlyMap<number, number>;
  /** How many of them are sealed with the active one now. */
  readonly sealedAgain: number;
  /** Values that open with no secret, or are in a text that can't be read. They stay unchanged. */
  readonly unreadable: number;
}

const rowsMax = 200;

/**
 * Goes once through every column that holds sealed values, and counts those under a key of these numbers; with `sealAgain`
 * writes them again, unless somebody else has changed them meanwhile. It may end at any point, and begin again.
 */
export async function passSealedValues(
  database: Database,
  numbers: readonly number[],
  sealAgain?: SealAgain,
  onBatch: (pass: Pass) => void = () => {},
): Promise<Pass> {
  const found = new Map(numbers.map((number) => [number, 0]));
  let [written, unreadable] = [0, 0];
  const pass = (): Pass => ({ found, sealedAgain: written, unreadable });
  if (numbers.length === 0) return pass();
  for (const column of sealedColumns)
    for (let after = ""; ; ) {
      const rows = await listRows(database, column, numbers, after);
      const changes: Change[] = [];
      for (const { key, text } of rows) {
        const open = async (sealed: string): Promise<string> => {
          const number = numberOf(sealed);
          const count = number === undefined ? undefined : found.get(number);
          if (number === undefined || count === undefined) return sealed;
          if (sealAgain === undefined) {
            found.set(number, count + 1);
            return sealed;
          }
          try {
            const again = await sealAgain(column, key, sealed);
            found.set(number, count + 1);
            return again;
          } catch {
            unreadable += 1;
            return sealed;
          }
        };
        const changed = await mapSealed(text, column.shape, open).catch(() => undefined);
        if (changed === undefined) unreadable += 1;
        else if (changed !== text) changes.push({ key, text, changed });
      }
      written += await writeChanges(database, column, changes);
      if (rows.length > 0) onBatch(pass());
      after = rows.at(-1)?.key ?? "";
      if (rows.length < rowsMax) break;
    }
  return pass();
}

/** The number of the key that a value is sealed with, by us or by the sign-in library. */
function numberOf(sealed: string): number | undefined {
  const [, ours, theirs] = /^(?:sealed:([0-9]{4}):|\$ba\$([0-9]+)\$)/.exec(sealed) ?? [];
  const number = ours ?? theirs;
  return number === undefined ? undefined : Number(number);
}

async function listRows(
  database: Database,
  { table, key, column }: SealedColumn,
  numbers: readonly number[],
  after: string,
): Promise<readonly { readonly key: string; readonly text: string }[]> {
  const [keyOf, textOf] = [sql.ref(key), sql.ref(column)];
  const like = numbers.flatMap((number) => [`%${sealedPrefix(number)}%`, `%$ba$${number}$%`]);
  const { rows } = await sql<{ key: string; text: string }>`
    select ${keyOf} as key, ${textOf} as text from ${sql.table(table)}
    where ${keyOf} > ${after}
      and (${sql.join(
        like.map((pattern) => sql`${textOf} like ${pattern}`),
        sql` or `,
      )})
    order by ${keyOf} limit ${sql.lit(rowsMax)}`.execute(database);
  return rows;
}

interface Change {
  readonly key: string;
  readonly text: string;
  readonly changed: string;
}

/** How many were written: a row that has another text by now is left for the next pass. */
async function writeChanges(database: Database, column: Column, changes: readonly Change[]): Promise<number> {
  if (changes.length === 0) return 0;
  return repeatAfterDeadlock(() =>
    database.transaction().execute(async (transaction) => {
      let written = 0;
      for (const change of changes) written += await writeChange(transaction, column, change);
      return written;
    }),
  );
}

async function writeChange(
  transaction: DatabaseTransaction,
  { table, key, column }: Column,
  { key: rowKey, text, changed }: Change,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${changed}
    where ${sql.ref(key)} = ${rowKey} and ${sql.ref(column)} = ${text}`.execute(transaction);
  return Number(numAffectedRows);
}

/** The text of a column with each of its sealed values replaced. */
async function mapSealed(
  text: string,
  shape: SealedColumn["shape"],
  map: (sealed: string) => Promise<string>,
): Promise<string> {
  switch (shape) {
    case "whole":
      return map(text);
    case "quoted":
      return JSON.stringify(await map(JSON.parse(text)));
    case "token": {
      const values: { readonly token?: unknown } = JSON.parse(text);
      return typeof values.token === "string" ? JSON.stringify({ ...values, token: await map(values.token) }) : text;
    }
    case "list": {
      const values: readonly { readonly secret: string }[] = JSON.parse(text);
      const mapped = [];
      for (const one of values) mapped.push({ ...one, secret: await map(one.secret) });
      return JSON.stringify(mapped);
    }
    default:
      throw new Error(`Unknown shape: ${shape satisfies never}`);
  }
}
