import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, beforeEach, test } from "node:test";
import {
  createKeyLogEntry,
  type EnvelopeParts,
  type FormKey,
  importSigningKey,
  type OpenedEnvelope,
  openEnvelope,
  RefusalError,
  sealEnvelope,
  toLoggedKey,
  type VerifiedList,
} from "@sealpost/envelope";
import { type Bringable, bringBack, findBringable, readBack } from "@sealpost/sdk/envelopes";
import { createId, createVersionSeed, type FormId, type KeyLogHead, verifyKeyLog } from "@sealpost/wire";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { type CheckedList, loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { type OpenedForm, openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  type PlayedPerson,
  type PlayedServer,
  playServer,
  toMember,
  toSigner,
  writeEntry,
} from "./played-envelopes.ts";

// An owner whom a manager left out of an envelope, in browsers that remember what they have seen.

let ada: PlayedPerson;
let bo: PlayedPerson;
let cy: PlayedPerson;
let dee: PlayedPerson;
let eve: PlayedPerson;
let keys: readonly FormKey[];
let server: PlayedServer;
let adas: EnvelopeContext;
let bos: EnvelopeContext;
let formId: FormId;

before(async () => {
  [ada, bo, cy] = await Promise.all([makePerson("Ada"), makePerson("Bo"), makePerson("Cy")]);
  [dee, eve] = await Promise.all([makePerson("Dee"), makePerson("Eve")]);
  keys = await Promise.all([1, 2, 3].map(async (version) => (await newFormKey(version)).key));
});

/** Version 1, read by Ada, Bo, who is a manager, and Cy; and all of them have seen it. */
beforeEach(async () => {
  server = playServer();
  formId = createId("form");
  adas = openBrowser(server, ada);
  bos = { ...openBrowser(server, bo), isOwner: false };
  await findOrFoundList(adas);
  for (const [person, role] of [[bo, "manager"] as const, [cy, "reader"] as const])
    server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(person, role) }));
  publish(1);
  await importKeys(adas, await checked(adas), formId, keys.slice(0, 1), [], "Vote");
  await changeReaders(adas, [formId], { add: [bo.id, cy.id], remove: [] });
  // Bo's browser has the list by a link of Ada's.
  const { list } = await checked(adas);
  await bos.heads.advanceList(adas.organizationId, undefined, list.head);
  await open(bos);
});

function publish(version: number): void {
  server.keys.push({ version, fingerprint: keys[version - 1]?.fingerprint ?? "" });
}

async function checked(context: EnvelopeContext): Promise<CheckedList> {
  const list = await loadList(context);
  assert.equal(list.kind, "checked");
  return list as CheckedList; // just asserted
}

async function open(context: EnvelopeContext): Promise<OpenedForm> {
  const opening = await openForm(context, formId);
  assert.equal(opening.kind, "opened");
  return opening as OpenedForm; // just asserted
}

const reasonsOf = async (context: EnvelopeContext) => (await open(context)).refused.map(({ reason }) => reason);
const versionsOf = async (context: EnvelopeContext) =>
  (await open(context)).envelopes.flatMap(({ head }) => head.keys.map(({ version }) => version));

async function find(context: EnvelopeContext): Promise<Bringable | undefined> {
  return findBringable(context, await checked(context), formId, 1);
}

function toShown(file: Uint8Array<ArrayBuffer> | undefined, revision: number) {
  return file && { file, revision };
}

async function bring(context: EnvelopeContext): Promise<void> {
  const found = (await find(context)) ?? assert.fail();
  assert.equal((await bringBack(context, await checked(context), found)).kind, "read");
}

/** A revision of Bo's after the newest, as any program can write it. */
async function writeAsBo(added: readonly FormKey[], readerIds: readonly string[]): Promise<void> {
  const previous = await openNewest(bo);
  await write(bo, { readerIds, keys: added, previous });
}

