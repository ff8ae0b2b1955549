import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatPersonalKey, sealEnvelope, toFormKey } from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { createSigner, toMember } from "../../server/src/organizations/testing/test-member-list.ts";
import { addPerson } from "../../server/src/organizations/testing/test-organization.ts";
import { createReadingProgram } from "./testing/reading-program.ts";

test("forms look-at shows envelopes in groups, what differs first, and asks once for each; only what is answered with yes is accepted", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder, member, service } = world;
  const manager = await createSigner(
    service,
    await addPerson(service, owner.account, "manager@example.com", { role: "manager" }),
    owner.organizationId,
  );
  const [ownerId, managerId] = [owner.account.id, manager.account.id];
  await world.changeList("add");
  await world.changeList("add", toMember(manager, "manager"));
  const list = await world.readList();
  const fingerprints = new Map<FormId, string>();
  const create = async (name: string, readerIds: readonly string[]): Promise<FormId> => {
    const formId = (await manager.client.forms.reserve()).formId as FormId; // an id of the service
    const pair = takeKeyPair();
    const keys = [await toFormKey(1, pair.privateKey)];
    for (const { fingerprint } of keys) fingerprints.set(formId, fingerprint);
    const { file } = await sealEnvelope({ list, signer: manager.signer, formId, formName: name, readerIds, keys });
    await manager.client.forms.create({ formId, name, publicKey: pair.publicKey, envelope: file });
    return formId;
  };
  const canteen = await create("Canteen", [ownerId, managerId, member.id]);
  const kiosk = await create("Kiosk", [ownerId, managerId, member.id]);
  const board = await create("Board", [ownerId, managerId]);
  await world.changeList("remove", toMember(manager, "manager"));
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  const run = (parameters: readonly string[], typed?: string) =>
    world.runAs(owner.account.token, ["forms", ...parameters, "--identity", "key.txt"], typed ? { typed } : {});

  const rotated = await run(["rotate", board]);
  assert.match(rotated.errors, /`sealpost forms look-at` shows its keys and readers/);
  const unasked = await run(["look-at"]);
  assert.deepEqual([unasked.code, unasked.output], [2, ""], unasked.errors);
  assert.match(unasked.errors, /is asked at a terminal\. Nothing was accepted/);

  const declined = await run(["look-at"], "no\n");
  assert.deepEqual([declined.code, declined.output], [9, ""], declined.errors);
  assert.match(declined.errors, /3 envelopes were not accepted/);
  const [first = "", second = "", ...more] = declined.errors.split(/^(?=\d+ envelopes?, signed by )/m).slice(1);
  assert.deepEqual(more, []);
  assert.match(first, /^1 envelope, signed by .* was removed from the list of members/);
  assert.match(first, /Not like most of the others:\n {2}Not readers here, and readers of the others: Reports\./);
  assert.match(first, new RegExp(`Board \\(${board}\\): key version 1, revision 1`));
  assert.match(second, /^2 envelopes, signed by/);
  assert.match(second, /Reports \(program; nobody who may add readers now is known to have put them there\)/);
  for (const formId of [canteen, kiosk]) assert.ok(second.includes(formId));
  // All of them are the manager's alone.
  for (const [formId, fingerprint] of fingerprints) {
    const shown = formId === board ? first : second;
    assert.ok(
      shown.includes(`    version 1: ${fingerprint} (nobody else vouches for it)\n    names no key log\n`),
      shown,
    );
  }
  for (const shown of [first, second]) assert.match(shown, /If nobody knows it, do not say that it is right: ask them/);
  assert.equal((first + second).match(/Type yes if/g)?.length, 2, "one question for each group");

  const some = await run(["look-at", canteen, kiosk], "yes\n");
  assert.equal(some.code, 0, some.errors);
  assert.deepEqual(some.output.trim().split("\n").toSorted(), [canteen, kiosk].toSorted());
  const left = await run(["look-at"], "no\n");
  assert.match(left.errors, /1 envelope was not accepted/);
  assert.equal((await run(["rotate", kiosk])).code, 0);
  assert.notEqual((await run(["rotate", board])).code, 0);
  assert.deepEqual((await run(["look-at"], "yes\n")).output, `${board}\n`);
  assert.match((await run(["look-at"])).errors, /No form waits for your answer/);
});
