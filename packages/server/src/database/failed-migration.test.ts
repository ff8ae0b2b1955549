import assert from "node:assert/strict";
import { test } from "node:test";
import { plainVersion } from "@sealpost/wire";
import { type Kysely, sql } from "kysely";
import { onPostgres } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { migrate, migrations } from "./migrate.ts";

test(
  "a migration that locks tables in another order than somebody who uses them meanwhile is tried again",
  onPostgres,
  async (t) => {
    const { database } = await createTestService(t);
    const user = await database.startTransaction().execute();
    await user.selectFrom("event").select("id").execute();
    let attempts = 0;
    const crossing = {
      up: async (migrating: Kysely<unknown>) => {
        attempts += 1;
        await migrating.schema.alterTable("webhook").addColumn("more", "text").execute();
        const altering = migrating.schema.alterTable("event").addColumn("more", "text").execute();
        // It waits for `user`, who from now on waits for it.
        if (attempts === 1) reading = user.selectFrom("webhook").select("form_id").execute();
        await altering;
      },
    };
    let reading: Promise<unknown> | undefined;
    await sql`set deadlock_timeout = '1min'`.execute(user);
    const migrated = migrate(database, { ...migrations, "9999-crossing": crossing });
    while (reading === undefined) await sql`select pg_sleep(0.01)`.execute(database);
    await reading;
    await user.commit().execute();
    await migrated;
    assert.equal(attempts, 2);
  },
);

test("a migration that fails half-way changes nothing, and the version before keeps working", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { body } = await account.request("POST", "/api/forms", { name: "Before", settings: { encryption: false } });
  const post = (index: number) =>
    service.request("POST", `/api/forms/${body.form.id}/submissions`, {
      body: { payload: { encrypted: false, version: plainVersion, fields: { index } } },
    });
  assert.equal((await post(1)).status, 201);

  const next = {
    ...migrations,
    "9998-complete": {
      up: async (database: Kysely<unknown>) => {
        await database.schema.createTable("made_before_the_failure").addColumn("id", "text").execute();
      },
    },
    "9999-half": {
      up: async (database: Kysely<unknown>) => {
        await database.schema.alterTable("submission").renameTo("submission_old").execute();
        await sql`delete from form_count`.execute(database);
        throw new Error("no such luck");
      },
    },
  };
  await assert.rejects(() => migrate(service.database, next), /no such luck/);

  assert.equal((await post(2)).status, 201);
  const { body: list } = await account.request("GET", `/api/forms/${body.form.id}/submissions`);
  assert.equal(list.total, 2);
  assert.deepEqual(
    list.submissions.map(({ payload }: { payload: { fields: object } }) => payload.fields),
    [{ index: 2 }, { index: 1 }],
  );
  await assert.rejects(() => sql`select * from made_before_the_failure`.execute(service.database));
  // And the same version starts again on it.
  await migrate(service.database);
});
