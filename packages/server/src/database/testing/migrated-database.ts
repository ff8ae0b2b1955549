import { copySqliteTemplate } from "../../testing/sqlite-template.ts";
import { closeAtEnd, createTemporaryFolder, type TestScope } from "../../testing/temporary-folder.ts";
import { openTestDatabase, testDatabaseKind } from "../../testing/test-database.ts";
import type { Database } from "../database.ts";

/** A database with all tables and no rows; closed when the test ends. */
export async function openMigratedDatabase(t: TestScope): Promise<Database> {
  const folder = createTemporaryFolder(t);
  if (testDatabaseKind === "sqlite") await copySqliteTemplate(folder);
  const database = await openTestDatabase(t, folder);
  closeAtEnd(t, () => database.destroy());
  return database;
}
