import assert from "node:assert/strict";
import { StatementSync } from "node:sqlite";
import { test } from "node:test";
import { sql } from "kysely";
import { Client } from "pg";
import { isWhole } from "../../../../tests/support/sample.ts";
import { parseConfig } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { createForm, postPlain } from "../forms/testing/test-form.ts";
import { backupKey } from "../instance/instance.ts";
import { noneCalledOff } from "../retention/held-back.ts";
import { beginHeldBack, holdBack } from "../retention/held-back-store.ts";
import { listTables } from "../testing/list-tables.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestDatabase, isCluster, testDatabaseKind } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { checkDatabase } from "./check-database.ts";
import { look } from "./look.ts";

/** Values that no program of ours writes there; a column that does not take one is left out. */
const damages: readonly (string | number | null)[] = [
  ...["", "{", "null", "{}", "99999999999999999999"],
  ...[0, 9_007_199_254_740_991, -9_007_199_254_740_991, null],
];

/** A row by its values, on either database. */
type Row = Readonly<Record<string, unknown>>;

test("the doctor looks at everything else where a row is damaged: each table that it reads, each column, each damage", {
  skip: isCluster && "rows are changed by hand",
}, async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  const { database } = service;
  const now = Date.now();
  await fill();
  const config = parseConfig({
    ...(await createTestDatabase(t, folder)),
    ...{ SEALPOST_DATA: folder, SEALPOST_PORT: "0", SEALPOST_QUOTAS: "on", SEALPOST_SMTP_URL: "smtp://127.0.0.1:9" },
    ...{ SEALPOST_MAIL_FROM: "a@example.com" },
  });
  const texts = watchTexts();
  const healthy = await checkDatabase(config, now);
  const checks = new Set(healthy.map(({ check }) => check));
  for (const check of ["clock", "restore", "deliveries", "mail", "keys", "holds", "quotas", "backup"] as const)
    assert.ok(checks.has(check), `${check}: ${JSON.stringify(healthy)}`);
  const read = [...texts].join("\n").replaceAll('"', "");
  const tables = (await listTables(database)).filter((table) => new RegExp(`\\b${table}\\b`).test(read));
  assert.ok(tables.length > 8, tables.join());

  const errors: string[] = [];
  let tried = 0;
  let turn = 0;
  for (const table of tables) {
    const { rows } = await sql<Row>`select * from ${sql.table(table)} limit ${table === "instance" ? 12 : 2}`.execute(
      database,
    );
    // In turn, so that `npm test` has each column and each damage.
    for (const row of rows)
      for (const column of Object.keys(row).filter((name) => new RegExp(`\\b${name}\\b`).test(read)))
        for (const damage of isWhole ? damages : damages.filter((_, index) => index % 4 === turn % 4)) {
          turn += 1;
          if (row[column] === damage || !(await write(database, table, row, column, damage))) continue;
          tried += 1;
          const title = `${table}.${column} = ${JSON.stringify(damage)} in ${JSON.stringify(row).slice(0, 80)}`;
          try {
            const findings = await checkDatabase(config, now);
            const left = new Set(findings.map(({ check }) => check));
            const missing = [...checks].filter((check) => check !== "restore" && !left.has(check));
            if (missing.length > 0) errors.push(`${title}: ${missing} of ${JSON.stringify(findings)}`);
            await look(config, database, now);
          } catch (error) {
            errors.push(`${title}: throws ${error}`);
          }
          if (!(await write(database, table, { ...row, [column]: damage }, column, row[column])))
            await putBack(database, table, row);
        }
  }
  assert.deepEqual(errors, []);
  assert.ok(tried > (isWhole ? 150 : 40), `${tried}`);

  async function fill(): Promise<void> {
    const account = await service.signUp();
    const formId = await createForm(account, { encryption: false });
    await postPlain(service, formId);
    await postPlain(service, await createForm(account, { encryption: false }));
    assert.equal((await account.request("PUT", `/api/forms/${formId}/hold`, { until: now + 1e9 })).status, 200);
    await holdBack(database, { since: now, days: 7, calledOff: noneCalledOff });
    await beginHeldBack(database, now, async () => {});
    await database
      .insertInto("instance")
      .values({ key: backupKey, value: String(now) })
      .execute();
    await database
      .insertInto("mail")
      .values({
        ...{ id: "mail_1", kind: "submissions", account_id: account.id, details: "{}", attempts: 0 },
        ...{ created_at: now, due_at: now + 1e9, expires_at: now + 2e9 },
      })
      .execute();
    const queued = { delivery_id: "dlv_1", form_id: formId, destination: "acc host:443", attempt: 1, claims: 0 };
    await database
      .insertInto("delivery_queue")
      .values({ ...queued, due_at: now + 1e9 })
      .execute();
  }
});

