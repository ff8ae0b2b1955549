import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatPersonalKey } from "@sealpost/envelope";
import { createReadingProgram } from "./testing/reading-program.ts";

test("a rotation names its readers before anything is sent, also one who was taken out by a revision that the server hides; at a terminal it asks", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder, formId, member, service } = world;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  const rotate = (parameters: readonly string[] = [], options = {}) =>
    world.runAs(owner.account.token, ["forms", "rotate", formId, "--identity", "key.txt", ...parameters], options);
  const versionsOf = async () => (await owner.client.forms.keys(formId)).map(({ version }) => version).toSorted();
  await world.changeList("add");
  await world.write([member.id]);
  await world.write([]);
  const removed = await service.database.deleteFrom("envelope").where("revision", "=", 2).executeTakeFirst();
  assert.equal(removed.numDeletedRows, 1n, "control: the revision without the program is hidden");

  const named = /The new key is for (Name of owner, Reports|Reports, Name of owner)\.\n/;
  const asked = await rotate([], { typed: "no\r" });
  assert.deepEqual([asked.code, asked.output], [2, ""], asked.errors);
  assert.match(asked.errors, named);
  assert.match(asked.errors, /The server may show the envelope from before somebody was taken out/);
  assert.equal(asked.errors.match(/Type yes/g)?.length, 1, "one question");
  assert.deepEqual(await versionsOf(), [1], "nothing was sent");

  const outOfTerminal = await rotate();
  assert.deepEqual([outOfTerminal.code, outOfTerminal.output], [0, "2\n"], outOfTerminal.errors);
  assert.match(outOfTerminal.errors, new RegExp(`${named.source}[^]*Rotated to key version 2`), "before it was sent");
  assert.doesNotMatch(outOfTerminal.errors, /Type yes/);
  const unasked = await rotate(["--yes"], { typed: "" });
  assert.deepEqual([unasked.code, unasked.output], [0, "3\n"], unasked.errors);
  assert.match(unasked.errors, named);
  const agreed = await rotate([], { typed: "yes\r" });
  assert.deepEqual([agreed.code, agreed.output], [0, "4\n"], agreed.errors);
});

test("a rotation names whom it leaves out, and why, before it asks", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder, formId, member } = world;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  await world.changeList("add");
  await world.write([member.id]);
  await world.changeList("remove");
  await world.changeList("add");
  const parameters = ["forms", "rotate", formId, "--identity", "key.txt"];
  const asked = await world.runAs(owner.account.token, parameters, { typed: "no\r" });
  assert.equal(asked.code, 2, asked.errors);
  assert.match(asked.errors, /The new key is for Name of owner\.\n/);
  assert.match(asked.errors, new RegExp(`${formId} will no longer be sealed for Reports: has left.*\n[^]*Type yes`));
});
