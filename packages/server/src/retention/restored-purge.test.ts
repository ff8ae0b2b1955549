import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountId, createId, type FormId } from "@sealpost/wire";
import type { Database } from "../database/database.ts";
import { createForm, silentWebhooks } from "../forms/testing/test-form.ts";
import { createBinStore } from "../submissions/bin-store.ts";
import { createSubmissionDeletionStore } from "../submissions/submission-deletion-store.ts";
import { createSubmissionStore } from "../submissions/submission-store.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { insertSubmissions } from "../testing/insert-submissions.ts";
import { createTemporaryFolder, type TestScope } from "../testing/temporary-folder.ts";
import { openTestDatabase } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { dayMilliseconds as day } from "../time/clock.ts";
import { createBinPurgeStore } from "./bin-purge-store.ts";
import { createRetentionStore } from "./retention-store.ts";
import { purge } from "./testing/purge.ts";

interface Scene {
  readonly database: Database;
  readonly accountId: AccountId;
  readonly formId: FormId;
  readonly now: number;
}

const ignore = async () => {};
const runAtOnce = <Result>(work: () => Promise<Result>) => work();

/** Whatever takes submissions out of sight, and leaves their rows to the purge. */
const deletions: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  "all submissions": ({ database, accountId, formId, now }) =>
    createSubmissionDeletionStore(database).deleteBefore(accountId, formId, undefined, now),
  "the bin": ({ database, accountId, formId }) => createBinStore(database).empty(accountId, formId, undefined, ignore),
  "what is too old": ({ database, formId, now }) => createRetentionStore(database).expireOf(formId, now),
  "what was in the bin for its days": ({ database, formId, now }) =>
    createBinPurgeStore(database).expireOf(formId, now),
};

const start = Date.UTC(2026, 0, 1);
const restoredTo = start + 10 * day;

/** Submissions of a form that keeps them for a day, and as long in its bin, in a database that no service has. */
async function createScene(t: TestScope) {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder, clock: createFakeClock(start), deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false, binDays: 1 });
  assert.equal((await account.request("PUT", `/api/forms/${formId}/retention`, { days: 1 })).status, 200);
  await service.stop();
  const database = await openTestDatabase(t, folder);
  const accountId = account.id as AccountId;
  const [bin, submissions] = [createBinStore(database), createSubmissionStore(database)];
  return {
    ...{ database, accountId, formId },
    /** One in the bin and one that is not, received at this time. */
    async add(receivedAt: number) {
      const ids = [createId("submission", receivedAt), createId("submission", receivedAt)] as const;
      const payload = { version: "plain1" as const, fields: { text: "x" } };
      const rows = ids.map((id) => ({ formId, id, keyVersion: 1, payload, timestamp: receivedAt, receivedAt }));
      await insertSubmissions(database, rows);
      await bin.move(runAtOnce, accountId, formId, { ids: [ids[1]] }, receivedAt + day, () => ignore);
      return ids;
    },
    /** Ids of all stored rows, and of those that readers see. */
    async read() {
      const rows = await Promise.all(
        (["submission", "submission_bin"] as const).map((table) => database.selectFrom(table).select("id").execute()),
      );
      const { items } = await submissions.list(formId, { limit: 100, bytesMax: 1_000_000 });
      const binned = await bin.list(formId, { limit: 100, bytesMax: 1_000_000, after: undefined });
      const seen = [...items, ...binned.items].map(({ submission }) => submission.id);
      return { rows: rows.flat().map(({ id }) => id), seen: seen as readonly string[] };
    },
  };
}

for (const [before, deleteBefore] of Object.entries(deletions))
  for (const [after, deleteAfter] of Object.entries(deletions))
    test(`in the days after a restore no row goes that was deleted before the backup, whatever is deleted then: before ${before}, afterwards ${after}`, async (t) => {
      const { database, accountId, formId, add, read } = await createScene(t);
      const former = await add(start);
      await deleteBefore({ database, accountId, formId, now: start + 3 * day });
      const { seen } = await read();
      const gone = former.filter((id) => !seen.includes(id));
      assert.notDeepEqual(gone, []);
      // Restored; before a hold is set again, more comes, and is deleted.
      const next = await add(restoredTo + day);
      await deleteAfter({ database, accountId, formId, now: restoredTo + 4 * day });
      const within = await read();
      const clock = createFakeClock(restoredTo + 4 * day);
      await purge({ database }, clock, restoredTo);
      const held = await read();
      assert.deepEqual(
        gone.filter((id) => !held.rows.includes(id)),
        [],
        "what was deleted before",
      );
      assert.deepEqual(
        next.filter((id) => !within.seen.includes(id) && held.rows.includes(id)),
        [],
        "what was deleted since",
      );
      assert.deepEqual(held.seen, within.seen);
      // Later ones are not kept waiting by what waits.
      const last = await add(restoredTo + 5 * day);
      await deleteAfter({ database, accountId, formId, now: restoredTo + 7 * day });
      const { seen: left } = await read();
      await purge({ database }, clock, restoredTo);
      const { rows } = await read();
      assert.deepEqual(
        gone.filter((id) => !rows.includes(id)),
        [],
      );
      assert.deepEqual(
        last.filter((id) => !left.includes(id) && rows.includes(id)),
        [],
      );
      // The wait is over. By this clock nothing more is too old.
      await purge({ database }, createFakeClock(start));
      const over = await read();
      assert.deepEqual(over.rows.toSorted(), left.toSorted());
      assert.deepEqual(over.seen.toSorted(), left.toSorted());
    });
