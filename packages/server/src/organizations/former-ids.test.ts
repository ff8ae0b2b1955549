import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import { showCode } from "../accounts/testing/authenticator.ts";
import { createWorld, fillTables } from "../database/testing/fill-tables.ts";
import { listForeignKeys } from "../database/testing/foreign-keys.ts";
import { openMigratedDatabase } from "../database/testing/migrated-database.ts";
import { writeHold } from "../forms/form-hold.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { createMailBench } from "../mail/testing/mail-bench.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { createOrganizationStore } from "./organization-store.ts";
import { addPerson, invite, switchTo } from "./testing/test-organization.ts";

/** Columns in which the id stays when its person gets another one, with the reason. */
const staying: Readonly<Record<string, string>> = {
  "organization.id": "the organization's own",
  "former_person_id.id": "where it is looked up from then on",
  "audit_entry.account_id": "the log tells what was: found by former_person_id",
  "audit_entry.person_id": "as above",
  "audit_head.account_id": "as above",
  "form_count.hold": "who set the hold: found by former_person_id",
  "mail.by_id": "which bound an email counts for, for a day",
  "list_entry.member_id": "signed: as above",
  "list_name.member_id": "the commitment is to a name of this id: as above",
  "mail.account_id": "emails to the owners; those to the person follow",
  "verification.value": "codes that were used; their ids are of the second factor",
  "session.organization_id": "the organization that a session acts for",
  "counted_bytes.owner_id": "the bytes of the organization, which remain after those of the person are taken away",
  "quota_notice.id": "the organization's",
  "email_opt_out.id": "as above",
  "mail_wanted.id": "as above",
  "storage_email_switch.organization_id": "as above",
};

test("when a person leaves the organization with their id, it stays nowhere but where it is the organization's or has its reason", async (t) => {
  const database = await openMigratedDatabase(t);
  const other = createWorld();
  const world = { ...createWorld(), organization: other.organization };
  world.organization = world.person;
  await fillTables(database, world, other);
  // Their rows name the person.
  await fillTables(database, other, world);
  const personId = world.person as AccountId; // made as one
  await database.updateTable("list_entry").set({ member_id: personId }).execute();
  await database.updateTable("list_name").set({ member_id: personId }).execute();
  await database.updateTable("session").set({ organization_id: personId }).execute();
  const hold = writeHold({ since: 1, setBy: personId, reason: undefined, until: undefined, isReminded: false });
  await database.updateTable("form_count").set({ hold }).execute();
  await database.updateTable("mail").set({ former_owner: personId, by_id: personId }).execute();
  const columns = (await database.introspection.getTables()).flatMap(({ name: table, columns: own }) =>
    own.flatMap(({ name, dataType }) => (/text|varchar/i.test(dataType) ? [{ table, name }] : [])),
  );
  const holding = async () => {
    const found: string[] = [];
    for (const { table, name } of columns) {
      const { rows } = await sql<{ one: number }>`
        select 1 as one from ${sql.table(table)} where ${sql.ref(name)} like ${`%${personId}%`} limit 1`.execute(
        database,
      );
      if (rows.length > 0) found.push(`${table}.${name}`);
    }
    return found;
  };
  const before = await holding();
  assert.ok(before.length > 40, `a control: ${before.length} columns`);
  await database
    .transaction()
    .execute((transaction) => createOrganizationStore(database).separate(transaction, personId, 1));
  const led = (await listForeignKeys(database)).flatMap(({ table, column, target }) =>
    target === "organization" ? [`${table}.${column}`] : [],
  );
  const after = await holding();
  assert.deepEqual(
    Object.keys(staying).filter((at) => !after.includes(at) && at !== "verification.value"),
    [],
    "a reason that is out of date",
  );
  assert.deepEqual(
    after.filter((at) => !(at in staying) && !led.includes(at)),
    [],
    "let it follow (organization-store.ts), or say why it stays",
  );
});

const password = "correct horse battery";

async function turnOnSecondFactor(account: TestAccount, request: TestService["request"], origin: string) {
  const headers = { cookie: account.cookie, origin };
  const enabled = await request("POST", "/api/auth/two-factor/enable", { headers, body: { password } });
  const body = { code: showCode(enabled.body.totpURI) };
  const on = await request("POST", "/api/auth/two-factor/verify-totp", { headers, body });
  const cookie = on.headers
    .getSetCookie()
    .map((line) => line.split(";")[0] ?? "")
    .join("; ");
  return String((await request("GET", "/api/auth/token", { headers: { cookie, origin } })).body.token);
}
type TestService = Awaited<ReturnType<typeof createTestService>>;

