import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createForm, postPlain, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { purge } from "../retention/testing/purge.ts";
import { createTemporaryFolder, type TestScope } from "../testing/temporary-folder.ts";
import { onSqlite } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { sqliteFile } from "./open-sqlite.ts";
import { truncateLog } from "./truncate-log.ts";

/** The words that occur in any file of the folder, whatever the file is. */
function findWords(folder: string, words: readonly string[]): string[] {
  const contents = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
  return words.filter((word) => contents.some((content) => content.includes(word)));
}

async function start(t: TestScope) {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder, deliveries: silentWebhooks });
  const account = await service.signUp();
  return { folder, service, account };
}

test(
  "a deleted submission is found in no file of the database, neither its answers nor what a webhook would have sent",
  onSqlite,
  async (t) => {
    const { folder, service, account } = await start(t);
    const [one, all, gone] = [
      await createForm(account, { encryption: false }),
      await createForm(account, { encryption: false, webhookUrl }),
      await createForm(account, { encryption: false }),
    ];
    const words = ["canary-of-one", "canary-of-many", "canary-of-a-form"];
    const [first = "", second = "", third = ""] = words;
    // Short ones share a page with others, long ones have pages of their own.
    const fill = async (formId: string, word: string) => {
      for (const length of [1, 20, 40_000]) await postPlain(service, formId, { word: `${word} ${"x".repeat(length)}` });
    };
    await fill(one, first);
    await fill(all, second);
    await fill(gone, third);
    await postPlain(service, one, { word: "what stays" });
    assert.deepEqual(findWords(folder, words), words);

    const { submissions } = (await account.request("GET", `/api/forms/${one}/submissions`)).body;
    for (const { id, payload } of submissions)
      if (payload.fields.word !== "what stays") await account.request("DELETE", `/api/forms/${one}/submissions/${id}`);
    await account.request("DELETE", `/api/forms/${all}/submissions?confirm=DELETE_SUBMISSIONS`);
    // A delivery that is due keeps its body; with its form it goes.
    await account.request("PATCH", `/api/forms/${all}`, { settings: { webhookUrl: null } });
    await account.request("DELETE", `/api/forms/${all}?confirm=DELETE_FORM`);
    await account.request("DELETE", `/api/forms/${gone}?confirm=DELETE_FORM`);
    await purge(service);
    await truncateLog(service.database);
    assert.deepEqual(findWords(folder, words), []);
    assert.deepEqual(findWords(folder, ["what stays"]), ["what stays"]);
  },
);

test("emptying the log waits for nobody: while another process reads it is left for later", onSqlite, async (t) => {
  const { folder, service } = await start(t);
  const reader = new DatabaseSync(join(folder, sqliteFile));
  t.after(() => reader.close());
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM form").get();
  const account = await service.signUp();
  const before = performance.now();
  await truncateLog(service.database);
  // SQLite's own patience is five seconds.
  assert.ok(performance.now() - before < 4_000);
  assert.notEqual(readFileSync(join(folder, `${sqliteFile}-wal`)).length, 0);
  reader.exec("COMMIT");
  await truncateLog(service.database);
  assert.equal(readFileSync(join(folder, `${sqliteFile}-wal`)).length, 0);
  await createForm(account);
});
