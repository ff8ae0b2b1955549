import assert from "node:assert/strict";
import { existsSync, readFileSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { sql } from "kysely";
import { openSqlite } from "../../packages/server/src/database/open-sqlite.ts";
import { runCommand } from "../../packages/server/src/testing/run-command.ts";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { startServiceProcess } from "../support/service-process.ts";
import { signUpForToken } from "../support/sign-up.ts";
import { copy } from "./copy-command.ts";
import { cutLastCommit } from "./cut-commit.ts";
import { createCluster, createPlainForm, post, request } from "./processes.ts";

/** A SQLite instance with something in every corner, stopped; and a PostgreSQL to move it to. */
async function createInstance(t: TestContext) {
  const folder = createTemporaryFolder(t);
  const source = { SEALPOST_DATA: folder, SEALPOST_PORT: "0", SEALPOST_SUBMIT_RATE: "0", SEALPOST_API_RATE: "0" };
  const service = await startServiceProcess(source);
  t.after(() => service.kill());
  const token = await signUpForToken(service);
  const form = await createPlainForm(service, token, { webhookUrl: "https://nowhere.invalid/hook" });
  for (let index = 0; index < 5; index++) assert.equal((await post(service, form)).status, 201);
  const removed = (await post(service, form)).body.submission.id;
  assert.equal((await request(service, "DELETE", `/api/forms/${form}/submissions/${removed}`, { token })).status, 200);
  const { key } = (await request(service, "POST", "/api/api-keys", { token, body: { name: "Key – Zoë" } })).body;
  const target = await createCluster(t);
  const to = target.environment.SEALPOST_DATABASE_URL ?? "";
  return { folder, source, service, form, apiKey: key.key as string, target, to, removed };
}

test("an instance that is being served is not copied, nor one to a database that is in use", async (t) => {
  const { folder, service, target, to } = await createInstance(t);
  const served = await copy(folder, to);
  assert.deepEqual([served.code, served.stdout], [1, ""]);
  assert.match(served.stderr, /is in use: another sealpost-server serves or copies it/);
  await service.kill();
  await (await target.start()).kill();
  const full = await copy(folder, to);
  assert.deepEqual([full.code, full.stdout], [1, ""]);
  assert.match(full.stderr, /The target is not empty/);
  const wrong = await copy(join(folder, "nothing"), to);
  assert.deepEqual([wrong.code, wrong.stderr], [1, `There is no Sealpost database in ${join(folder, "nothing")}\n`]);
});

test("a copy that is killed is not served, resumes where it was, and then everything is there", async (t) => {
  const { folder, service, form, apiKey, target, to, removed } = await createInstance(t);
  await service.kill();
  const source = openSqlite(folder);
  await sql`
    with recursive counter(n) as (select 1 union all select n + 1 from counter where n < 12000)
    insert into submission (form_id, id, key_version, version, data, key, iv, timestamp, received_at)
    select ${form}, 'sub_' || n, 1, 'sp1', randomblob(300), randomblob(384), randomblob(12), n, n from counter`.execute(
    source,
  );
  await source.destroy();

  const killed = await copy(folder, to, /^copying form_purge/);
  assert.equal(killed.signal, "SIGKILL");
  const there = await target.database.selectFrom("submission").select("id").execute();
  assert.ok(there.length < 12_000, "it was killed on its way");
  const secret = readFileSync(join(folder, "secret"), "utf8").trim();
  const settings = { ...target.environment, SEALPOST_SECRET: secret };
  await assert.rejects(startServiceProcess(settings), /A copy to this database is not complete/);

  const resumed = await copy(folder, to);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.match(resumed.stdout, /^Copied and compared 12[0-9]{3} rows\. /);
  assert.ok(!resumed.stderr.includes("copying person"), "what was there is not copied again");

  const old = { SEALPOST_DATA: folder, SEALPOST_PORT: "0" };
  const refusal =
    /was copied to PostgreSQL: set SEALPOST_DATABASE_URL .*both would deliver.* delete .*copied-to-postgresql/;
  await assert.rejects(startServiceProcess(old), refusal, "the source is not served any more");
  const listed = await runCommand(["account", "list"], old);
  assert.deepEqual([listed.code, listed.stdout], [1, ""]);
  assert.match(listed.stderr, refusal);
  assert.match(
    (await runCommand(["doctor"], old)).stdout,
    /^problem {2}database: The instance was copied to PostgreSQL/m,
  );
  unlinkSync(join(folder, "copied-to-postgresql"));
  const back = await startServiceProcess(old);
  assert.equal(
    (await request(back, "GET", `/api/forms/${form}`, { token: apiKey })).status,
    200,
    "the documented way back",
  );
  await back.kill();

  const moved = await startServiceProcess(settings);
  t.after(() => moved.kill());
  const { body } = await request(moved, "GET", `/api/forms/${form}/submissions?from=0&limit=1`, { token: apiKey });
  assert.equal(body.total, 12_005);
  const again = await post(moved, form, { id: removed, keyVersion: 1 });
  assert.equal(again.status, 409, "the deleted one stays deleted");
  // New rows are numbered after the old ones.
  assert.equal((await post(moved, form)).status, 201);
  const signedIn = await request(moved, "POST", "/api/auth/sign-in/email", {
    body: { email: "owner@example.com", password: "correct horse battery" },
  });
  assert.equal(signedIn.status, 200);
});

test("a copy of a source that changed between its two parts is not taken for complete", async (t) => {
  const { folder, service, form, to } = await createInstance(t);
  await service.kill();
  const killed = await copy(folder, to, /^copying form_day/);
  assert.equal(killed.signal, "SIGKILL");
  const source = openSqlite(folder);
  await source.updateTable("form").set({ name: "Another" }).where("id", "=", form).execute();
  await source.destroy();
  const resumed = await copy(folder, to);
  assert.deepEqual([resumed.code, resumed.stdout], [1, ""]);
  assert.match(
    resumed.stderr,
    /The table form is not the same: 1 rows in the source, 1 in the target, with other content/,
  );
});

/** Rows that SQLite holds and PostgreSQL does not, and what is said of each. */
const unstorable: Readonly<Record<string, readonly [change: string, said: RegExp]>> = {
  "an address that is too long for an index": [
    `update person set email = lower(hex(randomblob(9000))) || '@example.com'`,
    /a row of the table person: its email has 18012 bytes, which is too long for an index\. It is the row of id acc_\w+\. Change or remove it/,
  ],
  "a name with U+0000": [
    `update organization set name = 'A' || char(0) || 'B'`,
    /a row of the table organization: its name has the character U\+0000\. It is the row of id acc_\w+\. Change or remove it/,
  ],
};

for (const [what, [change, said]] of Object.entries(unstorable))
  test(`a copy that meets a row which PostgreSQL can't hold names it: ${what}`, async (t) => {
    const { folder, service, to } = await createInstance(t);
    await service.kill();
    const source = openSqlite(folder);
    await sql.raw(change).execute(source);
    await source.destroy();
    const { code, stderr } = await copy(folder, to);
    assert.equal(code, 1);
    assert.match(stderr, said);
  });

test("where the connection breaks at the last commit of a copy, the old instance is served only if the copy can't be", async (t) => {
  const { folder, service, source, target, to } = await createInstance(t);
  await service.kill();
  const mark = join(folder, "copied-to-postgresql");
  const state = () => target.database.selectFrom("instance").select("key").where("key", "=", "copy").executeTakeFirst();

  const unsent = await copy(folder, await cutLastCommit(t, to, "unsent"));
  assert.deepEqual([unsent.code, unsent.stdout, existsSync(mark)], [1, "", false]);
  assert.ok(await state(), `the copy is not complete: ${unsent.stderr}`);

  const away = await copy(folder, await cutLastCommit(t, to, "away"));
  assert.deepEqual([away.code, away.stdout, existsSync(mark)], [1, "", true]);
  assert.match(away.stderr, /The answer to the last step was lost.* Run the same command again as soon as it answers/);
  assert.equal(await state(), undefined, "the copy is complete");
  await assert.rejects(startServiceProcess(source), /was copied to PostgreSQL/);
  const asked = await copy(folder, to);
  assert.equal(asked.code, 1);
  assert.match(asked.stderr, /has this instance already, and nothing was written: set SEALPOST_DATABASE_URL/);

  unlinkSync(mark);
  assert.match(
    (await copy(folder, to)).stderr,
    /what it received since is not in the target: .*empty it and copy again/,
  );
  const other = await createCluster(t);
  const lost = await cutLastCommit(t, other.environment.SEALPOST_DATABASE_URL ?? "", "unanswered");
  const unanswered = await copy(folder, lost);
  assert.equal(unanswered.code, 0, unanswered.stderr);
  assert.match(unanswered.stdout, /^Copied and compared /);
  assert.ok(existsSync(mark));
});
