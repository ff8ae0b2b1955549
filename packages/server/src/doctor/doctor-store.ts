import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { outerTexts } from "../database/indexed-texts.ts";
import { kindOf } from "../database/kind.ts";
import { hasActiveOwner } from "../database/membership.ts";

/** `PostgreSQL 16.2` as a text, and its number as PostgreSQL counts: 160002. SQLite comes with the program. */
export async function readVersion(database: Database): Promise<{ readonly name: string; readonly number?: number }> {
  if (kindOf(database) === "sqlite") {
    // Its version alone would be said without a look at the file.
    const { rows } = await sql<{ version: string }>`
      select sqlite_version() as version, count(*) as objects from sqlite_schema`.execute(database);
    return { name: `SQLite ${rows[0]?.version}` };
  }
  const { rows } = await sql<{ version: string; number: string }>`
    select current_setting('server_version') as version, current_setting('server_version_num') as number`.execute(
    database,
  );
  return { name: `PostgreSQL ${rows[0]?.version}`, number: Number(rows[0]?.number) };
}

/** Rows with a text above its bound in an index: `person.email of acc_…`; at most `limit` of each column. */
export async function listLongTexts(database: Database, limit: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [text, bytesMax] of Object.entries(outerTexts)) {
    const [table = "", column = ""] = text.split(".");
    const key = sql.ref(text in keysOfTexts ? keysOfTexts[text as keyof typeof keysOfTexts] : "id");
    const { rows } = await sql<{ id: string }>`select ${key} as id from ${sql.table(table)}
      where octet_length(${sql.ref(column)}) > ${bytesMax} order by ${key} limit ${limit}`.execute(database);
    found.push(...rows.map(({ id }) => `${text} of ${id}`));
  }
  return found;
}

/** The columns that name the rows of tables without an id. */
const keysOfTexts = {
  "address_move.old_email": "person_id",
  "delivery_queue.destination": "delivery_id",
} as const satisfies Partial<Record<keyof typeof outerTexts, string>>;

/** The clock of the database's machine; `undefined` when it is this one. */
export async function readDatabaseTime(database: Database): Promise<number | undefined> {
  if (kindOf(database) === "sqlite") return undefined;
  const { rows } = await sql<{ now: number }>`
    select cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint) as now`.execute(database);
  return rows[0]?.now;
}

/** Whether the server ends a transaction that nobody continues. */
export async function hasIdleLimit(database: Database): Promise<boolean> {
  const { rows } = await sql<{ limit: string }>`
    select current_setting('idle_in_transaction_session_timeout') as limit`.execute(database);
  return rows[0]?.limit !== "0";
}

/** Whether the server writes a commit to its disk before it answers: otherwise its crash loses what was answered outside of a transaction (PostgreSQL, `synchronous_commit`). */
export async function writesBeforeAnswers(database: Database): Promise<boolean> {
  const { rows } = await sql<{ commit: string }>`
    select current_setting('synchronous_commit') as commit`.execute(database);
  return rows[0]?.commit !== "off";
}

/** When the newest submission came, by the clock that it came by. */
export async function findLastReceived(database: Database): Promise<number | undefined> {
  const row = await database
    .selectFrom("submission")
    .select("received_at")
    .orderBy("sequence", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.received_at;
}

/** How many sealed forms hold submissions although nobody has said that the newest private key opens anything. */
export async function countUnprovedForms(database: Database): Promise<number> {
  const { count } = await database
    .selectFrom("form")
    .innerJoin("form_count", "form_count.form_id", "form.id")
    .innerJoin("form_key", (join) =>
      join.onRef("form_key.form_id", "=", "form.id").onRef("form_key.version", "=", "form.key_version"),
    )
    .select(({ fn }) => fn.countAll().as("count"))
    .where("form.encryption", "=", 1)
    .where("form_count.stored", ">", 0)
    .where("form_key.proved_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Organizations with no owner who can sign in; at most `limit`. */
export async function listOwnerless(database: Database, limit: number): Promise<readonly string[]> {
  const rows = await database
    .selectFrom("organization")
    .select("organization.id")
    .where(({ not }) => not(hasActiveOwner("organization.id")))
    .orderBy("organization.id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function findInstanceValue(database: Database, key: string): Promise<string | undefined> {
  const row = await database.selectFrom("instance").select("value").where("key", "=", key).executeTakeFirst();
  return row?.value;
}

export async function countAccounts(database: Database): Promise<number> {
  const { count } = await database
    .selectFrom("person")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}
