import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../../packages/server/src/testing/run-command.ts";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { createTestDatabase } from "../../packages/server/src/testing/test-database.ts";

const hook = `--conditions=@sealpost/source --import=${join(import.meta.dirname, "kill-at-step.ts")}`;
/** Each step in `npm run test:kill`; as one test among all, every fourth. */
const stride = Number(process.env.SEALPOST_KILL_ROUNDS ?? 30) > 3 ? 1 : 4;

test("a restore that is killed at any step is never served as an empty instance, and begins again", async (t) => {
  const source = createTemporaryFolder(t);
  const from = join(createTemporaryFolder(t), "one.backup");
  const secret = Buffer.alloc(32, 7).toString("base64");
  const secretFile = join(createTemporaryFolder(t), "secret");
  writeFileSync(secretFile, secret);
  const original = { SEALPOST_SECRET: secret, SEALPOST_DATA: source };
  const input = "correct horse battery\n";
  const made = await runCommand(["account", "create", "--email", "owner@example.com"], original, { input });
  assert.equal(made.code, 0, made.stderr);
  assert.equal((await runCommand(["backup", "--to", from], original)).code, 0);
  const parameters = ["restore", "--from", from, "--secret-file", secretFile];

  let step = 1;
  let kills = 0;
  let refused = 0;
  for (; ; step += stride) {
    const folder = createTemporaryFolder(t);
    const database = await createTestDatabase(t, folder);
    // With PostgreSQL the secret is configured; with SQLite the restore leaves it in the folder.
    const configured = "SEALPOST_SECRET" in database ? { SEALPOST_SECRET: secret } : {};
    const environment = { ...database, ...configured, SEALPOST_DATA: folder, SEALPOST_PORT: "0" };
    const killed = await runCommand(parameters, {
      ...environment,
      NODE_OPTIONS: hook,
      KILL_AT_STEP: String(step),
    });
    if (killed.code === 0) break;
    assert.equal(killed.code, null, killed.stderr);
    kills += 1;
    const names = readdirSync(folder, { recursive: true }).sort();
    if (!existsSync(join(folder, "sealpost.sqlite"))) {
      refused += 1;
      for (const command of [["account", "list"], ["doctor"], ["backup", "--to", `${from}.${step}`], []]) {
        const { code, stdout, stderr } = await runCommand(command, environment);
        assert.notEqual(code, 0, `step ${step}: ${command}`);
        assert.match(stdout + stderr, /restore.* is not complete|copy to this database is not complete/i);
      }
      assert.deepEqual(readdirSync(folder, { recursive: true }).sort(), names, `step ${step}: nothing is touched`);
      const again = await runCommand(parameters, environment);
      assert.equal(again.code, 0, `step ${step}: ${again.stderr}`);
    }
    const { stdout, stderr } = await runCommand(["account", "list"], environment);
    assert.match(stdout, /owner@example\.com/, `step ${step}: ${stderr}`);
  }
  assert.ok(refused * stride > 5, "a control: it was killed at many steps");
  t.diagnostic(`${kills} kills of a restore, ${refused} of them before it was whole`);
});
