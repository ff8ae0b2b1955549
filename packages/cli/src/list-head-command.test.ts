import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatPersonalKey } from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import { createReadingProgram } from "./testing/reading-program.ts";
import { seenName } from "./testing/seen-name.ts";

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
  assert.equal(seen.heads[seenName(seen.heads, `organization of ${formId}`)], world.owner.account.id);
  seen.heads[seenName(seen.heads, `organization of ${formId}`)] = createId("account");
  writeFileSync(path, JSON.stringify(seen));
  const moved = await world.run(exporting);
  assert.deepEqual([moved.code, moved.output], [9, ""]);
  assert.match(moved.errors, /was seen in another organization before.*`sealpost keys forget` takes note/);
  const forgotten = await world.run(["keys", "forget", "--form", formId]);
  assert.deepEqual([forgotten.code, forgotten.errors], [0, `${formId}: forgotten\n`]);
  assert.equal((await world.run(exporting)).code, 0);
});

test("a restored server gets the entries that it has lost back from a person who is signed in, and from no API key", async (t) => {
  const world = await createReadingProgram(t);
  const { folder, identity, service, owner } = world;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  await world.changeList("add");
  const printing = ["keys", "list-head", "--identity"];
  for (const who of [["key.txt"], [identity, "--list", world.headText()]])
    assert.equal((await world.run([...printing, ...who])).code, 0);
  await service.database.deleteFrom("list_entry").where("number", ">", 1).execute();
  const refused = await world.run([...printing, identity]);
  assert.equal(refused.code, 9);
  assert.match(refused.errors, /it gets back from the next device of an owner that has it, after a new sign-in/);
  const given = await world.runAs(owner.account.token, [...printing, "key.txt"]);
  assert.deepEqual([given.code, given.output], [0, `${world.headText()}\n`], given.errors);
  assert.match(given.errors, /had lost the last entry of the list of members.* has got it back from here/);
  assert.equal((await world.run([...printing, identity])).output, `${world.headText()}\n`);
});

test("a list that was seen up to a later entry, or otherwise, is refused until somebody says that this is known: then it is seen for the first time", async (t) => {
  const world = await createReadingProgram(t);
  const { folder, identity } = world;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(world.owner.key), { mode: 0o600 });
  await world.changeList("add");
  const organizationId = world.owner.account.id;
  const [number = "", hash = ""] = world.headText().split(/-(.*)/s);
  for (const [who, path, trust] of [
    ["key.txt", join(folder, "config/sealpost/personal.heads.json"), []],
    [identity, `${identity}.heads.json`, ["--list", world.headText()]],
  ] as const)
    for (const later of [
      { number: Number(number) + 1, hash },
      { number: Number(number), hash: "A".repeat(43) },
    ]) {
      const printing = ["keys", "list-head", "--identity", who];
      const first = await world.run([...printing, ...trust]);
      assert.equal(first.code, 0, first.errors);
      const seen = JSON.parse(readFileSync(path, "utf8"));
      seen.heads[seenName(seen.heads, `list ${organizationId}`)] = later;
      writeFileSync(path, JSON.stringify(seen));
      const refused = await world.run(printing);
      assert.deepEqual([refused.code, refused.output], [9, ""]);
      assert.match(refused.errors, /restored from a backup, `sealpost keys forget` takes note of that: --members/);
      const forgetting = ["keys", "forget", "--members", "--identity", who];
      const forgotten = await world.run(forgetting);
      assert.deepEqual(
        [forgotten.code, forgotten.errors],
        [0, `${organizationId}: forgotten ${later.number}-${later.hash}\n`],
      );
      assert.match((await world.run(forgetting)).errors, /nothing was remembered/);
      if (trust.length > 0) assert.match((await world.run(printing)).errors, /--list NUMBER-HASH/);
      const again = await world.run([...printing, ...trust]);
      assert.deepEqual([again.code, again.output], [0, `${world.headText()}\n`], again.errors);
    }
  assert.equal((await world.run(["keys", "forget"])).code, 2);
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
