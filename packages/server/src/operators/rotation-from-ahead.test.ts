import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { sql } from "kysely";
import { openMigratedDatabase } from "../database/testing/migrated-database.ts";
import { openInstance } from "../instance/instance.ts";
import { numberSecrets } from "../instance/open-key-ring.ts";
import { keyCheckOf } from "../instance/secret-box.ts";
import {
  activateSecretKey,
  addWaitingSecretKey,
  listSecretKeys,
  writeServingProcess,
} from "../instance/secret-key-store.ts";
import { loadInstant } from "../mail/mail-switch-store.ts";
import { dayMilliseconds as day } from "../time/clock.ts";
import type { WhileKept } from "./kept-secret.ts";
import { continueRotation, dropSpentKeys } from "./secret-rotation.ts";

/** There is no file. */
const whileKept: WhileKept = (_key, work) => work();

/** The step of a rotation that was reached while the clock was ahead. */
const reached = ["waiting", "active"] as const;

for (const state of reached)
  for (const ahead of [2 * day, 365 * day])
    test(`a rotation whose new key became ${state} while the clock was ${ahead / day} days ahead ends within two minutes once it is right`, async (t) => {
      const database = await openMigratedDatabase(t);
      const [former, next] = [randomBytes(32), randomBytes(32)];
      let now = Date.now();
      const late = now + ahead;
      await openInstance(database, [former], now);
      const { secretBox, keyRing } = await openInstance(database, [next, former], now);
      const killed = { id: "killed", name: "a process that was killed", checks: [keyCheckOf(former)] };
      await writeServingProcess(database, { ...killed, sealsWith: 1, seenAt: late });
      await addWaitingSecretKey(database, keyCheckOf(next), late);
      if (state === "active") await activateSecretKey(database, { number: 2, check: keyCheckOf(next) }, late);
      const steps: string[] = [];
      for (let seconds = 0; seconds < 120; seconds += 5, now += 5_000) {
        const keys = await listSecretKeys(database);
        const active = keys.find((key) => key.state === "active")?.number ?? 1;
        keyRing.replace(numberSecrets(keys, [next, former]), active);
        const living = { id: "living", name: "a process that serves", checks: [next, former].map(keyCheckOf) };
        await writeServingProcess(database, { ...living, sealsWith: active, seenAt: now });
        steps.push((await continueRotation({ database, secretBox, now: () => now, whileKept })).step);
      }
      assert.ok(steps.includes("spent"), String(steps));
      assert.ok((await listSecretKeys(database)).every(({ since }) => since <= now));
    });

for (const dropAfterDays of [0, 3])
  test(`no key of session tokens that was made before outlives the secret that is dropped ${dropAfterDays} days after the clock is right, whatever its date`, async (t) => {
    const database = await openMigratedDatabase(t);
    const [former, next] = [randomBytes(32), randomBytes(32)];
    let now = Date.now();
    const late = now + 2 * day;
    await openInstance(database, [former], now);
    const { secretBox, keyRing } = await openInstance(database, [next, former], now);
    for (const [id, madeAt] of Object.entries({ early: now - day, late: late - 1 }))
      await sql`insert into jwks (id, public_key, private_key, created_at)
        values (${id}, '', '', ${new Date(madeAt).toISOString()})`.execute(database);
    await addWaitingSecretKey(database, keyCheckOf(next), late);
    await activateSecretKey(database, { number: 2, check: keyCheckOf(next) }, late);
    for (let step = ""; step !== "spent" && step !== "none"; now += 30_000) {
      keyRing.replace(numberSecrets(await listSecretKeys(database), [next, former]), 2);
      ({ step } = await continueRotation({ database, secretBox, now: () => now, whileKept }));
    }
    now += dropAfterDays * day;
    assert.equal((await dropSpentKeys({ database, secretBox, now: () => now, whileKept })).length, 1);
    assert.deepEqual((await sql`select id from jwks`.execute(database)).rows, []);
  });

test("the time since which an instance sends emails is that of now where a clock that was ahead has noted it", async (t) => {
  const database = await openMigratedDatabase(t);
  const now = Date.now();
  assert.equal(await loadInstant(database, "emails_since", now + 365 * day), now + 365 * day);
  assert.equal(await loadInstant(database, "emails_since", now), now);
  assert.equal(await loadInstant(database, "emails_since", now + day), now, "and stays that");
});
