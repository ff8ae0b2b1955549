import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import { addAccountRows } from "../../../../tests/contract/grown-rows.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { measureWork } from "../testing/measured-work.ts";
import { onSqlite } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { createUsageStore } from "./usage-store.ts";

/** On SQLite a statement runs on the thread that serves everybody (docs/decisions/0063-bounded-lists.md). */

const takeWork = measureWork();
const forms = 3000;

test(
  "who has many forms, in several organizations, has their sums made once in a while, however often they ask",
  onSqlite,
  async (t) => {
    const service = await createTestService(t);
    const owner = await service.signUp();
    const formId = await createForm(owner);
    const { body } = await owner.request("POST", "/api/organizations", { name: "Another" });
    await addAccountRows(service.database, { accountId: owner.id, formId }, 1, forms);
    await sql`update form set account_id = case when id < ${`form_${String(forms / 2).padStart(26, "0")}`}
    then ${owner.id} else ${body.organization.id} end where id <> ${formId}`.execute(service.database);
    let time = 0;
    const usage = createUsageStore(service.database, "free", () => time);
    const listLarge = () => takeWork().filter(({ steps }) => steps > forms);
    const ask = async () => {
      for (const id of [owner.id, body.organization.id]) {
        assert.equal((await usage.listFullest(id as AccountId, 100)).length, 100);
        assert.ok((await usage.findAccount(id)).shared.otherBytes > 0);
        assert.equal((await usage.findShared(id, owner.id as AccountId))?.own.length, 2);
      }
    };
    takeWork();
    await ask();
    assert.notDeepEqual(listLarge(), [], "the first one looks at all");
    time = 0.1 * forms - 1;
    for (let count = 0; count < 3; count++) await ask();
    assert.deepEqual(listLarge(), [], "the next ones at none");
    time += 10;
    await ask();
    assert.notDeepEqual(listLarge(), []);
  },
);
