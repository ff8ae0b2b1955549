import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createListEntry, type FormKey, formatNames } from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import { takeDeviceHeads, toDeviceHeads } from "../../packages/dashboard/src/devices/device-heads.ts";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads, type Heads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import {
  knownNames,
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  type PlayedPerson,
  playServer,
  takeEntry,
  toMember,
  toSigner,
} from "./played-envelopes.ts";

// A form is handed over as people do it: the keys are saved in files, the envelope is removed, and the other organization puts the keys into one of its own.
// Ada and Bo are in both. SPECIFICATION.md, section 15, "Handing over".

let [ada, bo]: readonly PlayedPerson[] = [];
let key: FormKey;

before(async () => {
  [ada, bo] = await Promise.all(["Ada", "Bo"].map(makePerson));
  ({ key } = await newFormKey(1));
});

function createStore() {
  const values = new Map<string, unknown>();
  const { isLasting } = createMemoryStore();
  const heads = createHeads({
    isLasting,
    find: async (name) => values.get(name),
    async change(name, change) {
      const after = change(values.get(name));
      if (after !== undefined) values.set(name, after);
    },
  });
  return { values, heads };
}

async function play() {
  assert.ok(ada && bo);
  const server = playServer();
  const formId = createId("form");
  server.keys.push({ version: 1, fingerprint: key.fingerprint });
  const { values, heads } = createStore();
  const before = openBrowser(server, ada, heads);
  const addBo = async (context: EnvelopeContext) => {
    assert.ok(ada && bo);
    const { list } = await loadCheckedList(context);
    const change = { change: "add", member: toMember(bo, "manager") } as const;
    server.list.push(takeEntry(await createListEntry(list, context.organizationId, change, await toSigner(ada))));
    return (await loadCheckedList(context)).list.head;
  };
  await findOrFoundList(before);
  const bos = openBrowser(server, bo);
  await bos.heads.advanceList(organizationId, undefined, await addBo(before));
  await importKeys(before, await loadCheckedList(before), formId, [key], [], "Vote");
  await changeReaders(before, [formId], { add: [bo.id], remove: [] });
  for (const context of [before, bos]) assert.deepEqual(await see(context), [[1], []]);

  /** The same server and browsers in the other organization, which has no list yet, and the form without envelopes. */
  const handOver = () => {
    assert.ok(ada && bo);
    const elsewhere = { organizationId: createId("account") };
    server.envelopes.clear();
    server.list = [];
    server.signedHeads.clear();
    server.lies.fetchNames = async () =>
      new TextEncoder().encode(formatNames(elsewhere.organizationId, [...knownNames.values()]));
    return {
      adas: (kept: Heads) => ({ ...openBrowser(server, ada as PlayedPerson, kept), ...elsewhere }),
      bos: { ...bos, ...elsewhere },
    };
  };
  async function see(context: EnvelopeContext) {
    const opened = await openForm(context, formId);
    if (opened.kind === "none") return "none";
    if (opened.kind === "list") return opened.isMoved ? "moved" : opened.list.kind;
    return [opened.keys.map(({ keyVersion }) => keyVersion), opened.refused.map(({ reason }) => reason)];
  }
  return { formId, values, heads, before, addBo, handOver, see };
}

type World = Awaited<ReturnType<typeof play>>;

/** The device with which the new organization begins, by what it has seen of the form. */
const devices: Readonly<Record<string, (world: World) => Promise<Heads>>> = {
  "has opened it": async ({ heads }) => heads,
  "has removed its envelope": async ({ heads, formId }) => {
    await heads.markRemoved(formId);
    return heads;
  },
  "got its heads from another device": async ({ values }) => {
    const { heads } = createStore();
    await takeDeviceHeads(heads, toDeviceHeads(values));
    return heads;
  },
  "has seen it without an envelope": async ({ formId }) => {
    const { heads } = createStore();
    await heads.claimForm(formId, organizationId);
    return heads;
  },
  "has seen nothing of it": async () => createStore().heads,
};

for (const [what, open] of Object.entries(devices))
  for (const hasList of [false, true])
    test(`a form that was handed over to an organization ${hasList ? "with" : "without"} a list of members is used there, from a device that ${what}, once its person has accepted that, and from every other one`, async () => {
      assert.ok(ada && bo);
      const world = await play();
      const { formId, see } = world;
      const isUnseen = what === "has seen nothing of it";
      const kept = await open(world);
      const after = world.handOver();
      const adas = after.adas(kept);
      if (hasList) await findOrFoundList(adas);
      if (!isUnseen) {
        assert.deepEqual(await see(adas), hasList ? [[], ["moved_form"]] : "moved", "nothing of it is opened");
        await adas.heads.forgetForm(formId);
      }
      assert.deepEqual(await see(adas), "none");
      await findOrFoundList(adas);
      await importKeys(adas, await loadCheckedList(adas), formId, [key], [], "Vote");
      assert.deepEqual(await see(adas), [[1], []]);

      // Bo has opened it in the former organization.
      await after.bos.heads.advanceList(adas.organizationId, undefined, await world.addBo(adas));
      await changeReaders(adas, [formId], { add: [bo.id], remove: [] });
      assert.deepEqual(await see(after.bos), [[], ["moved_form"]]);
      await after.bos.heads.forgetEnvelopes(formId);
      assert.deepEqual(
        await see(after.bos),
        [[], ["moved_form"]],
        "another envelope says nothing about the organization",
      );
      await after.bos.heads.forgetForm(formId);
      for (const context of [after.bos, adas]) assert.deepEqual(await see(context), [[1], []]);

      // By a service that shows it where it was, it is refused from now on.
      assert.deepEqual(await see({ ...adas, organizationId }), "moved");
    });
