import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { createForm, postPlain } from "../forms/testing/test-form.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { noticeKinds, noticesPerDay as perDayOf } from "./mail.ts";
import { ownSharesMax } from "./notice-share.ts";
import { lockFullKinds } from "./notice-store.ts";
import { accountIdOf, createMailBench } from "./testing/mail-bench.ts";

const noticesPerDay = Object.values(perDayOf).reduce((sum, most) => sum + most, 0);

async function start(t: TestScope) {
  const bench = await createMailBench(t);
  const { service, clock } = bench;
  const { database } = service;
  let made = 0;

  /** An organization that the person came to own then. */
  async function own(personId: AccountId, countsFor: AccountId | null, since: number): Promise<AccountId> {
    const id = `acc_shared${++made}` as AccountId; // as one
    const values = { id, name: "", plan: "free", created_at: 0, counts_for: countsFor };
    await database.insertInto("organization").values(values).execute();
    await join(id, personId, since);
    return id;
  }
  const join = (organization_id: AccountId, person_id: AccountId, since: number) =>
    database
      .insertInto("member")
      .values({ organization_id, person_id, since, role: "owner", form_ids: "[]", added_by: null })
      .execute();
  /** Queues notices about an organization until it has had those of the day. How many. */
  const fill = (accountId: AccountId) =>
    database.transaction().execute(async (transaction) => {
      let queued = 0;
      const times = { created_at: clock.now(), due_at: clock.now(), expires_at: clock.now() + dayMilliseconds };
      const details = JSON.stringify({ accountId, level: 80, count: 2, since: 1, keyVersion: 1, cause: "origin" });
      for (const kind of noticeKinds)
        while (!(await lockFullKinds(transaction, accountId, clock.now())).has(kind)) {
          assert.ok(++queued <= noticesPerDay, "an organization has no more than its own");
          const values = { id: `${accountId}-${queued}`, kind, account_id: accountId, details, attempts: 0, ...times };
          await transaction.insertInto("mail").values(values).execute();
        }
      return queued;
    });
  return { ...bench, database, own, join, fill };
}

test("an address gets the notices of five organizations, and of all others together as many as of one; no other takes away what the first ones need", async (t) => {
  const { account, clock, store, own, fill } = await start(t);
  const id = accountIdOf(account);
  // The newest own ones come before the oldest that others made.
  const others: AccountId[] = [];
  for (const since of [1, 2, 3, 4]) others.push(await own(id, null, since));
  const owned: AccountId[] = [id];
  for (const since of [5, 6]) owned.push(await own(id, id, clock.now() + since));
  const inOrder = [...owned, ...others];
  const queued = new Map<string, number>();
  // The last ones are the first to send.
  for (const organizationId of inOrder.toReversed()) queued.set(organizationId, await fill(organizationId));
  assert.deepEqual(
    inOrder.map((organizationId) => queued.get(organizationId)),
    [...Array(ownSharesMax).fill(noticesPerDay), 0, noticesPerDay],
  );
  const claimed = await store.claim(clock.now(), 1000);
  assert.equal(claimed.flatMap(({ addresses }) => addresses).length, (ownSharesMax + 1) * noticesPerDay);
});

test("an owner who has had the notices of the day gets no more, and another owner of the same organization gets them all", async (t) => {
  const { service, account, clock, store, own, join, fill } = await start(t);
  const [id, other] = [accountIdOf(account), accountIdOf(await service.signUp("other@example.com"))];
  for (let since = 1; since < ownSharesMax; since++) await own(id, id, since);
  const [first, second] = [await own(id, null, 10), await own(id, null, 11)];
  await join(second, other, 12);
  assert.deepEqual([await fill(first), await fill(second)], [noticesPerDay, noticesPerDay]);
  const claimed = await store.claim(clock.now(), 1000);
  const gets = (address: string) => claimed.filter(({ addresses }) => addresses.includes(address)).length;
  assert.deepEqual([gets("owner@example.com"), gets("other@example.com")], [noticesPerDay, noticesPerDay]);
});

test("what nobody would get is not recorded as announced, and comes the day after", async (t) => {
  const { service, account, clock, smtp, run, own, fill } = await start(t);
  const id = accountIdOf(account);
  for (let since = 1; since <= ownSharesMax; since++) await own(id, id, since);
  assert.equal(await fill(await own(id, null, 10)), noticesPerDay);
  await postPlain(service, await createForm(account, { encryption: false }));
  await run();
  assert.equal(smtp.emails.filter(({ headers }) => headers.get("subject") === "1 new submission").length, 0);
  clock.advance(dayMilliseconds + 1);
  await run();
  assert.equal(smtp.emails.filter(({ headers }) => headers.get("subject") === "1 new submission").length, 1);
});
