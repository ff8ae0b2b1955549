import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import { completeMove, saveMove } from "../../packages/server/src/accounts/address-move-store.ts";
import { createForm } from "../../packages/server/src/forms/testing/test-form.ts";
import { placesOf } from "../../packages/server/src/rate-limits/transaction-places.ts";
import { onPostgres } from "../../packages/server/src/testing/test-database.ts";
import {
  createTestService,
  type TestAccount,
  type TestService,
  testPassword,
} from "../../packages/server/src/testing/test-service.ts";
import { casesOf, listHiddenOperations, openRights, prepare, sendWhole } from "./rights.ts";

/**
 * A transaction that waits for a lock keeps its connection, and a process has ten. Somebody who sends many requests that wait for the same may hold
 * some of them, and never those by which visitors and everybody else are served. Here the lock is held while others ask.
 */
const plain = { encryption: false, piiStrip: false, allowedOrigins: ["*"] };

interface Held {
  /** The connections that wait for it now. */
  countWaiting(): Promise<number>;
}

/** Holds what everything waits for that is done by this person, or about them, while something else is done. */
async function whileRightsAreHeld(
  { database }: TestService,
  personId: string,
  work: (held: Held) => Promise<void>,
): Promise<void> {
  const transaction = await database.startTransaction().execute();
  await sql`select pg_advisory_xact_lock(hashtextextended(${`right/person/${personId}`}, 0))`.execute(transaction);
  try {
    await work({
      async countWaiting() {
        const { rows } = await sql<{ count: number }>`
          select count(*) from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`.execute(transaction);
        return rows[0]?.count ?? 0;
      },
    });
  } finally {
    await transaction.rollback().execute();
  }
}

async function assertServed(service: TestService, other: TestAccount, form: string): Promise<void> {
  const payload = { encrypted: false, version: "plain1", fields: { message: "hello" } };
  const sent = await service.request("POST", `/api/forms/${form}/submissions`, { body: { payload } });
  assert.equal(sent.status, 201, JSON.stringify(sent.body));
  const changed = await other.request("PATCH", `/api/forms/${form}`, { name: crypto.randomUUID() });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
}

test(
  "of all operations at once, by a session and an API key of one person, three transactions wait, and everybody else is served",
  onPostgres,
  async (t) => {
    const rights = await openRights({ after: (end) => t.after(end) });
    const { service, operations } = rights;
    const other = await service.signUp();
    const form = await createForm(other, plain);
    const actor = await rights.createActor();
    const all = [...operations, ...(await listHiddenOperations(rights))];
    const cases = casesOf(all, { name: "", takes: { session: () => true, apiKey: () => true }, by: async () => {} });
    const requests = await Promise.all(cases.map((one) => prepare(rights, actor, one)));
    let answers: readonly Promise<unknown>[] = [];
    await whileRightsAreHeld(service, actor.account.id, async ({ countWaiting }) => {
      answers = requests.map((request) => sendWhole(service, request));
      while ((await countWaiting()) === 0);
      for (let count = 0; count < 5; count++) await assertServed(service, other, form);
      assert.equal(await countWaiting(), placesOf.postgres.ofPerson, "connections that wait");
    });
    await Promise.all(answers);
  },
);

test(
  "somebody who opens the link that undoes a move again and again has two connections wait at most, and everybody else is served",
  onPostgres,
  async (t) => {
    const service = await createTestService(t, { environment: { SEALPOST_TRUSTED_PROXIES: "127.0.0.0/8" } });
    const [mover, other] = [await service.signUp("mover@example.com"), await service.signUp()];
    const form = await createForm(other, plain);
    const token = await service.database.transaction().execute(async (transaction) => {
      const moved = { personId: mover.id as AccountId, newEmail: "moved@example.com" }; // the service made it
      const asked = { ...moved, oldEmail: "mover@example.com", oldToken: "old", newToken: "new" };
      await saveMove(transaction, asked, Date.now());
      return completeMove(transaction, moved, Date.now());
    });
    const open = (index: number) =>
      service.request("POST", "/api/auth/address/refuse", {
        headers: { origin: service.url, "x-forwarded-for": `192.0.2.${index % 5}` },
        body: { token },
      });
    let answers: readonly ReturnType<typeof open>[] = [];
    await whileRightsAreHeld(service, mover.id, async ({ countWaiting }) => {
      answers = Array.from({ length: 30 }, (_, index) => open(index));
      while ((await countWaiting()) === 0);
      for (let count = 0; count < 5; count++) await assertServed(service, other, form);
      const waiting = await countWaiting();
      assert.ok(waiting <= 2, `${waiting} connections wait`);
    });
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 1, "it is undone once");
  },
);

test(
  "sessions and API keys that are used while they are being ended have no connection wait, and everybody else is served",
  onPostgres,
  async (t) => {
    const service = await createTestService(t);
    const [person, other] = [await service.signUp("person@example.com"), await service.signUp()];
    const form = await createForm(other, plain);
    const tokens: string[] = [];
    for (let count = 0; count < 4; count++) {
      const made = await person.request("POST", "/api/api-keys", { name: `Key ${count}` });
      tokens.push(made.body.key.key, await signInAgain(service), await signInAgain(service));
    }
    const touch = async (database: TestService["database"], at: number) => {
      await database.updateTable("session").set({ last_used_at: at }).where("person_id", "=", person.id).execute();
      await database.updateTable("api_key").set({ last_used_at: at }).where("made_by", "=", person.id).execute();
    };
    // Long enough ago for the next use to be noted.
    await touch(service.database, Date.now() - 2 * 86_400_000);
    const ending = await service.database.startTransaction().execute();
    try {
      await touch(ending, 0);
      for (const token of tokens) assert.equal((await service.request("GET", "/api/forms", { token })).status, 200);
      for (let count = 0; count < 5; count++) await assertServed(service, other, form);
    } finally {
      await ending.rollback().execute();
    }
  },
);

async function signInAgain(service: TestService): Promise<string> {
  const body = { email: "person@example.com", password: testPassword };
  const signedIn = await service.request("POST", "/api/auth/sign-in/email", { body });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const issued = await service.request("GET", "/api/auth/token", { headers: { cookie, origin: service.url } });
  return String(issued.body.token);
}
