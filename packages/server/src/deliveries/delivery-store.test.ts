import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { createId } from "@sealpost/wire";
import { CompiledQuery, sql } from "kysely";
import { kindOf } from "../database/kind.ts";
import { createKeyRing } from "../instance/key-ring.ts";
import { createSecretBox } from "../instance/secret-box.ts";
import { onPostgres } from "../testing/test-database.ts";
import { type Authority, createAuthority } from "../webhooks/testing/receiver.ts";
import type { ClaimedDelivery, Completion } from "./claim.ts";
import { claimsMax, next } from "./delivery.ts";
import { createDeliveryStore } from "./delivery-store.ts";
import { countSlots, createDestinationLimits } from "./destination-limits.ts";
import { endQueued } from "./queue-finish.ts";
import { claimDue, unlimited } from "./testing/claim-due.ts";
import { benchAccountId, createDeliveryBench, type DeliveryBench } from "./testing/delivery-bench.ts";

let authority: Authority;
before(async () => {
  authority = await createAuthority();
});

async function finish({ store }: DeliveryBench, completion: Completion) {
  const { stored } = await store.settleAndClaim([completion], undefined);
  return stored;
}

function delivered(claimed: ClaimedDelivery, at: number): Completion {
  const after = next(claimed.sending, {
    kind: "responded",
    at,
    statusCode: 204,
    retryAfterMilliseconds: undefined,
    redirectTo: undefined,
    jitter: 0,
  });
  assert.ok(after);
  const result = { durationMilliseconds: 5, statusCode: 204, error: undefined };
  return { claimed, before: claimed.sending, lease: claimed.lease, at, result, after };
}

async function only(bench: DeliveryBench): Promise<ClaimedDelivery> {
  const { deliveries } = await claimDue(bench);
  const [claimed] = deliveries;
  assert.ok(claimed !== undefined && deliveries.length === 1);
  return claimed;
}

describe("a lease", () => {
  test("a lease keeps a delivery from everybody for 75 s, and then from nobody", async (t) => {
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook("https://receiver.example/");
    const id = await bench.record(formId);
    assert.equal((await only(bench)).id, id);
    bench.clock.advance(74_999);
    assert.deepEqual((await claimDue(bench)).deliveries, []);
    bench.clock.advance(1);
    const again = await only(bench);
    assert.equal(again.sending.attempt, 1, "a crash does not use up an attempt");
    assert.deepEqual(
      (await bench.attempts(id)).map(({ number, error }) => [number, error]),
      [
        [1, "interrupted"],
        [1, null],
      ],
    );
  });

  test("a lease that was lost changes nothing but the attempt's own row", async (t) => {
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook("https://receiver.example/");
    const id = await bench.record(formId);
    const first = await only(bench);
    bench.clock.advance(75_000);
    const second = await only(bench);
    assert.deepEqual(await finish(bench, delivered(first, bench.clock.now())), [{ kind: "lost" }]);
    assert.equal((await bench.delivery(id)).state, "waiting");
    assert.equal((await bench.queue()).length, 1);
    assert.equal((await bench.attempts(id))[0]?.status_code, 204);
    // The control: the one that holds the lease ends it.
    assert.deepEqual(await finish(bench, delivered(second, bench.clock.now())), [{ kind: "stored" }]);
    assert.equal((await bench.delivery(id)).state, "delivered");
  });

  test("a lease that ended by a jump of the clock is not claimed again by the process that still sends", async (t) => {
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook("https://receiver.example/");
    const id = await bench.record(formId);
    await only(bench);
    bench.clock.advance(3_600_000);
    assert.deepEqual(
      (await claimDue(bench, { inFlight: [{ id, destination: `${benchAccountId} receiver.example:443` }] })).deliveries,
      [],
    );
  });

  test("a lease is renewed with each request of a send run, and a crash in the second repeats that attempt", async (t) => {
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook("https://receiver.example/");
    const id = await bench.record(formId);
    const claimed = await only(bench);
    bench.clock.advance(60_000);
    const at = bench.clock.now();
    const after = next(claimed.sending, {
      kind: "responded",
      at,
      statusCode: 302,
      retryAfterMilliseconds: undefined,
      redirectTo: "https://elsewhere.example/",
      jitter: 0,
    });
    assert.ok(after);
    const result = { durationMilliseconds: 60_000, statusCode: 302, error: "redirected" } as const;
    const [stored] = await finish(bench, { claimed, before: claimed.sending, lease: claimed.lease, at, result, after });
    assert.equal(stored?.kind, "continued");
    bench.clock.advance(74_999);
    assert.deepEqual((await claimDue(bench)).deliveries, []);
    bench.clock.advance(1);
    const again = await only(bench);
    assert.deepEqual([again.sending.attempt, again.sending.url], [2, "https://receiver.example/"]);
    assert.equal((await bench.attempts(id)).length, 3);
  });

  test("a lease of a process that is gone is ended when the next one starts", async (t) => {
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook("https://receiver.example/");
    await bench.record(formId);
    await only(bench);
    await bench.store.releaseAll(bench.clock.now());
    assert.equal((await only(bench)).sending.claims, 2);
  });

  test(`a lease is given out ${claimsMax} times, then the delivery is given up`, async (t) => {
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook("https://receiver.example/");
    const id = await bench.record(formId);
    for (let count = 1; count <= claimsMax; count++) {
      await only(bench);
      bench.clock.advance(75_000);
    }
    const { deliveries, ended } = await claimDue(bench);
    assert.deepEqual([deliveries.length, ended.length], [0, 1]);
    const { state, last_error, attempts } = await bench.delivery(id);
    assert.deepEqual(
      { state, last_error, attempts },
      { state: "failed", last_error: "interrupted_too_often", attempts: 0 },
    );
    assert.deepEqual(await bench.queue(), []);
  });
});

