import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatPersonalKey } from "@sealpost/envelope";
import {
  createSigner,
  fetchList,
  signEntry,
  toMember,
} from "../../server/src/organizations/testing/test-member-list.ts";
import { addPerson } from "../../server/src/organizations/testing/test-organization.ts";
import { createReadingProgram } from "./testing/reading-program.ts";

test("a part begins once its owner has named each member whom nobody else will vouch for in it, with the key that was shown; others than owners begin none", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder, service } = world;
  const { organizationId, account } = owner;
  const roles = ["owner", "manager"] as const;
  const [second = assert.fail(), manager = assert.fail()] = await Promise.all(
    roles.map(async (role) =>
      createSigner(service, await addPerson(service, account, `${role}2@example.com`, { role }), organizationId),
    ),
  );
  for (const [index, signer] of [second, manager].entries()) {
    writeFileSync(join(folder, `${index}.txt`), formatPersonalKey(signer.key), { mode: 0o600 });
    const list = await fetchList(owner);
    const change = { change: "add", member: toMember(signer, roles[index] ?? "owner") } as const;
    await owner.client.memberList.add(await signEntry(owner, list, change), list.head);
  }
  const { number, hash } = (await fetchList(owner)).head;
  const run = ({ account: by }: typeof second, ...parameters: string[]) => {
    const file = by === second.account ? "0.txt" : "1.txt";
    const options = ["--identity", file, "--heads", `${file}.heads.json`, "--list", `${number}-${hash}`];
    return world.runAs(by.token, ["keys", "listed", ...parameters, ...options]);
  };
  const isUnchanged = async () => assert.deepEqual((await fetchList(owner)).head, { number, hash });

  const asked = await run(second, "begin-part");
  assert.equal(asked.code, 2, asked.errors);
  assert.match(asked.errors, /On devices that are new nobody would vouch for these members/);
  const state = await run(second, "list", "--json");
  const rows = JSON.parse(state.output) as { id: string; fingerprint: string; isVouchedFor: boolean }[];
  assert.ok(asked.errors.includes(rows.find(({ id }) => id === account.id)?.fingerprint ?? "none"), asked.errors);
  assert.ok(!asked.errors.includes(manager.account.id), "whom the founder vouches for");
  assert.equal((await run(second, "begin-part", "--vouch", manager.account.id)).code, 2);
  await isUnchanged();
  const refused = await run(manager, "begin-part", "--vouch", account.id);
  assert.equal(refused.code, 5, refused.errors);
  assert.match(refused.errors, /Only an owner/);
  await isUnchanged();

  const begun = await run(second, "begin-part", "--vouch", account.id);
  assert.equal(begun.code, 0, begun.errors);
  const after = JSON.parse((await run(second, "list", "--json")).output) as typeof rows;
  assert.deepEqual(
    after.map(({ id, isVouchedFor }) => [id, isVouchedFor]).sort(),
    [account.id, second.account.id, manager.account.id].map((id) => [id, true]).sort(),
  );

  writeFileSync(join(folder, "founder.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  const founder = (...parameters: string[]) =>
    world.runAs(account.token, ["keys", "listed", ...parameters, "--identity", "founder.txt"]);
  const left = await founder("begin-part", "--leave", second.account.id);
  assert.equal(left.code, 0, left.errors);
  const now = JSON.parse((await founder("list", "--json")).output) as typeof rows;
  // Nobody's standing changes where all parts are.
  assert.equal(now.find(({ id }) => id === second.account.id)?.isVouchedFor, true);
});
