import assert from "node:assert/strict";
import { test } from "node:test";
import { exitCodes } from "./exit-code.ts";
import { createCommandLine } from "./testing/run-command-line.ts";

test("the help names every command, variable, file and exit code, and goes to standard output", async (t) => {
  const { run } = createCommandLine(t);
  const { code, output, errors } = await run(["--help"]);
  assert.deepEqual([code, errors], [0, ""]);
  for (const word of [
    "login",
    "logout",
    "profiles",
    "forms",
    "submissions",
    "members",
    "organizations",
    "SEALPOST_URL",
    "SEALPOST_TOKEN",
    "XDG_CONFIG_HOME",
    "SEALPOST_PROFILE",
    "--profile",
    "<profile>.json",
  ])
    assert.ok(output.includes(word), word);
  for (const [number, meaning] of Object.values(exitCodes))
    assert.match(output, new RegExp(`^ +${number} +${meaning}$`, "m"));
  assert.match((await run(["help", "submissions"])).output, /Usage: sealpost submissions/);
  assert.match((await run(["forms", "create", "--help"])).output, /the server only gets the public key/);
});

test("a command line that is wrong ends with 2, says why on standard error, and does nothing", async (t) => {
  const { run } = createCommandLine(t);
  for (const parameters of [
    [],
    ["bogus"],
    ["forms"],
    ["forms", "create"],
    ["forms", "list", "--bogus"],
    ["forms", "list", "extra"],
    ["submissions", "list"],
    ["submissions", "list", "form_1", "--limit", "x"],
  ]) {
    const { code, output, errors } = await run(parameters);
    assert.deepEqual([code, output], [2, ""], parameters.join(" "));
    assert.notEqual(errors, "");
  }
});

test("without a credential every command that needs one ends with 3", async (t) => {
  const { run } = createCommandLine(t);
  for (const parameters of [
    ["forms", "list"],
    ["submissions", "list", "form_1"],
  ]) {
    const { code, errors } = await run(parameters);
    assert.equal(code, 3);
    assert.match(errors, /You are not signed in/);
  }
  assert.equal((await run(["forms", "list"], { environment: { SEALPOST_TOKEN: "sp_token" } })).code, 2);
});

test("each kind of failure has its exit code", async (t) => {
  const { run } = createCommandLine(t);
  const at = (SEALPOST_URL: string) => ({ environment: { SEALPOST_URL, SEALPOST_TOKEN: "sp_token" } });
  assert.equal((await run(["forms", "list"], at("http://127.0.0.1:1"))).code, 6);
  assert.equal((await run(["forms", "list"], at("nonsense"))).code, 2);
});
