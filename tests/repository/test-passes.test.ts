import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import { steps } from "../../scripts/check.ts";
import type { TestPass } from "../../scripts/test-groups.ts";
import { isOnPostgres, listPasses, listRestPasses, testCommands } from "../../scripts/test-passes.ts";

const all = testCommands.flatMap((command) => listPasses(command, false).map((pass) => ({ command, ...pass })));
/** Files that `npm run check` runs, by its arguments. */
const inCheck = steps.flatMap(({ command }) => (command.includes("--test") ? globSync([...command]) : []));
/** Files that only a command of their own runs, which takes longer than all others together or needs what is not here. */
const ofOtherCommands = /^tests\/(?:postgres\/(?:citus|standby)|packages)\//;

test("each file of tests is run by npm test, by a command that npm run test:rest has in it, or by npm run check", () => {
  assert.ok(inCheck.includes("architecture.test.ts"));
  const run = new Set([...all.flatMap(({ files }) => files), ...inCheck]);
  const found = globSync(["**/*.test.{ts,tsx}", "tests/rights/*.check.ts"], { exclude: ["**/node_modules/**"] });
  const left = found.filter((file) => !run.has(file) && !ofOtherCommands.test(file));
  assert.deepEqual(left, []);
});

test("what npm run check runs is in no other command", () => {
  assert.deepEqual(
    all.flatMap(({ files }) => files).filter((file) => inCheck.includes(file)),
    [],
  );
});

test("npm test runs no sample of cases that npm run test:rest has all of, and no other of its commands on SQLite", () => {
  const filesOf = (passes: readonly TestPass[]) =>
    new Set(passes.filter((pass) => !isOnPostgres(pass)).flatMap(({ files }) => files));
  const inRest = filesOf(listRestPasses());
  assert.ok(inRest.has("packages/envelope/src/browser.node.test.ts"));
  assert.deepEqual(
    [...filesOf(listPasses("default", false))].filter((file) => inRest.has(file)),
    [],
  );
});

test("nothing runs twice by the same settings in one command", () => {
  for (const command of testCommands) {
    const runs = listPasses(command, false).flatMap(({ database, files }) =>
      files.map((file) => `${file} ${database}`),
    );
    assert.ok(runs.length > 0, command);
    assert.equal(new Set(runs).size, runs.length, command);
  }
});

test("what npm test runs on PostgreSQL is a part of what npm run test:postgres runs there", () => {
  const filesOf = (command: string) =>
    all.filter((pass) => pass.command === command && isOnPostgres(pass)).flatMap(({ files }) => files);
  const inPostgres = new Set(filesOf("postgres"));
  assert.deepEqual(
    filesOf("default").filter((file) => !inPostgres.has(file)),
    [],
  );
  assert.ok(inPostgres.size > 2 * filesOf("default").length);
});

const nameAll = (passes: readonly TestPass[]) =>
  new Set(passes.flatMap((pass) => pass.files.map((file) => `${file} ${isOnPostgres(pass)}`)));

test("npm run test:rest runs each file of its commands, and on PostgreSQL, in two halves, all but those that npm test runs there and three of rights", () => {
  const rest = nameAll([0, 1].flatMap((draw) => listRestPasses(draw)));
  const commands = testCommands.filter((command) => command !== "default");
  const left = [...nameAll(commands.flatMap((command) => listPasses(command, false)))].filter((run) => !rest.has(run));
  const byDefault = nameAll(listPasses("default", false));
  assert.deepEqual(
    left.filter((run) => !byDefault.has(run)),
    ["tests/rights/rights.test.ts true", "tests/rights/log-bounds.check.ts true", "tests/rights/refused.check.ts true"],
  );
  assert.ok(left.length > 2 && left.every((run) => run.endsWith(" true")), `${left}`);
});

test("each half of what npm run test:rest runs on PostgreSQL has files of each folder, and both have all that is not the service's own", () => {
  const [one, other] = [nameAll(listRestPasses(0)), nameAll(listRestPasses(1))];
  const foldersOf = (runs: ReadonlySet<string>) =>
    [...new Set([...runs].map((run) => run.replace(/[^/]+ /, "")))].sort();
  assert.deepEqual(foldersOf(one), foldersOf(other));
  const [inOne, inOther] = [[...one].filter((run) => !other.has(run)), [...other].filter((run) => !one.has(run))];
  assert.ok(inOne.length > 50 && inOther.length > 50, `${inOne.length} and ${inOther.length}`);
  for (const run of [...inOne, ...inOther]) assert.match(run, /^packages\/server\/src\/.* true$/);
});
