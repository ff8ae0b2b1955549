import assert from "node:assert/strict";
import { test } from "node:test";
import { findFreePort } from "../testing/postgres-server.ts";
import { type Database, openOnHosts } from "./database.ts";
import { createHosts } from "./hosts.ts";
import { createRound, stepOfFirst } from "./round.ts";

/** A database whose server is off. */
async function withoutServer(use: (database: Database) => Promise<void>): Promise<void> {
  const database = openOnHosts(createHosts(`postgresql://nobody@127.0.0.1:${await findFreePort()}/none`));
  try {
    await use(database);
  } finally {
    await database.destroy();
  }
}

test("where the database can't be reached no step follows the one that found out", () =>
  withoutServer(async (database) => {
    const asked: string[] = [];
    const ask = async (name: string) => {
      asked.push(name);
      return (await database.selectFrom("form").select("id").execute()).length > 0;
    };
    await assert.rejects(stepOfFirst([() => ask("a"), () => ask("b"), () => ask("c")]), { code: "ECONNREFUSED" });
    assert.deepEqual(asked, ["a"]);
    const round = createRound({ max: 3, find: async () => ["d", "e"], work: ask });
    await assert.rejects(round(undefined), { code: "ECONNREFUSED" });
    assert.deepEqual(asked, ["a", "d"]);
  }));

test("any other failure keeps no step waiting, and is thrown at the end", async () => {
  const asked: string[] = [];
  const fail = async (name: string) => {
    asked.push(name);
    throw new Error(`${name} failed`);
  };
  await assert.rejects(stepOfFirst([() => fail("a"), () => fail("b")]), { message: "a failed" });
  const round = createRound({ max: 3, find: async () => ["c", "d"], work: fail });
  await assert.rejects(round(undefined), { message: "c failed" });
  assert.deepEqual(asked, ["a", "b", "c", "d"]);
});
