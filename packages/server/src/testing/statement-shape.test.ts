import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { readRows } from "../copy/copy-store.ts";
import { findUnscoped } from "./statement-shape.ts";
import { closeAtEnd, createTemporaryFolder } from "./temporary-folder.ts";
import { onEither, onPostgres, openTestDatabase } from "./test-database.ts";

const scoped = [
  `select * from "form" where "id" = $1`,
  `select "id" from "event" where "form_id" = $1 and "id" in ($2, $3)`,
  `update "delivery_queue" set "due_at" = $1 where "form_id" = $2`,
  `insert into submission (form_id, id) select * from unnest($1::text[], $2::text[]) on conflict (form_id, id) do nothing`,
  `insert into "submission_bin" ("form_id", "id") select "form_id", "id" from "submission" where "form_id" = $1`,
  `delete from attempt using unnest($1::text[]) as line(form_id) where attempt.form_id = line.form_id`,
  `select 1 from delivery d join event e on e.form_id = d.form_id and e.id = d.event_id`,
  `select "form"."id" from "form" inner join "form_count" on "form_count"."form_id" = "form"."id"`,
  `select 1 from form f where exists (select 1 from submission where submission.form_id = f.id)`,
  `create index more on event (id)`,
];
const unscoped = [
  `select "id" from "event" where "id" = $1`,
  `select "id" from "event" where "note" = 'form_id = 1'`,
  `update event set wipe = 0 from unnest($1::text[]) as line(id) where event.id = line.id`,
  `insert into attempt (delivery_id) values ($1)`,
  `insert into "submission_bin" ("form_id", "id") select "form_id", "id" from "submission" where "sequence" = $1`,
  `select 1 from delivery d join event e on e.id = d.event_id where d.form_id = $1`,
  `select 1 from form where form.id = $1 and exists (select 1 from submission where id = $2)`,
  `delete from "delivery" where "id" in (select "event_id" from "delivery" where "form_id" = $1)`,
];

test("a statement that does not say of which form its rows are is found, however deep", onEither, () => {
  for (const statement of scoped) assert.equal(findUnscoped(statement), undefined, statement);
  for (const statement of unscoped)
    assert.match(findUnscoped(statement) ?? "", /does not say of which form/, statement);
});

test("on PostgreSQL such a statement of the service fails, and one of a test does not", onPostgres, async (t) => {
  const database = await openTestDatabase(t, createTemporaryFolder(t));
  closeAtEnd(t, () => database.destroy());
  await sql`select id from event`.execute(database);
  // It reads SQLite, and nobody calls it for anything else.
  await assert.rejects(
    readRows(database, "event", 0),
    /^Error: A statement of copy\/copy-store.ts does not say of which form/,
  );
});
