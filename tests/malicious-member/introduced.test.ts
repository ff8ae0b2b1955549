import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Change, findNewestEnvelope, findUnintroduced, generatePersonalKey } from "@sealpost/envelope";
import { createId, createVersionSeed, type FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { type CheckedList, loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
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
import { rotateAsShown } from "../support/rotate-as-shown.ts";

// Bo, a manager, puts Cy into a form. Later Bo may do so no longer.

let [ada, bo, cy]: readonly PlayedPerson[] = [];
let first: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  [ada, bo, cy] = await Promise.all([makePerson("Ada"), makePerson("Bo"), makePerson("Cy")]);
  first = await newFormKey(1);
});

interface Ending {
  readonly change: (bo: PlayedPerson) => Promise<Change>;
  readonly isAsked: boolean;
  /** Bo writes it, and not Ada. */
  readonly isOwn?: true;
}

const withOtherKey = async (person: PlayedPerson) => {
  const { recipient, signingKey } = await generatePersonalKey();
  return { ...toMember(person, "manager"), recipient, signingKey };
};
const endings: Readonly<Record<string, Ending>> = {
  "is removed": { change: async ({ id }) => ({ change: "remove", member: { id } }), isAsked: true },
  "becomes a reader": {
    change: async (person) => ({ change: "replace", member: toMember(person, "reader") }),
    isAsked: true,
  },
  "gets another key from an owner": {
    change: async (person) => ({ change: "replace", member: await withOtherKey(person) }),
    isAsked: true,
  },
  "replaces his key himself": {
    change: async (person) => ({ change: "replace", member: await withOtherKey(person) }),
    ...{ isAsked: true, isOwn: true },
  },
  "becomes an owner": {
    change: async (person) => ({ change: "replace", member: toMember(person, "owner") }),
    isAsked: false,
  },
};

for (const [what, { change, isAsked, isOwn }] of Object.entries(endings))
  test(`after a manager ${what}, a reader whom he put into a form reads on, also in the next envelope, and is ${isAsked ? "asked about on every device until an owner confirms" : "not asked about"}`, async () => {
    assert.ok(ada && bo && cy);
    const server = playServer();
    const formId = createId("form");
    const adas = openBrowser(server, ada);
    const write = async (next: Change, by = ada) =>
      server.list.push(await writeEntry(server.list.join(""), by ?? assert.fail(), next));
    await findOrFoundList(adas);
    for (const [person, role] of [[bo, "manager"] as const, [cy, "reader"] as const])
      await write({ change: "add", member: toMember(person, role) });
    server.keys.push({ version: 1, fingerprint: first.key.fingerprint });
    await importKeys(adas, await checkedList(adas), formId, [first.key], [], "Vote");
    await changeReaders(adas, [formId], { add: [bo.id], remove: [] });
    const bos = { ...openBrowser(server, bo), isOwner: false };
    await bos.heads.advanceList(organizationId, undefined, (await checkedList(adas)).list.head);
    await changeReaders(bos, [formId], { add: [cy.id], remove: [] });
    const other = openBrowser(server, ada);
    assert.deepEqual(await askedAbout(adas, formId), []);
    assert.deepEqual(await askedAbout(other, formId), [bo.id], "a manager's word for himself is no proof");

    await write(await change(bo), isOwn && bo);
    const expected = isAsked ? [cy.id] : [];
    const [swept] = await changeReaders(adas, [formId], { add: [], remove: [bo.id], findsExposed: true });
    assert.deepEqual(swept && "unproven" in swept && swept.unproven, expected, "anyone who takes Bo out is shown them");
    for (const context of [adas, other]) assert.deepEqual(await askedAbout(context, formId), expected, "after a sweep");
    await rotate(adas, formId, 33);
    for (const context of [adas, other])
      assert.deepEqual(await askedAbout(context, formId), [...expected, ...expected], "after a rotation");
    const cys = { ...openBrowser(server, cy), isOwner: false };
    await cys.heads.advanceList(organizationId, undefined, (await checkedList(adas)).list.head);
    assert.equal((await openedForm(cys, formId)).envelopes.length, 2, "who is asked about reads on");

    await changeReaders(adas, [formId], { add: [cy.id], remove: [] });
    for (const context of [adas, other]) assert.deepEqual(await askedAbout(context, formId), [], "once confirmed");
  });

