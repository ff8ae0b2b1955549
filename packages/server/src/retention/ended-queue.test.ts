import assert from "node:assert/strict";
import { before, type TestContext, test } from "node:test";
import type { FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { benchAccountId, createDeliveryBench, type DeliveryBench } from "../deliveries/testing/delivery-bench.ts";
import { exceptOnCluster, testDatabaseKind } from "../testing/test-database.ts";
import { type Authority, createAuthority } from "../webhooks/testing/receiver.ts";
import { createPurgeStore } from "./purge-store.ts";

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

const url = "https://receiver.example/hook";
const waiting = 450;
const hours = 2 * 3_600_000;

/** A form whose deliveries wait for their next attempt in two hours, one of which is due and one of which is being sent. */
async function prepare(t: TestContext) {
  const bench = await createDeliveryBench(t, { authority });
  const { formId } = await bench.createWebhook(url);
  const { formId: other } = await bench.createWebhook(url);
  const [due, sent] = await bench.recordMany(formId, waiting);
  assert.ok(due !== undefined && sent !== undefined);
  await bench.recordMany(other, 3);
  const now = bench.clock.now();
  const later = now + hours;
  const { database } = bench;
  await database.updateTable("delivery_queue").set({ due_at: later, attempt: 5 }).execute();
  await database.updateTable("delivery_queue").set({ due_at: 7 }).where("delivery_id", "=", due).execute();
  await database.updateTable("delivery_queue").set({ claim_token: "t" }).where("delivery_id", "=", sent).execute();
  const find = async () => {
    const rows = await database.selectFrom("delivery_queue").select(["delivery_id", "form_id", "due_at"]).execute();
    const ofForm = rows.filter((row) => row.form_id === formId);
    return {
      left: ofForm.filter((row) => row.due_at === later).map((row) => row.delivery_id),
      broughtForward: ofForm.filter((row) => row.due_at === now).length,
      asBefore: ofForm.filter((row) => row.due_at === 7).map((row) => row.delivery_id),
      ofOther: rows.filter((row) => row.form_id === other && row.due_at === later).length,
    };
  };
  return { bench, formId, due, sent, find, end: () => createPurgeStore(database).endDeliveries(now) };
}

const setUrl = ({ database, webhooks }: DeliveryBench, id: FormId, to: string | null) =>
  database
    .transaction()
    .execute((transaction) =>
      webhooks.setUrl(transaction, { id, accountId: benchAccountId }, { url: to, setBy: benchAccountId }),
    );

test("an address that is taken away touches no delivery; the purge brings each forward once, in batches", async (t) => {
  const { bench, formId, due, sent, find, end } = await prepare(t);
  assert.equal(await end(), false);
  await setUrl(bench, formId, null);
  assert.equal((await find()).broughtForward, 0);
  assert.equal(await end(), true);
  const { broughtForward } = await find();
  assert.ok(broughtForward > 100 && broughtForward <= 200, String(broughtForward));
  while (await end());
  assert.deepEqual(await find(), { left: [sent], broughtForward: waiting - 2, asBefore: [due], ofOther: 3 });
});

test("an address that is set again leaves the rest where it is, however often it is taken away", async (t) => {
  const { bench, formId, find, end } = await prepare(t);
  for (let round = 0; round < 3; round++) {
    await setUrl(bench, formId, null);
    await end();
    await setUrl(bench, formId, url);
    assert.equal(await end(), false);
  }
  const { broughtForward, left } = await find();
  assert.ok(broughtForward <= 200 && left.length > 200, `${broughtForward} ${left.length}`);
});

test("a webhook whose deliveries can't be brought forward keeps no other one's waiting", exceptOnCluster, async (t) => {
  const bench = await createDeliveryBench(t, { authority });
  const { database, clock } = bench;
  const forms: FormId[] = [];
  for (let count = 0; count < 3; count++) forms.push((await bench.createWebhook(url)).formId);
  // The first that any look meets.
  const [failing = "", ...others] = forms.toSorted();
  for (const formId of forms) {
    await bench.recordMany(formId, 3);
    await setUrl(bench, formId, null);
  }
  await database
    .updateTable("delivery_queue")
    .set({ due_at: clock.now() + hours, attempt: 5 })
    .execute();
  await refuseUpdates(database, failing);
  const { endDeliveries } = createPurgeStore(database);
  const fails = async () => {
    while (await endDeliveries(clock.now()));
  };
  await assert.rejects(fails(), /refused here/);
  const left = await database
    .selectFrom("delivery_queue")
    .select("form_id")
    .where("due_at", ">", clock.now())
    .execute();
  assert.deepEqual([...new Set(left.map(({ form_id }) => form_id))], [failing], `none of ${others}`);
});

async function refuseUpdates(database: Database, formId: string): Promise<void> {
  if (testDatabaseKind === "sqlite")
    await sql`create trigger refusing before update on delivery_queue when old.form_id = ${sql.lit(formId)}
      begin select raise(abort, 'refused here'); end`.execute(database);
  else {
    await sql`create function refuse() returns trigger language plpgsql as 'begin raise ''refused here''; end'`.execute(
      database,
    );
    await sql`create trigger refusing before update on delivery_queue for each row
      when (old.form_id = ${sql.lit(formId)}) execute function refuse()`.execute(database);
  }
}
