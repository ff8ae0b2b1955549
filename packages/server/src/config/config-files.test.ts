import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { ConfigError } from "./config.ts";
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
