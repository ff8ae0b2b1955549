import { type ColumnDataType, type Kysely, sql } from "kysely";
import { kindOf } from "../kind.ts";

/** Eight bytes on PostgreSQL; on SQLite every integer is as wide as it must be. */
const time: ColumnDataType = "bigint";

/** The column types that the two databases name differently. */
function typesOf(database: Kysely<unknown>) {
  return kindOf(database) === "postgres"
    ? ({ bytes: "bytea", sequence: "bigserial", date: "timestamptz" } as const)
    : ({ bytes: "blob", sequence: "integer", date: "date" } as const);
}

export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable("instance")
    .addColumn("key", "text", (c) => c.primaryKey())
    .addColumn("value", "text", (c) => c.notNull())
    .execute();
  await createAccountTables(database);
  await createFormTables(database);
  await createSubmissionTables(database);
  await createDeliveryTables(database);
  if (kindOf(database) === "postgres") await createSharedTables(database);
}

/** The sign-in library's five tables under our names; `authentication/auth.ts` maps them. Its dates are ISO 8601 text. */
async function createAccountTables(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  const { date } = typesOf(database);
  await schema
    .createTable("account_holder")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("email", "text", (c) => c.notNull().unique())
    .addColumn("email_verified", "boolean", (c) => c.notNull())
    .addColumn("image", "text")
    .addColumn("plan", "text", (c) => c.notNull())
    // 'first' for the account that claimed a fresh instance by sign-up: being unique, it decides the race of two.
    .addColumn("sign_up_slot", "text", (c) => c.unique())
    .addColumn("created_at", date, (c) => c.notNull())
    .addColumn("updated_at", date, (c) => c.notNull())
    .execute();
  await schema
    .createTable("session")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("account_id", "text", (c) => c.notNull().references("account_holder.id").onDelete("cascade"))
    .addColumn("token", "text", (c) => c.notNull().unique())
    .addColumn("expires_at", date, (c) => c.notNull())
    .addColumn("ip_address", "text")
    .addColumn("user_agent", "text")
    .addColumn("created_at", date, (c) => c.notNull())
    .addColumn("updated_at", date, (c) => c.notNull())
    .execute();
  await schema.createIndex("session_account").on("session").column("account_id").execute();
  await schema
    .createTable("credential")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("account_id", "text", (c) => c.notNull().references("account_holder.id").onDelete("cascade"))
    .addColumn("provider_account_id", "text", (c) => c.notNull())
    .addColumn("provider_id", "text", (c) => c.notNull())
    .addColumn("access_token", "text")
    .addColumn("refresh_token", "text")
    .addColumn("id_token", "text")
    .addColumn("access_token_expires_at", date)
    .addColumn("refresh_token_expires_at", date)
    .addColumn("scope", "text")
    .addColumn("password", "text")
    .addColumn("created_at", date, (c) => c.notNull())
    .addColumn("updated_at", date, (c) => c.notNull())
    .execute();
  await schema.createIndex("credential_account").on("credential").column("account_id").execute();
  await schema
    .createTable("verification")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("identifier", "text", (c) => c.notNull())
    .addColumn("value", "text", (c) => c.notNull())
    .addColumn("expires_at", date, (c) => c.notNull())
    .addColumn("created_at", date, (c) => c.notNull())
    .addColumn("updated_at", date, (c) => c.notNull())
    .execute();
  await schema.createIndex("verification_identifier").on("verification").column("identifier").execute();
  await schema
    .createTable("jwks")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("public_key", "text", (c) => c.notNull())
    .addColumn("private_key", "text", (c) => c.notNull())
    .addColumn("alg", "text")
    .addColumn("crv", "text")
    .addColumn("created_at", date, (c) => c.notNull())
    .addColumn("expires_at", date)
    .execute();
}

