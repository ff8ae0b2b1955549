import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { printCountingTriggers } from "../counted-tables.ts";
import { type DatabaseKind, kindOf } from "../kind.ts";
import { printAccountTables } from "./accounts.ts";
import { printAuditLogTables } from "./audit-log.ts";
import { printDeliveryTables } from "./deliveries.ts";
import { printFormTables } from "./forms.ts";
import { printMailTables } from "./mail.ts";
import { printOrganizationTables } from "./organizations.ts";
import { printPersonalKeyTables } from "./personal-keys.ts";
import { printQuotaTables } from "./quotas.ts";
import { wordsOf } from "./sql-words.ts";
import { printSubmissionTables } from "./submissions.ts";

/**
 * The baseline: every table, as the first release has it, and the one migration of a fresh database. Until version 0.2.0 is
 * released, anyone who needs another column or table edits it here, in place: a database of an earlier commit is refused by its
 * hash (`baselineHash`) and not changed. From 0.2.0 on it stays unchanged, and each change is a migration after it.
 *
 * SQL in full view, not Kysely's builder: the hash is that of these lines, whatever version of a library prints them.
 */
export function printBaseline(kind: DatabaseKind): readonly string[] {
  const words = wordsOf(kind);
  const text = [
    "create table baseline (hash text not null);",
    "create table instance (key text primary key, value text not null);",
    printAccountTables(words),
    printOrganizationTables(),
    printPersonalKeyTables(),
    printAuditLogTables(),
    printFormTables(words),
    printQuotaTables(words),
    printSubmissionTables(words),
    printDeliveryTables(words),
    printMailTables(),
    ...(kind === "postgres" ? [sharedTables] : []),
  ].join("\n");
  return [...splitStatements(text), ...printCountingTriggers(kind)];
}

const hashes = new Map<DatabaseKind, string>();

/** SHA-256, hex, over the statements: comments and line ends do not count. */
export function baselineHash(kind: DatabaseKind): string {
  const hash = hashes.get(kind) ?? createHash("sha256").update(printBaseline(kind).join(";\n")).digest("hex");
  hashes.set(kind, hash);
  return hash;
}

/** Makes the tables, and keeps the hash for `requireOwnBaseline`. */
export async function up(database: Kysely<unknown>): Promise<void> {
  const kind = kindOf(database);
  for (const statement of printBaseline(kind)) await sql.raw(statement).execute(database);
  await sql`insert into baseline (hash) values (${baselineHash(kind)})`.execute(database);
}

/**
 * Where processes on one PostgreSQL database count requests together; on SQLite a single process counts in its memory.
 * Columns in the order and with the names of the library that counts. Unlogged: a crash may forget a minute's counts, and
 * each request writes one row less to the log that the submissions wait for.
 */
const sharedTables = `
create unlogged table rate_limit (
  key text primary key,
  points integer not null,
  expire bigint
);`;

/** The baseline has no text with a semicolon or two hyphens in it. */
function splitStatements(text: string): readonly string[] {
  const statements = text.replaceAll(/--.*$/gm, "").split(";");
  return statements
    .map((statement) => statement.replaceAll(/\s+/g, " ").trim())
    .filter((statement) => statement !== "");
}
