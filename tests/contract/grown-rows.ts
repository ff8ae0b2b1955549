import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../packages/server/src/database/database.ts";
import { kindOf } from "../../packages/server/src/database/kind.ts";
import { dayMilliseconds, hourMilliseconds } from "../../packages/server/src/time/clock.ts";

/** Whose rows grow. */
export interface GrownIds {
  readonly accountId: string;
  readonly formId: string;
}

/** Two of each kind, for every other row. */
export const marks = {
  action: ["form.updated", "webhook_secret.rotated"],
  actor: ["session-1", "session-2"],
  person: ["acc_01h2xcejqtf2nbrexx3vqjhp41", "acc_01h2xcejqtf2nbrexx3vqjhp42"],
  target: ["form_01h2xcejqtf2nbrexx3vqjhp41", "form_01h2xcejqtf2nbrexx3vqjhp42"],
} as const;
/** When the first row came; each other one a second later, all of them longer than an hour ago. */
export const begin = Date.now() - 6 * hourMilliseconds;
export const rowMilliseconds = 1000;

const deliveredMax = 1000;

/** Adds rows `from` to `to` to every table that grows with use. No filter of a list finds them by two marks of different kinds. */
export async function addRows(database: Database, ids: GrownIds, from: number, to: number): Promise<void> {
  await addFormRows(database, ids.formId, from, to);
  await addAccountRows(database, ids, from, to);
}

type Columns = Readonly<Record<string, RawBuilder<unknown> | string | number | null>>;

function createRows(database: Database, from: number, to: number) {
  const isSqlite = kindOf(database) === "sqlite";
  const idOf = (prefix: string, first = 0, series = 0) => {
    const start = `${prefix}_${first}${String(series).padStart(4, "0")}`;
    return sql.raw(isSqlite ? `printf('${start}%021d', number)` : `'${start}' || lpad(number::text, 21, '0')`);
  };
  const at = sql.raw(`cast(${begin} as bigint) + number * ${rowMilliseconds}`);
  const add = (table: string, columns: Columns) => {
    const values = Object.values(columns).map((value) =>
      typeof value === "object" && value !== null ? value : sql`${sql.lit(value)}`,
    );
    return sql`with recursive numbers (number) as (
        select cast(${from} as bigint) union all select number + 1 from numbers where number < cast(${to} as bigint))
      insert into ${sql.table(table)} (${sql.join(Object.keys(columns).map((name) => sql.ref(name)))})
      select ${sql.join(values)} from numbers`.execute(database);
  };
  const date = isSqlite ? sql.raw("'2026-01-01T00:00:00.000Z'") : sql.raw("cast('2026-01-01' as timestamptz)");
  // No later than what is given now: the purge takes those for links of a clock that was ahead.
  const end = new Date(Date.now() + dayMilliseconds / 2).toISOString();
  const later = isSqlite ? sql.raw(`'${end}'`) : sql.raw(`cast('${end}' as timestamptz)`);
  return { add, idOf, at, date, later, yes: isSqlite ? sql.raw("1") : sql.raw("true") };
}

/**
 * Adds the rows of a form that grow with use; `series` is another number for each of several forms. None is a row that a question
 * for a plain submission finds at once, when they are sealed.
 */
