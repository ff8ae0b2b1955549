import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { closeAtEnd } from "../testing/temporary-folder.ts";
import { createDirectUrl, onPostgres } from "../testing/test-database.ts";
import { openPostgres } from "./database.ts";
import { createHosts } from "./hosts.ts";
import { createNotifications } from "./notifications.ts";

/** A process's part in waking up: counts what it hears, and resolves `next` at the next one. */
function createHearer() {
  let count = 0;
  let resolve = () => {};
  return {
    count: () => count,
    next: () =>
      new Promise<void>((done) => {
        resolve = done;
      }),
    hear() {
      count += 1;
      resolve();
    },
  };
}

test(
  "an announcement wakes the other processes and not its own, once for many, and again after the connection was cut",
  onPostgres,
  async (t) => {
    const url = await createDirectUrl(t);
    const database = openPostgres(url);
    closeAtEnd(t, () => database.destroy());
    const hosts = createHosts(url);
    const [one, other, third] = [
      createNotifications(database, hosts),
      createNotifications(database, hosts),
      createNotifications(database, hosts),
    ];
    const [atOne, atOther] = [createHearer(), createHearer()];
    for (const notifications of [one, other, third]) closeAtEnd(t, () => notifications.stop());
    // Each is woken when it begins to listen, for what it may have missed.
    const listening = [atOne.next(), atOther.next()];
    one.start(atOne.hear);
    other.start(atOther.hear);
    await Promise.all(listening);

    let heard = atOther.next();
    for (let index = 0; index < 100; index++) one.announce();
    await heard;
    // A later notification reaches both; by then everything before has.
    let both = [atOne.next(), atOther.next()];
    third.announce();
    await Promise.all(both);
    assert.deepEqual([atOne.count(), atOther.count()], [2, 3]);

    both = [atOne.next(), atOther.next()];
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen sealpost_wake'`.execute(
      database,
    );
    await Promise.all(both);
    heard = atOther.next();
    one.announce();
    await heard;
  },
);
