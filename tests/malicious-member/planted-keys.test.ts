import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  type EnvelopeParts,
  type FormKey,
  formatPersonalKey,
  generatePersonalKey,
  type HeadStore,
  importSigningKey,
  openEnvelope,
  RefusalError,
  sealEnvelope,
  toFormKey,
} from "@sealpost/envelope";
import { createEnvelopeWriter, EnvelopeProblemError, findHeldKeys } from "@sealpost/sdk/envelopes";
import {
  createId,
  createVersionSeed,
  encodeBase64Url,
  type FormId,
  generateHybridKeyPair,
  verifyKeyLog,
} from "@sealpost/wire";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { createFormWithEnvelope, importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { encryptTo } from "../../packages/envelope/src/age-file.ts";
import { signLine } from "../../packages/envelope/src/signature.ts";
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
import { type AgentName, agentsOf, lookAtFirst, openActor, toClient } from "../support/envelope-actors.ts";
import { oneKeyStore } from "../support/one-key-store.ts";
import { handOver } from "../support/played-team.ts";
import { sampleKinds } from "../support/sample.ts";

// Somebody who may write puts keys of their own into a form's envelope for all versions to come, and is taken out. Later the service names one of these as
// the form's newest key: the colleagues' devices would take it for the form's, since they have it open.

const planters = ["a manager", "an owner", "a thief of a manager's key"] as const;
const acts = ["a change of readers", "a rotation", "two rotations", "bringing back"] as const;
const named = ["the version that is next", "the one after", "the last of the envelope"] as const;
const sights = ["has seen the planted keys", "is fresh"] as const;

interface Case {
  readonly planter: (typeof planters)[number];
  readonly act: (typeof acts)[number];
  readonly names: (typeof named)[number];
  readonly device: (typeof sights)[number];
  readonly hasLog: boolean;
}

let [ada, nia, mo]: readonly PlayedPerson[] = [];
let first: Awaited<ReturnType<typeof newFormKey>>;
let planted: Awaited<ReturnType<typeof newFormKey>>;
let rotations: readonly Awaited<ReturnType<typeof newFormKey>>[];

before(async () => {
  [ada, nia, mo] = await Promise.all([makePerson("Ada"), makePerson("Nia"), makePerson("Mo")]);
  [first, planted] = await Promise.all([newFormKey(1), newFormKey(2)]);
  rotations = await Promise.all([2, 3].map(newFormKey));
});

const cases: readonly Case[] = planters.flatMap((planter) =>
  acts.flatMap((act) =>
    named.flatMap((names) =>
      sights.flatMap((device) => [true, false].map((hasLog) => ({ planter, act, names, device, hasLog }))),
    ),
  ),
);

const toKind = ({ act, device, hasLog }: Case) => `${act} ${device} ${hasLog}`;
for (const [index, one] of sampleKinds(cases, toKind).entries())
  for (const agent of agentsOf(index))
    test(`${one.planter} plants keys in a form ${one.hasLog ? "with" : "without"} a key log, and is taken out: after ${one.act} by an owner whose device ${one.device} no planted key is the form's when the service names ${one.names}, with the key in ${agent}`, () =>
      plantAndName(one, agent));

async function plantAndName({ planter, act, names, device, hasLog }: Case, agent: AgentName): Promise<void> {
  const { server, formId, people, see } = await setUp(planter, hasLog);
  await plant(server, formId, people.mo);
  const fresh = createMemoryStore();
  await see(fresh);
  const store = device === "is fresh" ? fresh : people.adasHeads;
  const nias = createMemoryStore();
  await see(nias);
  for (const [person, heads] of [
    [people.ada, people.adasHeads],
    [people.nia, nias],
  ] as const)
    if (device === "has seen the planted keys") await openedBy(server, person, formId, heads);
  if (act === "bringing back") server.envelopes.get(1)?.push(crypto.getRandomValues(new Uint8Array(300)));
  await takeOut(server, planter, people.mo);

  const actorOf = (index: number) => openActor(agent, server, people.ada, rotations[index] ?? assert.fail(), store);
  const actor = await actorOf(0);
  // Nothing is carried on of somebody who writes no longer, on a device that has seen nothing, until a person has looked at it.
  if (device === "is fresh" && act !== "bringing back") {
    assert.equal(await actor.changeReaders(formId, { add: [], remove: [people.mo.id] }), "former_writer");
    assert.deepEqual(await lookAtFirst(server, people.ada, formId, store), [true]);
  }
  if (act === "bringing back") assert.equal(await actor.bringBack(formId), "brought");
  if (act === "a change of readers")
    assert.equal(await actor.changeReaders(formId, { add: [], remove: [people.mo.id] }), "changed");
  if (act.includes("rotation")) assert.equal(await actor.rotate(formId), "rotated");
  if (act === "two rotations") assert.equal(await (await actorOf(1)).rotate(formId), "rotated");

  const newest = server.keys.at(-1)?.version ?? 0;
  const { fingerprint } = planted.key;
  const version = {
    "the version that is next": newest + 1,
    "the one after": newest + 2,
    "the last of the envelope": 32,
  }[names];
  const genuine = server.keys.splice(0);
  server.keys.push(...genuine, { version, fingerprint });

  for (const [person, heads] of [
    [people.ada, store],
    [people.nia, nias],
    [people.ada, await see(createMemoryStore())],
  ] as const) {
    const opened = await openedBy(server, person, formId, heads);
    const held = [...opened.keys, ...findHeldKeys(opened.envelopes)];
    assert.ok(!held.some((key) => key.fingerprint === fingerprint), "a planted key is open as the form's");
    assert.deepEqual(opened.missing, [version], "the submissions sealed to it do not open, which everybody sees");
    const seen = await createHeads(heads).findEnvelopes(formId);
    const published = seen.heads.flatMap(({ keys }) => keys).filter(({ isPublished }) => isPublished);
    assert.ok(!published.some((key) => key.fingerprint === fingerprint), "a planted key is remembered as published");
    assert.deepEqual(
      opened.keys.map(({ keyVersion }) => keyVersion),
      genuine.map((key) => key.version),
    );
  }
  await assertUnlogged(server, formId, people.ada, store, hasLog);
}

/** Nobody signs, in the form's key log, that the planted key is the form's. */
async function assertUnlogged(
  server: PlayedServer,
  formId: FormId,
  { key }: PlayedPerson,
  heads: HeadStore,
  hasLog: boolean,
): Promise<void> {
  const { former: _, ...own } = key;
  const identity = formatPersonalKey(own);
  const writer = await createEnvelopeWriter({ client: toClient(server), identity, heads: oneKeyStore(heads) });
  if (hasLog) await writer.renewKeyLog(formId);
  else
    await assert.rejects(
      writer.beginKeyLog(formId),
      (error) => error instanceof EnvelopeProblemError && error.problem === "key_not_held",
    );
  const log = await verifyKeyLog(new TextEncoder().encode(server.keyLogs.get(formId)), { formId });
  const entries = typeof log === "string" ? [] : log.entries;
  assert.equal(entries.length > 0, hasLog);
  assert.ok(entries.every((entry) => entry.key.fingerprint !== planted.key.fingerprint));
}

/** A form of Ada's, Nia's and Mo's. */
async function setUp(planter: Case["planter"], hasLog: boolean) {
  assert.ok(ada && nia && mo);
  const server = playServer();
  const adasHeads = createMemoryStore();
  const browser = openBrowser(server, ada, createHeads(adasHeads));
  await findOrFoundList(browser);
  for (const [person, role] of [
    [nia, "manager"],
    [mo, planter === "an owner" ? "owner" : "manager"],
  ] as const)
    server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(person, role) }));
  const list = await loadCheckedList(browser);
  const formId = createId("form");
  if (hasLog)
    await createFormWithEnvelope(browser, list, { formId, name: "Vote", publicKey: first.pair.publicKey }, first.key);
  else {
    server.keys.push({ version: 1, fingerprint: first.key.fingerprint });
    await importKeys(browser, list, formId, [first.key], [], "Vote");
  }
  await changeReaders(browser, [formId], { add: [nia.id, mo.id], remove: [] });
  /** A device that knows the organization's list. */
  const see = async (heads: HeadStore) => {
    await createHeads(heads).advanceList(organizationId, undefined, list.list.head);
    return heads;
  };
  return { server, formId, people: { ada, nia, mo, adasHeads }, see };
}

