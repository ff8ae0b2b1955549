import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import type { TableName } from "../database/table-record.ts";
import { recordOf, tableNames } from "../database/table-records.ts";
import { createWorld, fillTables } from "../database/testing/fill-tables.ts";
import { openMigratedDatabase } from "../database/testing/migrated-database.ts";
import { type Row, type Rows, readRows } from "../database/testing/table-rows.ts";
import { settings } from "../forms/form-settings.ts";
import { createForm, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { createTestService } from "../testing/test-service.ts";
import { type Fate, handedOverColumns, handedOverSettings } from "./testing/handed-over.ts";

const words = (text: string | undefined) => text?.split(" ") ?? [];

/** The tables with rows of a form, or that name forms. */
async function listTables(database: Database): Promise<ReadonlyMap<TableName, readonly string[]>> {
  const present = await database.introspection.getTables();
  const found = tableNames.flatMap((table): readonly (readonly [TableName, readonly string[]])[] => {
    const columns = present.find(({ name }) => name === table)?.columns.map(({ name }) => name) ?? [];
    const leads = recordOf(table).belongsTo.some(({ to }) => ["form", "submission", "delivery"].includes(to));
    const isOfForm = table === "form" || leads || columns.some((name) => /^form_ids?$/.test(name));
    return isOfForm ? [[table, columns]] : [];
  });
  return new Map(found);
}

test("each column of a form, and each setting, says what becomes of it in another organization", async (t) => {
  const tables = await listTables(await openMigratedDatabase(t));
  const declared = Object.entries(handedOverColumns).map(([table, columns]) => [
    table,
    Object.values(columns).flatMap(words).toSorted(),
  ]);
  assert.deepEqual(
    Object.fromEntries(declared),
    Object.fromEntries([...tables].map(([table, columns]) => [table, columns.toSorted()])),
    "declare it in testing/handed-over.ts",
  );
  assert.deepEqual(Object.keys(handedOverSettings).toSorted(), Object.keys(settings).toSorted());
});

/** The values of a column, in their order. */
const write = (rows: readonly Row[] | undefined, column: string) =>
  (rows ?? []).map((row) => String(row[column])).toSorted();

function listChanged(before: Rows, after: Rows): readonly string[] {
  return Object.keys(handedOverColumns).flatMap((name) => {
    const table = name as TableName; // its keys are their names
    const columns = Object.keys(before.get(table)?.[0] ?? {});
    return columns
      .filter((column) => String(write(before.get(table), column)) !== String(write(after.get(table), column)))
      .map((column) => `${table}.${column}`);
  });
}

function listFates(...fates: readonly Fate[]): readonly string[] {
  return Object.entries(handedOverColumns).flatMap(([table, columns]) =>
    fates.flatMap((fate) => words(columns[fate]).map((column) => `${table}.${column}`)),
  );
}

test("handing a form over changes the columns that go or are asked about, and no other", async (t) => {
  const { database, signUp } = await createTestService(t, { deliveries: silentWebhooks });
  const owner = await signUp("owner@example.com");
  const created = await owner.request("POST", "/api/organizations", { name: "Another" });
  const organizationId: string = created.body.organization.id;
  const form = await createForm(owner, { encryption: false, webhookUrl }, "Contact");
  const other = await createForm(owner, {}, "Other");
  const world = { ...createWorld(), form, organization: owner.id as AccountId };
  await fillTables(database, world, createWorld());
  // A form with an envelope stays.
  await database.deleteFrom("envelope").execute();
  await database
    .updateTable("webhook")
    .set({ failing_since: 1, by_developer: 1, set_by: "acc_developer", secret_known_since: 1, earlier_secrets: "[]" })
    .set({ ends_after: "dlv_1", accepted_secret: "before" })
    .where("form_id", "=", form)
    .execute();
  await database.updateTable("form_notice").set({ failing_since: 1, unproved_version: 1 }).execute();
  await database.updateTable("form_refusal").set({ is_announced: 1, announce_from: 1 }).execute();
  for (const table of ["member", "invitation", "api_key"] as const)
    await sql`update ${sql.table(table)} set form_ids = ${JSON.stringify([form, other])} where form_ids = '[]'`.execute(
      database,
    );
  const before = await readRows(database);
  const asked = { organizationId, webhook: { url: webhookUrl, secret: "new" } };
  const { status, body } = await owner.request("POST", `/api/forms/${form}/hand-over`, asked);
  assert.equal(status, 200, JSON.stringify(body));
  const changed = listChanged(before, await readRows(database));
  // The address was kept.
  const expected = listFates("goes", "asked").filter((name) => name !== "webhook.url");
  assert.deepEqual(changed.toSorted(), expected.toSorted());
});