test("emails to a person that wait reach them after they left the organization with their id, and count for their limits", async (t) => {
  const { service, smtp, run, clock } = await createMailBench(t, { isServiceMailing: true });
  const { request, url, database } = service;
  const account = await service.signUp("person@example.com");
  const helper = await service.signUp("helper@example.com");
  await database.updateTable("person").set({ verification: "trusted" }).execute();
  const invitation = await invite(account, "helper@example.com", { role: "owner" });
  assert.equal((await helper.request("POST", "/api/invitations/accept", { token: invitation })).status, 200);
  const token = await turnOnSecondFactor(account, request, url);
  const personal = database
    .selectFrom("mail")
    .select("id")
    .where("is_personal", "=", 1)
    .where("kind", "=", "security")
    .where("finished_at", "is", null);
  assert.equal((await personal.execute()).length, 1);
  assert.equal((await request("POST", "/api/members/leave", { token })).status, 200);
  const { id } = await database
    .selectFrom("person")
    .select("id")
    .where("email", "=", "person@example.com")
    .executeTakeFirstOrThrow();
  assert.notEqual(id, account.id);
  assert.equal((await personal.where("account_id", "=", id).execute()).length, 1);
  // The service sends too. While it does, time stands still: after the lease the email would be sent once more.
  const underWay = database
    .selectFrom("mail")
    .select("id")
    .where("finished_at", "is", null)
    .where("claim_token", "is not", null);
  for (let round = 0; round < 3; round++) {
    await run();
    while ((await underWay.execute()).length > 0) await setImmediate();
    clock.advance(1_900_000);
  }
  const found = smtp.emails.filter(({ to, text }) => to.includes("person@example.com") && /second factor/i.test(text));
  assert.equal(found.length, 1);
});

test("an export has what the person did under their former id, and nothing that the organization with it has done since", async (t) => {
  const service = await createTestService(t);
  const boss = await service.signUp("boss@example.com");
  const person = await addPerson(service, boss, "person@example.com", { role: "manager" });
  await createForm(person);
  await switchTo(person, person.id);
  const heir = await addPerson(service, person, "heir@example.com", { role: "owner" });
  assert.equal((await person.request("POST", "/api/members/leave")).status, 200);
  // An entry of the organization, by nobody's session, like an entry about one's own account.
  const entry = { action: "account.restored", actor: "operator", target_id: null, target_name: null } as const;
  const none = { actor_id: null, count: null, details: null, person_id: null };
  await service.database
    .insertInto("audit_entry")
    .values({ id: "aud_later", account_id: person.id, occurred_at: Date.now() + 1000, ...entry, ...none })
    .execute();
  await createForm(heir);
  await invite(heir, "next@example.com", { role: "manager" });
  const headers = { cookie: person.cookie, origin: service.url };
  const { status, body } = await service.request("GET", "/api/account/export", { headers });
  assert.equal(status, 200);
  const entries: readonly { readonly action: string; readonly id: string; readonly byYou: boolean }[] =
    body.auditEntries;
  const actions = entries.filter(({ byYou }) => byYou).map(({ action }) => action);
  for (const action of ["session.started", "member.joined", "form.created", "member.invited", "member.left"])
    assert.ok(actions.includes(action), `${action} in ${actions.join()}`);
  assert.ok(!entries.some(({ id }) => id === "aud_later"));
  assert.equal(actions.filter((action) => action === "form.created").length, 1);
  assert.deepEqual(
    body.account.formerIds.map(({ id }: { readonly id: string }) => id),
    [person.id],
  );
});

test("a legal hold shows who set it by their name, also after they left the organization with their id", async (t) => {
  const service = await createTestService(t);
  const founder = await service.signUp("founder@example.com");
  const other = await addPerson(service, founder, "other@example.com", { role: "owner" });
  const formId = await createForm(founder);
  const path = `/api/forms/${formId}/hold`;
  assert.equal((await founder.request("PUT", path, { reason: "A case" })).status, 200);
  const shown = async () => (await other.request("GET", `/api/forms/${formId}`)).body.form.hold.setBy;
  const before = await shown();
  assert.equal(before.id, founder.id);
  assert.equal((await founder.request("POST", "/api/members/leave")).status, 200);
  assert.deepEqual(await shown(), before);
});