test("a hold that can't be read is named, and so are those that can", async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  const account = await service.signUp();
  const [first, second] = [await createForm(account), await createForm(account)];
  for (const formId of [first, second])
    assert.equal((await account.request("PUT", `/api/forms/${formId}/hold`, {})).status, 200);
  await service.database.updateTable("form_count").set({ hold: "{" }).where("form_id", "=", first).execute();
  const config = parseConfig({
    ...(await createTestDatabase(t, folder)),
    ...{ SEALPOST_DATA: folder, SEALPOST_PORT: "0" },
  });
  const holds = (await checkDatabase(config, Date.now())).filter(({ check }) => check === "holds");
  assert.deepEqual(
    holds.map(({ level }) => level),
    ["problem", "ok"],
  );
  assert.ok(holds[0]?.message.includes(first) && !holds[0].message.includes(second));
  assert.ok(holds[1]?.message.includes(second) && !holds[1].message.includes(first));
});

/** Collects the statements of this process. */
function watchTexts(): ReadonlySet<string> {
  const texts = new Set<string>();
  const { all } = StatementSync.prototype;
  StatementSync.prototype.all = function (this: StatementSync, ...asked: Parameters<typeof all>) {
    texts.add(this.sourceSQL);
    return Reflect.apply(all, this, asked);
  } as typeof all; // with its parameters and result
  const { query } = Client.prototype;
  Client.prototype.query = function (this: Client, ...asked: unknown[]) {
    const [first] = asked;
    const text = typeof first === "string" ? first : (first as { readonly text?: unknown } | undefined)?.text; // one of pg's forms
    if (typeof text === "string") texts.add(text);
    return Reflect.apply(query, this, asked);
  } as typeof query; // whatever overload is called
  return texts;
}

/** Where the service itself has found the damaged row, and changed or removed it. */
async function putBack(database: Database, table: string, row: Row): Promise<void> {
  const [[key, id] = ["", ""]] = Object.entries(row);
  await sql`delete from ${sql.table(table)} where ${sql.ref(key)} = ${id}`.execute(database);
  const [columns, values] = [Object.keys(row).map((column) => sql.ref(column)), Object.values(row)];
  await sql`insert into ${sql.table(table)} (${sql.join(columns)}) values (${sql.join(values)})`.execute(database);
}

/** Sets a column of the row that has these values. False: the database does not take the value there. */
async function write(database: Database, table: string, row: Row, column: string, value: unknown): Promise<boolean> {
  const same = testDatabaseKind === "sqlite" ? sql`is` : sql`is not distinct from`;
  const values = Object.entries(row).filter(([, known]) => typeof known !== "object" || known === null);
  const conditions = values.map(([name, known]) => sql`${sql.ref(name)} ${same} ${known}`);
  try {
    const { numAffectedRows } = await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${value}
      where ${sql.join(conditions, sql` and `)}`.execute(database);
    return numAffectedRows === 1n;
  } catch {
    return false;
  }
}