export async function addFormRows(
  database: Database,
  formId: string,
  from: number,
  to: number,
  { series = 0, isSealed = false }: { readonly series?: number; readonly isSealed?: boolean } = {},
): Promise<void> {
  const { add, idOf, at } = createRows(database, from, to);
  const events = {
    id: idOf("evt", 0, series),
    form_id: formId,
    submission_id: idOf("sub", 0, series),
    kind: "submission.created",
  };
  await add("event", { ...events, occurred_at: at, form_name: "Form" });
  // The first ones are delivered; the log shows none of the others, which wait for their first attempt.
  const ifEnded = (value: string, otherwise: string) =>
    sql.raw(`case when number <= ${deliveredMax} then ${value} else ${otherwise} end`);
  await add("delivery", {
    ...{ id: idOf("dlv", 0, series), event_id: idOf("evt", 0, series), form_id: formId, is_test: 0, created_at: at },
    ...{ state: ifEnded("'delivered'", "'waiting'"), attempts: ifEnded("1", "0") },
  });
  // As a receiver that is down leaves them: far from their next attempt.
  await add("delivery_queue", {
    ...{ delivery_id: idOf("dlv", 0, series), form_id: formId, destination: "", attempt: 5, claims: 0 },
    due_at: sql.raw(`cast(${Date.now() + 2 * hourMilliseconds} as bigint) + number`),
  });
  const submission = {
    ...{ form_id: formId, id: idOf("sub", 0, series), key_version: 1, timestamp: at, received_at: at },
    ...(isSealed ? { version: "sp1" } : { version: "plain1", fields: "{}" }),
  };
  await add("submission", submission);
  const binned = {
    ...submission,
    id: idOf("sub", 1, series),
    sequence: sql.raw(`${100_000_000 + series * 100_000} + number`),
    binned_at: at,
  };
  await add("submission_bin", binned);
  await sql`insert into form_bin (form_id, stored) values (${formId}, ${to})
    on conflict (form_id) do update set stored = excluded.stored`.execute(database);
  await sql`update form_count set stored = stored + ${to - from + 1} where form_id = ${formId}`.execute(database);
  await add("submission_tombstone", {
    ...{ id: idOf("gone", 0, series), form_id: formId, received_at: at, sequence: sql.raw("number"), deleted_at: at },
  });
  await add("form_day", { form_id: formId, day: sql.raw("'0' || number"), received: 1 });
  // Emails about the form that no switch is about.
  await add("mail", {
    ...{ id: idOf("mail", 2, series), kind: "new_device", account_id: idOf("acc"), form_id: formId, details: "{}" },
    ...{ created_at: at, expires_at: at, due_at: at, attempts: 1, finished_at: at },
  });
}

