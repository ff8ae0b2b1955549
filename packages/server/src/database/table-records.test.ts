import assert from "node:assert/strict";
import { test } from "node:test";
import type { ColumnMetadata } from "kysely";
import { planDistribute } from "../distribution/distribute.ts";
import { listTables } from "../testing/list-tables.ts";
import { onEither, testDatabaseKind } from "../testing/test-database.ts";
import type { Database } from "./database.ts";
import { formTables } from "./distributed-tables.ts";
import type { TableName } from "./table-record.ts";
import { copiedTables, recordOf, tableNames } from "./table-records.ts";
import { listForeignKeys } from "./testing/foreign-keys.ts";
import { openMigratedDatabase } from "./testing/migrated-database.ts";

/** Tables that PostgreSQL alone has. */
const ofPostgres: readonly TableName[] = ["rate_limit"];
const present = tableNames.filter((table) => testDatabaseKind === "postgres" || !ofPostgres.includes(table));

async function readColumns(database: Database): Promise<(table: string) => readonly ColumnMetadata[]> {
  const known = new Map((await database.introspection.getTables()).map(({ name, columns }) => [name, columns]));
  return (table) => known.get(table) ?? assert.fail(table);
}

const namesOf = (columns: readonly ColumnMetadata[]) => columns.map(({ name }) => name);

test("each table of the database has a record, each record a table, and all columns that it names are there", async (t) => {
  const database = await openMigratedDatabase(t);
  assert.deepEqual((await listTables(database)).toSorted(), present.toSorted(), "declare it in table-records.ts");
  const columnsOf = await readColumns(database);
  for (const table of present) {
    const { belongsTo, bytes, exported } = recordOf(table);
    const named = [
      ...belongsTo.map(({ by }) => by),
      ...(bytes.kind === "rows" ? [bytes.owner, ...bytes.columns] : []),
      ...("as" in exported ? Object.keys(exported.without ?? {}) : []),
    ];
    const known = namesOf(columnsOf(table));
    assert.deepEqual(
      named.filter((column) => !known.includes(column)),
      [],
      table,
    );
  }
});

test("whatever is said about a table says something", () => {
  for (const table of tableNames) {
    const { belongsTo, ends, bytes, exported, copied, restored } = recordOf(table);
    const { without = {} } = "as" in exported ? exported : {};
    const said = [
      ends,
      ...belongsTo.map(({ costsOthers }) => costsOthers),
      bytes.kind === "not" ? bytes.bound : undefined,
      "not" in exported ? exported.not : undefined,
      "not" in copied ? copied.not : undefined,
      ...(typeof restored === "string" ? [] : Object.values(restored)),
      ...Object.values(without),
    ];
    for (const text of said) assert.ok(text === undefined || text.length >= 3, table);
  }
});

/** Columns with the id of a row to which theirs does not belong. */
const leadsNowhere: Readonly<Record<string, string>> = {
  "attempt.form_id": "its delivery's",
  "form_reservation.form_id": "the id of a form that is not there yet",
  "session.organization_id": "a session that acted for a deleted organization acts for none until it is switched",
  "audit_entry.person_id": "an entry outlives the person",
  "member_change.person_id": "a change outlives the person until no move of an address can take it back any more",
  "undone_move.person_id": "as above",
  "address_move.old_email": "its person's",
  "address_move.new_email": "its person's, once they confirm it",
  "admission.email": "an address that may have no account",
  "person.email": "the person's own",
};

