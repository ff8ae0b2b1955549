import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  type Change,
  type EnvelopeParts,
  findHead,
  type OpenedEnvelope,
  openEnvelope,
  RefusalError,
  sealEnvelope,
} from "@sealpost/envelope";
import { findBringable } from "@sealpost/sdk/envelopes";
import { encodeBase64Url, type FormId, fingerprint } from "@sealpost/wire";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { bringBackNewest, checked, entriesOf, lies, setUp, verified } from "../dashboard/logged-form.ts";
import {
  makePerson,
  newFormKey,
  organizationId,
  type PlayedPerson,
  toMember,
  toSigner,
  writeEntry,
} from "../dashboard/played-envelopes.ts";
import { samplePairs } from "../support/sample.ts";

// Olga was an owner of the organization. With the service's help she writes by the list from then, whatever she has become. Cy, a manager, reads the form that
// Ada, the other owner, has made. Each power of owners ends for Olga on each device that has seen the entry.

let olga: PlayedPerson;
let spare: PlayedPerson;

before(async () => {
  [olga, spare] = await Promise.all([makePerson("Olga"), makePerson("Olga")]);
});

/** The entries by which Olga is an owner no longer, or was none for a while, or has another key. */
const losses: Readonly<Record<string, () => readonly Change[]>> = {
  "was removed": () => [{ change: "remove", member: { id: olga.id } }],
  "became a manager": () => [{ change: "replace", member: toMember(olga, "manager") }],
  "became a reader": () => [{ change: "replace", member: toMember(olga, "reader") }],
  "has another key": () => [{ change: "replace", member: toMember({ ...olga, key: spare.key }) }],
  "was removed and let in again": () => [
    { change: "remove", member: { id: olga.id } },
    { change: "add", member: toMember(olga) },
  ],
  "was a manager for a while": () => [
    { change: "replace", member: toMember(olga, "manager") },
    { change: "replace", member: toMember(olga) },
  ],
};

async function play() {
  const world = await setUp();
  const { server, ada, cy, bo, formId, adas } = world;
  const write = async (change: Change) => {
    server.list.push(await writeEntry(server.list.join(""), ada, change));
  };
  await write({ change: "add", member: toMember(olga) });
  const { list } = await checked(adas);
  const cys = await world.openFresh(cy);
  /** The form's newest revision as somebody who reads it has given it to Olga. */
  const open = async (): Promise<OpenedEnvelope> => {
    const files = server.envelopes.get(1) ?? assert.fail();
    const published = server.keys;
    const expected = { list, formId, firstVersion: 1, revision: files.length, published };
    const opened = await openEnvelope(files.at(-1) ?? assert.fail(), cy.key.identity, expected);
    assert.ok(!(opened instanceof RefusalError));
    return opened;
  };
  /** By the list from when she was an owner. */
  const seal = async (parts: Partial<EnvelopeParts>) => {
    const readerIds = [ada.id, cy.id];
    const all = { list, signer: await toSigner(olga), standing: { own: olga.key }, formId, readerIds, keys: [] };
    return (await sealEnvelope({ ...all, ...parts })).file;
  };
  const store = async (parts: Partial<EnvelopeParts>) => void server.envelopes.get(1)?.push(await seal(parts));
  return { ...world, bo, list, cys, write, open, seal, store };
}

type World = Awaited<ReturnType<typeof play>>;

interface Power {
  readonly refused: string;
  /** The device has seen nothing of the form. */
  readonly isFirst?: true;
  /** Ada can't bring back what was before: it is another envelope, or a lie of the service's. */
  readonly isOther?: true;
  use(world: World): Promise<unknown>;
}

const hashOf = async (bytes: Uint8Array<ArrayBuffer>) =>
  encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));

