import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { runCommand } from "../testing/run-command.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { ConfigError, secretNames } from "./config.ts";
import { loadConfig } from "./config-files.ts";

function write(t: TestContext, text: string): string {
  const file = join(createTemporaryFolder(t), "secret");
  writeFileSync(file, text);
  return file;
}

function errorsOf(environment: Record<string, string>): string {
  try {
    loadConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
  return "";
}

test("each secret may be in a file, with or without a line's end", (t) => {
  const secret = Buffer.alloc(32, 5).toString("base64");
  const config = loadConfig({
    SEALPOST_SECRET_FILE: write(t, `${secret}\n`),
    SEALPOST_DATABASE_URL_FILE: write(t, "postgres://me:password@host/database"),
    SEALPOST_METRICS_TOKEN_FILE: write(t, "a-token-of-our-own-0123456789\n"),
  });
  assert.deepEqual(config.secrets, [Buffer.alloc(32, 5)]);
  assert.equal(config.databaseUrl, "postgres://me:password@host/database");
  assert.equal(config.metricsToken, "a-token-of-our-own-0123456789");
});

test("a missing file, a secret in two places, and a file for a setting that is not a secret are errors, reported with all others", (t) => {
  const message = errorsOf({
    SEALPOST_SECRET_FILE: "/nowhere/secret",
    SEALPOST_METRICS_TOKEN: "a-token-of-our-own-0123456789",
    SEALPOST_METRICS_TOKEN_FILE: write(t, "another-token-of-our-own-0123456789"),
    SEALPOST_PORT_FILE: "/nowhere/port",
    SEALPOST_SIGNUP: "maybe",
  });
  assert.match(message, /SEALPOST_SECRET_FILE names a file that cannot be read \(ENOENT\): \/nowhere\/secret/);
  assert.match(message, /SEALPOST_METRICS_TOKEN and SEALPOST_METRICS_TOKEN_FILE are both set/);
  assert.match(message, /SEALPOST_PORT_FILE is not a setting/);
  assert.match(message, /SEALPOST_SIGNUP is "maybe"/);
});

test("what is in a file of secrets is in no message", (t) => {
  const message = errorsOf({ SEALPOST_SECRET_FILE: write(t, "canary, and no base64") });
  assert.match(message, /SEALPOST_SECRET must be base64/);
  assert.ok(!message.includes("canary"));
});

test("no command reads a secret from its variable alone", () => {
  const root = join(import.meta.dirname, "..");
  const files = globSync("**/*.ts", { cwd: root }).filter(
    (file) => !/\.test\.ts$|(^|[\\/])(testing|config)[\\/]/.test(file),
  );
  assert.ok(files.length > 300, String(files.length));
  const readings = new RegExp(`\\.(${secretNames.join("|")})\\b`);
  assert.deepEqual(
    files.filter((file) => readings.test(readFileSync(join(root, file), "utf8"))),
    [],
  );
});

for (const command of [
  ["copy", "--from", "sqlite:./nowhere"],
  ["distribute", "--yes"],
])
  test(`${command[0]} takes the address of the database from a file, and shows it to nobody`, async (t) => {
    const file = write(t, "postgres://me:canary@127.0.0.1:1/database\n");
    const { code, stdout, stderr } = await runCommand(command, { SEALPOST_DATABASE_URL_FILE: file });
    assert.equal(code, 1, stderr);
    assert.doesNotMatch(stderr, /SEALPOST_DATABASE_URL/);
    assert.ok(!(stdout + stderr).includes("canary"));
    const missing = await runCommand(command, { SEALPOST_DATABASE_URL_FILE: "/nowhere/url" });
    assert.equal(missing.code, 2, missing.stderr);
    assert.match(missing.stderr, /SEALPOST_DATABASE_URL_FILE names a file that cannot be read \(ENOENT\)/);
  });
