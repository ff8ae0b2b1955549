import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { type ColumnMetadata, sql } from "kysely";
import type { Database } from "../database/database.ts";
import type { TableName } from "../database/table-record.ts";
import { recordOf, tableRecords } from "../database/table-records.ts";
import { testDatabaseKind } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { exportAccount } from "./account-export.ts";

/** Texts that are parsed: one, and another. All others may be any text. */
const parsed: Readonly<Record<string, readonly [string, string]>> = {
  form_ids: ['["form_one"]', '["form_other"]'],
  permissions: ['["forms:read"]', '["forms:write"]'],
  transports: ['["usb"]', '["nfc"]'],
  details: ['{"one":1}', '{"other":1}'],
  failed_to: ['["one@example.com"]', '["other@example.com"]'],
};
/** The person's own row, in tables where an id of ours is another's too. */
const whose = /^(person_id|account_id|organization_id|member_id|made_by|invited_by|added_by)$/;
/** Tables with the rows of every account: changed, never made here. */
const made = ["person", "organization", "credential"];

function createValue(table: string, { name, dataType }: ColumnMetadata, which: 0 | 1): unknown {
  const texts = parsed[name] ?? [`${table}.${name}`, `another ${table}.${name}`];
  if (/bool/i.test(dataType)) return testDatabaseKind === "sqlite" ? which : which === 1;
  if (/date|timestamp/i.test(dataType)) return `203${which}-01-01T00:00:00.000Z`;
  if (/bigint|int8/i.test(dataType)) return 4_000_000_000_000 + which;
  return /int/i.test(dataType) ? 7 + which : texts[which];
}

async function readExport(database: Database, id: AccountId, name: string): Promise<unknown> {
  let text = "";
  for await (const piece of exportAccount(database, id, 0)) text += piece;
  return JSON.parse(text)[name];
}

async function listExported(database: Database) {
  return (await database.introspection.getTables()).flatMap(({ name, columns }) => {
    if (!(name in tableRecords)) return [];
    const { exported } = recordOf(name as TableName); // one of their names
    return "as" in exported ? [{ name, columns, ...exported }] : [];
  });
}

async function setVerified(database: Database, id: AccountId, isVerified: boolean): Promise<void> {
  const email_verified = testDatabaseKind === "sqlite" ? Number(isVerified) : isVerified;
  await database
    .updateTable("person")
    .set({ email_verified: email_verified as boolean }) // SQLite has numbers
    .where("id", "=", id)
    .execute();
}

test("an export shows each column of the tables that it says it shows, but those with a reason", async (t) => {
  const { database, signUp } = await createTestService(t);
  const email = "person@example.com";
  const id = (await signUp(email)).id as AccountId; // the service made it
  await setVerified(database, id, true);
  const tables = await listExported(database);
  const links: Readonly<Record<string, string>> = {
    "email_opt_out.id": id,
    "mail_wanted.id": id,
    "invitation.email": email,
    "instance_invitation.email": email,
    "former_key_copy.signing_key": "former_key.signing_key",
    "mail_gathered.mail_id": "mail.id",
  };
  for (const { name, columns } of tables.toSorted((one, other) => one.name.length - other.name.length)) {
    if (made.includes(name)) continue;
    const table = name as "form"; // whichever it is
    const values = columns.map((column) => [
      column.name,
      links[`${name}.${column.name}`] ?? (whose.test(column.name) ? id : createValue(name, column, 0)),
    ]);
    await database.deleteFrom(table).execute();
    await database.insertInto(table).values(Object.fromEntries(values)).execute();
  }

  const rollback = new Error("rolled back");
  const missing: string[] = [];
  let shown = 0;
  for (const { name, columns, as, without = {} } of tables) {
    const before = await readExport(database, id, as);
    for (const column of Object.keys(without))
      assert.ok(
        columns.some((known) => known.name === column),
        `there is no column ${name}.${column}`,
      );
    for (const column of columns) {
      const isLink =
        whose.test(column.name) || `${name}.${column.name}` in links || (made.includes(name) && column.name === "id");
      if (isLink || column.name in without) continue;
      shown += 1;
      let after: unknown;
      const changing = database.transaction().execute(async (transaction) => {
        const isSwitch = /bool/i.test(column.dataType);
        const other = isSwitch ? sql`not coalesce(${sql.ref(column.name)}, false)` : createValue(name, column, 1);
        await transaction
          .updateTable(name as "form")
          .set({ [column.name]: other })
          .execute();
        after = await readExport(transaction, id, as);
        throw rollback;
      });
      await assert.rejects(changing, rollback, `${name}.${column.name}`);
      if (JSON.stringify(before) === JSON.stringify(after)) missing.push(`${name}.${column.name}`);
    }
  }
  assert.deepEqual(missing, [], "add it to the export, or say in its record why it is left out");
  assert.ok(shown > 90, `a control: ${shown} columns are shown`);
});

test("what is kept for an address is in no export before its person has shown that they read it", async (t) => {
  const { database, signUp } = await createTestService(t);
  const email = "person@example.com";
  const id = (await signUp(email)).id as AccountId; // the service made it
  const other = (await signUp("other@example.com")).id;
  const tables = (await listExported(database)).filter(
    ({ name, columns }) => name !== "person" && columns.some((column) => column.name === "email"),
  );
  for (const { name, columns, as } of tables) {
    const values = columns.map((column) => {
      if (column.name === "email") return [column.name, email];
      if (column.isNullable) return [column.name, null];
      return [column.name, whose.test(column.name) ? other : createValue(name, column, 0)];
    });
    const table = name as "form"; // whichever it is
    await database.insertInto(table).values(Object.fromEntries(values)).execute();
    await setVerified(database, id, false);
    assert.deepEqual(await readExport(database, id, as), [], name);
    await setVerified(database, id, true);
    assert.equal(((await readExport(database, id, as)) as readonly unknown[]).length, 1, name); // a list
    await database.deleteFrom(table).execute();
  }
  assert.deepEqual(tables.map(({ name }) => name).toSorted(), ["admission", "instance_invitation", "invitation"]);
});
