import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parseConfig } from "../config/config.ts";
import { markRestoring, restoringMark } from "../database/restoring.ts";
import { secretFileOf } from "../instance/secret-file.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onSqlite, testDatabaseKind } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { restore } from "./restore.ts";
import { backUpTo, keepSecret, settings } from "./testing/back-up.ts";

const otherSecret = Buffer.alloc(32, 9).toString("base64");

async function createBackup(t: TestContext) {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  await service.signUp("owner@example.com");
  const { file: from } = await backUpTo(t, folder, createTemporaryFolder(t));
  const secretFile = keepSecret(t, await settings(t, folder));
  const other = join(createTemporaryFolder(t), "other");
  writeFileSync(other, otherSecret);
  return { from, secretFile, other, secret: readFileSync(secretFile, "utf8").trim() };
}

/** The command with these settings on top. */
async function restoreWith(
  t: TestContext,
  folder: string,
  given: { from: string; secretFile: string | undefined },
  environment: Record<string, string> = {},
) {
  const config = parseConfig({ ...(await settings(t, folder)), ...environment });
  return restore({ config, ...given, now: Date.now(), onProgress: () => {} });
}

const advice = /is not the one .+ Nothing was restored: the service would start with it and with no other/;

test("a backup that opens with --secret-file is not restored where the service would start with SEALPOST_SECRET, another one", async (t) => {
  const { from, secretFile, other, secret } = await createBackup(t);
  const folder = createTemporaryFolder(t);
  await assert.rejects(restoreWith(t, folder, { from, secretFile }, { SEALPOST_SECRET: otherSecret }), advice);
  assert.deepEqual(readdirSync(folder), ["serving.lock"]);
  const wrong = restoreWith(t, folder, { from, secretFile: other }, { SEALPOST_SECRET: secret });
  await assert.rejects(wrong, /--secret-file\) is not the one .+ name another file/);
  await restoreWith(t, folder, { from, secretFile }, { SEALPOST_SECRET: secret });
  await createTestService(t, { folder, environment: { SEALPOST_SECRET: secret } });
});

test(
  "a backup is not restored where the data folder has another secret, with which the service would start",
  onSqlite,
  async (t) => {
    const { from, secretFile, secret } = await createBackup(t);
    const folder = createTemporaryFolder(t);
    writeFileSync(secretFileOf(folder), otherSecret);
    await assert.rejects(restoreWith(t, folder, { from, secretFile }), advice);
    assert.deepEqual(readdirSync(folder).sort(), ["secret", "serving.lock"]);
    assert.equal(readFileSync(secretFileOf(folder), "utf8"), otherSecret);
    // As the sentence says.
    renameSync(secretFileOf(folder), join(createTemporaryFolder(t), "secret"));
    await restoreWith(t, folder, { from, secretFile });
    assert.equal(readFileSync(secretFileOf(folder), "utf8").trim(), secret);
    await createTestService(t, { folder });
  },
);

test("a restore that fails early leaves the mark of one that was killed, and nothing is served before one has finished", async (t) => {
  const { from, secretFile, other } = await createBackup(t);
  const folder = createTemporaryFolder(t);
  const { SEALPOST_SECRET: configured } = await settings(t, folder);
  markRestoring(folder);
  const cut = join(createTemporaryFolder(t), "cut.backup");
  writeFileSync(cut, readFileSync(from));
  truncateSync(cut, 40_000);
  const failures = {
    "another secret": { from, secretFile: other },
    "no file of the secret": { from, secretFile: `${other}.absent` },
    "no secret in it": { from, secretFile: from },
    "a damaged backup": { from: cut, secretFile },
    ...(configured === undefined && { "no secret": { from, secretFile: undefined } }),
  };
  for (const [name, given] of Object.entries(failures)) {
    await assert.rejects(restoreWith(t, folder, given), name);
    assert.ok(existsSync(join(folder, restoringMark)), name);
    await assert.rejects(createTestService(t, { folder }), /A restore to .+ is not complete/, name);
  }
  await restoreWith(t, folder, { from, secretFile });
  assert.equal(existsSync(join(folder, restoringMark)), false);
  const service = await createTestService(t, { folder });
  assert.equal(
    await service.database
      .selectFrom("person")
      .select("id")
      .execute()
      .then(({ length }) => length),
    1,
  );
});

test("a restore that fails where none was killed leaves no mark, also in front of an instance that is there", async (t) => {
  const { from, secretFile, other } = await createBackup(t);
  const folder = createTemporaryFolder(t);
  await assert.rejects(restoreWith(t, folder, { from, secretFile: other }));
  assert.equal(existsSync(join(folder, restoringMark)), false);
  await restoreWith(t, folder, { from, secretFile });
  await assert.rejects(
    restoreWith(t, folder, { from, secretFile }),
    /nothing is restored over it|has this instance already/,
  );
  assert.equal(existsSync(join(folder, restoringMark)), false, testDatabaseKind);
});
