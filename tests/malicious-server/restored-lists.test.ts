import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Change, signHead, toConfirmed } from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import { toDeviceHeads } from "../../packages/dashboard/src/devices/device-heads.ts";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList, loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  type PlayedPerson,
  playServer,
  toMember,
  writeEntry,
} from "../dashboard/played-envelopes.ts";

// A service is restored from a backup: it shows an older list of members, one that others have continued since, or none. Whether it was restored, a person has
// to know. Nobody's device has the entries that it has lost (`restored-backup.test.ts`: one that has gives them back). Ada is an owner, Bo a manager, Rea reads; Cy was removed after the backup. SPECIFICATION.md, section 14, "Putting a head aside".

let [ada, bo, cy, rea]: readonly PlayedPerson[] = [];

before(async () => {
  [ada, bo, cy, rea] = await Promise.all(["Ada", "Bo", "Cy", "Rea"].map(makePerson));
});

const backups = [
  "of before the last entries",
  "that others have continued since",
  "of before there was a list",
] as const;
const reasons = {
  "of before the last entries": "old_list",
  "that others have continued since": "forked",
  "of before there was a list": "hidden_list",
} as const satisfies Record<(typeof backups)[number], string>;

async function play(backup: (typeof backups)[number]) {
  assert.ok(ada && bo && cy && rea);
  const server = playServer();
  const formId = createId("form");
  const write = async (by: PlayedPerson, change: Change) => {
    server.list.push(await writeEntry(server.list.join(""), by, change));
  };
  const values = new Map<string, unknown>();
  const heads = createHeads({
    isLasting: true,
    find: async (name) => values.get(name),
    async change(name, change) {
      const after = change(values.get(name));
      if (after !== undefined) values.set(name, after);
    },
  });
  const adas = openBrowser(server, ada, heads);
  await findOrFoundList(adas);
  for (const person of [bo, cy]) await write(ada, { change: "add", member: toMember(person, "manager") });
  await write(ada, { change: "add", member: toMember(rea, "reader") });
  const { key } = await newFormKey(1);
  server.keys.push({ version: 1, fingerprint: key.fingerprint });
  await importKeys(adas, await loadCheckedList(adas), formId, [key], [], "Vote");
  await changeReaders(adas, [formId], { add: [bo.id, cy.id, rea.id], remove: [] });
  const { list } = await loadCheckedList(adas);
  const { head } = list;
  const reas = { ...openBrowser(server, rea), isOwner: false };
  const signed = await signHead({ organizationId, list: head, signedBy: rea.id }, rea.key.signingSeed);
  const kept = backup === "of before there was a list" ? 0 : server.list.length;
  const files = kept === 0 ? [] : [...(server.envelopes.get(1) ?? [])];

  await write(ada, { change: "remove", member: { id: cy.id } });
  await changeReaders(adas, [formId], { add: [], remove: [cy.id] });
  await adas.heads.confirm(organizationId, [
    await toConfirmed((await loadCheckedList(adas)).list, toMember(bo, "manager")),
  ]);
  await reas.heads.advanceList(organizationId, undefined, (await loadCheckedList(adas)).list.head);
  for (const context of [adas, reas]) assert.deepEqual(await see(context), [[1], []]);

  const restore = async () => {
    server.lies = { giveListBack: async () => false };
    server.list.splice(kept);
    if (files.length === 0) server.envelopes.clear();
    else server.envelopes.set(1, files);
    server.signedHeads.clear();
    if (kept > 0) for (const key of [rea?.key.signingKey]) server.signedHeads.set(`${organizationId} ${key}`, signed);
    if (backup === "that others have continued since")
      for (const role of ["reader", "manager"] as const)
        await write(ada as PlayedPerson, { change: "replace", member: toMember(bo as PlayedPerson, role) });
  };
  async function see(context: EnvelopeContext) {
    const opened = await openForm(context, formId);
    if (opened.kind === "none") return "none";
    if (opened.kind === "list") return opened.list.kind === "refused" ? opened.list.reason : opened.list.kind;
    return [opened.keys.map(({ keyVersion }) => keyVersion), opened.refused.map(({ reason }) => reason)];
  }
  return { server, formId, adas, reas, key, values, restore, see, write };
}

async function refusalOf(context: EnvelopeContext): Promise<string> {
  const loaded = await loadList(context);
  return loaded.kind === "refused" ? loaded.reason : loaded.kind;
}

for (const backup of backups)
  test(`after a restore of a backup ${backup}, a list is refused on each device until its person puts the head aside; then it is used as at the first sight, and no key is lost`, async () => {
    assert.ok(ada && cy);
    const { server, formId, adas, reas, key, values, restore, see, write } = await play(backup);
    const before = await adas.heads.findEnvelopes(formId);
    await restore();
    const reason = reasons[backup];
    for (const context of [adas, reas]) for (const _ of [1, 2]) assert.deepEqual(await refusalOf(context), reason);

    await adas.heads.forgetList(organizationId);
    assert.deepEqual(await adas.heads.findConfirmed(organizationId), [], "who was confirmed is asked about again");
    assert.deepEqual(toDeviceHeads(values).lists, [], "no other device gets what was put aside");
    assert.deepEqual(
      await adas.heads.findEnvelopes(formId),
      before,
      "what was seen of forms stays until a list is there",
    );
    assert.deepEqual(await refusalOf(reas), reason, "each device asks its person");
    if (backup === "of before there was a list") {
      assert.deepEqual((await loadList(adas)).kind, "none");
      await findOrFoundList(adas);
      assert.deepEqual(await see(adas), "none", "what was seen of the form was by the list that is put aside");
      await importKeys(adas, await loadCheckedList(adas), formId, [key], [], "Vote");
      assert.deepEqual(await see(adas), [[1], []]);
      return;
    }
    assert.deepEqual((await loadList(adas)).kind, "checked");
    assert.deepEqual(await see(adas), [[1], []], "what was seen of the form by a later entry is put aside with it");
    assert.notEqual((await adas.heads.findEnvelopes(formId)).isForgotten, true, "and nothing of it was looked at");

    // Members who had been removed are removed again, by another entry than before.
    await write(ada, { change: "note" });
    await write(ada, { change: "remove", member: { id: cy.id } });
    await changeReaders(adas, [formId], { add: [], remove: [cy.id] });
    assert.deepEqual(await see(adas), [[1], []]);
    const { list } = await loadCheckedList(adas);
    assert.equal(list.members.has(cy.id), false);

    // Rea has signed no entry, and reads by what another device of hers had signed before the backup.
    await reas.heads.forgetList(organizationId);
    assert.equal((await loadList(reas)).kind, "for_reading");
    assert.deepEqual(await see(reas), [[1], []]);
    assert.equal(server.list.length > 0, true);
  });