/** Adds the rows that belong to an organization, or to the instance. */
export async function addAccountRows(database: Database, ids: GrownIds, from: number, to: number): Promise<void> {
  const { accountId, formId } = ids;
  const { add, idOf, at, date, later, yes } = createRows(database, from, to);
  const markOf = ([even, odd]: readonly [string, string]) =>
    sql.raw(`case number % 2 when 0 then '${even}' else '${odd}' end`);
  const address = sql.raw("'grown-person-' || number || '@example.com'");
  const entry = {
    ...{ occurred_at: at, action: markOf(marks.action), actor: "session", actor_id: markOf(marks.actor) },
    ...{ person_id: markOf(marks.person), target_id: markOf(marks.target), target_name: "Form" },
    // Far above the sequence numbers of the service's own entries.
    ...{ sequence: sql.raw("1000000 + number"), hash: "" },
  };
  await add("audit_entry", { id: idOf("aud"), account_id: accountId, ...entry });
  await add("audit_entry", { id: idOf("aud", 1), account_id: "instance", ...entry });
  const mail = {
    id: idOf("mail"),
    kind: "new_device",
    account_id: accountId,
    is_personal: 1,
    form_id: formId,
    details: "{}",
  };
  const failed = { failed_at: at, failed_to: '["somebody@example.com"]', failure: "No such mailbox" };
  await add("mail", { ...mail, created_at: at, expires_at: at, due_at: at, attempts: 6, finished_at: at, ...failed });
  const person = { id: idOf("acc"), name: sql.raw("'Person ' || number"), email: address, email_verified: yes };
  await add("person", { ...person, created_at: date, updated_at: date, joined_at: at });
  const organization = { id: idOf("acc"), name: sql.raw("'Organization ' || number"), plan: "free", created_at: at };
  await add("organization", { ...organization, counts_for: idOf("acc") });
  const member = { organization_id: idOf("acc"), person_id: idOf("acc"), role: "owner", form_ids: "[]", since: at };
  await add("member", member);
  const invitation = { email: address, token_hash: idOf("hash"), created_at: at, expires_at: at, ended_at: at };
  await add("invitation", {
    ...{ id: idOf("inv"), organization_id: accountId, role: "reader", form_ids: "[]", invited_by: marks.person[0] },
    ...invitation,
  });
  // The bound of a day is for the operation.
  const before = sql.raw(`cast(${begin - 3 * dayMilliseconds} as bigint) - number`);
  await add("instance_invitation", { id: idOf("inv"), ...invitation, created_at: before });
  const form = { id: idOf("form"), account_id: accountId, name: idOf("Form"), name_key: idOf("form") };
  await add("form", {
    ...{ ...form, encryption: 1, pii_strip: 0, allowed_origins: "[]", key_version: 1, created_at: at, updated_at: at },
  });
  await add("form_count", { form_id: idOf("form"), stored: 0, received: 0 });
  await add("form_key", {
    ...{ form_id: idOf("form"), version: 1, modulus: "", fingerprint: idOf("key"), made_by: "browser", created_at: at },
  });
  await add("session", {
    ...{
      id: idOf("ses"),
      person_id: idOf("acc"),
      token: idOf("ses"),
      browser: "",
      authenticated_at: at,
      last_used_at: at,
    },
    ...{ expires_at: date, created_at: date, updated_at: date },
  });
  await add("credential", {
    ...{ id: idOf("cre"), person_id: idOf("acc"), provider_account_id: idOf("acc"), provider_id: "credential" },
    ...{ created_at: date, updated_at: date },
  });
  const linked = { id: idOf("ver"), identifier: idOf("ver"), value: idOf("acc"), expires_at: later };
  await add("verification", { ...linked, created_at: date, updated_at: date });
  await add("admission", {
    ...{ id: idOf("adm"), organization_id: accountId, email: address, made_by: idOf("acc"), terms: "" },
    ...{ created_at: at, ends_at: at, ended_at: at },
  });
  // In another organization of the person: in one's own, 50 at most are open.
  const others = `acc_${"8".padStart(26, "0")}`;
  await sql`insert into organization (id, name, plan, created_at) values (${others}, 'Others', 'free', ${begin})
    on conflict do nothing`.execute(database);
  await sql`insert into member (organization_id, person_id, role, form_ids, since)
    values (${others}, ${accountId}, 'owner', '[]', ${begin}) on conflict do nothing`.execute(database);
  await add("admission", {
    ...{ id: idOf("adm", 1), organization_id: others, email: address, made_by: idOf("acc"), terms: "" },
    ...{ created_at: at, ends_at: begin + 7 * dayMilliseconds },
  });
  await add("member_change", {
    ...{ organization_id: accountId, number: sql.raw("-number"), person_id: idOf("acc") },
    ...{
      made_by: markOf(marks.person),
      changed_at: before,
    },
  });
}

/** Adds rows that are of use to what runs in the background: forms that keep their submissions for a time, each with a bin, and emails that failed long ago. */
export async function addBackgroundRows(database: Database, { accountId }: GrownIds, from: number, to: number) {
  const { add, idOf } = createRows(database, from, to);
  await add("form_retention", { form_id: idOf("form"), days: 30 });
  await add("form_bin", { form_id: idOf("form"), stored: 1 });
  const daysAgo = (days: number) => sql.raw(`cast(${Date.now() - days * dayMilliseconds} as bigint) + number`);
  await add("mail", {
    ...{ id: idOf("mail", 1), kind: "new_device", account_id: accountId, is_personal: 1, details: "{}", attempts: 6 },
    ...{ created_at: daysAgo(9), expires_at: daysAgo(8), due_at: daysAgo(8), finished_at: daysAgo(8) },
    ...{ failed_at: daysAgo(8), failed_to: "[]", failure: "No such mailbox" },
  });
}
