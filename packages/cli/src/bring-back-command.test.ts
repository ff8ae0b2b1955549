import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatPersonalKey, generateReadingKey } from "@sealpost/envelope";
import { bringable, type NotUsed, toRefusal } from "@sealpost/sdk/envelopes";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { encryptTo } from "../../envelope/src/age-file.ts";
import { createSigner, toMember } from "../../server/src/organizations/testing/test-member-list.ts";
import { addPerson } from "../../server/src/organizations/testing/test-organization.ts";
import { toProblemError } from "./envelope-keys.ts";
import { createReadingProgram } from "./testing/reading-program.ts";

const withKey = ["--identity", "key.txt"];

test("every command that meets an envelope which somebody wrote for others names `forms bring-back`, which shows readers and keys, asks, and writes them again", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder, formId, member } = world;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  const run = (...parameters: string[]) => world.runAs(owner.account.token, parameters);
  const bring = (...parameters: string[]) => run("forms", "bring-back", formId, ...withKey, ...parameters);
  await world.changeList("add");
  await world.write([member.id]);
  const inOrder = await bring();
  assert.deepEqual([inOrder.code, inOrder.output], [0, ""], inOrder.errors);
  assert.match(inOrder.errors, /no envelope is refused, nothing to bring back/);

  const { envelopes } = owner.client;
  const before = (await envelopes.list(formId))[0] ?? assert.fail();
  const { file } = (await envelopes.getNewest(formId, 1)) ?? assert.fail();
  const hash = Buffer.from(await crypto.subtle.digest("SHA-256", file)).toString("base64url");
  const { recipient } = await generateReadingKey();
  await envelopes.put(formId, 1, await encryptTo([recipient], "nobody's"), { revision: before.revision, hash });

  const commands = [
    ["forms", "rotate", formId, ...withKey],
    ["forms", "name", formId, ...withKey],
    ["forms", "key-log", "begin", formId, ...withKey],
    ["keys", "readers", "list", "--form", formId, ...withKey],
    ["keys", "readers", "remove", "--form", formId, ...withKey, "Reports"],
    ["submissions", "export", formId, ...withKey, "--format", "ndjson"],
  ];
  for (const command of commands) {
    const refused = await run(...command);
    assert.deepEqual([refused.code, refused.output], [3, ""], `${command.join(" ")}: ${refused.errors}`);
    assert.match(refused.errors, /brings that back with `sealpost forms bring-back`/, command.join(" "));
  }

  const unsure = await bring();
  assert.deepEqual([unsure.code, unsure.output], [2, ""], unsure.errors);
  assert.match(unsure.errors, /is called Contact in its envelope/);
  assert.match(unsure.errors, /Revision 1 opens, with key version 1, written by /);
  assert.match(unsure.errors, /The next revision is for .*Reports.*\. Somebody who was taken out/);
  assert.match(unsure.errors, /Add --yes to write the next revision/);
  const other = await bring("--yes", "--expect-name", "Hotline");
  assert.deepEqual([other.code, other.output], [9, ""], other.errors);
  assert.equal((await envelopes.getNewest(formId, 1))?.revision, 2, "nothing was changed");

  const sure = await bring("--yes");
  assert.deepEqual([sure.code, sure.output], [0, `${formId}\n`], sure.errors);
  assert.match(sure.errors, /opens the envelope from key version 1 on again/);
  assert.equal((await envelopes.getNewest(formId, 1))?.revision, 3);
  const listed = await run("keys", "readers", "list", "--form", formId, ...withKey, "--json");
  assert.deepEqual(
    JSON.parse(listed.output)
      .map(({ id }: { id: string }) => id)
      .toSorted(),
    [member.id, owner.account.id].toSorted(),
  );
  const rotated = await run("forms", "rotate", formId, ...withKey);
  assert.deepEqual([rotated.code, rotated.output], [0, "2\n"], rotated.errors);
});

