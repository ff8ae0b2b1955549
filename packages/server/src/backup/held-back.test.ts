import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { createId } from "@sealpost/wire";
import { parseConfig } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import type { TableName } from "../database/table-record.ts";
import { recordOf, tableNames } from "../database/table-records.ts";
import { openMigratedDatabase } from "../database/testing/migrated-database.ts";
import { type Rows, readRows } from "../database/testing/table-rows.ts";
import { createForm, postPlain, silentWebhooks } from "../forms/testing/test-form.ts";
import { createOperator } from "../operators/testing/test-operator.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { readWait, resume, wait as waitFor } from "../retention/deletions-administration.ts";
import { noneCalledOff } from "../retention/held-back.ts";
import { beginHeldBack, holdBack } from "../retention/held-back-store.ts";
import { fillYoung, later } from "../startup/testing/fill-young.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { openTestDatabase } from "../testing/test-database.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { dayMilliseconds as day } from "../time/clock.ts";
import { describeDeletion } from "./backup-commands.ts";
import { backUpTo, keepSecret, restoreTo, settings } from "./testing/back-up.ts";

const mailServer = { SEALPOST_SMTP_URL: "smtp://127.0.0.1:9", SEALPOST_MAIL_FROM: "sealpost@example.com" };

async function inDatabase<Result>(
  t: TestContext,
  folder: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = await openTestDatabase(t, folder);
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}

/** Serves a database until its purge has been through all that it does in its first run. */
async function serve(t: TestContext, folder: string, now: number, environment: Readonly<Record<string, string>> = {}) {
  const formId = createId("form");
  await inDatabase(t, folder, async (database) => {
    // As a service that has looked at the clock all the time.
    await database.deleteFrom("instance").where("key", "=", "purge_clock").execute();
    // The last steps of a run delete at any time: once this is done, those for age were done or left out.
    const last = { form_id: formId, received_before: 1, requested_at: now + 1 };
    await database.insertInto("submission_purge").values(last).execute();
  });
  const service = await createTestService(t, {
    ...{ folder, environment, clock: createFakeClock(now), deliveries: silentWebhooks },
  });
  const isThere = () =>
    service.database.selectFrom("submission_purge").select("form_id").where("form_id", "=", formId).executeTakeFirst();
  while ((await isThere()) !== undefined) await wait(20);
  return service;
}

/** Backs up what a stopped service has left, and restores it to another folder. */
async function moveByBackup(t: TestContext, folder: string) {
  const { file } = await backUpTo(t, folder, createTemporaryFolder(t));
  const target = createTemporaryFolder(t);
  const secret = keepSecret(t, await settings(t, folder));
  return { target, file, ...(await restoreTo(t, target, file, secret)) };
}

/** Tables whose rows say what is hidden, so that they are whole only if nothing in them has changed. */
const hiding: readonly TableName[] = ["form_count", "form_bin", "submission", "submission_bin"];
/** Tables of which a row that was there is gone, however many others have come. */
function listLost(before: Rows, after: Rows): readonly TableName[] {
  return tableNames.filter((table) => {
    const print = (rows: Rows) =>
      (rows.get(table) ?? []).map((row) =>
        row.id === undefined || hiding.includes(table) ? JSON.stringify(row) : row.id,
      );
    const here = new Set(print(after));
    return print(before).some((row) => !here.has(row));
  });
}
const listFewer = (before: Rows, after: Rows) =>
  tableNames.filter((table) => (after.get(table)?.length ?? 0) < (before.get(table)?.length ?? 0));

/** Rows that go also in the days after a restore: ids for forms after an hour, sums, and deliveries once they are made. */
const goesAnyway: readonly TableName[] = ["form_reservation", "counted_bytes", "rate_limit", "delivery_queue"];