const powers: Readonly<Record<string, Power>> = {
  "writes the next revision of a form that she does not read": {
    refused: "not_allowed",
    use: async ({ store, open }) => store({ previous: await open() }),
  },
  "gives the key log up": {
    refused: "old_key_log",
    use: async (world) => world.store({ previous: await readBy(world), keyLog: null }),
  },
  "names an earlier entry of the key log": {
    refused: "old_key_log",
    async use(world) {
      const { server, formId } = world;
      const [first = ""] = entriesOf(server.keyLogs.get(formId) ?? "");
      await world.store({ previous: await readBy(world), keyLog: (await verified(first, formId)).head });
    },
  },
  "leaves the key log for another": {
    refused: "unknown_key_log",
    async use(world) {
      const { server, formId } = world;
      const other = await lies["another log of the form"]?.(server.keyLogs.get(formId) ?? "", formId, olga);
      assert.ok(other);
      server.keyLogs.set(formId, other);
      await world.store({ previous: await readBy(world), keyLog: (await verified(other, formId)).head });
    },
  },
  "begins an envelope of a form that she does not read": {
    refused: "not_allowed",
    isOther: true,
    async use({ server, seal, open }) {
      const { key } = await newFormKey(33);
      server.keys.push({ version: 33, fingerprint: await fingerprint(key.privateKey) });
      const earlier = await open();
      server.envelopes.set(33, [await seal({ earlier, keys: [key], keyLog: earlier.content.keyLog })]);
    },
  },
  "writes after a gap": {
    refused: "other_previous",
    async use(world) {
      const previous = await readBy(world);
      const junk = crypto.getRandomValues(new Uint8Array(4096));
      const revision = world.server.envelopes.get(1)?.push(junk) ?? assert.fail();
      await world.store({ previous, after: { revision, hash: await hashOf(junk) } });
    },
  },
  "writes what lacks a published key, at the first sight": {
    refused: "key_missing",
    isFirst: true,
    async use(world) {
      const { head, content } = await readBy(world);
      await world.store({ after: head, keys: content.keys.slice(0, 1), keyLog: content.keyLog });
    },
  },
  "writes a revision that is left to owners": {
    refused: "not_allowed",
    isOther: true,
    async use({ server, seal, open, cys, formId }) {
      const revision = 1_610_612_736;
      const previous = await open();
      const [seen] = (await cys.heads.findEnvelopes(formId)).heads;
      assert.ok(seen && seen.hash === previous.head.hash);
      await cys.heads.advanceEnvelope(seen, { ...seen, revision: revision - 1 });
      const file = await seal({ previous, after: { ...previous.head, revision: revision - 1 } });
      server.lies.fetchEnvelope = async () => ({ file, revision });
    },
  },
};

/** The same, where Ada has made Olga a reader of the form before. */
async function readBy(world: World): Promise<OpenedEnvelope> {
  const { adas, formId, cys } = world;
  await changeReaders(adas, [formId], { add: [olga.id], remove: [] });
  await openForm(cys, formId);
  return world.open();
}

async function see(context: EnvelopeContext, formId: FormId) {
  const opened = await openForm(context, formId);
  assert.ok(opened.kind === "opened", opened.kind);
  return opened.refused.map(({ reason }) => reason);
}

for (const [act, { use, isFirst }] of Object.entries(powers))
  test(`an owner ${act}: that is taken`, async () => {
    const world = await play();
    await use(world);
    const device = isFirst ? await world.openNew(world.cy) : world.cys;
    assert.deepEqual(await see(device, world.formId), []);
  });

// In `npm test` each act comes after one of the losses, and each loss before one of the acts.
for (const [[act, { use, refused, isFirst, isOther }], [loss, entries]] of samplePairs(
  Object.entries(powers),
  Object.entries(losses),
))
  test(`somebody who ${loss} and ${act} by the list from when she was an owner is refused on each device that knows it (${refused})`, async () => {
    const world = await play();
    const { formId, adas, cys, write } = world;
    await use(world);
    const device = isFirst ? await world.openNew(world.cy) : cys;
    const before = await device.heads.findEnvelopes(formId);
    for (const entry of entries()) await write(entry);
    for (const _ of [1, 2]) assert.deepEqual(await see(device, formId), [refused]);
    const after = await device.heads.findEnvelopes(formId);
    assert.deepEqual(findHead(after.heads, 1), findHead(before.heads, 1), "it is not remembered");
    if (isOther) return;
    await bringBackNewest(adas, formId);
    for (const context of [adas, device]) assert.deepEqual(await see(context, formId), [], "an owner's ends it");
  });

/** A revision of Olga's that lacks a published key, and is for Bo as well. */
async function leaveKeyOut(world: World): Promise<void> {
  const { head, content } = await readBy(world);
  const { adas, bo, cys } = world;
  const readerIds = [...content.readers.map(({ id }) => id), bo.id];
  await world.store({ after: head, readerIds, keys: content.keys.slice(0, 1), keyLog: content.keyLog });
  const { heads } = cys;
  await heads.advanceList(organizationId, await heads.findList(organizationId), (await checked(adas)).list.head);
}

for (const [loss, entries] of Object.entries({ ...losses, "is an owner": () => [] }))
  test(`a published key that somebody who ${loss} has left out is brought back for ${loss === "is an owner" ? "her readers" : "nobody whom she has added"}`, async () => {
    const world = await play();
    const { cys, formId, bo, write } = world;
    await leaveKeyOut(world);
    for (const entry of entries()) await write(entry);
    assert.deepEqual(await see(cys, formId), ["key_missing"]);
    const found = (await findBringable(cys, await checked(cys), formId, 1)) ?? assert.fail();
    assert.equal(found.readerIds.includes(bo.id), loss === "is an owner");
  });
