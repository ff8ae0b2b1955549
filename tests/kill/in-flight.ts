import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * The deliveries that a killed service held claims on: exactly those whose requests may have been under way. Read from a
 * copy, so that the service itself is the first to open what was left behind.
 */
export function findInFlight(dataFolder: string): string[] {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-copy-"));
  try {
    for (const name of ["sealpost.sqlite", "sealpost.sqlite-wal"])
      if (existsSync(join(dataFolder, name))) copyFileSync(join(dataFolder, name), join(folder, name));
    const database = new DatabaseSync(join(folder, "sealpost.sqlite"));
    try {
      const rows = database.prepare("select delivery_id from delivery_queue where claim_token is not null").all();
      return rows.map((row) => String(row.delivery_id));
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