async function openNewest({ key }: PlayedPerson): Promise<OpenedEnvelope> {
  const { list } = await checked(adas);
  const revisions = server.envelopes.get(1) ?? assert.fail();
  const expected = { list, formId, firstVersion: 1, revision: revisions.length, published: server.keys };
  const opened = await openEnvelope(revisions.at(-1) ?? assert.fail(), key.identity, expected);
  if (opened instanceof RefusalError) throw opened;
  return opened;
}

/** By the newest list, unless `parts` has another. */
async function write(person: PlayedPerson, parts: Pick<EnvelopeParts, "readerIds"> & Partial<EnvelopeParts>) {
  const { list } = await checked(adas);
  const { file } = await sealEnvelope({ list, signer: await toSigner(person), formId, keys: [], ...parts });
  server.envelopes.get(1)?.push(file);
}

test("an owner whom a manager left out brings back what they could read, and the manager's keys come back as well", async () => {
  publish(2);
  await writeAsBo(keys.slice(1, 2), [bo.id]);
  await writeAsBo([], [bo.id]);
  assert.deepEqual(await versionsOf(bos), [1, 2]);
  assert.deepEqual(await reasonsOf(adas), ["not_a_reader"]);
  const found = (await find(adas)) ?? assert.fail();
  assert.deepEqual([found.newest.revision, found.older.head.revision, found.missing], [4, 2, [2]]);
  assert.deepEqual([...found.readerIds].sort(), [ada.id, bo.id, cy.id].sort());
  await bring(adas);
  const opened = await open(adas);
  assert.deepEqual([opened.refused, opened.missing, opened.envelopes[0]?.head.revision], [[], [2], 5]);
  // Bo's browser loses no key unnoticed, and puts it back; all continues from there.
  assert.deepEqual(await reasonsOf(bos), ["key_missing"]);
  assert.deepEqual((await find(bos))?.missing, []);
  await bring(bos);
  for (const context of [adas, bos])
    assert.deepEqual([await versionsOf(context), await reasonsOf(context)], [[1, 2], []]);
  const [{ readers } = assert.fail()] = (await open(adas)).envelopes;
  assert.deepEqual(readers.map(({ id }) => id).sort(), [ada.id, bo.id, cy.id].sort());
});

/** A key log of Ada's, which names the form's first key without its reply key: it says nothing about the seed. */
async function beginLog(): Promise<KeyLogHead> {
  const { signingKey } = await toSigner(ada);
  const key = await toLoggedKey(formId, { ...(keys[0] ?? assert.fail()), seed: null });
  const signers = { owners: [ada.key.signingKey], managers: [] };
  const entry = await createKeyLogEntry(
    undefined,
    { formId, key, ...signers },
    { publicKey: ada.key.signingKey, signingKey },
  );
  server.keyLogs.set(formId, entry);
  const log = await verifyKeyLog(new TextEncoder().encode(entry), { formId });
  assert.ok(typeof log !== "string", String(log));
  return log.head;
}

type Forgery = Parameters<typeof write>;

interface Revisions {
  readonly second: OpenedEnvelope;
  readonly third: OpenedEnvelope;
  /** The list before the one that the third has. */
  readonly before: VerifiedList;
}

/** Revisions that follow the third, which Ada has seen, and open for who has seen nothing. */
const forgeries: Readonly<Record<string, (revisions: Revisions) => Forgery>> = {
  other_previous: ({ second, third }) => {
    const previous = { ...third, head: { ...third.head, hash: second.head.hash } };
    return [bo, { readerIds: [ada.id, bo.id, cy.id], previous }];
  },
  not_allowed: ({ third }) => [dee, { readerIds: [ada.id, dee.id], previous: third, after: third.head }],
  old_list: ({ before, third }) => [
    bo,
    { list: before, readerIds: [ada.id, bo.id, cy.id], previous: third, after: third.head },
  ],
  old_key_log: ({ third }) => [
    bo,
    { readerIds: [ada.id, bo.id, cy.id], keyLog: null, previous: third, after: third.head },
  ],
  // The key is the same, and what is derived from its seed is not.
  key_missing: ({ third }) => {
    const changed = third.content.keys.map((key) => ({ ...key, seed: createVersionSeed() }));
    const content = { ...third.content, keys: changed };
    return [bo, { readerIds: [ada.id, bo.id, cy.id], previous: { ...third, content }, after: third.head }];
  },
};

