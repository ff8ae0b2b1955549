import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { type AccountId, createId, type FormId } from "@sealpost/wire";
import fc from "fast-check";
import type { Form } from "../forms/form.ts";
import { createFormStore } from "../forms/form-store.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { createTestService, type TestService } from "../testing/test-service.ts";
import { createIngest } from "./ingest.ts";
import type { Submission } from "./submission.ts";
import { createSubmissionStore, type SubmissionCursor } from "./submission-store.ts";

const perWriter = 25;
const bytesMax = 1_048_576;
const start: SubmissionCursor = { receivedAt: 0, sequence: 0 };

/** A process of the service whose clock differs by `offset` milliseconds, and is set back by as much in the middle: stores submissions, some at once. */
async function write(service: TestService, forms: readonly Form[], offset: number): Promise<Submission[]> {
  const submissions = createSubmissionStore(service.database);
  const ingest = createIngest({ database: service.database, submissions, wakeDeliveries() {} });
  const written: Submission[] = [];
  for (let index = 0; index < perWriter; index++) {
    const receivedAt = Date.now() + (index < perWriter / 2 ? offset : -offset);
    const stored = forms.map(async (form) => {
      const id = createId("submission");
      const payload = { version: "plain1" as const, fields: {} };
      const content = { formId: form.id, id, keyVersion: 1, payload, timestamp: receivedAt, receivedAt };
      const outcome = await ingest(content, form);
      assert.ok(outcome.outcome === "created");
      written.push(outcome.submission);
    });
    await (index % 3 === 0 ? Promise.all(stored) : setImmediate());
    if (index === perWriter - 1) await Promise.all(stored);
  }
  return written;
}

/** Follows the form oldest first, as an export with `after` does; gives what it has seen when `isOver`, in order. */
async function follow(service: TestService, formId: FormId, isOver: () => boolean): Promise<readonly string[]> {
  const submissions = createSubmissionStore(service.database);
  const seen: string[] = [];
  let after = start;
  for (let isLast = false; ; ) {
    const until = (await submissions.findNewest(formId)) ?? start;
    const listed = await submissions.listOldest(formId, { after, until, bytesMax });
    seen.push(...listed.map(({ submission }) => submission.id));
    after = listed.at(-1)?.cursor ?? after;
    if (isLast) return seen;
    isLast = isOver();
    await setImmediate();
  }
}

/** Reads from the newest on until it meets what it has seen, as a page does that shows what is new. */
async function poll(service: TestService, formId: FormId, isOver: () => boolean): Promise<readonly string[]> {
  const submissions = createSubmissionStore(service.database);
  const seen = new Set<string>();
  for (let isLast = false; ; ) {
    const { items } = await submissions.list(formId, { limit: 1000, bytesMax });
    const known = items.findIndex(({ submission }) => seen.has(submission.id));
    const found = items.slice(0, known === -1 ? items.length : known).map(({ submission }) => submission.id);
    for (const id of found) assert.ok(!seen.has(id), id);
    for (const id of found) seen.add(id);
    if (isLast) return [...seen];
    isLast = isOver();
    await setImmediate();
  }
}

/** Looks at the newest, and counts later how many are as old or older: those that a deletion of what was seen would take. */
async function count(service: TestService, formId: FormId, isOver: () => boolean): Promise<void> {
  const submissions = createSubmissionStore(service.database);
  for (let rounds = 0; !isOver() || rounds === 0; rounds++) {
    const { items } = await submissions.list(formId, { limit: 1000, bytesMax });
    const [newest] = items;
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    if (newest === undefined) continue;
    assert.equal(await submissions.count(formId, { to: newest.submission.receivedAt }), items.length);
  }
}

test("while several processes with different clocks store submissions, a reader who follows them sees each exactly once", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const store = createFormStore(service.database);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: -3000, max: 3000 }), { minLength: 3, maxLength: 4 }),
      async (offsets) => {
        const ids = [
          await createForm(account, { encryption: false }),
          await createForm(account, { encryption: false }),
        ];
        const forms = (await Promise.all(ids.map((id) => store.find(account.id as AccountId, id)))).flatMap(
          (found) => found?.form ?? [],
        );
        let isOver = false;
        const readers = ids.map((id) =>
          Promise.all([
            follow(service, id, () => isOver),
            poll(service, id, () => isOver),
            count(service, id, () => isOver),
          ]),
        );
        const written = (await Promise.all(offsets.map((offset) => write(service, forms, offset)))).flat();
        isOver = true;
        for (const [index, formId] of ids.entries()) {
          const expected = written.filter((one) => one.formId === formId).map(({ id }) => id);
          assert.equal(expected.length, offsets.length * perWriter);
          const [followed, polled] = (await readers[index]) ?? [];
          assert.deepEqual(followed?.toSorted(), expected.toSorted());
          assert.deepEqual(polled?.toSorted(), expected.toSorted());
        }
      },
    ),
    { numRuns: 2 },
  );
});
