import assert from "node:assert/strict";
import { test } from "node:test";
import type { FormId } from "@sealpost/wire";
import { sql } from "kysely";
import { lockForm } from "../database/lock.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { onPostgres } from "../testing/test-database.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";

const plain = { encryption: false, piiStrip: false, allowedOrigins: ["*"] };
const body = { payload: { encrypted: false, version: "plain1", fields: { message: "hello" } } };

/** Holds all that is written for a form, as a process does that stands still in the middle of a change, while something else is done. */
async function whileFormIsHeld(
  { database }: TestService,
  form: FormId,
  work: (countWaiting: () => Promise<number>) => Promise<void>,
): Promise<void> {
  const held = await database.startTransaction().execute();
  await lockForm(held, form, "change");
  try {
    await work(async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*) from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`.execute(held);
      return rows[0]?.count ?? 0;
    });
  } finally {
    // The server has ended it where it stood still for too long.
    await held
      .rollback()
      .execute()
      .catch(() => {});
  }
}

test(
  "a form that is locked for long keeps its own submissions waiting, and those of no other form",
  onPostgres,
  async (t) => {
    const service = await createTestService(t);
    const owner = await service.signUp();
    const [held, ...others] = await Promise.all(Array.from({ length: 4 }, () => createForm(owner, plain)));
    assert.ok(held);
    const send = (form: string) => service.request("POST", `/api/forms/${form}/submissions`, { body });
    let answered = 0;
    const sendToHeld = () => send(held).finally(() => answered++);
    const waiting: ReturnType<typeof send>[] = [];
    await whileFormIsHeld(service, held, async (countWaiting) => {
      waiting.push(sendToHeld());
      while ((await countWaiting()) === 0);
      const before = answered;
      // More for the form itself, so that the next commits begin with these.
      waiting.push(...Array.from({ length: 40 }, sendToHeld));
      for (const form of [...others, ...others]) assert.equal((await send(form)).status, 201);
      assert.equal(answered, before, "others are answered while the form is held");
      assert.ok((await countWaiting()) <= 2, "few connections wait for it");
    });
    for (const { status } of await Promise.all(waiting)) assert.equal(status, 201);
  },
);