/** A form whose readers are Ada and Bo; Bo, a manager, has put Cy in, and was removed since. */
async function playRemoved(role: "manager" | "reader") {
  assert.ok(ada && bo && cy);
  const server = playServer();
  const formId = createId("form");
  const adas = openBrowser(server, ada);
  const write = async (change: Change) =>
    server.list.push(await writeEntry(server.list.join(""), ada ?? assert.fail(), change));
  await findOrFoundList(adas);
  await write({ change: "add", member: toMember(bo, "manager") });
  await write({ change: "add", member: toMember(cy, role) });
  server.keys.push({ version: 1, fingerprint: first.key.fingerprint });
  await importKeys(adas, await checkedList(adas), formId, [first.key], [], "Vote");
  await changeReaders(adas, [formId], { add: [bo.id], remove: [] });
  const { head } = (await checkedList(adas)).list;
  const browserOf = async (person: PlayedPerson) => {
    const browser = { ...openBrowser(server, person), isOwner: false };
    await browser.heads.advanceList(organizationId, undefined, head);
    return browser;
  };
  const [bos, cys] = [await browserOf(bo), await browserOf(cy)];
  await changeReaders(bos, [formId], { add: [cy.id], remove: [] });
  // Before he was removed: whom only a former manager has brought in, nobody carries on.
  assert.deepEqual(await askedAbout(adas, formId), []);
  await write({ change: "remove", member: { id: bo.id } });
  await changeReaders(adas, [formId], { add: [], remove: [bo.id] });
  return { server, formId, adas, cys, cyId: cy.id };
}

test("a manager who is asked about confirms himself by no revision, neither on devices that have seen the form nor after a rotation", async () => {
  const { server, formId, adas, cys, cyId } = await playRemoved("manager");
  assert.deepEqual(await askedAbout(adas, formId), [cyId]);
  const [done] = await changeReaders(cys, [formId], { add: [cyId], remove: [] });
  assert.equal(done?.kind, "changed");
  assert.deepEqual(await askedAbout(adas, formId), [cyId]);
  await rotate(adas, formId, 2);
  const fresh = openBrowser(server, ada ?? assert.fail());
  for (const context of [adas, fresh]) assert.deepEqual(await askedAbout(context, formId), [cyId]);
});

test("who put a reader there is not made up by the next writer, who only does not know: nobody is named, on any device", async () => {
  const { server, formId, adas, cyId } = await playRemoved("reader");
  await rotate(adas, formId, 33);
  const fresh = openBrowser(server, ada ?? assert.fail());
  for (const context of [adas, fresh]) assert.deepEqual(await askedAbout(context, formId), [cyId, cyId]);
});

/** Ids of readers of each envelope, the first one first. */
async function askedAbout(context: EnvelopeContext, formId: FormId): Promise<readonly string[]> {
  const { envelopes, list } = await openedForm(context, formId);
  return envelopes.flatMap(({ head }) => findUnintroduced(list.list, head));
}

async function openedForm(context: EnvelopeContext, formId: FormId) {
  const opening = await openForm(context, formId);
  assert.ok(opening.kind === "opened", opening.kind);
  assert.deepEqual(opening.refused, []);
  return opening;
}

async function rotate(context: EnvelopeContext, formId: FormId, keyVersion: number): Promise<void> {
  const { envelopes, list } = await openedForm(context, formId);
  assert.ok(list.kind === "checked");
  const previous = findNewestEnvelope(envelopes) ?? assert.fail();
  const { pair, key } = await newFormKey(keyVersion);
  const rotation = { publicKey: pair.publicKey, keyVersion };
  const rotated = { ...key, seed: createVersionSeed() };
  const stored = await rotateAsShown(context, list, formId, rotation, { key: rotated, previous });
  assert.equal(stored.kind, "read", JSON.stringify(stored));
}

async function checkedList(context: EnvelopeContext): Promise<CheckedList> {
  const list = await loadList(context);
  assert.equal(list.kind, "checked");
  return list as CheckedList; // just asserted
}