test("a manager's command brings back above a revision that is not for them only where no owner reads the form, and with an option of its own", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder, formId, service } = world;
  const manager = await createSigner(
    service,
    await addPerson(service, owner.account, "manager@example.com", { role: "manager" }),
    owner.organizationId,
  );
  const managerId = manager.account.id;
  writeFileSync(join(folder, "managers.txt"), formatPersonalKey(manager.key), { mode: 0o600 });
  await world.changeList("add", toMember(manager, "manager"));
  await world.write([managerId]);
  const run = (command: readonly string[], ...parameters: string[]) =>
    world.runAs(manager.account.token, [
      ...command,
      ...["--identity", "managers.txt", "--heads", "managers.json", "--list", world.headText(), ...parameters],
    ]);
  const bring = (...parameters: string[]) => run(["forms", "bring-back", formId], ...parameters);
  const { envelopes } = owner.client;
  const newest = async () => (await envelopes.getNewest(formId, 1)) ?? assert.fail();

  await world.write([]);
  for (const answer of [[], ["--yes"], ["--yes", "--taken-out"]]) {
    const refused = await bring(...answer);
    assert.deepEqual([refused.code, refused.output], [3, ""], refused.errors);
    assert.match(
      refused.errors,
      /^Revision 2 is not for your key: somebody may have taken you out .* stored by Name of owner .*, by the server's word/m,
    );
    assert.match(refused.errors, /^Ask an owner first \(Name of owner\)/m);
    assert.match(refused.errors, /An owner who reads the form puts you among its readers again/);
  }
  assert.equal((await newest()).revision, 2, "nothing was changed");

  await world.write([managerId]);
  const removed = await run(["keys", "readers", "remove", "--form", formId], "Name of owner");
  assert.equal(removed.code, 0, removed.errors);
  const { file, revision } = await newest();
  assert.equal(revision, 4);
  const hash = Buffer.from(await crypto.subtle.digest("SHA-256", file)).toString("base64url");
  const { recipient } = await generateReadingKey();
  await envelopes.put(formId, 1, await encryptTo([recipient], "nobody's"), { revision, hash });
  for (const [answer, sentence] of [
    [[], /Add --yes and --taken-out, once you have asked an owner/],
    [["--yes"], /Add --taken-out to bring back although you may have been taken out/],
  ] as const) {
    const unsure = await bring(...answer);
    assert.deepEqual([unsure.code, unsure.output], [2, ""], unsure.errors);
    assert.match(unsure.errors, /^Revision 5 is not for your key/m);
    assert.match(unsure.errors, sentence);
  }
  assert.equal((await newest()).revision, 5, "nothing was changed");
  const sure = await bring("--yes", "--taken-out");
  assert.deepEqual([sure.code, sure.output], [0, `${formId}\n`], sure.errors);
  assert.equal((await newest()).revision, 6);
});

test("a reader whom the newest revision leaves out, by somebody who has left, is brought back only with --let-back, and is shown with the key", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder, formId, service, member } = world;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  const manager = await createSigner(
    service,
    await addPerson(service, owner.account, "manager@example.com", { role: "manager" }),
    owner.organizationId,
  );
  writeFileSync(join(folder, "managers.txt"), formatPersonalKey(manager.key), { mode: 0o600 });
  await world.changeList("add");
  await world.changeList("add", toMember(manager, "manager"));
  await world.write([member.id, manager.account.id]);
  const managers = ["--identity", "managers.txt", "--heads", "managers.json", "--list", world.headText()];
  const removed = await world.runAs(manager.account.token, [
    ...["keys", "readers", "remove", "--form", formId, ...managers, "Reports"],
  ]);
  assert.equal(removed.code, 0, removed.errors);
  await world.changeList("remove", toMember(manager, "manager"));

  const bring = (...parameters: string[]) =>
    world.runAs(owner.account.token, ["forms", "bring-back", formId, ...withKey, "--yes", ...parameters]);
  const { envelopes } = owner.client;
  const revision = async () => (await envelopes.getNewest(formId, 1))?.revision;
  const nobody = await bring("--let-back", owner.account.id);
  assert.deepEqual([nobody.code, nobody.output], [2, ""], nobody.errors);
  assert.match(nobody.errors, /--let-back names somebody who does not come back by this/);
  const unsure = await bring("--let-back", "Reports", "--expect-key", "AAAA");
  assert.equal(unsure.code, 9, unsure.errors);
  assert.equal(await revision(), 2, "nothing was changed");

  const without = await bring();
  assert.deepEqual([without.code, without.output], [0, `${formId}\n`], without.errors);
  assert.match(without.errors, /^Left out by revision 2, and may have been taken out on purpose: Reports\./m);
  assert.doesNotMatch(without.errors, /The next revision is for .*Reports/);
  assert.equal(await revision(), 3);
  const listed = await world.runAs(owner.account.token, ["keys", "readers", "list", "--form", formId, ...withKey]);
  assert.doesNotMatch(listed.output, /Reports.*reads/);
});

