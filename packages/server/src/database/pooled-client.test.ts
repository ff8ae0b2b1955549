import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { closeAtEnd } from "../testing/temporary-folder.ts";
import { createDirectUrl, onPostgres } from "../testing/test-database.ts";
import { type Database, openOnHosts } from "./database.ts";
import { isDatabaseUnavailable } from "./errors.ts";
import { createHosts } from "./hosts.ts";
import { createInsert } from "./insert-rows.ts";

const insert = createInsert({ table: "instance", columns: { key: "text", value: "text" } });

test(
  "a pooler that loses prepared statements costs one attempt: then they have no names, and the log says so once",
  onPostgres,
  async (t) => {
    const hosts = createHosts(await createDirectUrl(t));
    const database = openOnHosts(hosts);
    closeAtEnd(t, () => database.destroy());
    const warnings: string[] = [];
    hosts.logTo({ warn: (message) => warnings.push(message), error: assert.fail });
    const write = (key: string) =>
      database.transaction().execute((transaction) => transaction.executeQuery(insert(transaction, [[key, "value"]])));
    await write("a");
    // As seen from here, a pooler now gives another connection to the server.
    await sql`deallocate all`.execute(database);
    await assert.rejects(write("b"), isDatabaseUnavailable);
    await write("b");
    await sql`deallocate all`.execute(database);
    await write("c");
    const { rows } = await sql<{ count: number }>`select count(*) as count from pg_prepared_statements`.execute(
      database,
    );
    assert.deepEqual([rows, warnings.length], [[{ count: 0 }], 1]);
  },
);

test("a connection whose server accepts no writes is not used again", onPostgres, async (t) => {
  const database = openOnHosts(createHosts(await createDirectUrl(t)));
  closeAtEnd(t, () => database.destroy());
  const write = () => database.insertInto("instance").values({ key: "a", value: "value" }).execute();
  await sql`set default_transaction_read_only = on`.execute(database);
  await assert.rejects(write(), isDatabaseUnavailable);
  await write();
});

test(
  "every transaction that stands still is ended by the server, also where a pooler passes no setting of a connection on",
  onPostgres,
  async (t) => {
    const url = await createDirectUrl(t);
    // As a pooler that ignores the setting at the start of a connection leaves it.
    for (const given of [url, `${url}?idle_in_transaction_session_timeout=0`]) {
      const database = openOnHosts(createHosts(given));
      closeAtEnd(t, () => database.destroy());
      const readLimit = async (on: Pick<typeof database, "getExecutor">) => {
        const { rows } = await sql<{ limit: string }>`
          select current_setting('idle_in_transaction_session_timeout') as limit`.execute(on as typeof database);
        return rows[0]?.limit;
      };
      for (let count = 0; count < 2; count++)
        assert.equal(await database.transaction().execute(readLimit), "15s", given);
      assert.equal(
        await database.transaction().setIsolationLevel("repeatable read").execute(readLimit),
        "15s",
        "of another isolation",
      );
      const unit = await database.startTransaction().execute();
      assert.equal(await readLimit(unit), "15s", "of one that is ended elsewhere");
      await unit.rollback().execute();
    }
  },
);

test(
  "every transaction commits to the disk, also where that is switched off for the database",
  onPostgres,
  async (t) => {
    const url = await createDirectUrl(t);
    const readSetting = async (on: Pick<Database, "getExecutor">) => {
      const { rows } = await sql<{ commit: string }>`
      select current_setting('synchronous_commit') as commit`.execute(on as Database); // it needs no more of one
      return rows[0]?.commit;
    };
    for (const [value, expected] of [
      ["off", "on"],
      // A choice about standbys stays.
      ["local", "local"],
      ["remote_apply", "remote_apply"],
    ] as const) {
      const database = openOnHosts(createHosts(`${url}?options=-c%20synchronous_commit%3D${value}`));
      closeAtEnd(t, () => database.destroy());
      assert.equal(await readSetting(database), value, "a control: the setting of the connection");
      for (let count = 0; count < 2; count++)
        assert.equal(await database.transaction().execute(readSetting), expected, value);
      const unit = await database.startTransaction().execute();
      assert.equal(await readSetting(unit), expected, "of one that is ended elsewhere");
      await unit.rollback().execute();
    }
  },
);