async function createFormTables(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  const { bytes } = typesOf(database);
  await schema
    .createTable("form")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("account_id", "text", (c) => c.notNull().references("account_holder.id"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("name_key", "text", (c) => c.notNull())
    .addColumn("encryption", "integer", (c) => c.notNull())
    .addColumn("pii_strip", "integer", (c) => c.notNull())
    .addColumn("allowed_origins", "text", (c) => c.notNull())
    .addColumn("key_version", "integer", (c) => c.notNull())
    .addColumn("created_at", time, (c) => c.notNull())
    .addColumn("updated_at", time, (c) => c.notNull())
    .execute();
  await schema.createIndex("form_name").on("form").columns(["account_id", "name_key"]).unique().execute();
  await schema.createIndex("form_list").on("form").columns(["account_id", "created_at", "id"]).execute();
  await schema
    .createTable("form_key")
    .addColumn("form_id", "text", (c) => c.notNull())
    .addColumn("version", "integer", (c) => c.notNull())
    .addColumn("modulus", "text", (c) => c.notNull())
    .addColumn("fingerprint", "text", (c) => c.notNull())
    .addColumn("created_at", time, (c) => c.notNull())
    .addPrimaryKeyConstraint("form_key_primary", ["form_id", "version"])
    .execute();
  // The total in a list: counting 10,000 rows took a quarter of the request.
  await schema
    .createTable("account_count")
    .addColumn("account_id", "text", (c) => c.primaryKey())
    .addColumn("forms", "integer", (c) => c.notNull())
    .execute();
  // Apart from `form`, because every submission updates them.
  await schema
    .createTable("form_count")
    .addColumn("form_id", "text", (c) => c.primaryKey())
    .addColumn("stored", "integer", (c) => c.notNull())
    .addColumn("received", "integer", (c) => c.notNull())
    .addColumn("visible_from", time, (c) => c.notNull().defaultTo(0))
    .execute();
  await schema
    .createTable("form_day")
    .addColumn("form_id", "text", (c) => c.notNull())
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("received", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("form_day_primary", ["form_id", "day"])
    .execute();
  await schema
    .createTable("form_purge")
    .addColumn("form_id", "text", (c) => c.primaryKey())
    .addColumn("requested_at", time, (c) => c.notNull())
    .execute();
  await schema
    .createTable("api_key")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("account_id", "text", (c) => c.notNull().references("account_holder.id"))
    .addColumn("name", "text", (c) => c.notNull())
    .addColumn("prefix", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull().unique())
    .addColumn("permissions", "text", (c) => c.notNull())
    .addColumn("created_at", time, (c) => c.notNull())
    .addColumn("last_used_at", time)
    .execute();
  await schema.createIndex("api_key_account").on("api_key").column("account_id").execute();
  await schema
    .createTable("embed_script")
    .addColumn("file", "text", (c) => c.primaryKey())
    .addColumn("body", bytes, (c) => c.notNull())
    .addColumn("created_at", time, (c) => c.notNull())
    .execute();
}

async function createSubmissionTables(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  const { bytes, sequence } = typesOf(database);
  // Rows lie in arrival order: clustering them by the client-made id halves what can be written per second.
  await schema
    .createTable("submission")
    .addColumn("sequence", sequence, (c) => (sequence === "integer" ? c.primaryKey().autoIncrement() : c.primaryKey()))
    .addColumn("form_id", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("key_version", "integer", (c) => c.notNull())
    .addColumn("version", "text", (c) => c.notNull())
    .addColumn("data", bytes)
    .addColumn("key", bytes)
    .addColumn("iv", bytes)
    .addColumn("fields", "text")
    .addColumn("timestamp", time, (c) => c.notNull())
    .addColumn("received_at", time, (c) => c.notNull())
    .execute();
  await schema.createIndex("submission_id").on("submission").columns(["form_id", "id"]).unique().execute();
  await schema
    .createIndex("submission_list")
    .on("submission")
    .columns(["form_id", "received_at", "sequence"])
    .execute();
  // One row per bulk delete that still has rows to remove.
  await schema
    .createTable("submission_purge")
    .addColumn("form_id", "text", (c) => c.notNull())
    .addColumn("received_before", time, (c) => c.notNull())
    .addColumn("requested_at", time, (c) => c.notNull())
    .addPrimaryKeyConstraint("submission_purge_primary", ["form_id", "received_before"])
    .execute();
  await schema
    .createTable("submission_tombstone")
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("form_id", "text", (c) => c.notNull())
    .addColumn("received_at", time, (c) => c.notNull())
    .addColumn("sequence", "integer", (c) => c.notNull())
    .addColumn("deleted_at", time, (c) => c.notNull())
    .addPrimaryKeyConstraint("submission_tombstone_primary", ["id", "form_id"])
    .execute();
  await schema
    .createIndex("submission_tombstone_form")
    .on("submission_tombstone")
    .columns(["form_id", "received_at"])
    .execute();
  await schema.createIndex("submission_tombstone_age").on("submission_tombstone").column("deleted_at").execute();
}

async function createDeliveryTables(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  const { bytes, sequence } = typesOf(database);
  await schema
    .createTable("webhook")
    .addColumn("form_id", "text", (c) => c.primaryKey())
    .addColumn("url", "text")
    .addColumn("host", "text")
    .addColumn("secret", "text", (c) => c.notNull())
    .addColumn("previous_secret", "text")
    .addColumn("previous_expires_at", time)
    .addColumn("sign_first", "text", (c) =>
      c.notNull().defaultTo("current").check(sql`sign_first in ('current', 'previous')`),
    )
    .execute();
  await schema
    .createTable("event")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("form_id", "text", (c) => c.notNull())
    .addColumn("submission_id", "text")
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("occurred_at", time, (c) => c.notNull())
    .addColumn("body", bytes)
    .addColumn("wipe", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await schema.createIndex("event_submission").on("event").columns(["form_id", "submission_id"]).execute();
  await schema
    .createTable("delivery")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("event_id", "text", (c) => c.notNull())
    .addColumn("form_id", "text", (c) => c.notNull())
    .addColumn("is_test", "integer", (c) => c.notNull())
    .addColumn("state", "text", (c) => c.notNull())
    .addColumn("attempts", "integer", (c) => c.notNull())
    .addColumn("created_at", time, (c) => c.notNull())
    .addColumn("finished_at", time)
    .addColumn("next_attempt_at", time)
    .addColumn("last_status", "integer")
    .addColumn("last_error", "text")
    .addColumn("duration", "integer")
    .execute();
  await schema.createIndex("delivery_log").on("delivery").columns(["form_id", "created_at", "id"]).execute();
  await schema.createIndex("delivery_event").on("delivery").column("event_id").execute();
  await schema.createIndex("delivery_finished").on("delivery").column("finished_at").execute();
  await schema
    .createTable("delivery_queue")
    .addColumn("delivery_id", "text", (c) => c.primaryKey())
    .addColumn("form_id", "text", (c) => c.notNull())
    .addColumn("host", "text", (c) => c.notNull())
    .addColumn("attempt", "integer", (c) => c.notNull())
    .addColumn("due_at", time, (c) => c.notNull())
    .addColumn("claims", "integer", (c) => c.notNull())
    .addColumn("claim_token", "text")
    .addColumn("start_with", "text")
    .execute();
  await schema
    .createIndex("delivery_queue_host")
    .on("delivery_queue")
    .columns(["host", "due_at", "delivery_id"])
    .execute();
  await schema
    .createIndex("delivery_queue_first")
    .on("delivery_queue")
    .columns(["host", "due_at"])
    .where(sql.ref("attempt"), "=", 1)
    .execute();
  await schema.createIndex("delivery_queue_due").on("delivery_queue").column("due_at").execute();
  await schema.createIndex("delivery_queue_form").on("delivery_queue").column("form_id").execute();
  await schema
    .createTable("attempt")
    .addColumn("id", sequence, (c) => (sequence === "integer" ? c.primaryKey().autoIncrement() : c.primaryKey()))
    .addColumn("delivery_id", "text", (c) => c.notNull())
    .addColumn("number", "integer", (c) => c.notNull())
    .addColumn("started_at", time, (c) => c.notNull())
    .addColumn("duration", "integer")
    .addColumn("status_code", "integer")
    .addColumn("error", "text")
    .addColumn("url", "text", (c) => c.notNull())
    .addColumn("secret_used", "text", (c) => c.notNull())
    .execute();
  await schema.createIndex("attempt_delivery").on("attempt").column("delivery_id").execute();
}

/**
 * Where processes on one PostgreSQL database count requests together; on SQLite a single process counts in its memory.
 * Columns in the order and with the names of the library that counts. Unlogged: a crash may forget a minute's counts, and
 * each request writes one row less to the log that the submissions wait for.
 */
async function createSharedTables(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable("rate_limit")
    .modifyFront(sql`unlogged`)
    .addColumn("key", "text", (c) => c.primaryKey())
    .addColumn("points", "integer", (c) => c.notNull())
    .addColumn("expire", "bigint")
    .execute();
}