for (const [reason, forge] of Object.entries(forgeries))
  test(`a revision that what was seen refuses as ${reason} gives nothing of its own to the next one`, async () => {
    const { list: before } = await checked(adas);
    server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(dee, "manager") }));
    const second = await openNewest(bo);
    const keyLog = await beginLog();
    await write(ada, { readerIds: [ada.id, bo.id], keyLog, previous: second });
    assert.deepEqual(await reasonsOf(adas), []);
    const third = await openNewest(bo);
    await write(...forge({ second, third, before }));
    await openNewest(ada);
    assert.deepEqual(await reasonsOf(adas), [reason]);
    const found = (await find(adas)) ?? assert.fail();
    assert.deepEqual([found.kept?.head.revision, found.older.head.revision], [undefined, 3]);
    // Dee's leaves Bo out: he reads on if Ada says so.
    const returningIds = reason === "not_allowed" ? [bo.id] : [];
    assert.deepEqual(found.difference?.returningIds, returningIds);
    await bringBack(adas, await checked(adas), found, { returningIds });
    const { refused, envelopes } = await open(adas);
    const [{ head, readers } = assert.fail()] = envelopes;
    assert.deepEqual([refused, head.revision, head.keys], [[], 5, third.head.keys]);
    assert.deepEqual(readers.map(({ id, by }) => [id, by]).sort(), [ada, bo].map(({ id }) => [id, ada.id]).sort());
  });

for (const isAfterGap of [true, false])
  test(`a revision that lacks a published key ${isAfterGap ? "after a gap gives no reader and no name of its own" : "is continued, with its readers"}`, async () => {
    publish(2);
    await writeAsBo(keys.slice(1, 2), [ada.id, bo.id, cy.id]);
    assert.deepEqual(await versionsOf(adas), [1, 2]);
    const third = await openNewest(bo);
    const content = { ...third.content, keys: third.content.keys.slice(0, 1) };
    const head = { ...third.head, keys: [] };
    if (isAfterGap) {
      // It may have taken Bo out.
      server.envelopes.get(1)?.push(new TextEncoder().encode("age-encryption.org/v1\nbroken"));
      Object.assign(head, { revision: 4, hash: "A".repeat(43) });
    }
    await write(bo, { readerIds: [ada.id, bo.id, cy.id], previous: { ...third, content, head } });
    assert.deepEqual(await reasonsOf(adas), ["key_missing"]);
    assert.equal((await find(adas))?.kept === undefined, isAfterGap);
    await bring(adas);
    const [{ readers } = assert.fail()] = (await open(adas)).envelopes;
    // Ada has put all of them there before.
    assert.deepEqual(new Set(readers.map(({ by }) => by)), new Set([ada.id]));
    assert.deepEqual(await versionsOf(adas), [1, 2]);
  });

test("who has opened the revision between opens the next one, also where a reader was confirmed there", async () => {
  const eves = openBrowser(server, eve);
  server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(eve) }));
  const { list } = await checked(adas);
  await eves.heads.advanceList(adas.organizationId, undefined, list.head);
  await changeReaders(adas, [formId], { add: [eve.id], remove: [] });
  await open(eves);
  await write(bo, {
    readerIds: [ada.id, bo.id, cy.id],
    confirmedIds: [cy.id],
    previous: await openNewest(bo),
  });
  for (const context of [adas, bos]) assert.deepEqual(await reasonsOf(context), []);
  assert.deepEqual(await reasonsOf(eves), ["not_a_reader"]);
  await bring(eves);
  for (const context of [adas, bos, eves]) assert.deepEqual(await reasonsOf(context), []);
});

test("a revision counts as stored only with the seeds that were sent in it", async () => {
  await open(adas);
  const { head } = await openNewest(ada);
  const reseeded = { ...head, keys: head.keys.map((key) => ({ ...key, seedHash: head.hash })) };
  const list = await checked(adas);
  assert.deepEqual(await readBack(adas, list, reseeded), { kind: "unread", reason: "lost_envelope" });
  assert.equal((await readBack(adas, list, head)).kind, "read");
});

