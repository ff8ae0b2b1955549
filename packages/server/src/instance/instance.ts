import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigError } from "../config/config.ts";
import { type Database, sqliteFile } from "../database/database.ts";
import { createFolder } from "../database/folder-failure.ts";
import type { SecretBox } from "./secret-box.ts";

/** The key of the row of `instance` in which a copy keeps how far it is; while it is there, nobody serves the database. */
export const copyKey = "copy";

/** The key of the row in which the time of the last backup is. */
export const backupKey = "backup_made_at";

/**
 * The server's secret: the configured one, else the one in the data folder, made on the first start (mode 0600). A database
 * is never made before its secret. So one without was made with a configured secret, and would not open with another.
 */
export function loadSecret(configured: Uint8Array | undefined, folder: string): Uint8Array {
  if (configured !== undefined) return configured;
  const file = join(folder, "secret");
  if (!existsSync(file)) {
    if (existsSync(join(folder, sqliteFile))) throw new ConfigError([describeMissingSecret(file)]);
    createFolder(folder);
    writeFileSync(file, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flag: "wx" });
    chmodSync(file, 0o600);
  }
  return Buffer.from(readFileSync(file, "utf8").trim(), "base64");
}

export function describeMissingSecret(file: string): string {
  return `The secret of this instance is missing: ${file} is not there, and SEALPOST_SECRET is not set`;
}

/**
 * The id of this instance, made once per database. Throws a ConfigError when the database was made with another secret:
 * starting all the same would lose every webhook secret that it holds.
 */
export async function loadInstanceId(database: Database, secretBox: SecretBox): Promise<string> {
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
  if ((await keep("key_check", secretBox.keyCheck)) !== secretBox.keyCheck) {
    throw new ConfigError([
      "SEALPOST_SECRET (or the file `secret` in the data folder) is not the one that this database was made with",
    ]);
  }
  return keep("id", `sealpost:${randomBytes(16).toString("hex")}`);
}
