import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatPersonalKey, generateReadingKey } from "@sealpost/envelope";
import { createSigner, toMember } from "../../server/src/organizations/testing/test-member-list.ts";
import { addPerson } from "../../server/src/organizations/testing/test-organization.ts";
import { createReadingProgram } from "./testing/reading-program.ts";

test("anyone who removes a member is shown the readers that the member put into forms, and a rotation says for whom it is no longer", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder, formId, member, service } = world;
  const manager = await createSigner(
    service,
    await addPerson(service, owner.account, "manager@example.com", { role: "manager" }),
    owner.organizationId,
  );
  const { id: managerId } = manager.account;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  writeFileSync(join(folder, "managers.txt"), formatPersonalKey(manager.key), { mode: 0o600 });
  await world.changeList("add");
  await world.changeList("add", toMember(manager, "manager"));
  const run = (...parameters: string[]) => world.runAs(owner.account.token, parameters);
  const withKey = ["--identity", "key.txt"];
  const list = async () => {
    const { output, errors } = await run("keys", "readers", "list", "--form", formId, ...withKey, "--json");
    assert.notEqual(output, "", errors);
    return (
      JSON.parse(output) as { id: string; name: string; isCurrent: boolean; isProven: boolean; isVouchedFor: boolean }[]
    )
      .map(({ name, isCurrent, isProven, isVouchedFor }) => [name, isCurrent, isProven, isVouchedFor])
      .toSorted();
  };
  await world.write([managerId]);
  // So this machine has it from an owner that the manager reads; what the manager writes about himself would be asked about.
  await list();
  const asManager = (...parameters: string[]) =>
    world.runAs(manager.account.token, [
      ...["keys", "readers", "add", "--form", formId, "--identity", "managers.txt", "--heads", "managers.json"],
      ...["--list", world.headText(), ...parameters],
    ]);
  const { recipient } = await generateReadingKey();
  for (const parameters of [["Reports"], ["--program", "Own", "--recipient", recipient]]) {
    const added = await asManager(...parameters);
    assert.equal(added.code, 0, added.errors);
  }

  const managerName = `Name of manager`;
  assert.deepEqual(await list(), [
    [managerName, true, true, true],
    ["Name of owner", true, true, true],
    ["Own", true, true, true],
    ["Reports", true, true, true],
  ]);
  const own = [...(await world.readList()).members.values()].find(({ name }) => name === "Own")?.id ?? assert.fail();
  const named = new RegExp(
    `keep reading\\. Confirm each with .*\n${formId} \\(Contact\\): .*Reports \\(${member.id}\\)`,
  );

  const removed = await run("members", "remove", managerId, ...withKey);
  assert.deepEqual([removed.code, removed.output], [0, `${managerId}\n`], removed.errors);
  assert.match(removed.errors, named);
  assert.match(removed.errors, new RegExp(`Own \\(${own}\\)`));
  const unlisted = await run("keys", "listed", "remove", managerId, ...withKey, "--leave", own);
  assert.equal(unlisted.code, 0, unlisted.errors);
  assert.match(unlisted.errors, named);
  assert.deepEqual(await list(), [
    [managerName, false, true, false],
    ["Name of owner", true, true, true],
    ["Own", true, false, false],
    ["Reports", true, false, true],
  ]);

  const rotated = await run("forms", "rotate", formId, ...withKey);
  assert.deepEqual([rotated.code, rotated.output], [0, "2\n"], rotated.errors);
  assert.match(rotated.errors, new RegExp(`^${formId} will no longer be sealed for Own: nobody vouches for them`, "m"));
  assert.match(rotated.errors, new RegExp(`^${formId} will no longer be sealed for ${managerName}: has left`, "m"));
  assert.doesNotMatch(rotated.errors, /no longer (be )?sealed for Reports/);
  const confirmed = await run("keys", "readers", "add", "--form", formId, ...withKey, "Reports");
  assert.equal(confirmed.code, 0, confirmed.errors);
  assert.deepEqual(await list(), [
    ["Name of owner", true, true, true],
    ["Reports", true, true, true],
  ]);
});

test("without a personal key, `members remove` says which command names the readers that the member put into forms", async (t) => {
  const { owner, service, runAs } = await createReadingProgram(t);
  const { id } = await addPerson(service, owner.account, "second@example.com", { role: "manager" });
  const removed = await runAs(owner.account.token, ["members", "remove", id]);
  assert.deepEqual([removed.code, removed.output], [0, `${id}\n`], removed.errors);
  assert.match(removed.errors, /keep reading: `sealpost keys listed remove` names them/);
});
