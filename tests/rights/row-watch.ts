import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../../packages/server/src/database/database.ts";
import { kindOf } from "../../packages/server/src/database/kind.ts";
import type { TableName } from "../../packages/server/src/database/table-record.ts";
import { tableNames } from "../../packages/server/src/database/table-records.ts";
import { purge } from "../../packages/server/src/retention/testing/purge.ts";
import { createRemoveEnded } from "../../packages/server/src/startup/ended-rows.ts";
import { watchWrites } from "../../packages/server/src/testing/count-writes.ts";

export interface RowWatch {
  /** Does what the purge has to do, which would otherwise be done during the next request, and looks at the rows after it. */
  settle(): Promise<void>;
  /**
   * The tables whose rows are others than at the last call, each with the first row that came or went. A lock that is taken by writing what
   * is there, and what was rolled back, leave none; folding the counts of bytes changes no sum. When a key was used last is not looked at.
   */
  listChanged(): Promise<ReadonlyMap<TableName, string>>;
}

const nothing: ReadonlySet<string> = new Set();
type Rows = ReadonlyMap<TableName, ReadonlySet<string>>;

/** Looks at the rows of every table; but at none as long as nothing was written at all. */
export async function watchRows(database: Database): Promise<RowWatch> {
  const present = new Set((await database.introspection.getTables()).map(({ name }) => name));
  const tables = tableNames.filter((name) => present.has(name));
  const countWrites = await watchWrites(database);

  /** Reads all of one moment: what is done in the background is in all of it or in none. */
  function look(): Promise<Rows> {
    const begun = database.transaction();
    const isolated = kindOf(database) === "sqlite" ? begun : begun.setIsolationLevel("repeatable read");
    return isolated.execute(async (transaction) => {
      const rows = new Map<TableName, ReadonlySet<string>>();
      for (const table of tables) rows.set(table, await print(transaction, table));
      return rows;
    });
  }

  let [writes, known] = [await countWrites(), await look()];
  const watch: RowWatch = {
    async settle() {
      if ((await countWrites()) === writes) return;
      await purge({ database });
      const removeEnded = createRemoveEnded(database);
      while (await removeEnded(Date.now()));
      await watch.listChanged();
    },
    async listChanged() {
      const now = await countWrites();
      if (now === writes) return new Map();
      const next = await look();
      const changed = new Map<TableName, string>();
      for (const table of tables) {
        const [before = nothing, after = nothing] = [known.get(table), next.get(table)];
        const row = [...after].find((one) => !before.has(one)) ?? [...before].find((one) => !after.has(one));
        if (row !== undefined) changed.set(table, row.slice(0, 300));
      }
      [writes, known] = [now, next];
      return changed;
    },
  };
  return watch;
}

/** Columns that say when something was used last, which is bounded by how many there are. */
const lastUses: Partial<Record<TableName, string>> = { api_key: "last_used_at" };

async function print(transaction: DatabaseTransaction, table: TableName): Promise<ReadonlySet<string>> {
  const { rows } =
    table === "counted_bytes"
      ? await sql<object>`
          select owner_id, sum(bytes) from counted_bytes group by owner_id having sum(bytes) <> 0`.execute(transaction)
      : await sql<object>`select * from ${sql.table(table)}`.execute(transaction);
  const unused = lastUses[table];
  return new Set(rows.map((row) => JSON.stringify(unused === undefined ? row : { ...row, [unused]: null })));
}