test("a row goes with the one that its foreign key leads to, and every column with an id leads somewhere or has its reason", async (t) => {
  const database = await openMigratedDatabase(t);
  const columnsOf = await readColumns(database);
  const keys = await listForeignKeys(database);
  const leads = present.flatMap((table) => recordOf(table).belongsTo.map((lead) => ({ table, ...lead })));
  for (const { table, by, to, goes } of leads.filter((lead) => lead.goes === "cascade")) {
    const targets = keys.filter((key) => key.table === table && key.column === by && Boolean(key.goes));
    // Also by way of a table that goes with it itself.
    const isHeld = targets.some(
      ({ target }) =>
        target === to || leads.some((lead) => lead.table === target && lead.to === to && lead.goes === goes),
    );
    assert.ok(isHeld, `${table}.${by} has no foreign key that removes its row with the ${to}`);
  }
  for (const { table, column, target } of keys)
    assert.ok(
      leads.some((lead) => lead.table === table && lead.by === column && (lead.to === target || target === "member")),
      `${table}.${column} leads to ${target}, and the record does not say so`,
    );
  const left = present.flatMap((table) =>
    namesOf(columnsOf(table))
      .filter((column) => /^(form|submission|delivery|mail|person|organization|account)_id$|email$/.test(column))
      .filter((column) => !leads.some((lead) => lead.table === table && lead.by === column))
      .map((column) => `${table}.${column}`)
      .filter((column) => !(column in leadsNowhere)),
  );
  assert.deepEqual(left, []);
});

test("rows filed under the id of an account, or of anything, go with each that it can be of", async (t) => {
  const keys = await listForeignKeys(await openMigratedDatabase(t));
  const hasKey = (table: string, by: string) => keys.some((key) => key.table === table && key.column === by);
  for (const table of present) {
    const { belongsTo } = recordOf(table);
    for (const by of ["account_id", "id"]) {
      const found = belongsTo.flatMap((lead) => (lead.by === by ? [lead.to] : []));
      if (found.length === 0 || hasKey(table, by)) continue;
      // A person has no quota.
      const isOfPersons = table !== "quota_notice";
      const expected = [...(by === "id" ? ["form"] : []), "organization", ...(isOfPersons ? ["person"] : [])];
      assert.deepEqual(found.toSorted(), expected, `${table}.${by}`);
    }
  }
});

/** Columns whose name is that of a person's, an organization's or an address's, and that hold something else. */
const namesNobody: Readonly<Record<string, string>> = {
  "identity.admitted_by": "a word: how somebody was let in",
  "form_key.made_by": "`owner` or `service`",
  "personal_key.recipient": "the key itself",
  "former_key.recipient": "as above",
  "credential.provider_account_id": "the person's own id again",
};

test("a row that names somebody else goes with an owner only where its record says what that costs others", async (t) => {
  const columnsOf = await readColumns(await openMigratedDatabase(t));
  const isParty = (column: string) =>
    /(^|_)(person|organization|account|principal|actor|target)_id$|_by$|(^|_)email$|^recipient$/.test(column);
  let named = 0;
  for (const table of present) {
    const { belongsTo } = recordOf(table);
    const parties = namesOf(columnsOf(table)).filter((one) => isParty(one) && !(`${table}.${one}` in namesNobody));
    for (const { by, to, costsOthers } of belongsTo) {
      // The organization or person with the same id is no other.
      const others = parties.filter((column) => column !== by);
      const at = `${table}.${by}, which goes with the ${to}`;
      if (others.length === 0) assert.equal(costsOthers, undefined, `${at}: nobody else is named`);
      else assert.ok(costsOthers !== undefined, `${at}: what do those lose who are named in ${others.join()}?`);
      named += Number(others.length > 0);
    }
  }
  assert.ok(named > 15, `a control: ${named} leads`);
});

test("what a legal hold keeps goes with nobody's account", () => {
  for (const table of present) {
    const { belongsTo } = recordOf(table);
    const held = belongsTo.find((lead) => lead.to === "form" && lead.held === "kept");
    // A column with the id of either leads to a form or to a person, never to both.
    const persons = belongsTo.filter(({ to, by }) => held !== undefined && to === "person" && by !== held.by);
    assert.deepEqual(persons, [], `${table}: let the row outlive the person, without a foreign key`);
  }
});

test("rows that belong to nothing are persons, organizations, the instance's, counts of others, or notes that outlive a person", () => {
  const unowned = tableNames.filter((table) => recordOf(table).belongsTo.length === 0);
  const expected = [
    "person",
    "organization",
    "instance",
    "jwks",
    "embed_script",
    "counted_bytes",
    "rate_limit",
    "undone_move",
  ];
  assert.deepEqual(unowned.toSorted(), expected.toSorted());
});