/** The newest revision, as this person opens it. */
async function openNewest(server: PlayedServer, formId: FormId, by: PlayedPerson) {
  const { list } = await loadCheckedList(openBrowser(server, ada ?? assert.fail()));
  const revisions = server.envelopes.get(1) ?? assert.fail();
  const expected = { list, formId, firstVersion: 1, revision: revisions.length, published: server.keys };
  const previous = await openEnvelope(revisions.at(-1) ?? assert.fail(), by.key.identity, expected);
  if (previous instanceof RefusalError) throw previous;
  return { list, previous };
}

/** The next revision, with a key for every version that has its place in the envelope. */
async function plant(server: PlayedServer, formId: FormId, by: PlayedPerson): Promise<void> {
  const { list, previous } = await openNewest(server, formId, by);
  const keys: readonly FormKey[] = Array.from({ length: 31 }, (_, index) => ({
    ...planted.key,
    version: index + 2,
    seed: createVersionSeed(),
  }));
  const readerIds = previous.content.readers.map(({ id }) => id);
  const parts: EnvelopeParts = { list, signer: await toSigner(by), standing: { own: by.key }, formId, readerIds, keys };
  server.envelopes.get(1)?.push((await sealEnvelope({ ...parts, previous })).file);
}

/** By the book: an owner removes the planter; whose key was stolen replaces it. */
async function takeOut(server: PlayedServer, planter: Case["planter"], who: PlayedPerson): Promise<void> {
  const by = ada ?? assert.fail();
  if (planter !== "a thief of a manager's key") {
    server.list.push(await writeEntry(server.list.join(""), by, { change: "remove", member: { id: who.id } }));
    return;
  }
  const key = { ...(await generatePersonalKey()), former: [] };
  const member = toMember({ ...who, key }, "manager");
  server.list.push(await writeEntry(server.list.join(""), by, { change: "replace", member }));
}

