import type { Database } from "../../database/database.ts";
import { createFoldCountedBytes } from "../counted-bytes-store.ts";

/** As in the background, until nothing is left to fold. */
export async function foldAll(database: Database): Promise<void> {
  const fold = createFoldCountedBytes(database);
  while (await fold());
}