test("a copy has every table but those that count, and writes a row after those that it refers to", async (t) => {
  const left = tableNames.filter((table) => !copiedTables.some((copied) => copied === table));
  assert.deepEqual(left, ["counted_bytes", "rate_limit"]);
  const database = await openMigratedDatabase(t);
  for (const { table, target } of await listForeignKeys(database)) {
    const [own, other] = [copiedTables.indexOf(table as "form"), copiedTables.indexOf(target as "form")];
    assert.ok(own >= 0 && other >= 0 && other <= own, `${table} comes before ${target}`);
  }
});

/** Columns that hold an id, a hash or a word of ours, whatever somebody sends. */
const short =
  /^id$|_id$|^hash$|_hash$|token$|^(?:way|kind|role|action|actor|plan|prefix|admitted_by|made_by|added_by|invited_by|answered_by)$/;

test("a table whose bytes are counted leaves out no column for texts", async (t) => {
  const columnsOf = await readColumns(await openMigratedDatabase(t));
  for (const table of present) {
    const { bytes } = recordOf(table);
    if (bytes.kind !== "rows") continue;
    const left = columnsOf(table)
      .filter(({ name, dataType }) => /text|blob|bytea/i.test(dataType) && !short.test(name) && name !== bytes.owner)
      .map(({ name }) => name)
      .filter((name) => !bytes.columns.includes(name));
    assert.deepEqual(left, [], table);
  }
});

test("a restore ends rows that end by themselves or are found by a secret, or has its reason", async (t) => {
  const columnsOf = await readColumns(await openMigratedDatabase(t));
  const isConcerned = (column: string) => /(^|_)(hash|token|expires_at|ends_at|ended_at)$/.test(column);
  const unanswered = present.filter(
    (table) => recordOf(table).restored === "unchanged" && namesOf(columnsOf(table)).some(isConcerned),
  );
  assert.deepEqual(unanswered, []);
});

test("a table with something that lets somebody in is named by a restore, or ended, or has its reason", async (t) => {
  const columnsOf = await readColumns(await openMigratedDatabase(t));
  const isCredential = (column: string) =>
    /^(password|secret|earlier_secrets|backup_codes|credential_id|subject|hash|token)$/.test(column);
  const unanswered = present.filter(
    (table) => recordOf(table).restored === "unchanged" && namesOf(columnsOf(table)).some(isCredential),
  );
  assert.deepEqual(unanswered, []);
});

test(
  "what grows with a form is spread by it, and `distribute` spreads each of these tables, in an order that a cluster takes",
  onEither,
  async (t) => {
    const columnsOf = await readColumns(await openMigratedDatabase(t));
    const client = {
      query: async (text: string) => ({
        rows: [/pg_dist_partition/.test(text) ? { exist: false } : { filled: false }],
      }),
    } as unknown as Parameters<typeof planDistribute>[0]; // the answers of a server without Citus, to the two questions
    const steps = await planDistribute(client, 32);
    const spread = (kind: string) => tableNames.filter((table) => recordOf(table).spread === kind);
    const made = (command: string) =>
      steps.filter(({ statements }) => statements.some((one) => one.includes(command))).map(({ table }) => table);
    assert.deepEqual(made("create_reference_table"), spread("reference"));
    assert.deepEqual(made("create_distributed_table"), spread("form"));
    assert.equal(formTables[0], "form_count", "the others are co-located with it");
    for (const table of spread("form")) assert.ok(namesOf(columnsOf(table)).includes("form_id"), table);
    // A table of rows that each submission writes is never on one server alone.
    const growing = /^(submission|event|delivery|attempt)(_|$)/;
    assert.deepEqual(
      tableNames.filter((table) => growing.test(table) && recordOf(table).spread !== "form"),
      [],
    );
  },
);
