import { type ColumnDataType, type Kysely, sql } from "kysely";

const time: ColumnDataType = "bigint";

/** Emails that wait to be sent, the last notice to each form's owner, and who opted out (docs/decisions/0010-content-free-mail.md). */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable("mail")
    .addColumn("id", "text", (c) => c.primaryKey())
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("account_id", "text", (c) => c.notNull())
    .addColumn("form_id", "text")
    .addColumn("details", "text", (c) => c.notNull())
    .addColumn("created_at", time, (c) => c.notNull())
    .addColumn("expires_at", time, (c) => c.notNull())
    .addColumn("due_at", time, (c) => c.notNull())
    .addColumn("attempts", "integer", (c) => c.notNull())
    .addColumn("claim_token", "text")
    .addColumn("finished_at", time)
    .execute();
  await schema.createIndex("mail_due").on("mail").column("due_at").where(sql.ref("finished_at"), "is", null).execute();
  await schema.createIndex("mail_form").on("mail").column("form_id").execute();
  await schema.createIndex("mail_account").on("mail").columns(["account_id", "kind", "created_at"]).execute();
  await schema.createIndex("mail_finished").on("mail").column("finished_at").execute();
  await schema
    .createTable("form_notice")
    .addColumn("form_id", "text", (c) => c.primaryKey())
    .addColumn("received", "integer", (c) => c.notNull())
    .addColumn("key_version", "integer", (c) => c.notNull())
    .addColumn("failing_since", time)
    .addColumn("next_at", time, (c) => c.notNull())
    .execute();
  // The id of a form, or of an account for all of its forms.
  await schema
    .createTable("mail_refusal")
    .addColumn("id", "text", (c) => c.primaryKey())
    .execute();
  await schema.alterTable("webhook").addColumn("failing_since", time).execute();
}
