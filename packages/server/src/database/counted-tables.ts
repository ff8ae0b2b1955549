import type { DatabaseKind } from "./kind.ts";

/** How the bytes of a table's rows are counted. */
export type TableBytes =
  | {
      /**
       * Row by row, by triggers that are made from this (docs/decisions/0041-counted-bytes.md): `rowBytes` and the bytes of the
       * columns count for the form, the organization or the person whose id is in `owner`.
       */
      readonly kind: "rows";
      readonly owner: string;
      readonly columns: readonly string[];
      /** Rows in which this column is null do not count. */
      readonly unless?: string;
    }
  /** Content of submissions, in `form_count.bytes` (docs/decisions/0016-quotas.md). */
  | { readonly kind: "submissions" }
  /** Not counted; the reason says what bounds them instead. */
  | { readonly kind: "not"; readonly bound: string };

/** The approximate bytes of a row besides its content, in tables and indexes. */
export const rowBytes = 256;

const rows = (owner: string, ...columns: string[]): TableBytes => ({ kind: "rows", owner, columns });
const not = (bound: string): TableBytes => ({ kind: "not", bound });
const submissions: TableBytes = { kind: "submissions" };
const oneOfPerson = not("one row for each person, with short columns");
const oneOfForm = not("one row for each form, without text of any length");
const ofInstance = not("the instance's own");

/** Every table. A test compares it with the database: a table that is not here, or a long column that nothing counts, is an error. */
export const countedTables: Readonly<Record<string, TableBytes>> = {
  form: rows("account_id", "name", "name_key", "allowed_origins", "settings"),
  form_key: rows("form_id", "modulus", "fingerprint", "hybrid_public_key", "hybrid_fingerprint", "made_by"),
  envelope: rows("form_id", "file"),
  key_log_entry: rows("form_id", "entry"),
  // The bodies of submissions' events are built from their rows.
  event: { kind: "rows", owner: "form_id", columns: ["body", "form_name"], unless: "body" },
  list_entry: rows("organization_id", "entry"),
  admission: rows("organization_id", "email", "terms", "file", "recipient", "signing_key", "proof"),
  invitation: rows("organization_id", "email", "form_ids"),
  member: rows("organization_id", "form_ids"),
  api_key: rows("account_id", "name", "permissions", "form_ids"),
  audit_entry: rows("account_id", "target_name", "details"),
  mail: rows("account_id", "details", "recipient", "failed_to", "failure"),
  passkey: rows("person_id", "name", "credential_id", "user_handle", "public_key", "transports"),
  identity: rows("person_id", "issuer", "subject", "name"),
  key_copy: rows("person_id", "name", "file"),
  former_key: rows("person_id", "signing_key", "recipient", "file"),
  former_key_copy: rows("person_id", "signing_key", "name", "file"),
  signed_head: rows("person_id", "signing_key", "signed_head"),
  device_request: rows("person_id", "commitment", "challenge", "reveal", "answer"),
  submission: submissions,
  submission_bin: submissions,
  person: oneOfPerson,
  organization: not("50 organizations of a person, one row for each"),
  session: not("100 of a person"),
  credential: oneOfPerson,
  second_factor: oneOfPerson,
  personal_key: oneOfPerson,
  address_move: oneOfPerson,
  verification: not("links and codes that end within a day, three an hour for each account"),
  instance_invitation: not("made by operators alone"),
  webhook: not("one row for each form: an address of 2,048 characters and five secrets"),
  form_count: not("one row for each form: a legal hold of 500 characters for each of its kinds"),
  form_day: not("one row a day for each form, without text"),
  form_retention: oneOfForm,
  form_purge: oneOfForm,
  form_bin: oneOfForm,
  form_notice: oneOfForm,
  form_reservation: not("20 of an account, for an hour"),
  submission_purge: not("gone when the rows are"),
  submission_tombstone: not("one row without content for each deleted submission, removed after the log's retention"),
  delivery: not("100 of an event, without content; removed after the log's retention"),
  delivery_queue: not("one row for each delivery that waits"),
  attempt: not("six of a delivery, with its address; removed with it"),
  audit_head: not("one row for each log"),
  account_count: not("one row for each organization"),
  quota_notice: not("one row for each organization and form"),
  counted_bytes: not("folded into one row for each form, organization and person"),
  mail_gathered: not("one row for each kind of a combined email"),
  email_opt_out: not("one row for each form and account"),
  mail_wanted: not("one row for each form and account"),
  rate_limit: not("gone within minutes"),
  instance: ofInstance,
  jwks: ofInstance,
  embed_script: ofInstance,
};

/** The bytes of a row, as an SQL expression. `row`: `new`, `old`, or the table's name. */
export function bytesOfRow({ columns }: { readonly columns: readonly string[] }, row: string): string {
  return [rowBytes, ...columns.map((column) => `coalesce(octet_length(${row}.${column}), 0)`)].join(" + ");
}

type Change = "insert" | "update" | "delete";
const changes: readonly Change[] = ["insert", "update", "delete"];

/**
 * The triggers that keep `counted_bytes`: whatever writes, removes or cascades, the count changes with the rows, in their
 * transaction. They only insert, so no two transactions wait for each other.
 */
export function printCountingTriggers(kind: DatabaseKind, only?: string): readonly string[] {
  return Object.entries(countedTables).flatMap(([table, counted]) =>
    counted.kind === "rows" && (only === undefined || only === table)
      ? changes.flatMap((change) => printTrigger(kind, table, counted, change))
      : [],
  );
}

/** Before Citus spreads a table: it spreads none with triggers. */
export function printTriggerRemoval(table: string): readonly string[] {
  return countedTables[table]?.kind === "rows"
    ? changes.map((change) => `drop trigger if exists ${nameOf(table, change)} on ${table}`)
    : [];
}

function nameOf(table: string, change: Change): string {
  return `count_${table}_${change}`;
}

function printTrigger(
  kind: DatabaseKind,
  table: string,
  counted: Extract<TableBytes, { kind: "rows" }>,
  change: Change,
): readonly string[] {
  const name = nameOf(table, change);
  const { owner, columns, unless } = counted;
  const event = change === "update" ? `update of ${[owner, ...columns].join(", ")}` : change;
  const count = (row: "new" | "old") => {
    const bytes = `${row === "old" ? "-" : ""}(${bytesOfRow(counted, row)})`;
    const condition = unless === undefined ? "" : ` where ${row}.${unless} is not null`;
    return `insert into counted_bytes (owner_id, bytes) select ${row}.${owner}, ${bytes}${condition}`;
  };
  const rowsCounted =
    change === "update" ? (["old", "new"] as const) : ([change === "insert" ? "new" : "old"] as const);
  const body = `${rowsCounted.map(count).join("; ")};`;
  // Then a row that does not count costs no more than the comparison.
  const when =
    unless === undefined ? "" : ` when (${rowsCounted.map((row) => `${row}.${unless} is not null`).join(" or ")})`;
  if (kind === "sqlite") return [`create trigger ${name} after ${event} on ${table}${when} begin ${body} end`];
  return [
    `create or replace function ${name}() returns trigger language plpgsql as $count$ begin ${body} return null; end $count$`,
    `create trigger ${name} after ${event} on ${table} for each row${when} execute function ${name}()`,
  ];
}
