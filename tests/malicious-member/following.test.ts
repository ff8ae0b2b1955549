import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import {
  type Change,
  type EnvelopeParts,
  type FormKey,
  findNewestEnvelope,
  generatePersonalKey,
  openEnvelope,
  type PublishedKey,
  RefusalError,
  sealEnvelope,
} from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { bringBack, findBringable } from "@sealpost/sdk/envelopes";
import { createId, createVersionSeed, type FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { type CheckedList, loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { findReaderDoubts } from "../../packages/dashboard/src/readers/reader-rows.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  type PlayedPerson,
  type PlayedServer,
  playServer,
  toMember,
  toSigner,
  writeEntry,
} from "../dashboard/played-envelopes.ts";
import { rotateAsShown } from "../support/rotate-as-shown.ts";

// Managers write revisions that other readers of a form then meet: Ada is the owner, Mo and Nia are managers, Rea reads.

let ada: PlayedPerson;
let mo: PlayedPerson;
let nia: PlayedPerson;
let rea: PlayedPerson;
let server: PlayedServer;
let formId: FormId;
let adas: EnvelopeContext;

before(async () => {
  [ada, mo] = await Promise.all([makePerson("Ada"), makePerson("Mo")]);
  [nia, rea] = await Promise.all([makePerson("Nia"), makePerson("Rea")]);
});

beforeEach(async () => {
  server = playServer();
  formId = createId("form");
  adas = openBrowser(server, ada);
  await findOrFoundList(adas);
  for (const person of [mo, nia]) await change(ada, { change: "add", member: toMember(person, "manager") });
  await change(ada, { change: "add", member: toMember(rea, "reader") });
});

async function change(by: PlayedPerson, entry: Change): Promise<void> {
  server.list.push(await writeEntry(server.list.join(""), by, entry));
}

/** The form, with a key of this version, which all of them read. */
async function begin(version: number): Promise<FormKey> {
  const { key } = await newFormKey(version);
  server.keys.push({ version, fingerprint: key.fingerprint });
  await importKeys(adas, await loadCheckedList(adas), formId, [key], [], "Vote");
  await changeReaders(adas, [formId], { add: [mo.id, nia.id, rea.id], remove: [] });
  return key;
}

async function openDevice(person: PlayedPerson, mayReadKeys = true): Promise<EnvelopeContext> {
  const context = { ...openBrowser(server, person), isOwner: person === ada };
  if (person !== ada)
    await context.heads.advanceList(organizationId, undefined, (await loadCheckedList(adas)).list.head);
  const fetchKeys = () => Promise.reject(new ApiError("No", { status: 403, code: "forbidden" }));
  return mayReadKeys ? context : { ...context, api: { ...context.api, fetchKeys } };
}

async function openedForm(context: EnvelopeContext) {
  const opened = await openForm(context, formId);
  assert.ok(opened.kind === "opened", opened.kind);
  return opened;
}

/** Versions that open, and refusals. */
async function see(context: EnvelopeContext) {
  const { keys, refused } = await openedForm(context);
  return [keys.map(({ keyVersion }) => keyVersion), refused.map(({ reason }) => reason)];
}

async function rotate(context: EnvelopeContext, version: number) {
  const { envelopes, list, refused } = await openedForm(context);
  const { pair, key } = await newFormKey(version);
  const previous = findNewestEnvelope(envelopes) ?? assert.fail();
  const parts = { key, previous, refused };
  const rotation = { publicKey: pair.publicKey, keyVersion: version };
  return rotateAsShown(context, list as CheckedList, formId, rotation, parts);
}

async function openNewest(person: PlayedPerson, firstVersion = 1, published: readonly PublishedKey[] = server.keys) {
  const { list } = await loadCheckedList(adas);
  const revisions = server.envelopes.get(firstVersion) ?? assert.fail();
  const expected = { list, formId, firstVersion, revision: revisions.length, published };
  const opened = await openEnvelope(revisions.at(-1) ?? assert.fail(), person.key.identity, expected);
  if (opened instanceof RefusalError) throw opened;
  return opened;
}

/** The next revision, as any program of this person can write it. */
async function write(person: PlayedPerson, parts: Partial<EnvelopeParts>): Promise<void> {
  const { list } = await loadCheckedList(adas);
  const standing = { own: person.key };
  const readerIds = [ada, mo, nia, rea].map(({ id }) => id);
  const all = { list, signer: await toSigner(person), standing, formId, readerIds, keys: [], ...parts };
  const { file } = await sealEnvelope(all);
  server.envelopes.set(1, [...(server.envelopes.get(1) ?? []), file]);
}

for (const mayReadKeys of [true, false])
  test(`a key ahead of its time keeps no reader who ${mayReadKeys ? "sees" : "may not see"} which keys are published from those of the next rotation`, async () => {
    await begin(1);
    const program = await openDevice(rea, mayReadKeys);
    assert.deepEqual(await see(program), [[1], []]);
    const ahead = await newFormKey(2);
    await write(mo, { keys: [ahead.key], previous: await openNewest(mo) });
    assert.deepEqual(await see(program), [mayReadKeys ? [1] : [1, 2], []]);
    assert.equal((await rotate(adas, 2)).kind, "read");
    assert.deepEqual(await see(program), [[1, 2], []]);
    await changeReaders(adas, [formId], { add: [], remove: [mo.id] });
    assert.deepEqual(await see(program), [[1, 2], []], "and not later either");
  });

test("a revision that lacks a published key opens submissions with those that it has, and nothing follows it", async () => {
  const first = await begin(1);
  assert.equal((await rotate(adas, 2)).kind, "read");
  const reas = await openDevice(rea);
  assert.deepEqual(await see(reas), [[1, 2], []]);
  const newest = await openNewest(mo);
  const kept = newest.content.keys.filter(({ version }) => version === 2);
  // By the program of a manager who has the first key from before, as another one: its seed is not the one that was seen.
  const reseeded = { ...first, seed: createVersionSeed() };
  const cases = [
    [kept, [2]],
    [
      [reseeded, ...kept],
      [1, 2],
    ],
  ] as const;
  const head = { ...newest.head, keys: [] };
  const stored = server.envelopes.get(1) ?? assert.fail();
  for (const [keys, opening] of cases) {
    server.envelopes.set(1, stored);
    await write(mo, { previous: { ...newest, head, content: { ...newest.content, keys } } });
    assert.deepEqual(await see(reas), [opening, ["key_missing"]]);
    const { envelopes, forReading } = await openedForm(reas);
    assert.deepEqual([envelopes.length, forReading.length], [0, 1]);
    const { heads } = await reas.heads.findEnvelopes(formId);
    assert.deepEqual(
      heads.map(({ revision }) => revision),
      [newest.head.revision],
    );
  }
});

for (const version of [31, 32])
  for (const isLying of [true, false])
    test(`a reader who was taken out of a form comes into no envelope again by a rotation from version ${version} whose writer ${isLying ? "is shown" : "has seen"} an older revision`, async () => {
      await begin(version);
      const mos = await openDevice(mo);
      const { envelopes, list } = await openedForm(mos);
      const stale = server.envelopes.get(1) ?? assert.fail();
      await changeReaders(adas, [formId], { add: [], remove: [rea.id] });
      const { pair, key } = await newFormKey(version + 1);
      const previous = envelopes[0] ?? assert.fail();
      const rotation = { publicKey: pair.publicKey, keyVersion: version + 1 };
      const current = server.envelopes.get(1) ?? assert.fail();
      // The service shows the older revision, and takes what follows it.
      if (isLying) server.envelopes.set(1, stale);
      const rotated = rotateAsShown(mos, list as CheckedList, formId, rotation, { key, previous });
      const isTaken = await rotated.then(
        () => true,
        (error: unknown) => {
          assert.ok(error instanceof ApiError && error.status === 412, String(error));
          return false;
        },
      );
      assert.equal(isTaken, isLying);
      const isBegun = version === 32 && isTaken;
      if (isLying && !isBegun) return assert.deepEqual((await see(adas))[1], ["forked"], "control: a fork is seen");
      server.envelopes.set(1, current);
      const expected = isBegun ? [rea.id] : [];
      const unknown = async () => {
        const form = await openedForm(adas);
        const doubtsOf = findReaderDoubts(form);
        const marked = [...form.list.list.members.values()].filter((member) => doubtsOf(member).isUnknown);
        const ids = form.envelopes.flatMap((one) => one.unknown);
        assert.deepEqual(
          marked.map(({ id }) => id),
          ids,
          "and marked among the readers",
        );
        return ids;
      };
      for (const _ of "12") assert.deepEqual(await unknown(), expected, "each time that it is opened");
      assert.equal((await rotate(adas, version + 1 + Number(isTaken))).kind, "read");
      const newest = Math.max(...server.envelopes.keys());
      const opened = await openNewest(rea, newest).catch((error: RefusalError) => error.reason);
      assert.equal(opened, "not_a_reader");
      if (!isBegun) return;
      assert.deepEqual(await unknown(), []);
      // A person who confirms them lets them in.
      await changeReaders(adas, [formId], { add: [rea.id], remove: [] });
      assert.equal((await openNewest(rea, newest)).content.keys.length, 2);
    });

test("a sweep leaves a reader out who is in the last envelope alone, put there by nobody, unless it is of those to add", async () => {
  await begin(32);
  const mos = await openDevice(mo);
  await openedForm(mos);
  const stale = server.envelopes.get(1) ?? assert.fail();
  await changeReaders(adas, [formId], { add: [], remove: [rea.id] });
  const current = server.envelopes.get(1) ?? assert.fail();
  server.envelopes.set(1, stale);
  assert.equal((await rotate(mos, 33)).kind, "read");
  server.envelopes.set(1, current);
  const begun = server.envelopes.get(33) ?? assert.fail();
  for (const [add, opens] of [
    [[], false],
    [[rea.id], true],
  ] as const) {
    server.envelopes.set(1, current).set(33, begun);
    const device = await openDevice(ada);
    await changeReaders(device, [formId], { add, remove: [] });
    const opened = await openNewest(rea, 33).catch((error: RefusalError) => error.reason);
    assert.equal(typeof opened === "object", opens);
  }
});

/** Changes that take Mo's signing key out of use, with the writer of the next revision. */
const endings: Readonly<Record<string, (mos: EnvelopeContext) => Promise<EnvelopeContext>>> = {
  "has another key by his own entry": async (mos) => {
    const key = { ...(await generatePersonalKey()), former: [mo.key] };
    const { recipient, signingKey } = key;
    await change(mo, { change: "replace", member: { ...toMember(mo, "manager"), recipient, signingKey } });
    return { ...openBrowser(server, { ...mo, key }, mos.heads), isOwner: false };
  },
  "was removed": async () => {
    const nias = await openDevice(nia);
    await see(nias);
    await change(ada, { change: "remove", member: { id: mo.id } });
    return nias;
  },
  "became a reader": async () => {
    const nias = await openDevice(nia);
    await see(nias);
    await change(ada, { change: "replace", member: toMember(mo, "reader") });
    return nias;
  },
};

for (const [how, end] of Object.entries(endings))
  test(`a rotation by a manager who ${how} since keeps nobody who was away from what others write after it`, async () => {
    await begin(1);
    const [mos, reas] = [await openDevice(mo), await openDevice(rea)];
    for (const context of [mos, reas]) assert.deepEqual(await see(context), [[1], []]);
    assert.equal((await rotate(mos, 2)).kind, "read");
    const next = await end(mos);
    for (const context of [reas, adas])
      assert.deepEqual(await see(context), [[], ["former_writer"]], "control: nobody knows whose key it is");
    const [swept] = await changeReaders(next, [formId], { add: [], remove: [], formName: "Votes" });
    assert.equal(swept?.kind, "changed");
    for (const context of [reas, adas]) assert.deepEqual(await see(context), [[1, 2], []]);
  });

/** How the first revision that a device sees lacks the form's key, and whether it is stopped there. */
const firstSights = [
  { by: "mo", isStopped: true, readsIt: false },
  { by: "mo", isStopped: true, readsIt: true },
  { by: "ada", isStopped: false, readsIt: false },
] as const;

for (const { by, isStopped, readsIt } of firstSights)
  test(`${by === "ada" ? "an owner" : readsIt ? "a manager" : "a manager who never read the form"} who stores a revision without the form's key ${isStopped ? "has nobody seal for them who opens the form for the first time" : "says that it is lost"}`, async () => {
    const { key } = await newFormKey(1);
    server.keys.push({ version: 1, fingerprint: key.fingerprint });
    await importKeys(adas, await loadCheckedList(adas), formId, [key], [], "Vote");
    if (readsIt) await changeReaders(adas, [formId], { add: [mo.id], remove: [] });
    const ahead = await newFormKey(2);
    const { head } = await openNewest(ada);
    const person = by === "mo" ? mo : ada;
    await write(person, { keys: [ahead.key], formName: "Vote", readerIds: [ada.id, mo.id], after: head });
    const fresh = await openDevice(ada);
    assert.deepEqual(await see(fresh), [[], isStopped ? ["key_missing"] : []]);
    const { heads } = await fresh.heads.findEnvelopes(formId);
    assert.deepEqual([heads.length, (await openedForm(fresh)).missing], [isStopped ? 0 : 1, [1]]);
    if (!isStopped) return;
    const rotated = rotate(fresh, 2);
    await assert.rejects(rotated);
    // Each time, until somebody brings back what was before, or says that they know about it.
    assert.deepEqual(await see(fresh), [[], ["key_missing"]]);
    const accepting = await openDevice(ada);
    await accepting.heads.forgetEnvelopes(formId);
    assert.deepEqual(await see(accepting), [[], []]);
    const found = (await findBringable(fresh, await loadCheckedList(fresh), formId, 1)) ?? assert.fail();
    assert.equal((await bringBack(fresh, await loadCheckedList(fresh), found)).kind, "read");
    assert.deepEqual(await see(fresh), [[1], []]);
    assert.equal((await rotate(fresh, 2)).kind, "read");
    const opened = await openNewest(mo).catch((error: RefusalError) => error.reason);
    assert.equal(typeof opened === "object", readsIt, "but for whom the form was before");
  });

for (const [count, version] of [1, 2, 3].flatMap((count) => [1, 2].map((version) => [count, version] as const)))
  test(`of ${count} revisions with a key ${version} of a manager who never read the form none is brought back to a device that sees it for the first time`, async () => {
    const { key } = await newFormKey(1);
    server.keys.push({ version: 1, fingerprint: key.fingerprint });
    await importKeys(adas, await loadCheckedList(adas), formId, [key], [], "Vote");
    const own = await newFormKey(version);
    for (let written = 0; written < count; written += 1) {
      const { head } = await openNewest(ada, 1, []);
      await write(mo, { keys: [own.key], formName: "Vote", readerIds: [ada.id, mo.id], after: head });
    }
    const fresh = await openDevice(ada);
    assert.deepEqual(await see(fresh), [[], ["key_missing"]]);
    const list = await loadCheckedList(fresh);
    const found = (await findBringable(fresh, list, formId, 1)) ?? assert.fail();
    assert.deepEqual([found.older.head.revision, found.readerIds, found.missing], [1, [ada.id], []]);
    // Where that is gone, too, the person reads whose key is lost.
    const [, ...others] = server.envelopes.get(1) ?? assert.fail();
    server.envelopes.set(1, [new Uint8Array(9), ...others]);
    const lost = await findBringable(await openDevice(ada), list, formId, 1);
    assert.deepEqual([lost?.older.head.revision, lost?.missing], count === 1 ? [undefined, undefined] : [count, [1]]);
  });