test("whatever a service deletes by itself is still there in the days after a restore, and goes when the wait is over: each such table says so in its record", async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder, deliveries: silentWebhooks });
  await service.signUp();
  await service.stop();
  await inDatabase(t, folder, async (database) => {
    const world = await fillYoung(database);
    const now = Date.now();
    const event = await database.selectFrom("event").select("id").where("form_id", "=", world.form).executeTakeFirst();
    const ended = { state: "delivered", finished_at: now, event_id: event?.id ?? assert.fail() } as const;
    await database.updateTable("delivery").set(ended).where("form_id", "=", world.form).execute();
    await database.deleteFrom("delivery_queue").where("form_id", "=", world.form).execute();
    // A restore ends moves that wait, and what belongs to a former key goes with it.
    await database.updateTable("address_move").set({ moved_at: now }).execute();
    const head = database
      .selectFrom("signed_head")
      .select("signing_key")
      .where("person_id", "=", world.person)
      .limit(1);
    const { signing_key } = await head.executeTakeFirstOrThrow();
    for (const table of ["former_key", "former_key_copy"] as const)
      await database.updateTable(table).set({ signing_key }).where("person_id", "=", world.person).execute();
    await database.updateTable("audit_head").set({ shortened_to: 1, shortened_before: later }).execute();
    // Deletions that were under way.
    const job = { form_id: world.form, received_before: 1, requested_at: 1 };
    await database.insertInto("submission_purge").values(job).execute();
    await database.updateTable("form_bin").set({ visible_from: 1 }).execute();
  });
  const { target } = await moveByBackup(t, folder);
  const before = await inDatabase(t, target, readRows);
  assert.deepEqual(
    before.get("organization")?.filter(({ ends_at }) => ends_at !== null),
    [],
  );

  const first = await serve(t, target, later);
  await wait(200); // the log of deliveries is looked through next to the purge
  const held = await readRows(first.database);
  await first.stop();
  const isHeldBack = (table: TableName) => {
    const { restored } = recordOf(table);
    return typeof restored !== "string" && "heldBack" in restored;
  };
  const expected = tableNames.filter((table) => isHeldBack(table));
  const isOther = (table: TableName) => !goesAnyway.includes(table) && !expected.includes(table);
  const gone = listLost(before, held).filter((table) => expected.includes(table));
  assert.deepEqual([...gone, ...listFewer(before, held).filter(isOther)], []);

  const ended = await serve(t, target, later + 8 * day);
  const isLost = (after: Rows) => {
    const lost = listLost(before, after);
    return expected.every((table) => lost.includes(table));
  };
  let after = await readRows(ended.database);
  for (let tries = 0; tries < 100 && !isLost(after); tries++) {
    await wait(50);
    after = await readRows(ended.database);
  }
  const lost = listLost(before, after);
  assert.deepEqual(
    expected.filter((table) => !lost.includes(table)),
    [],
  );
  assert.deepEqual(listFewer(before, after).filter(isOther), []);
});

test("after a restore a legal hold, longer retention and a kept organization of since the backup can be set again before anything is lost", async (t) => {
  const folder = createTemporaryFolder(t);
  const start = Date.now();
  const service = await createTestService(t, { folder, clock: createFakeClock(start), deliveries: silentWebhooks });
  const owner = await service.signUp("owner@example.com");
  const [held, longer] = [
    await createForm(owner, { encryption: false }),
    await createForm(owner, { encryption: false }),
  ] as const;
  for (const form of [held, longer]) {
    await postPlain(service, form);
    assert.equal((await owner.request("PUT", `/api/forms/${form}/retention`, { days: 3 })).status, 200);
  }
  const other = await service.signUp("other@example.com", "Other");
  await postPlain(service, await createForm(other, { encryption: false }));
  const end = await other.request("POST", "/api/organization/deletion?confirm=DELETE_ORGANIZATION");
  assert.equal(end.status, 200, JSON.stringify(end.body));
  const leaver = await service.signUp("leaver@example.com");
  assert.equal((await leaver.request("POST", "/api/account/deletion?confirm=DELETE_ACCOUNT")).status, 200);
  await service.stop();
  const { target, deletions } = await moveByBackup(t, folder);

  assert.deepEqual(
    deletions.map(({ kind, id }) => `${kind} ${id}`).toSorted(),
    [`account ${leaver.id}`, `organization ${leaver.id}`, `organization ${other.id}`].toSorted(),
  );
  for (const deletion of deletions) assert.match(describeDeletion(deletion), /was to be deleted on \d{4}-/);

  const now = start + 40 * day;
  const again = await serve(t, target, now, mailServer);
  const listStored = async (database: Database) =>
    (await database.selectFrom("submission").select("form_id").execute()).map(({ form_id }) => form_id).toSorted();
  const all = await listStored(again.database);
  assert.equal(all.length, 3);
  const counts = await again.database.selectFrom("form_count").select(["stored"]).execute();
  assert.deepEqual(
    counts.map(({ stored }) => Number(stored)),
    [1, 1, 1],
    "nothing is hidden either",
  );
  const emails = await again.database.selectFrom("mail").select(["account_id", "details"]).execute();
  const eventsOf = (id: string) =>
    emails
      .filter(({ account_id }) => account_id === id)
      .map(({ details }) => JSON.parse(details).event)
      .toSorted();
  assert.deepEqual(eventsOf(owner.id), ["deletions_held_back"]);
  assert.deepEqual(eventsOf(other.id), ["deletions_held_back"]);
  assert.deepEqual(eventsOf(leaver.id), ["account_leaving_called_off", "deletions_held_back"]);
  const kept = await again.database.selectFrom("audit_entry").select(["account_id", "action"]).execute();
  assert.ok(kept.some(({ account_id, action }) => account_id === other.id && action === "organization.kept"));

  const body = { email: "owner@example.com", password: "correct horse battery" };
  const { headers } = await again.request("POST", "/api/auth/sign-in/email", { body });
  const cookie = headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const { body: issued } = await again.request("GET", "/api/auth/token", { headers: { cookie, origin: again.url } });
  const hold = await again.request("PUT", `/api/forms/${held}/hold`, { token: issued.token, body: {} });
  assert.equal(hold.status, 200, JSON.stringify(hold.body));
  await again.stop();

  const config = parseConfig({ ...(await settings(t, target)), ...mailServer });
  const until = new Date(now + 7 * day).toISOString();
  assert.match(await readWait(config, now), new RegExp(`before ${until}`));
  // Served again within the week, and once it is over.
  const within = await serve(t, target, now + 6 * day, mailServer);
  assert.deepEqual(await listStored(within.database), all);
  assert.equal(
    (await within.database.selectFrom("mail").select("id").execute()).length,
    emails.length + 1,
    "of the hold",
  );
  await within.stop();
  assert.match(await readWait(config, now + 8 * day), /nothing is held back/);
  const after = await serve(t, target, now + 8 * day, mailServer);
  assert.deepEqual(
    await listStored(after.database),
    all.filter((id) => id !== longer),
  );
});

