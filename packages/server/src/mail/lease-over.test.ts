import assert from "node:assert/strict";
import { test } from "node:test";
import { createForm, postPlain } from "../forms/testing/test-form.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { deadlineMilliseconds, leaseMilliseconds } from "./mail.ts";
import { createMailBench, type MailBench } from "./testing/mail-bench.ts";

/** A worker whose process is stopped once, right after a claim: nothing of it runs until `whileStopped` has ended. */
async function start(t: TestScope, whileStopped: (bench: MailBench) => Promise<unknown>): Promise<MailBench> {
  let hasStopped = false;
  const bench = await createMailBench(t, {
    wrapStore: (store) => ({
      ...store,
      async claim(...claims) {
        const claimed = await store.claim(...claims);
        if (claimed.length > 0 && !hasStopped) {
          hasStopped = true;
          await whileStopped(bench);
        }
        return claimed;
      },
    }),
  });
  await postPlain(bench.service, await createForm(bench.account, { encryption: false }));
  await bench.run();
  return bench;
}

test("a process that stood still after a claim sends no email that another one has claimed since", async (t) => {
  let claims = 0;
  const { smtp } = await start(t, async ({ store, clock }) => {
    clock.advance(leaseMilliseconds);
    claims = (await store.claim(clock.now(), 10)).length;
  });
  assert.deepEqual([claims, smtp.emails.length], [1, 0]);
});

test("a process that stood still after a claim sends no email that would outlast its lease, and none is lost", async (t) => {
  const bench = await start(t, async ({ clock }) => clock.advance(leaseMilliseconds - deadlineMilliseconds + 1));
  assert.deepEqual([bench.smtp.emails.length, await findAttempts(bench)], [1, 2]);
});

test("a process that stood still after a claim for less sends the email at once", async (t) => {
  const bench = await start(t, async ({ clock }) => clock.advance(leaseMilliseconds - deadlineMilliseconds));
  assert.deepEqual([bench.smtp.emails.length, await findAttempts(bench)], [1, 1]);
});

const findAttempts = async ({ service }: MailBench) =>
  (await service.database.selectFrom("mail").select("attempts").executeTakeFirst())?.attempts;