test("where no revision opens, nothing is brought back, a sentence says what opens it, and an owner writes it without keys where that is said", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder, formId } = world;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  const { recipient } = await generateReadingKey();
  await owner.client.envelopes.put(formId, 1, await encryptTo([recipient], "nobody's"), undefined);
  const none = await world.runAs(owner.account.token, ["forms", "bring-back", formId, ...withKey, "--yes"]);
  assert.deepEqual([none.code, none.output], [4, ""], none.errors);
  assert.match(none.errors, /no revision of the envelope from key version 1 on .* A key file of the form opens/);
  assert.equal((await owner.client.envelopes.getNewest(formId, 1))?.revision, 1);
  const cleared = await world.runAs(owner.account.token, [
    ...["forms", "bring-back", formId, ...withKey, "--yes", "--lose-keys"],
  ]);
  assert.deepEqual([cleared.code, cleared.output], [0, `${formId}\n`], cleared.errors);
  assert.match(cleared.errors, /The envelope from key version 1 on opens again, without keys/);
  assert.equal((await owner.client.envelopes.getNewest(formId, 1))?.revision, 2);
});

test("a rotation over an envelope of which nothing opens says what is lost, and wants --lose-keys", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, service, folder, formId } = world;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  const rotate = (...parameters: string[]) =>
    world.runAs(owner.account.token, ["forms", "rotate", formId, ...withKey, ...parameters]);
  await world.write([]);
  // As many rotations take a while.
  const { database } = service;
  const [first = assert.fail()] = await database.selectFrom("form_key").selectAll().execute();
  const others = Array.from({ length: 32 }, (_, index) => ({ ...first, version: index + 2, fingerprint: `${index}` }));
  await database.insertInto("form_key").values(others).execute();
  await database.updateTable("form").set({ key_version: 33 }).execute();
  const { recipient } = await generateReadingKey();
  await owner.client.envelopes.put(formId, 33, await encryptTo([recipient], "nobody's"), undefined);

  const asked = await rotate();
  assert.deepEqual([asked.code, asked.output], [9, ""], asked.errors);
  assert.match(asked.errors, /Nothing of the envelope from key version 33 on opens with your key/);
  assert.match(asked.errors, /What was sealed to key version 2, 3, .*, 33 stays closed/);
  assert.match(asked.errors, /Its revisions were stored by .*, by the server's word/);
  assert.match(asked.errors, /--lose-keys says that these keys may be lost/);
  assert.equal((await owner.client.envelopes.getNewest(formId, 33))?.revision, 1, "nothing was changed");
  const sure = await rotate("--lose-keys");
  assert.deepEqual([sure.code, sure.output], [0, "34\n"], sure.errors);
  assert.equal((await owner.client.envelopes.getNewest(formId, 33))?.revision, 2);
});

test("where the form's newest version is in no envelope, a rotation names it and who would read, and wants --lose-keys", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder, formId, member } = world;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  const rotate = (...parameters: string[]) =>
    world.runAs(owner.account.token, ["forms", "rotate", formId, ...withKey, ...parameters]);
  await world.changeList("add");
  await world.write([member.id]);
  const { publicKey } = takeKeyPair();
  await owner.client.forms.rotateKeys(formId, { publicKey, keyVersion: 2, withoutEnvelope: true });

  const asked = await rotate();
  assert.deepEqual([asked.code, asked.output], [9, ""], asked.errors);
  assert.match(
    asked.errors,
    /The form already has key version 2, and what the server shows of its envelopes opens only/,
  );
  assert.match(asked.errors, /What was sealed to key version 2 stays closed/);
  assert.match(asked.errors, /newest that each person has stored, stay as long as the form/);
  assert.match(asked.errors, /First ask the person who rotated the form last/);
  assert.match(asked.errors, /The new key is for (.*, )?Reports/);
  assert.match(asked.errors, /--lose-keys says that these keys may be lost, and that these people read/);
  assert.equal((await owner.client.envelopes.getNewest(formId, 1))?.revision, 1, "nothing was changed");
  const sure = await rotate("--lose-keys");
  assert.deepEqual([sure.code, sure.output], [0, "3\n"], sure.errors);
});

test("whatever an envelope is refused for, the sentence names `forms bring-back` where that helps, and nowhere else", () => {
  const problems: readonly NotUsed["reason"][] = [
    "hidden_envelope",
    "lost_envelope",
    "forked",
    "old_revision",
    "moved_form",
  ];
  for (const reason of [...bringable, ...problems] as readonly NotUsed["reason"][]) {
    const isNamed = /`sealpost forms bring-back`/.test(toProblemError(toRefusal({ reason })).message);
    assert.equal(isNamed, bringable.includes(reason), reason);
  }
});
