import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { createCommandLine } from "./testing/run-command-line.ts";

test("bash completes commands, options and choices, and leaves file names to itself", async (t) => {
  const { run } = createCommandLine(t);
  const { code, output: script, errors } = await run(["completion", "bash"]);
  assert.deepEqual([code, errors], [0, ""]);
  const complete = (...words: string[]) => {
    const ask = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sealpost; echo "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", ask, "bash", "sealpost", ...words], { encoding: "utf8" });
    assert.equal(stderr, "");
    return stdout.trim().split(" ");
  };
  assert.deepEqual(complete("fo"), ["forms"]);
  assert.deepEqual(complete("forms", "cr"), ["create"]);
  assert.deepEqual(complete("--help", "forms", "ro"), ["rotate"], "an option before it does no harm");
  assert.deepEqual(complete("forms", "list", "--j"), ["--json"]);
  assert.deepEqual(complete("submissions", "export", "form_x", "--format", ""), [
    "csv",
    "xlsx",
    "json",
    "ndjson",
    "sealed",
  ]);
  assert.deepEqual(complete("submissions", "export", "form_x", "--key", "key"), [""], "a file");
  assert.deepEqual(complete("completion", "z"), ["zsh"]);
  assert.deepEqual(complete("members", "in"), ["invite", "invitations"]);
  const roles = ["owner", "manager", "reader", "developer", "auditor"];
  for (const command of ["invite", "change"]) assert.deepEqual(complete("members", command, "x", "--role", ""), roles);
  assert.deepEqual(complete("organizations", "s"), ["switch", "sign-name"]);
  assert.ok(complete("").includes("submissions"));
});

test("the scripts of all shells know every command and option, and nothing in them runs when it is read", async (t) => {
  const { run } = createCommandLine(t);
  const commands = [
    "login",
    "logout",
    "forms",
    "settings",
    "submissions",
    "export",
    "webhooks",
    "listen",
    "keys",
    "revoke",
    "members",
    "uninvite",
    "organizations",
    "join",
    "end-others",
  ];
  const options = ["passphrase-file", "no-encryption", "format", "output", "column", "json", "role"];
  for (const shell of ["bash", "zsh", "fish"]) {
    const { output } = await run(["completion", shell]);
    for (const word of [...commands, ...options])
      assert.match(output, new RegExp(`\\b${word}\\b`), `${shell}: ${word}`);
    assert.doesNotMatch(output, /`/);
    if (shell === "fish") assert.doesNotMatch(output, /^(?!complete -c sealpost )./m);
  }
  const { code, errors } = await run(["completion", "tcsh"]);
  assert.equal(code, 2);
  assert.match(errors, /Allowed choices are bash, zsh, fish/);
});
