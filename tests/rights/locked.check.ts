import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { createForm } from "../../packages/server/src/forms/testing/test-form.ts";
import { exceptOnCluster, onPostgres } from "../../packages/server/src/testing/test-database.ts";
import type { TestService } from "../../packages/server/src/testing/test-service.ts";
import { type Actor, type Revocation, revocations, succeed } from "./revocations.ts";
import { openRights } from "./rights.ts";

/**
 * No row holds a right: a statement that ends one has to come after its lock (docs/decisions/0038-rights-over-time.md). Here the
 * database refuses each that does not.
 */
const options = { skip: onPostgres.skip || exceptOnCluster.skip };

/** More that ends or narrows a membership or a key. */
const others: readonly Pick<Revocation, "name" | "begin" | "by" | "undo">[] = [
  {
    name: "the member leaves",
    by: (_scene, { account }) => succeed(account.request("POST", "/api/members/leave")),
  },
  {
    name: "a form that the member's keys are limited to is handed over",
    async by({ owner }, actor) {
      const form = await createForm(owner, { encryption: false });
      await limitKey(actor, form);
      const made = await owner.request("POST", "/api/organizations", { name: "Another" });
      const organizationId = made.body.organization.id;
      await succeed(owner.request("POST", `/api/forms/${form}/hand-over`, { organizationId }));
    },
  },
];

test("whatever ends a membership or an API key, or narrows it, has its lock alone", options, async (t) => {
  const rights = await openRights({ after: (end) => t.after(end) });
  await watchRights(rights.service);
  for (const { name, begin, by, undo } of [...revocations, ...others]) {
    const actor = await rights.createActor();
    await begin?.(rights.scene, actor, []);
    await by(rights.scene, actor).catch((error) => assert.fail(`${name}: ${error.message}`));
    await undo?.(rights.scene);
  }
  // Control: the database notices one without a lock.
  const { account } = await rights.createActor();
  const remove = rights.service.database.deleteFrom("member").where("person_id", "=", account.id);
  await assert.rejects(remove.execute(), /without its lock/);
});

async function limitKey({ account }: Actor, form: string): Promise<void> {
  const wanted = { name: crypto.randomUUID(), permissions: ["forms:read"], forms: [form] };
  await succeed(account.request("POST", "/api/api-keys", wanted));
}

async function watchRights({ database }: TestService): Promise<void> {
  await sql`
    create function require_lock() returns trigger language plpgsql as $$
    declare
      organization text := to_jsonb(old) ->> tg_argv[0];
      person text := to_jsonb(old) ->> tg_argv[1];
      names text[] := array['organization/' || organization, 'person/' || person, 'member/' || organization || '/' || person,
        'key/' || (to_jsonb(old) ->> 'id')];
    begin
      if not exists (
        select from pg_locks, unnest(names) as line(name)
        where pid = pg_backend_pid() and locktype = 'advisory' and mode = 'ExclusiveLock' and objsubid = 1
          and (classid::bigint << 32 | objid::bigint) = hashtextextended('right/' || name, 0))
      then raise exception '% of % without its lock', tg_op, tg_table_name; end if;
      return case tg_op when 'DELETE' then old else new end;
    end $$`.execute(database);
  for (const [table, organization, person, columns] of [
    ["member", "organization_id", "person_id", "role, form_ids"],
    ["api_key", "account_id", "made_by", "permissions, form_ids, expires_at"],
  ] as const)
    await sql
      .raw(`
        create trigger locked before delete or update of ${columns} on ${table}
        for each row execute function require_lock('${organization}', '${person}')`)
      .execute(database);
}
