import { randomBytes } from "node:crypto";
import type { Database } from "../database/database.ts";
import type { KeyRing } from "./key-ring.ts";
import { openKeyRing } from "./open-key-ring.ts";
import { createSecretBox, type SecretBox } from "./secret-box.ts";

/** The key of the row of `instance` in which a copy keeps how far it is; while it is there, nobody serves the database. */
export const copyKey = "copy";

/** The key of the row in which the time of the last backup is. */
export const backupKey = "backup_made_at";

/** The instance that a database belongs to. */
export interface Instance {
  /** Made once per database. */
  readonly id: string;
  readonly keyRing: KeyRing;
  readonly secretBox: SecretBox;
}

/** Throws a ConfigError when something in the database is sealed with a secret that is not among these. */
export async function openInstance(database: Database, secrets: readonly Uint8Array[], now: number): Promise<Instance> {
  const keep = async (key: string, value: string): Promise<string> => {
    await database
      .insertInto("instance")
      .values({ key, value })
      .onConflict((conflict) => conflict.column("key").doNothing())
      .execute();
    const row = await database.selectFrom("instance").select("value").where("key", "=", key).executeTakeFirstOrThrow();
    return row.value;
  };
  const copy = await database.selectFrom("instance").select("key").where("key", "=", copyKey).executeTakeFirst();
  if (copy !== undefined)
    throw new Error(
      "A copy to this database is not complete: run `sealpost-server copy` again, it resumes where it was",
    );
  const keyRing = await openKeyRing(database, secrets, now);
  const id = await keep("id", `sealpost:${randomBytes(16).toString("hex")}`);
  return { id, keyRing, secretBox: createSecretBox(keyRing) };
}
