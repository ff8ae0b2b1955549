import type { Kysely } from "kysely";

/**
 * The hybrid key of a key version, where its owner asked for one: `pub` of the JWK, and the fingerprint. Null elsewhere, and in
 * what an older process writes alongside this one.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema.alterTable("form_key").addColumn("hybrid_public_key", "text").execute();
  await schema.alterTable("form_key").addColumn("hybrid_fingerprint", "text").execute();
}
