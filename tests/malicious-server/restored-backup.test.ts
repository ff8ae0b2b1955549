import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createSeenHeads, type HeadStore } from "@sealpost/envelope";
import { createId, type FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList, loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { createFormWithEnvelope } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  type PlayedPerson,
  type PlayedServer,
  playServer,
  toMember,
  writeEntry,
} from "../dashboard/played-envelopes.ts";
import { type Actor, type AgentName, agents, openActor } from "../support/envelope-actors.ts";

// An honest service is restored from a backup: the list, the envelopes and the key log there are those of before. Devices that have seen what came after
// must not be stuck for good, and nothing that they hold may be lost.

type FormKey = Awaited<ReturnType<typeof newFormKey>>;

let ada: PlayedPerson;
let bo: PlayedPerson;
let cy: PlayedPerson;
let dan: PlayedPerson;
let [first, second, third]: FormKey[] = [];

before(async () => {
  [ada, bo, cy, dan] = (await Promise.all(["Ada", "Bo", "Cy", "Dan"].map(makePerson))) as [
    PlayedPerson,
    PlayedPerson,
    PlayedPerson,
    PlayedPerson,
  ];
  [first, second, third] = await Promise.all([1, 2, 2].map(newFormKey));
});

/** A device of a person: what it has seen stays with it. */
interface Device extends Actor {
  readonly context: EnvelopeContext;
  /** `checked` and the number of entries, or why the list is refused. */
  list(): Promise<string>;
  /** A person says that the server was restored, where the device has seen newer envelopes and a newer key log. */
  putFormAside(formId: FormId): Promise<void>;
  putListAside(): Promise<void>;
}

async function openDevice(
  agent: AgentName,
  server: PlayedServer,
  person: PlayedPerson,
  rotated: FormKey | undefined,
): Promise<Device> {
  const store: HeadStore = createMemoryStore();
  const isOwner = person === ada;
  const context = { ...openBrowser(server, person, createHeads(store)), isOwner };
  const actor = await openActor(agent, server, person, rotated ?? assert.fail(), store);
  const heads = createSeenHeads(store);
  return {
    ...actor,
    context,
    async list() {
      const loaded = await loadList(context);
      if (loaded.kind === "refused") return loaded.reason;
      return loaded.kind === "checked" ? `checked ${loaded.list.head.number}` : loaded.kind;
    },
    async putFormAside(formId) {
      await heads.forgetEnvelopes(formId);
      await heads.forgetKeyLog(formId);
    },
    putListAside: () => heads.forgetList(organizationId),
  };
}

/** Everything that a backup has; `restore` brings the server back to it. */
function backUp(server: PlayedServer): () => void {
  const kept = structuredClone({
    ...{ list: server.list, envelopes: server.envelopes, keys: server.keys, keyLogs: server.keyLogs },
    signedHeads: server.signedHeads,
  });
  return () => {
    const { list, envelopes, keys, keyLogs, signedHeads } = structuredClone(kept);
    server.list = list;
    server.keys.splice(0, server.keys.length, ...keys);
    for (const [now, then] of [
      [server.envelopes, envelopes],
      [server.keyLogs, keyLogs],
      [server.signedHeads, signedHeads],
    ] as [Map<unknown, unknown>, Map<unknown, unknown>][]) {
      now.clear();
      for (const [name, value] of then) now.set(name, value);
    }
  };
}

/**
 * Ada's organization with Bo as a manager and a form that both read; a backup; then Cy comes in, the form is rotated, and Cy reads it. `seen…` devices were there all
 * along, `away…` ones only before the backup.
 */
async function setUp(agent: AgentName) {
  const server = playServer();
  const devices = {
    seenAda: await openDevice(agent, server, ada, second),
    awayAda: await openDevice(agent, server, ada, third),
    seenBo: await openDevice(agent, server, bo, third),
    awayBo: await openDevice(agent, server, bo, third),
  };
  const { seenAda, awayAda, seenBo, awayBo } = devices;
  await findOrFoundList(seenAda.context);
  await add(server, bo, "manager");
  const list = await loadCheckedList(seenAda.context);
  for (const device of [seenBo, awayBo])
    await device.context.heads.advanceList(organizationId, undefined, list.list.head);
  const formId = createId("form");
  const key = first ?? assert.fail();
  await createFormWithEnvelope(seenAda.context, list, { formId, name: "Vote", publicKey: key.pair.publicKey }, key.key);
  assert.equal(await seenAda.changeReaders(formId, { add: [bo.id], remove: [] }), "changed");
  for (const device of Object.values(devices)) assert.deepEqual((await device.open(formId)).refused, []);
  const restore = backUp(server);
  await add(server, cy, "reader");
  assert.equal(await seenAda.rotate(formId), "rotated");
  assert.equal(await seenAda.changeReaders(formId, { add: [cy.id], remove: [] }), "changed");
  for (const device of [seenAda, seenBo]) assert.deepEqual((await device.open(formId)).refused, []);
  restore();
  return { server, formId, devices: { seenAda, awayAda, seenBo, awayBo } };
}