test("a broken revision is followed by what was before it, also for those who have seen nothing of it", async () => {
  server.envelopes.get(1)?.push(new TextEncoder().encode("age-encryption.org/v1\nbroken"));
  for (const context of [adas, bos]) assert.deepEqual(await reasonsOf(context), ["malformed"]);
  // Bo is a manager: what was there might have taken him out. An owner's word gets everybody on.
  await assert.rejects(bring(bos), { problem: "owner_needed" });
  assert.deepEqual(await reasonsOf(adas), ["malformed"]);
  await bring(adas);
  for (const context of [adas, bos]) assert.deepEqual([await versionsOf(context), await reasonsOf(context)], [[1], []]);
});

test("what is brought back is no older than what was seen, has nobody who left, and comes from nobody who may not write", async () => {
  // Cy was taken out of the readers, and this browser knows: no revision from before gives the form back to Cy.
  await changeReaders(adas, [formId], { add: [], remove: [cy.id] });
  await writeAsBo([], [bo.id]);
  const revisions = server.envelopes.get(1) ?? assert.fail();
  const hidden = async (_: FormId, __: number, revision = revisions.length) =>
    toShown(revision === 3 ? revisions[1] : revisions.at(revision - 1), revision);
  server.lies = { fetchEnvelope: hidden };
  assert.equal(await find(adas), undefined);
  server.lies = {};
  assert.deepEqual([...((await find(adas))?.readerIds ?? [])].sort(), [ada.id, bo.id].sort());
  // Bo is removed, and continues under the list from before: with a key of Bo's own, then without Ada.
  const before = await checked(bos);
  const removal = await writeEntry(server.list.join(""), ada, { change: "remove", member: { id: bo.id } });
  server.list.push(removal);
  await bring(adas);
  assert.deepEqual(
    (await open(adas)).envelopes[0]?.readers.map(({ id }) => id),
    [ada.id],
  );
  const stolen = revisions[2] ?? assert.fail();
  const previous = await openEnvelope(stolen, bo.key.identity, {
    list: before.list,
    formId,
    firstVersion: 1,
    revision: 3,
  });
  if (previous instanceof RefusalError) throw previous;
  const signer = { id: bo.id, signingKey: await importSigningKey(bo.key.signingSeed) };
  const after = { revision: 5, hash: (await adas.heads.findEnvelopes(formId)).heads[0]?.hash ?? "" };
  const parts = { list: before.list, signer, formId, previous, keys: keys.slice(1, 2) };
  const { file } = await sealEnvelope({ ...parts, after, readerIds: [ada.id, bo.id] });
  const { file: without } = await sealEnvelope({ ...parts, after: { ...after, revision: 6 }, readerIds: [bo.id] });
  server.envelopes.get(1)?.push(file, without);
  assert.deepEqual(await reasonsOf(adas), ["not_a_reader"]);
  const found = (await find(adas)) ?? assert.fail();
  assert.deepEqual([found.older.head.revision, found.readerIds], [5, [ada.id]]);
  await bring(adas);
  assert.deepEqual([await versionsOf(adas), await reasonsOf(adas)], [[1], []]);
});

test("somebody else's next revision is not overwritten, and without one that opens there is nothing to bring back", async () => {
  await writeAsBo([], [bo.id]);
  const found = (await find(adas)) ?? assert.fail();
  await writeAsBo([], [bo.id, ada.id]);
  await assert.rejects(bringBack(adas, await checked(adas), found), { status: 412 });
  assert.deepEqual(await reasonsOf(adas), ["other_previous"]);
  await writeAsBo([], [bo.id]);
  const newest = server.envelopes.get(1)?.at(-1);
  server.lies = {
    fetchEnvelope: async (_, __, revision = 5) => toShown(revision === 5 ? newest : undefined, revision),
  };
  assert.equal(await find(adas), undefined);
});