async function openedBy(server: PlayedServer, person: PlayedPerson, formId: FormId, heads: HeadStore) {
  const opened = await openForm(openBrowser(server, person, createHeads(heads)), formId);
  assert.ok(opened.kind === "opened", opened.kind);
  return opened;
}

for (const hasLog of [true, false])
  test(`before anybody has written, a device that has seen planted keys in a form ${hasLog ? "with" : "without"} a key log reads by one that the service names, and calls it the form's nowhere`, async () => {
    const { server, formId, people, see } = await setUp("a manager", hasLog);
    await plant(server, formId, people.mo);
    const { fingerprint } = planted.key;
    await openedBy(server, people.ada, formId, people.adasHeads);
    server.keys.push({ version: 2, fingerprint });
    // Also one that has its heads; with a key log also a device that sees the form for the first time.
    const handedOver = await handOver(people.adasHeads, await see(createMemoryStore()), people.ada, formId);
    const known = [people.adasHeads, handedOver];
    for (const heads of hasLog ? [...known, await see(createMemoryStore())] : known) {
      const opened = await openedBy(server, people.ada, formId, heads);
      assert.deepEqual(
        opened.keys.map(({ keyVersion }) => keyVersion),
        [1, 2],
      );
      assert.ok(opened.unproved.includes(2));
      assert.ok(findHeldKeys(opened.envelopes).every((key) => key.fingerprint !== fingerprint));
      const [head] = (await createHeads(heads).findEnvelopes(formId)).heads;
      assert.equal(head?.keys.find(({ version }) => version === 2)?.isPublished, false);
      await assertUnlogged(server, formId, people.ada, heads, hasLog);
    }
    const next = await newFormKey(3);
    for (const agent of agentsOf(hasLog ? 0 : 1)) {
      const actor = await openActor(agent, server, people.ada, next, people.adasHeads);
      assert.equal(await actor.rotate(formId), "rotated");
      const listed = server.keys.map(({ version }) => version);
      assert.deepEqual([...(await actor.open(formId)).keys.keys()], listed, "what the service lists is kept");
    }
  });

test("a team reads and rotates on after a version that was made without an entry in the key log", async () => {
  const { server, formId, people, see } = await setUp("a manager", true);
  // As by a program that knows the contract alone, at a service that takes that.
  const made = rotations[0] ?? assert.fail();
  const { list, previous } = await openNewest(server, formId, people.nia);
  const readerIds = previous.content.readers.map(({ id }) => id);
  const parts = { list, signer: await toSigner(people.nia), standing: { own: people.nia.key }, formId, readerIds };
  const { file } = await sealEnvelope({ ...parts, keys: [made.key], previous });
  server.envelopes.get(1)?.push(file);
  server.keys.push({ version: 2, fingerprint: made.key.fingerprint });
  for (const heads of [people.adasHeads, await see(createMemoryStore())]) {
    const { keys, refused } = await openedBy(server, people.ada, formId, heads);
    assert.deepEqual([keys.map(({ keyVersion }) => keyVersion), refused], [[1, 2], []]);
  }
  for (const agent of agentsOf(0)) {
    const actor = await openActor(agent, server, people.ada, rotations[1] ?? assert.fail(), people.adasHeads);
    assert.equal(await actor.rotate(formId), "rotated");
    const { keys, refused } = await actor.open(formId);
    assert.deepEqual([[...keys.keys()], refused], [server.keys.map(({ version }) => version), []]);
  }
  const opened = await openedBy(server, people.ada, formId, people.adasHeads);
  assert.deepEqual(opened.unproved, []);
});

