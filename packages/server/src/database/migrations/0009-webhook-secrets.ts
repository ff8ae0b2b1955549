import type { Kysely } from "kysely";

/**
 * More than two valid webhook secrets. A process of an older version, which may run alongside this one while an instance
 * is upgraded, knows three columns of `webhook`: `secret`, `previous_secret` (until `previous_expires_at`) and
 * `sign_first`. They keep their meaning, and this is how the two get along:
 *
 * - `previous_secret` holds one of the earlier secrets: the one that was accepted last, so that an older process, which
 *   tries no more than two, tries the one that counts. `earlier_secrets` holds all of them.
 * - An older process that rotates writes the three columns alone. The secret that it puts into `previous_secret` counts
 *   here as another earlier one; those of `earlier_secrets` stay valid until their time.
 * - An older process that ends the previous secret takes the secret away that `earlier_secrets` names as the current
 *   one of its time. Then nothing in it counts any more: what somebody ended does not come back.
 * - `start_with` of the queue keeps saying `current` or `previous` where it can; `start_secret` names any of them.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  // JSON: {"current": id, "earlier": [{"secret", "expiresAt"}]}; an id is how the sealed secret begins.
  await schema.alterTable("webhook").addColumn("earlier_secrets", "text").execute();
  await schema.alterTable("webhook").addColumn("accepted_secret", "text").execute();
  await schema.alterTable("delivery_queue").addColumn("start_secret", "text").execute();
}
