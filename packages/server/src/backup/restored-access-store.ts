import type { Database } from "../database/database.ts";

/** An API key that a restore brings back, though it may have been revoked since the backup. */
export interface RestoredApiKey {
  readonly prefix: string;
  readonly name: string;
  readonly email: string;
}

/**
 * Ends what a backup would bring back to life: sessions, sign-ins that wait for a code, mailed links, and the mails that
 * carry them. Gives the API keys, which it revokes only if it is told to. `createdAt` is the time of the backup, so that a
 * restore that is run again writes the same rows.
 */
export async function endRestoredAccess(
  database: Database,
  { revokesKeys, createdAt }: { readonly revokesKeys: boolean; readonly createdAt: number },
): Promise<readonly RestoredApiKey[]> {
  return database.transaction().execute(async (transaction) => {
    await transaction.deleteFrom("session").execute();
    // Codes that were used stay used.
    await transaction.deleteFrom("verification").whereRef("id", "<>", "identifier").execute();
    await transaction.deleteFrom("mail").where("kind", "in", ["password_reset", "verify_email"]).execute();
    const keys = await transaction
      .selectFrom("api_key")
      .innerJoin("account_holder", "account_holder.id", "api_key.account_id")
      .select(["api_key.id", "api_key.account_id", "api_key.prefix", "api_key.name", "account_holder.email"])
      .orderBy("api_key.id")
      .execute();
    if (revokesKeys) {
      await transaction.deleteFrom("api_key").execute();
      for (const { id, account_id, name } of keys)
        await transaction
          .insertInto("audit_entry")
          .values({
            id: `aud_restored_${id}`,
            account_id,
            occurred_at: createdAt,
            action: "api_key.revoked",
            actor: "operator",
            target_id: id,
            target_name: name,
          })
          .execute();
    }
    return keys.map(({ prefix, name, email }) => ({ prefix, name, email }));
  });
}