describe("a claim", () => {
  for (const attempt of [1, 2])
    test(`attempt ${attempt} waits for a process that has the secret, and claims by others use nothing up`, async (t) => {
      const bench = await createDeliveryBench(t, { authority });
      const { database, clock } = bench;
      const { formId } = await bench.createWebhook("https://receiver.example/");
      const id = await bench.record(formId);
      await database.updateTable("delivery_queue").set({ attempt }).execute();
      const otherRing = createKeyRing([{ number: 2, secret: new Uint8Array(32).fill(8) }], 2);
      const lacking = { store: createDeliveryStore(database, createSecretBox(otherRing)), clock };
      for (let count = 0; count <= claimsMax; count++) {
        const { deliveries, unreadable, locked, contended } = await claimDue(lacking);
        assert.deepEqual(
          { deliveries, unreadable, locked, contended },
          { deliveries: [], unreadable: [], locked: [id], contended: false },
        );
        clock.advance(9_999);
        assert.deepEqual((await claimDue(bench)).deliveries, [], "nobody asks for it again and again");
        clock.advance(1);
        // As the turn before a claim does.
        await claimDue(lacking, { slots: 0 });
      }
      const { id: claimed, sending } = await only(bench);
      assert.deepEqual([claimed, sending.attempt, sending.claims], [id, attempt, 1]);
      assert.equal((await bench.attempts(id)).length, 1, "no line of the log for a request that was not made");
    });

  test("a claim takes from every destination in turn, whatever one of them has waiting", async (t) => {
    const bench = await createDeliveryBench(t, { authority });
    const { formId: dead } = await bench.createWebhook("https://dead.example/");
    await bench.recordMany(dead, 500);
    const others = await Promise.all(
      Array.from({ length: 30 }, (_, index) => bench.createWebhook(`https://other${index}.example/`)),
    );
    for (const { formId } of others) await bench.record(formId);
    const { deliveries } = await claimDue(bench, { destinationLimits: createDestinationLimits().plan() });
    const destinations = deliveries.map(({ destination }) => destination);
    assert.equal(destinations.length, 31);
    assert.equal(new Set(destinations).size, 31);
  });

  test("a claim continues after the destination that was served last, and round", async (t) => {
    const bench = await createDeliveryBench(t, { authority });
    for (const name of ["a", "b", "c", "d"]) {
      const { formId } = await bench.createWebhook(`https://${name}.example/`);
      await bench.record(formId);
    }
    const destinationLimits = { ...unlimited, roomMax: 1, room: () => 1 };
    const first = await claimDue(bench, {
      slots: 3,
      destinationLimits,
      afterDestination: `${benchAccountId} b.example:443`,
    });
    assert.deepEqual(
      first.deliveries.map(({ destination }) => destination),
      ["c", "d", "a"].map((name) => `${benchAccountId} ${name}.example:443`),
    );
    // Organizations take turns; the next time this one is entered where it was left.
    assert.equal(first.lastDestination, `${benchAccountId}!`);
    const { formId } = await bench.createWebhook("https://a.example/");
    await bench.record(formId);
    const next = await claimDue(bench, { slots: 1, destinationLimits, afterDestination: first.lastDestination });
    assert.deepEqual(
      next.deliveries.map(({ destination }) => destination),
      [`${benchAccountId} b.example:443`],
    );
  });

  test("one organization's backlog to any number of hosts keeps another's delivery waiting for a few claims alone", async (t) => {
    const bench = await createDeliveryBench(t, { authority });
    const limits = createDestinationLimits();
    await bench.database.transaction().execute(async (transaction) => {
      for (let index = 0; index < 200; index++) {
        const { formId } = await bench.createWebhook(`https://many${index}.example/`, benchAccountId, transaction);
        await bench.recordMany(formId, 8, transaction);
      }
    });
    const { formId } = await bench.createWebhook("https://one.example/", createId("account", 1));
    const id = await bench.record(formId);
    for (const { destination } of await bench.queue()) limits.leave(destination, "quick");
    const claimed: ClaimedDelivery[] = [];
    let [claims, afterDestination] = [0, ""];
    while (!claimed.some((delivery) => delivery.id === id)) {
      claims += 1;
      assert.ok(claims <= 4, `${claimed.length} are claimed, and not the one`);
      const { deliveries, lastDestination } = await claimDue(bench, {
        slots: countSlots(claimed.length, 0, 0).slots,
        afterDestination,
        fullDestinations: limits.fullDestinations(),
        destinationLimits: limits.plan(),
        inFlight: claimed,
      });
      for (const { destination } of deliveries) limits.whenFree(destination, false, () => {});
      claimed.push(...deliveries);
      afterDestination = lastDestination;
    }
  });

  describe("four thousand destinations that hang keep another organization's deliveries waiting for a few claims alone", () => {
    for (const count of [1, 50])
      test(`of ${count === 1 ? "one organization" : `${count} organizations`}`, async (t) => {
        const bench = await createDeliveryBench(t, { authority });
        const limits = createDestinationLimits();
        await bench.database.transaction().execute(async (transaction) => {
          for (let index = 0; index < count; index++) {
            const attacker = createId("account", 1 + index);
            const { formId } = await bench.createWebhook("https://hanging.example/", attacker, transaction);
            await bench.recordMany(formId, 4000 / count, transaction);
          }
          await sql`update delivery_queue set destination = replace(destination, 'hanging', delivery_id)`.execute(
            transaction,
          );
        });
        const other = createId("account", 1000);
        const { formId } = await bench.createWebhook("https://one.example/", other);
        limits.leave(`${other} one.example:443`, "quick");
        const claimed: ClaimedDelivery[] = [];
        let afterDestination = "";
        for (let round = 1; round <= 4; round++) {
          const id = await bench.record(formId);
          for (let claims = 1; !claimed.some((delivery) => delivery.id === id); claims++) {
            assert.ok(claims <= 4, `delivery ${round} still waits, and ${claimed.length} are claimed`);
            const { deliveries, lastDestination } = await claimDue(bench, {
              slots: countSlots(claimed.length, 0, 0).slots,
              afterDestination,
              fullDestinations: limits.fullDestinations(),
              destinationLimits: limits.plan(),
              inFlight: claimed,
            });
            for (const { destination } of deliveries) limits.enter(destination);
            claimed.push(...deliveries);
            afterDestination = lastDestination;
          }
        }
        assert.equal(claimed.length, 4 + (count === 1 ? 36 : 48));
      });
  });

  test("organizations take turns: backlogs of two to receivers that hang keep a third one's waiting for a few endings alone", async (t) => {
    const bench = await createDeliveryBench(t, { authority });
    const limits = createDestinationLimits();
    await bench.database.transaction().execute(async (transaction) => {
      for (const at of [1, 2000]) {
        const { formId } = await bench.createWebhook("https://hanging.example/", createId("account", at), transaction);
        await bench.recordMany(formId, 200, transaction);
      }
      await sql`update delivery_queue set destination = replace(destination, 'hanging', delivery_id)`.execute(
        transaction,
      );
    });
    // Between the two, and not known to be quick.
    const { formId } = await bench.createWebhook("https://one.example/", createId("account", 1000));
    const claimed: ClaimedDelivery[] = [];
    let afterDestination = "";
    const claimMore = async () => {
      const { deliveries, lastDestination } = await claimDue(bench, {
        slots: countSlots(claimed.length, 0, 0).slots,
        afterDestination,
        fullDestinations: limits.fullDestinations(),
        destinationLimits: limits.plan(),
        inFlight: claimed,
      });
      for (const { destination } of deliveries) limits.enter(destination);
      claimed.push(...deliveries);
      afterDestination = lastDestination;
    };
    for (let claims = 0; claims < 3; claims++) await claimMore();
    assert.equal(claimed.length, 48);
    const id = await bench.record(formId);
    for (let endings = 0; !claimed.some((delivery) => delivery.id === id); endings++) {
      assert.ok(endings <= 3, "it still waits");
      for (const one of claimed.splice(0, 1)) {
        limits.leave(one.destination, "slow");
        await sql`delete from delivery_queue where delivery_id = ${one.id}`.execute(bench.database);
      }
      await claimMore();
    }
  });

  test("a claim serves all destinations of an organization in turn, however many of them have no room", async (t) => {
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook("https://many.example/");
    await bench.recordMany(formId, 100);
    await sql`update delivery_queue set destination = replace(destination, 'many', delivery_id)`.execute(
      bench.database,
    );
    const { formId: another } = await bench.createWebhook("https://one.example/", createId("account", 1000));
    await bench.recordMany(another, 100);
    const all = (await bench.queue()).map(({ destination }) => destination);
    const asked = new Set<string>();
    const room = (destination: string) => {
      asked.add(destination);
      return destination.endsWith(" one.example:443") ? 1 : 0;
    };
    let afterDestination = "";
    for (let claims = 0; claims < 8; claims++) {
      const destinationLimits = { ...unlimited, roomMax: 1, room };
      const { deliveries, lastDestination } = await claimDue(bench, { destinationLimits, afterDestination });
      assert.equal(deliveries.length, 1);
      afterDestination = lastDestination;
    }
    assert.deepEqual(asked, new Set(all));
  });

  test("a claim takes the longest due of a destination first, nothing that is not due, and as many as it has room for", async (t) => {
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook("https://receiver.example/");
    const ids: string[] = [];
    for (let count = 0; count < 6; count++) {
      ids.push(await bench.record(formId));
      bench.clock.advance(1);
    }
    const { deliveries } = await claimDue(bench, { now: bench.clock.now() - 2, slots: 4 });
    assert.deepEqual(
      deliveries.map(({ id }) => id),
      ids.slice(0, 4),
    );
    const rest = await claimDue(bench, { now: bench.clock.now() - 2 });
    assert.deepEqual(
      rest.deliveries.map(({ id }) => id),
      ids.slice(4, 5),
    );
  });

  test("a claim says when another process was just taking all that it found", onPostgres, async (t) => {
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook("https://receiver.example/");
    await bench.record(formId);
    await bench.database.transaction().execute(async (transaction) => {
      await sql`select 1 from delivery_queue where form_id = ${formId} for update`.execute(transaction);
      const { deliveries, contended } = await claimDue(bench);
      assert.deepEqual([deliveries, contended], [[], true]);
    });
    const { deliveries, contended } = await claimDue(bench);
    assert.deepEqual([deliveries.length, contended], [1, false]);
    assert.equal((await claimDue(bench)).contended, false, "nothing is due any more");
  });

  test("a claim leaves destinations without room alone", async (t) => {
    const bench = await createDeliveryBench(t, { authority });
    const { formId } = await bench.createWebhook("https://receiver.example/");
    await bench.record(formId);
    assert.deepEqual(
      (await claimDue(bench, { fullDestinations: [`${benchAccountId} receiver.example:443`] })).deliveries,
      [],
    );
    assert.deepEqual(
      (await claimDue(bench, { destinationLimits: { ...unlimited, roomMax: 64, room: () => 0 } })).deliveries,
      [],
    );
  });

  test("a claim gives retries no more slots than they may have, and the rest to first attempts", async (t) => {
    const bench = await createDeliveryBench(t, { authority });
    const { formId: old } = await bench.createWebhook("https://a-retrying.example/");
    await bench.recordMany(old, 100);
    await bench.database.updateTable("delivery_queue").set({ attempt: 2 }).execute();
    const { formId: fresh } = await bench.createWebhook("https://fresh.example/");
    await bench.recordMany(fresh, 100);
    const { deliveries } = await claimDue(bench);
    const retries = deliveries.filter(({ sending }) => sending.attempt === 2);
    assert.deepEqual([retries.length, deliveries.length], [48, 64]);
    const more = await claimDue(bench, { retrySlots: 0, slots: 64 });
    assert.ok(more.deliveries.length === 64 && more.deliveries.every(({ sending }) => sending.attempt === 1));
  });

  test("a claim is not stopped by a row whose form is gone, whose secret does not open, or which can't be read", async (t) => {
    const bench = await createDeliveryBench(t, { authority });
    const { formId: gone } = await bench.createWebhook("https://gone.example/");
    await bench.record(gone);
    await bench.database.deleteFrom("webhook").where("form_id", "=", gone).execute();
    const { formId: broken } = await bench.createWebhook("https://broken.example/");
    const unreadable = await bench.record(broken);
    const { formId: fine } = await bench.createWebhook("https://fine.example/");
    // Another form's secret, copied: the box binds each to its form.
    const { secret } = await bench.database
      .selectFrom("webhook")
      .select("secret")
      .where("form_id", "=", fine)
      .executeTakeFirstOrThrow();
    await bench.database.updateTable("webhook").set({ secret }).where("form_id", "=", broken).execute();
    const { formId: damaged } = await bench.createWebhook("https://damaged.example/");
    const damagedId = await bench.record(damaged);
    await bench.database.updateTable("webhook").set({ earlier_secrets: "[" }).where("form_id", "=", damaged).execute();
    const id = await bench.record(fine);
    const claimed = await claimDue(bench);
    assert.deepEqual(
      claimed.deliveries.map((delivery) => delivery.id),
      [id],
    );
    assert.deepEqual(claimed.unreadable.toSorted(), [unreadable, damagedId].toSorted());
    assert.deepEqual(
      (await bench.queue()).map(({ delivery_id }) => delivery_id).sort(),
      [id, unreadable, damagedId].sort(),
    );
  });
});

