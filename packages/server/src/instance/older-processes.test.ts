import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { createForm, postPlain, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { closeAtEnd, createTemporaryFolder, type TestScope } from "../testing/temporary-folder.ts";
import { createTestDatabase, onPostgres, openTestDatabase } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { createOlderProcesses } from "./older-processes.ts";

const fail = (error: unknown) => assert.fail(String(error));

/** An older process as others see it: a connection with its name. */
async function connectAsOlder(t: TestScope, folder: string): Promise<Client> {
  const { SEALPOST_DATABASE_URL: connectionString } = await createTestDatabase(t, folder);
  const client = new Client({ connectionString, application_name: "sealpost" });
  client.on("error", () => {}); // the database is dropped at the end
  await client.connect();
  return client;
}

test(
  "while an older process may send it, a body is stored whole; once ten looks found none, for good it is not",
  onPostgres,
  async (t) => {
    const folder = createTemporaryFolder(t);
    const older = await connectAsOlder(t, folder);
    const service = await createTestService(t, { folder, deliveries: silentWebhooks });
    const formId = await createForm(await service.signUp(), { encryption: false, webhookUrl });
    await postPlain(service, formId);
    const [event] = await service.database.selectFrom("event").select(["body", "body_layout"]).execute();
    assert.ok(event?.body);
    assert.equal(event.body_layout, null);

    const database = await openTestDatabase(t, folder);
    closeAtEnd(t, () => database.destroy());
    let isPooled = true;
    const watch = createOlderProcesses(database, {
      report: fail,
      isPooled: async () => isPooled,
      everyMilliseconds: 1,
    });
    await watch.start();
    closeAtEnd(t, () => watch.stop());
    const look = async (done: () => boolean) => {
      for (let count = 0; count < 100 && !done(); count++)
        await database.selectFrom("instance").select("key").execute();
    };
    await look(() => false);
    assert.equal(watch.mayServe(), true, "one is there, however often it is looked for");
    await older.end();
    await look(() => false);
    assert.equal(watch.mayServe(), true, "past a pooler, that none is seen proves nothing");
    isPooled = false;
    while (watch.mayServe()) await look(() => !watch.mayServe());
    // A process that starts now need not wait, even if something calls itself like an older one.
    const another = await connectAsOlder(t, folder);
    const later = createOlderProcesses(database, { report: fail, isPooled: async () => false });
    await later.start();
    closeAtEnd(t, () => later.stop());
    assert.equal(later.mayServe(), false);
    await another.end();
  },
);

test(
  "an instance without an account has no older process: bodies are built from the first submission on",
  onPostgres,
  async (t) => {
    const service = await createTestService(t, { deliveries: silentWebhooks });
    const formId = await createForm(await service.signUp(), { encryption: false, webhookUrl });
    await postPlain(service, formId);
    const events = await service.database.selectFrom("event").select(["body", "body_layout"]).execute();
    assert.deepEqual(events, [{ body: null, body_layout: 1 }]);
  },
);
