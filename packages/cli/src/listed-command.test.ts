import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatPersonalKey, generatePersonalKey } from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import {
  createSigner,
  fetchList,
  signEntry,
  toMember,
  toProgram,
} from "../../server/src/organizations/testing/test-member-list.ts";
import { addPerson } from "../../server/src/organizations/testing/test-organization.ts";
import { createReadingProgram } from "./testing/reading-program.ts";

test("a member is removed from the list only once each of those whom nobody would vouch for was named, and then vouched for, removed or left", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder, service } = world;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  const run = (...parameters: string[]) =>
    world.runAs(owner.account.token, ["keys", "listed", ...parameters, "--identity", "key.txt"]);
  const manager = await createSigner(
    service,
    await addPerson(service, owner.account, "manager@example.com", { role: "manager" }),
    owner.organizationId,
  );
  const first = await fetchList(owner);
  const member = toMember(manager, "manager");
  await owner.client.memberList.add(await signEntry(owner, first, { change: "add", member }), first.head);
  const programs: ReturnType<typeof toProgram>[] = [];
  for (const _ of [1, 2, 3]) {
    const program = toProgram(createId("account"), await generatePersonalKey());
    const list = await fetchList(owner);
    await manager.client.memberList.add(await signEntry(manager, list, { change: "add", member: program }), list.head);
    programs.push(program);
  }
  const [kept, gone, unsure] = programs.map(({ id }) => id);
  if (kept === undefined || gone === undefined || unsure === undefined) throw new Error("There are three");
  const state = async () => {
    const { code, output, errors } = await run("list", "--json");
    assert.equal(code, 0, errors);
    const rows = JSON.parse(output) as { id: string; fingerprint: string; isVouchedFor: boolean }[];
    return new Map(rows.map((row) => [row.id, row]));
  };
  const before = await state();
  assert.ok([...before.values()].every(({ isVouchedFor }) => isVouchedFor));

  const asked = await run("remove", manager.account.id);
  assert.equal(asked.code, 2);
  for (const id of [kept, gone, unsure]) assert.ok(asked.errors.includes(id), asked.errors);
  assert.ok(asked.errors.includes(before.get(kept)?.fingerprint ?? "none"), "with the key, to be compared");
  const some = await run("remove", manager.account.id, "--vouch", kept, "--with", gone);
  assert.equal(some.code, 2);
  const twice = await run(
    "remove",
    manager.account.id,
    "--vouch",
    kept,
    "--with",
    `${gone},${kept}`,
    "--leave",
    unsure,
  );
  assert.match(twice.errors, /is named twice/);
  assert.deepEqual(await state(), before, "nothing was changed");

  const done = await run("remove", manager.account.id, "--vouch", kept, "--with", gone, "--leave", unsure);
  assert.equal(done.code, 0, done.errors);
  const after = await state();
  assert.deepEqual(
    [...after.values()].map(({ id, isVouchedFor }) => [id, isVouchedFor]),
    [
      [owner.account.id, true],
      [kept, true],
      [unsure, false],
    ],
  );

  const other = await run("vouch", unsure, "--expect-key", before.get(kept)?.fingerprint ?? "");
  assert.equal(other.code, 9, other.errors);
  assert.equal((await state()).get(unsure)?.isVouchedFor, false, "another key than the one that was read");
  const vouched = await run("vouch", unsure, "--expect-key", before.get(unsure)?.fingerprint ?? "");
  assert.equal(vouched.code, 0, vouched.errors);
  assert.equal((await state()).get(unsure)?.isVouchedFor, true);
  assert.match((await run("remove", owner.account.id)).errors, /You can't remove yourself/);
});
