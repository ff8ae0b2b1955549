import assert from "node:assert/strict";
import { test } from "node:test";
import type { CompiledQuery, QueryResult } from "kysely";
import type { Database } from "../database/database.ts";
import { createSignInBench, outcomeOf, password, type SignInBench, whoIs } from "./testing/sign-in-bench.ts";
import type { TestBrowser } from "./testing/test-browser.ts";

const newPassword = "another horse battery";

/** Ways of the owner, in another browser, to take the right to come by the provider away. */
const endings: Readonly<Record<string, (owner: TestBrowser) => Promise<{ readonly status: number }>>> = {
  "a new password": (owner) => owner.post("/api/auth/change-password", { currentPassword: password, newPassword }),
  "the end of the link": async (owner) => {
    const { body } = await owner.post("/api/auth/identities", {}, "GET");
    return owner.post(`/api/auth/identities/${body.identities[0]?.id}`, {}, "DELETE");
  },
};

/** Waits for what tests hold, and lets it go. */
function createHold() {
  const reached = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  return {
    async wait(): Promise<void> {
      reached.resolve();
      await going.promise;
    },
    /** Whether it waited before `other` had ended. */
    isReachedBefore: (other: Promise<unknown>) =>
      Promise.race([reached.promise.then(() => true), other.then(() => false)]),
    end: () => going.resolve(),
  };
}

/** Holds the transaction with this number that is begun by code of one of these folders, until it is let go. */
function holdTransaction(database: Database, code: RegExp, number: number) {
  const begin = database.transaction.bind(database);
  const hold = createHold();
  let count = 0;
  database.transaction = () => {
    const builder = begin();
    if (!code.test(String(new Error().stack)) || ++count !== number) return builder;
    const execute = builder.execute.bind(builder);
    builder.execute = async (work) => {
      await hold.wait();
      return execute(work);
    };
    return builder;
  };
  return {
    ...hold,
    end() {
      hold.end();
      database.transaction = begin;
    },
  };
}

/** Holds the first session that is written, before or after that. */
function holdSession(database: Database, moment: "before" | "after") {
  const executor = database.getExecutor();
  const execute = executor.executeQuery.bind(executor);
  const hold = createHold();
  let isHeld = false;
  executor.executeQuery = async <Row>(query: CompiledQuery<Row>): Promise<QueryResult<Row>> => {
    if (isHeld || !/^insert into "session"/.test(query.sql)) return execute(query);
    isHeld = true;
    if (moment === "before") await hold.wait();
    const result = await execute(query);
    if (moment === "after") await hold.wait();
    return result;
  };
  return {
    ...hold,
    end() {
      hold.end();
      executor.executeQuery = execute;
    },
  };
}

/** Two browsers of one person, the first of which was stolen, and what comes back from the provider for it. */
async function openStolen(bench: SignInBench, number: number) {
  const email = `owner-${number}@example.com`;
  await bench.service.signUp(email);
  bench.provider.person = { sub: `thief-${number}`, name: "Thief", email: `thief-${number}@example.com` };
  return { email, stolen: await bench.openOwnersBrowser(email), owner: await bench.openOwnersBrowser(email) };
}

test("a link that is under way while the password is changed is not made, wherever it is", async (t) => {
  const bench = await createSignInBench(t);
  const { database } = bench.service;
  let number = 0;
  for (let isReached = true; isReached; ) {
    number += 1;
    const { email, stolen, owner } = await openStolen(bench, number);
    const answer = await stolen.fetchAnswer({}, "/api/auth/oidc/link");
    const hold = holdTransaction(database, /\/oidc\//, number);
    const ended = stolen.go(answer.href);
    isReached = await hold.isReachedBefore(ended);
    if (isReached) assert.equal((await endings["a new password"]?.(owner))?.status, 200);
    hold.end();
    assert.equal(outcomeOf(await ended), isReached ? "session_changed" : "linked");
    const other = bench.openBrowser();
    await other.signIn();
    assert.equal((await whoIs(other)) === email, !isReached, `transaction ${number}`);
  }
  assert.ok(number > 1, "a control: there was one to hold");
});

for (const [name, end] of Object.entries(endings))
  test(`a session that the provider opens next to ${name} ends with it, in any order`, async (t) => {
    const bench = await createSignInBench(t);
    const { database } = bench.service;
    let held = 0;
    const open = async () => {
      const { stolen, owner } = await openStolen(bench, ++held);
      assert.equal(outcomeOf(await stolen.signIn({}, "/api/auth/oidc/link")), "linked");
      const thief = bench.openBrowser();
      return { owner, thief, answer: await thief.fetchAnswer() };
    };
    const look = async (owner: TestBrowser, thief: TestBrowser, where: string) => {
      const { status } = await thief.post("/api/forms", {}, "GET");
      // Who comes after the end signs up as somebody new.
      if (status !== 401) assert.equal(await whoIs(thief), `thief-${held}@example.com`, where);
      assert.equal((await owner.post("/api/forms", {}, "GET")).status, 200, where);
    };
    for (let number = 1, isReached = true; isReached; number++) {
      const { owner, thief, answer } = await open();
      const hold = holdTransaction(database, /\/(accounts|authentication|oidc)\//, number);
      const ended = end(owner);
      isReached = await hold.isReachedBefore(ended);
      // Each is one transaction, which may have to wait for the other's.
      const opened = isReached ? thief.go(answer.href) : undefined;
      hold.end();
      await Promise.all([ended, opened]);
      if (isReached) await look(owner, thief, `transaction ${number}`);
      else assert.ok(number > 1, "a control: there was one to hold");
    }
    for (const moment of ["before", "after"] as const) {
      const { owner, thief, answer } = await open();
      const hold = holdSession(database, moment);
      const opened = thief.go(answer.href);
      assert.ok(await hold.isReachedBefore(opened));
      const ended = end(owner);
      hold.end();
      await Promise.all([ended, opened]);
      await look(owner, thief, `${moment} the session is written`);
    }
  });