async function add(server: PlayedServer, person: PlayedPerson, role: "manager" | "reader"): Promise<void> {
  server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(person, role) }));
}

for (const agent of agents) {
  test(`after a restored backup an owner's next device that has seen the list gives it back, and all continue, with the key in ${agent}`, async () => {
    const { server, formId, devices } = await setUp(agent);
    const { seenAda, awayAda, seenBo, awayBo } = devices;
    assert.equal(server.list.length, 2, "Cy is gone");
    assert.equal(await awayBo.list(), "checked 2", "who was away sees nothing new");
    assert.deepEqual((await awayBo.open(formId)).refused, []);
    assert.equal(await seenBo.list(), "old_list", "a manager gives nothing back");
    await seenAda.open(formId);
    assert.equal(server.list.length, 3, "Cy is back");
    for (const device of Object.values(devices)) assert.equal(await device.list(), "checked 3");

    // Envelopes and key log are of before, which is said; nobody who was away notices.
    for (const device of [awayAda, awayBo]) assert.deepEqual((await device.open(formId)).refused, []);
    for (const device of [seenAda, seenBo]) assert.deepEqual((await device.open(formId)).refused, ["old_list"]);
    assert.notEqual(await seenAda.rotate(formId), "rotated");
    assert.equal(await seenAda.bringBack(formId), "nothing");

    // A person puts aside what was seen of the form, and does again what was lost.
    await seenAda.putFormAside(formId);
    assert.deepEqual([...(await seenAda.open(formId)).keys.keys()], [1]);
    assert.equal(await seenAda.changeReaders(formId, { add: [cy.id], remove: [] }), "changed");
    assert.equal(await awayAda.rotate(formId), "rotated");
    assert.deepEqual((await seenBo.open(formId)).refused.length, 1, "still the one that he has seen");
    await seenBo.putFormAside(formId);
    const cyDevice = await openDevice(agent, server, cy, second);
    await cyDevice.context.heads.advanceList(
      organizationId,
      undefined,
      (await loadCheckedList(seenAda.context)).list.head,
    );
    for (const device of [seenAda, awayAda, seenBo, awayBo, cyDevice]) {
      const { keys, refused } = await device.open(formId);
      assert.deepEqual([[...keys.keys()].sort(), refused], [[1, 2], []]);
    }
    assert.equal(await seenBo.changeReaders(formId, { add: [], remove: [cy.id] }), "changed");
    for (const device of [seenAda, awayAda, awayBo]) assert.deepEqual((await device.open(formId)).refused, []);
  });

  test(`where somebody has added another entry first, a person takes the other list, and all continue, with the key in ${agent}`, async () => {
    const { server, formId, devices } = await setUp(agent);
    const { seenAda, awayAda, seenBo, awayBo } = devices;
    // Dan comes in, on a device that has seen nothing of Cy.
    server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(dan, "reader") }));
    assert.equal(await awayAda.list(), "checked 3");
    for (const device of [seenAda, seenBo]) assert.equal(await device.list(), "forked");
    assert.equal(server.list.length, 3, "nothing is given back to another list");
    await seenAda.putListAside();
    assert.equal(await seenAda.list(), "checked 3", "Ada's own key has signed it");
    // The form was seen by the other list: it is seen for the first time.
    await seenAda.context.heads.forgetKeyLog(formId);
    assert.deepEqual((await seenAda.open(formId)).refused, []);
    await add(server, cy, "reader");
    assert.equal(await seenAda.changeReaders(formId, { add: [cy.id, dan.id], remove: [] }), "changed");
    assert.equal(await awayAda.rotate(formId), "rotated");
    await seenBo.putListAside();
    // As a new device of his: somebody tells him the head.
    await seenBo.context.heads.advanceList(
      organizationId,
      undefined,
      (await loadCheckedList(awayAda.context)).list.head,
    );
    await seenBo.context.heads.forgetKeyLog(formId);
    for (const device of [seenAda, awayAda, seenBo, awayBo]) {
      const { keys, refused } = await device.open(formId);
      assert.deepEqual([[...keys.keys()].sort(), refused], [[1, 2], []]);
    }
  });
}

test("a server that says that it has taken entries back, and shows the old list all the same, is refused as before", async () => {
  const { server, devices } = await setUp("a worker");
  server.lies = { giveListBack: async () => true };
  assert.equal(await devices.seenAda.list(), "old_list");
  server.lies = { giveListBack: async () => true, fetchList: async () => undefined };
  assert.equal(await devices.seenAda.list(), "hidden_list");
});

test("a form that was seen by a list which was put aside is held to what holds at the first sight", async () => {
  const { server, formId, devices } = await setUp("a worker");
  const { seenAda } = devices;
  server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(dan, "reader") }));
  await seenAda.putListAside();
  await seenAda.context.heads.forgetKeyLog(formId);
  await seenAda.open(formId);
  const { isForgotten = false, heads } = await seenAda.context.heads.findEnvelopes(formId);
  assert.deepEqual([isForgotten, heads.map(({ revision }) => revision)], [false, [2]]);
});
