import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestService } from "../../server/src/testing/test-service.ts";
import { createCommandLine } from "./testing/run-command-line.ts";

const password = "correct horse battery";

test("a key is created, printed this once, used, listed without its value, and revoked", async (t) => {
  const service = await createTestService(t);
  await service.signUp("zoe@example.com");
  const { run } = createCommandLine(t);
  await run(["login", service.url, "--email", "zoe@example.com", "--password-stdin"], { input: password });
  const created = await run([
    "keys",
    "create",
    "backup",
    "--permission",
    "forms:read",
    "--permission",
    "submissions:read",
  ]);
  assert.equal(created.code, 0, created.errors);
  const key = created.output.trim();
  assert.match(key, /^sp_[0-9A-Za-z]{36}$/);
  assert.match(created.errors, /only/);

  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: key };
  assert.equal((await run(["forms", "list"], { environment })).code, 0);
  const forbidden = await run(["forms", "create", "a"], { environment });
  assert.equal(forbidden.code, 3);
  assert.match(forbidden.errors, /forms:write/);
  assert.equal((await run(["keys", "list"], { environment })).code, 3);

  const listed = await run(["keys", "list"]);
  assert.match(
    listed.output,
    new RegExp(
      `^ID .*\\nkey_\\w+ +backup +${key.slice(0, 10)}… +forms:read submissions:read +all +Person +\\S+ +never\\n$`,
    ),
  );
  assert.ok(!listed.output.includes(key));
  const [{ id }] = JSON.parse((await run(["keys", "list", "--json"])).output);
  assert.deepEqual(await run(["keys", "revoke", id]), { code: 0, output: `${id}\n`, errors: "" });
  assert.equal((await run(["forms", "list"], { environment })).code, 3);
  assert.equal((await run(["keys", "revoke", id])).code, 4);
  assert.equal((await run(["keys", "create", "x", "--permission", "forms:delete"])).code, 2);
});

test("an API key from standard input is kept instead of a session, and an invalid one is not", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { key } = (
    await account.request("POST", "/api/api-keys", { name: "machine", permissions: ["submissions:read"] })
  ).body;
  const { run } = createCommandLine(t);
  const wrong = await run(["login", service.url, "--api-key-stdin"], { input: "sp_nonsense\n" });
  assert.equal(wrong.code, 3);
  assert.match((await run(["forms", "list"])).errors, /You are not signed in/);
  const kept = await run(["login", service.url, "--api-key-stdin"], { input: `${key.key}\n` });
  assert.equal(kept.code, 0, kept.errors);
  assert.match((await run(["forms", "list"])).errors, /forms:read/);
});
