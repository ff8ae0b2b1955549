import { rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** Whether a SQLite file is only the beginning of an instance, which no start has completed: it was killed, or had no room.
 * `undefined` where that can't be known: there is none, it is no database, or can't be opened. */
export function isUnusedDatabase(place: string): boolean | undefined {
  const file = statSync(place, { throwIfNoEntry: false });
  if (file === undefined) return undefined;
  if (file.size === 0) return !["-wal", "-journal"].some((end) => hasBytes(`${place}${end}`));
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(place, { readOnly: true });
    const names = database.prepare("select name from sqlite_schema where type = 'table'").all();
    const known = new Set(names.map(({ name }) => name));
    // The first start gives it its id; before, nothing else is written.
    if (known.has("instance")) return database.prepare("select 1 from instance limit 1").get() === undefined;
    return [...known].every((name) => name === "kysely_migration" || name === "kysely_migration_lock");
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}

function hasBytes(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

export function removeDatabase(place: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(`${place}${end}`, { force: true });
}
