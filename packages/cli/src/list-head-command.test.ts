import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatPersonalKey } from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import { createReadingProgram } from "./testing/reading-program.ts";

test("the head of the list is printed, checked with a key, or unchecked to be compared, with the warning on the way that it has to go", async (t) => {
  const world = await createReadingProgram(t);
  const { folder, identity } = world;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(world.owner.key), { mode: 0o600 });
  const unlisted = await world.run(["keys", "list-head", "--identity", identity]);
  assert.deepEqual([unlisted.code, unlisted.output], [2, ""]);
  assert.match(unlisted.errors, /No list of members has been seen with this identity/);
  await world.changeList("add");
  const expected = `${world.headText()}\n`;
  for (const parameters of [
    ["--identity", "key.txt"],
    ["--identity", identity, "--list", world.headText()],
    ["--unchecked"],
  ]) {
    const printed = await world.run(["keys", "list-head", ...parameters]);
    assert.deepEqual([printed.code, printed.output], [0, expected], printed.errors);
    assert.match(printed.errors, /by another way than this service/);
    assert.equal(/Nobody has checked/.test(printed.errors), parameters[0] === "--unchecked");
  }
});

test("a form that turns up in another organization is refused with a personal key, until somebody says that this is known", async (t) => {
  const world = await createReadingProgram(t);
  const { folder, formId } = world;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(world.owner.key), { mode: 0o600 });
  await world.write([]);
  await world.submit({ name: "Zoë" });
  const exporting = ["submissions", "export", formId, "--identity", "key.txt"];
  assert.equal((await world.run(exporting)).code, 0);
  const path = join(folder, "config/sealpost/personal.heads.json");
  const text = readFileSync(path, "utf8");
  const seen = JSON.parse(text);
  assert.equal(seen.heads[`organization of ${formId}`], world.owner.account.id);
  seen.heads[`organization of ${formId}`] = createId("account");
  writeFileSync(path, JSON.stringify(seen));
  const moved = await world.run(exporting);
  assert.deepEqual([moved.code, moved.output], [9, ""]);
  assert.match(moved.errors, /was seen in another organization before.*`sealpost keys forget` takes note/);
  const forgotten = await world.run(["keys", "forget", "--form", formId]);
  assert.deepEqual([forgotten.code, forgotten.errors], [0, `${formId}: forgotten\n`]);
  assert.equal((await world.run(exporting)).code, 0);
});

test("a time that is too late for what has ended already is said, and changes nothing", async (t) => {
  const world = await createReadingProgram(t);
  const { client } = world.owner;
  await world.write([]);
  await world.rotate([]);
  const end = (...more: string[]) =>
    world.runAs(world.owner.account.token, ["forms", "end-versions", world.formId, ...more]);
  const ended = await end();
  assert.deepEqual([ended.code, ended.errors], [0, ""]);
  const later = await end("--at", "2999-01-01");
  assert.equal(later.code, 0, later.errors);
  assert.match(
    later.errors,
    /^Already ended, and stay ended: version 1 \(20\S+\)\. --reopen takes all versions again\n$/,
  );
  await end("--reopen");
  assert.equal((await end("--at", "2999-01-01")).errors, "");
  const keys = await client.forms.keys(world.formId);
  assert.equal(keys.find(({ version }) => version === 1)?.closesAt, Date.parse("2999-01-01"));
});
