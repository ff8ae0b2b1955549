import assert from "node:assert/strict";
import { StatementSync } from "node:sqlite";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { sql } from "kysely";
import { Problem } from "../problems/problem.ts";
import { onSqlite } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { createReadListPage } from "./list-reads.ts";

const pageEntries = 256;
const entries = 4 * pageEntries + 1;

test(
  "however many read a long signed list at once, two reads hold what they have found so far",
  onSqlite,
  async (t) => {
    const service = await createTestService(t);
    const account = await service.signUp();
    await sql`with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${entries})
    insert into list_entry (organization_id, number, hash, member_id, signer_id, list_bytes, added_at, entry)
    select ${account.id}, number, 'hash', 'acc', 'acc', number * 2, 0, 'a' || char(10) from numbers`.execute(
      service.database,
    );
    const reads = 24;
    const watched = watchReads();
    try {
      const answers = await Promise.all(
        Array.from({ length: reads }, () => account.request("GET", "/api/member-list")),
      );
      for (const { body } of answers) assert.equal(body, "a\n".repeat(entries));
    } finally {
      watched.end();
    }
    assert.equal(watched.begun(), reads);
    assert.ok(watched.most() <= 2, `${watched.most()} at once`);
  },
);

/** The reads of lists on SQLite that have begun and not come to their last page. */
function watchReads() {
  const { all } = StatementSync.prototype;
  let [begun, running, most] = [0, 0, 0];
  StatementSync.prototype.all = function (this: StatementSync, ...values: never[]) {
    const found = Reflect.apply(all, this, values) as ReturnType<typeof all>;
    if (!/"entry" from "list_entry"/.test(this.sourceSQL)) return found;
    if ((values as readonly unknown[]).flat().includes(0)) {
      begun += 1;
      running += 1;
    }
    most = Math.max(most, running);
    if (found.length < pageEntries) running -= 1;
    return found;
  };
  return {
    begun: () => begun,
    most: () => most,
    end: () => void Object.assign(StatementSync.prototype, { all }),
  };
}

test("a person who reads lists of many organizations at once is put off, and nobody else is", async () => {
  const gate = Promise.withResolvers<void>();
  const order: string[] = [];
  const readList = createReadListPage({
    async findPage() {
      await gate.promise;
      return undefined;
    },
  });
  const [reader, owner] = [createId("account", 0), createId("account", 1)];
  const read = (name: string, organization: number, personId: typeof reader) =>
    readList(createId("account", organization), personId).then(
      () => void order.push(name),
      (error) => {
        assert.ok(error instanceof Problem && error.status === 503);
        order.push(`${name} put off`);
      },
    );
  const flood = Array.from({ length: 500 }, (_, index) => read("reader", index % 20, reader));
  const others = Array.from({ length: 4 }, () => read("owner", 0, owner));
  gate.resolve();
  await Promise.all([...flood, ...others]);
  assert.equal(order.filter((name) => name === "owner").length, 4);
  assert.ok(order.includes("reader put off"));
  const done = order.filter((name) => name !== "reader put off");
  assert.ok(done.lastIndexOf("owner") <= 2 + 2 * 4, done.slice(0, 20).join(" "));
});