test("an operator ends the wait, or makes it longer, and holds back deletions after a restore by other means", async (t) => {
  const folder = createTemporaryFolder(t);
  const start = Date.now();
  const service = await createTestService(t, { folder, clock: createFakeClock(start), deliveries: silentWebhooks });
  const owner = await service.signUp();
  const form = await createForm(owner, { encryption: false });
  await postPlain(service, form);
  await owner.request("PUT", `/api/forms/${form}/retention`, { days: 3 });
  await owner.request("POST", "/api/organization/deletion?confirm=DELETE_ORGANIZATION");
  await service.stop();
  const count = async (now: number) => {
    const served = await serve(t, folder, now);
    const rows = await served.database.selectFrom("submission").select("id").execute();
    await served.stop();
    return rows.length;
  };
  const config = parseConfig(await settings(t, folder));
  assert.match(await readWait(config, start), /nothing is held back/);
  assert.match(await waitFor(config, { days: 7, callsOff: true, now: start }), /for 7 days .* called off: 1$/);
  assert.match(await readWait(config, start), /before 7 days after the service starts/);
  const now = start + 60 * day;
  assert.equal(await count(now), 1);
  assert.match(await waitFor(config, { days: 20, callsOff: false, now: now + day }), /for 20 days/);
  assert.equal(await count(now + 2 * day), 1);
  assert.equal(await count(now + 8 * day), 1);
  const until = new Date(now + 22 * day).toISOString();
  assert.match(await readWait(config, now + 8 * day), new RegExp(`before ${until}`));
  assert.match(await resume(config), /is deleted from now on/);
  assert.equal(await count(now + 9 * day), 0);
  assert.match(await resume(config), /nothing was held back/);
});

test("without a mail server, operators and owners are shown until when deletions are held back, and nobody else", async (t) => {
  const folder = createTemporaryFolder(t);
  const now = Date.now();
  await (await createTestService(t, { folder, deliveries: silentWebhooks })).stop();
  await inDatabase(t, folder, (database) =>
    holdBack(database, { since: now - day, days: 7, calledOff: noneCalledOff }),
  );
  const clock = createFakeClock(now);
  const service = await createTestService(t, { folder, clock, deliveries: silentWebhooks });
  const operator = await createOperator(service);
  const reader = await addPerson(service, operator, "reader@example.com", { role: "reader", forms: [] });
  const until = now + 7 * day;
  const shown = async ({ request }: TestAccount) =>
    (await request("GET", "/api/organizations")).body.deletionsHeldBackUntil;
  const checks = async () => {
    const { body } = await operator.request("GET", "/api/instance");
    return JSON.stringify(body.checks).includes(new Date(until).toISOString());
  };
  assert.deepEqual([await shown(operator), await shown(reader), await checks()], [until, undefined, true]);
  await service.database.deleteFrom("instance").where("key", "=", "held_back").execute();
  assert.equal(await shown(operator), undefined);
});

test("a wait that begins while the clock is a year ahead lasts no longer once that is right", async (t) => {
  const database = await openMigratedDatabase(t);
  const now = Date.now();
  let notified = 0;
  const tell = async () => {
    notified += 1;
  };
  const begin = (at: number) => beginHeldBack(database, at, tell);
  await holdBack(database, { since: now - day, days: 7, calledOff: noneCalledOff });
  assert.equal((await begin(now + 365 * day))?.until, now + 372 * day);
  assert.equal((await begin(now))?.until, now + 7 * day);
  assert.equal((await begin(now + day))?.until, now + 7 * day);
  assert.equal(await begin(now + 7 * day), undefined);
  assert.equal(notified, 0, "nobody has a form that deletes");
});
