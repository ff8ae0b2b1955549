import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../packages/server/src/database/database.ts";
import { kindOf } from "../../packages/server/src/database/kind.ts";
import { hourMilliseconds } from "../../packages/server/src/time/clock.ts";

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
  const isSqlite = kindOf(database) === "sqlite";
  const { accountId, formId } = ids;
  const idOf = (prefix: string, first = 0) =>
    sql.raw(
      isSqlite ? `printf('${prefix}_${first}%025d', number)` : `'${prefix}_${first}' || lpad(number::text, 25, '0')`,
    );
  const markOf = ([even, odd]: readonly [string, string]) =>
    sql.raw(`case number % 2 when 0 then '${even}' else '${odd}' end`);
  const at = sql.raw(`cast(${begin} as bigint) + number * ${rowMilliseconds}`);
  const date = isSqlite ? sql.raw("'2026-01-01T00:00:00.000Z'") : sql.raw("cast('2026-01-01' as timestamptz)");
  const yes = isSqlite ? sql.raw("1") : sql.raw("true");
  const address = sql.raw("'person-' || number || '@example.com'");
  const add = (table: string, columns: Readonly<Record<string, RawBuilder<unknown> | string | number | null>>) => {
    const values = Object.values(columns).map((value) =>
      typeof value === "object" && value !== null ? value : sql`${sql.lit(value)}`,
    );
    return sql`with recursive numbers (number) as (
        select cast(${from} as bigint) union all select number + 1 from numbers where number < cast(${to} as bigint))
      insert into ${sql.table(table)} (${sql.join(Object.keys(columns).map((name) => sql.ref(name)))})
      select ${sql.join(values)} from numbers`.execute(database);
  };
  const events = { id: idOf("evt"), form_id: formId, submission_id: idOf("sub"), kind: "submission.created" };
  await add("event", { ...events, occurred_at: at, form_name: "Form" });
  // The first ones are delivered; the log shows none of the others, which wait for their first attempt.
  const ifEnded = (value: string, otherwise: string) =>
    sql.raw(`case when number <= ${deliveredMax} then ${value} else ${otherwise} end`);
  await add("delivery", {
    ...{ id: idOf("dlv"), event_id: idOf("evt"), form_id: formId, is_test: 0, created_at: at },
    ...{ state: ifEnded("'delivered'", "'waiting'"), attempts: ifEnded("1", "0") },
  });
  const entry = {
    ...{ occurred_at: at, action: markOf(marks.action), actor: "session", actor_id: markOf(marks.actor) },
    ...{ person_id: markOf(marks.person), target_id: markOf(marks.target), target_name: "Form" },
    // Far above the sequence numbers of the service's own entries.
    ...{ sequence: sql.raw("1000000 + number"), hash: "" },
  };
  await add("audit_entry", { id: idOf("aud"), account_id: accountId, ...entry });
  await add("audit_entry", { id: idOf("aud", 1), account_id: "instance", ...entry });
  const submission = {
    ...{ form_id: formId, id: idOf("sub"), key_version: 1, version: "plain1", fields: "{}" },
    ...{ timestamp: at, received_at: at },
  };
  await add("submission", submission);
  const binned = { ...submission, id: idOf("sub", 1), sequence: sql.raw("100000000 + number"), binned_at: at };
  await add("submission_bin", binned);
  await sql`insert into form_bin (form_id, stored) values (${formId}, ${to})
    on conflict (form_id) do update set stored = excluded.stored`.execute(database);
  await add("submission_tombstone", {
    ...{ id: idOf("gone"), form_id: formId, received_at: at, sequence: sql.raw("number"), deleted_at: at },
  });
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
  await add("instance_invitation", { id: idOf("inv"), ...invitation });
  await add("form_day", { form_id: formId, day: sql.raw("'0' || number"), received: 1 });
}
