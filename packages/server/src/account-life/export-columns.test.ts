import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { type ColumnMetadata, sql } from "kysely";
import { auditActions, personalActions } from "../audit-log/audit-entry.ts";
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
  role: ["owner", "reader"],
  details: ['{"one":1}', '{"other":1}'],
  // The person's own: nobody else's address is shown.
  failed_to: ['["person@example.com"]', "[]"],
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

async function readExport(database: Database, id: AccountId): Promise<Readonly<Record<string, unknown>>> {
  let text = "";
  for await (const piece of exportAccount(database, id, 0)) text += piece;
  return JSON.parse(text);
}

/** The tables that an export shows, with their columns and records. */
async function listExported(database: Database) {
  return (await database.introspection.getTables()).flatMap(({ name, columns }) => {
    if (!(name in tableRecords)) return [];
    const record = recordOf(name as TableName); // one of their names
    return "as" in record.exported ? [{ name, columns, record, ...record.exported }] : [];
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
    "storage_email_switch.organization_id": id,
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
      links[`${name}.${column.name}`] ??
        (whose.test(column.name) ? id : column.name === "is_personal" ? 1 : createValue(name, column, 0)),
    ]);
    // A membership that waits for its proof is not shown.
    if (name === "member") values.push(["unproven_address", null]);
    await database.deleteFrom(table).execute();
    await database.insertInto(table).values(Object.fromEntries(values)).execute();
  }

  const rollback = new Error("rolled back");
  const missing: string[] = [];
  let shown = 0;
  for (const { name, columns, as, without = {} } of tables) {
    const before = (await readExport(database, id))[as];
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
        after = (await readExport(transaction, id))[as];
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
    assert.deepEqual((await readExport(database, id))[as], [], name);
    await setVerified(database, id, true);
    assert.equal(((await readExport(database, id))[as] as readonly unknown[]).length, 1, name); // a list
    await database.deleteFrom(table).execute();
  }
  assert.deepEqual(tables.map(({ name }) => name).toSorted(), ["admission", "instance_invitation", "invitation"]);
});

test("a founder who was lowered to a reader of no form exports nothing of the rows that belong to the organization", async (t) => {
  const { database, signUp } = await createTestService(t);
  const id = (await signUp("person@example.com")).id as AccountId; // the service made it
  const other = (await signUp("owner@example.com")).id;
  const second = { role: "owner", form_ids: "[]", since: 0, added_by: id };
  await database
    .insertInto("member")
    .values({ organization_id: id, person_id: other, ...second })
    .execute();
  await database
    .updateTable("member")
    .set({ role: "reader" })
    .where("organization_id", "=", id)
    .where("person_id", "=", id)
    .execute();
  const actions = Object.keys(auditActions).filter((action) => !personalActions.some((one) => one === action));
  const shown: string[] = [];
  let rows = 0;
  const tables = (await listExported(database)).toSorted((one, another) => one.name.length - another.name.length);
  for (const { name, columns, record } of tables) {
    const table = name as "form"; // whichever it is
    const leads = record.belongsTo.filter(({ to }) => to === "organization" || to === "mail");
    if (name === "member" || leads.length === 0) continue;
    await database.deleteFrom(table).execute();
    const before = await readExport(database, id);
    // Persons of a row: somebody else, or nobody where the row may name none.
    for (const [index, { person, action }] of [other, null]
      .flatMap((one) => (name === "audit_entry" ? actions : [undefined]).map((two) => ({ person: one, action: two })))
      .entries()) {
      const fixed: Readonly<Record<string, unknown>> = {
        ...{
          id: `${name}-${index}`,
          mail_id: "mail-0",
          is_personal: 0,
          actor: "nobody",
          number: index,
          sequence: index,
        },
        ...(action && { action }),
      };
      const values = columns.map((column) => {
        const lead = leads.find(({ by }) => by === column.name);
        if (lead?.to === "organization") return [column.name, id];
        if (whose.test(column.name)) return [column.name, column.isNullable ? person : other];
        return [column.name, fixed[column.name] ?? createValue(name, column, 0)];
      });
      await database
        .insertInto(table)
        .values(Object.fromEntries(values))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      rows += 1;
    }
    const after = await readExport(database, id);
    if (JSON.stringify(before) !== JSON.stringify(after)) shown.push(name);
  }
  const before = await readExport(database, id);
  await database.updateTable("organization").set({ plan: "pro", second_factor_from: 1, ends_at: 1 }).execute();
  if (JSON.stringify(before) !== JSON.stringify(await readExport(database, id))) shown.push("organization");
  assert.deepEqual(shown, []);
  assert.ok(rows > actions.length, `a control: ${rows} rows`);
});
