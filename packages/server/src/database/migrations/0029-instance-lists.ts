import { type Kysely, sql } from "kysely";

/** Indexes for the lists of the instance page: organizations by name, and the API keys that a person made. */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create index account_holder_organization_name
    on account_holder (lower(coalesce(organization_name, name)), id)`.execute(database);
  await database.schema.createIndex("api_key_maker").on("api_key").column("made_by").execute();
}