test("completions go by the delivery's id whatever the statistics say", async (t) => {
  const bench = await createDeliveryBench(t, { authority });
  const { formId } = await bench.createWebhook("https://receiver.example/");
  await bench.recordMany(formId, 1000);
  await sql`analyze`.execute(bench.database);
  const isPostgres = kindOf(bench.database) === "postgres";
  const ending = await bench.database
    .transaction()
    .execute(async (transaction) => endQueued(transaction, [[formId, "a", "b"]]) ?? assert.fail());
  for (const { sql: text, parameters } of [
    ending,
    sql`update delivery_queue set due_at = 1 where form_id = ${formId} and delivery_id = 'a' and claim_token = 'b'`.compile(
      bench.database,
    ),
  ]) {
    const explain = isPostgres ? "explain" : "explain query plan";
    const { rows } = await bench.database.executeQuery(CompiledQuery.raw(`${explain} ${text}`, [...parameters]));
    const plan = JSON.stringify(rows);
    assert.match(
      plan,
      // Its index by form and delivery is as good as the primary key.
      isPostgres ? /Index Cond: [^"]*\(delivery_id = / : /INDEX sqlite_autoindex_delivery_queue_1 \(delivery_id=/,
    );
    assert.doesNotMatch(plan, /SCAN delivery_queue|Seq Scan on delivery_queue/);
  }
});