for (const [index, by] of (["ada", "nia"] as const).entries())
  test(`a service that denies published keys to a fresh device of ${by === "ada" ? "an owner" : "a manager"} has them brought back by those who have seen them`, async () => {
    for (const agent of agentsOf(index)) {
      const { server, formId, people, see } = await setUp("a manager", false);
      const adas = await openActor(agent, server, people.ada, rotations[0] ?? assert.fail(), people.adasHeads);
      assert.equal(await adas.rotate(formId), "rotated");
      const denied = server.keys.splice(1);
      const fresh = await see(createMemoryStore());
      const liedTo = await openActor(agent, server, people[by], planted, fresh);
      assert.equal(await liedTo.changeReaders(formId, { add: [], remove: [people.mo.id] }), "changed");
      server.keys.push(...denied);
      assert.deepEqual((await adas.open(formId)).refused, ["key_missing"]);
      assert.equal(await adas.bringBack(formId), "brought");
      const { keys, refused } = await adas.open(formId);
      assert.deepEqual([[...keys.keys()], refused], [[1, 2], []]);
      assert.deepEqual([...(await liedTo.open(formId)).keys.keys()], [1, 2]);
    }
  });

test("who rotates between the list of keys and the envelope loses no key by the next revision of somebody else", async () => {
  // In a page: the command line refuses (`other_published_key`) what it is shown in that moment.
  for (const agent of agentsOf(0).slice(0, 1)) {
    const { server, formId, people, see } = await setUp("a manager", false);
    const adas = await openActor(agent, server, people.ada, rotations[0] ?? assert.fail(), people.adasHeads);
    assert.equal(await adas.rotate(formId), "rotated");
    const nias = await openActor(agent, server, people.nia, planted, await see(createMemoryStore()));
    const fetchKeys = async () => {
      server.lies = {};
      return server.keys.slice(0, 1) as never;
    };
    server.lies = { fetchKeys };
    assert.equal(await nias.changeReaders(formId, { add: [], remove: [people.mo.id] }), "changed");
    const { keys, refused } = await adas.open(formId);
    assert.deepEqual([[...keys.keys()], refused], [[1, 2], []]);
  }
});

/** The next revision with these keys, as any program of its signer can write it. */
async function forge(server: PlayedServer, formId: FormId, by: PlayedPerson, keys: readonly FormKey[]): Promise<void> {
  const { list, previous } = await openNewest(server, formId, by);
  const revisions = server.envelopes.get(1) ?? assert.fail();
  const before = encodeBase64Url(
    new Uint8Array(await crypto.subtle.digest("SHA-256", revisions.at(-1) ?? assert.fail())),
  );
  const next = { revision: revisions.length + 1, previous: before, list: list.head, keys, signedBy: by.id };
  const line = JSON.stringify({ ...previous.content, ...next });
  const text = await signLine("sealpost-envelope/1", line, await importSigningKey(by.key.signingSeed));
  const recipients = previous.content.readers.map(({ id }) => list.members.get(id)?.recipient ?? assert.fail());
  revisions.push(await encryptTo(recipients, text));
}

for (const hasLog of [true, false])
  for (const agent of agentsOf(hasLog ? 0 : 1))
    test(`a hybrid key that a manager makes up next to the key of a form ${hasLog ? "with" : "without"} a key log makes nobody lose that one, nor carry the other on, with the key in ${agent}`, async () => {
      const { server, formId, people, see } = await setUp("a manager", hasLog);
      const { previous } = await openNewest(server, formId, people.mo);
      const [genuine] = previous.content.keys;
      assert.ok(genuine);
      const { privateKey } = await generateHybridKeyPair();
      const withHybrid = await toFormKey(1, genuine.privateKey, privateKey, genuine.seed);
      await forge(server, formId, people.mo, [withHybrid]);
      const stores = await Promise.all([see(createMemoryStore()), see(createMemoryStore())]);
      const [adas, nias] = await Promise.all([
        openActor(agent, server, people.ada, rotations[0] ?? assert.fail(), stores[0]),
        openActor(agent, server, people.nia, rotations[0] ?? assert.fail(), stores[1]),
      ]);
      for (const device of [adas, nias]) assert.deepEqual((await device.open(formId)).refused, []);
      const opened = await openedBy(server, people.ada, formId, stores[0]);
      assert.deepEqual(
        findHeldKeys(opened.envelopes).map(({ keyVersion, hybrid }) => [keyVersion, hybrid]),
        [[1, undefined]],
        "the form's key is held, and nothing else",
      );

      await forge(server, formId, people.mo, []);
      for (const device of [adas, nias]) assert.deepEqual((await device.open(formId)).refused, ["key_missing"]);
      assert.equal(await adas.bringBack(formId), "brought");
      assert.equal(await nias.changeReaders(formId, { add: [], remove: [people.mo.id] }), "changed");
      const { previous: newest } = await openNewest(server, formId, people.ada);
      assert.deepEqual(newest.content.keys, [genuine], "nobody has carried the hybrid key on");
      assert.equal(await nias.rotate(formId), "rotated");
      assert.deepEqual([...(await adas.open(formId)).keys.keys()], [1, 2]);
    });
