import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { openEnvelope, RefusalError, sealEnvelope } from "@sealpost/envelope";
import { type LostKeys, LostKeysError, OvertakenError } from "@sealpost/sdk/envelopes";
import { createId, type FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import {
  createFormWithEnvelope,
  findImportReaders,
  type ImportedFor,
  importKeys,
  rotateWithEnvelope,
} from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { requireConfirmed } from "../../packages/dashboard/src/key-versions/require-version.ts";
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
import { type AgentName, agents, agentsOf, openActor } from "../support/envelope-actors.ts";
import { importAsShown } from "../support/import-keys.ts";

// Xu is taken out of a form, and it is rotated. The server shows Kim's device the envelope from before that, and with it the key log and the list of keys, which
// have the new version: without them no page would take Kim's next key. So Kim's device has all that it takes to notice what is hidden.

type Made = Awaited<ReturnType<typeof newFormKey>>;

let [ada, nia, kim, xu]: readonly PlayedPerson[] = [];
const made = new Map<number, Made>();

before(async () => {
  [ada, nia, kim, xu] = await Promise.all(["Ada", "Nia", "Kim", "Xu"].map(makePerson));
  for (const version of [1, 2, 3, 4, 33, 34, 35]) made.set(version, await newFormKey(version));
});

const keyOf = (version: number): Made => made.get(version) ?? assert.fail();

interface Case {
  /** The revision that is shown, and whether Kim's device has opened it before. */
  readonly shown: "an owner's, seen before" | "a manager's, seen before" | "an owner's, to a fresh device";
  readonly names: "key log and list" | "list alone";
  readonly hidden: "the next revisions" | "the next envelope";
}

const cases: readonly Case[] = (
  ["an owner's, seen before", "a manager's, seen before", "an owner's, to a fresh device"] as const
).flatMap((shown) =>
  (["key log and list", "list alone"] as const).flatMap((names) =>
    (["the next revisions", "the next envelope"] as const).map((hidden) => ({ shown, names, hidden })),
  ),
);

for (const [index, one] of cases.entries())
  for (const agent of agentsOf(index)) {
    const { shown, hidden, names } = one;
    test(`nobody rotates unasked for somebody who was taken out: the newest revision that is shown is ${shown}, ${hidden} hidden, and the new version is in ${names}, with the key in ${agent}`, () =>
      hideFrom(one, agent));
    test(`control: ${shown}, of ${hidden} nothing hidden, and the new version in ${names}: nobody is asked, with the key in ${agent}`, () =>
      hideNothing(one, agent));
  }

async function hideFrom(one: Case, agent: AgentName): Promise<void> {
  const { server, formId, next, heads, hide } = await setUp(one);
  hide();
  const device = await openActor(agent, server, kim ?? assert.fail(), keyOf(next), heads);
  assert.equal(await device.rotate(formId), "lost_keys");
  assert.deepEqual(
    server.keys.map(({ version }) => version),
    [1, next - 1],
    "nothing was sent",
  );
  const asked: LostKeys[] = [];
  assert.equal(await device.rotate(formId, (lost) => void asked.push(lost)), "rotated");
  const [lost = assert.fail()] = asked;
  assert.deepEqual([asked.length, lost.newer, lost.missing], [1, [next - 1], [next - 1]]);
  assert.deepEqual(lost.readerIds, [ada, kim, nia, xu].map((person) => person?.id ?? "").toSorted());
  assert.equal(await opens(server, formId, next, xu), true, "who was named has the new key, as was said");
  const again = await openActor(agent, server, kim ?? assert.fail(), keyOf(next + 1), heads);
  assert.equal(await again.rotate(formId), "rotated", "now the newest version is open, and nobody is asked again");
}

async function hideNothing(one: Case, agent: AgentName): Promise<void> {
  const { server, formId, next, heads } = await setUp(one);
  const device = await openActor(agent, server, kim ?? assert.fail(), keyOf(next), heads);
  assert.equal(await device.rotate(formId), "rotated");
  assert.equal(await opens(server, formId, next, xu), false);
}

test("a key that somebody has put into the envelope for the new version opens no version for which the key log names another", async () => {
  for (const agent of agents) {
    const one = {
      shown: "an owner's, to a fresh device",
      names: "key log and list",
      hidden: "the next revisions",
    } as const;
    const { server, formId, heads, next, hide, list, readNewest } = await setUp(one);
    hide();
    const planted = keyOf(4).key;
    const parts = {
      list: list.list,
      signer: await toSigner(xu ?? assert.fail()),
      formId,
      previous: await readNewest(),
    };
    const readerIds = [ada, nia, kim, xu].map((person) => person?.id ?? "");
    const { file } = await sealEnvelope({ ...parts, readerIds, keys: [{ ...planted, version: 2 }] });
    server.envelopes.get(1)?.push(file);
    server.keys[1] = { version: 2, fingerprint: planted.fingerprint };
    const device = await openActor(agent, server, kim ?? assert.fail(), keyOf(next), heads);
    assert.equal(await device.rotate(formId), "lost_keys", agent);
    const newer: number[] = [];
    await device.rotate(formId, (lost) => void newer.push(...lost.newer));
    assert.deepEqual(newer, [2], agent);
  }
});

const about = { shown: "an owner's, seen before", names: "key log and list", hidden: "the next revisions" } as const;

test("nobody is asked where a colleague rotates while the form is opened: a program begins again, and a page says so", async () => {
  for (const agent of agents) {
    const { server, formId, heads, rotateAsAda } = await setUp(about);
    const device = await openActor(agent, server, kim ?? assert.fail(), keyOf(4), heads);
    let asked = 0;
    server.lies = {
      async fetchKeys(id) {
        // The first answer is for the envelope, the next for the version.
        const { lies } = server;
        server.lies = {};
        if (++asked === 2) await rotateAsAda(3);
        const published = await server.api.fetchKeys(id);
        if (asked < 2) server.lies = lies;
        return published;
      },
    };
    if (agent === "memory") assert.equal(await device.rotate(formId), "rotated");
    else await assert.rejects(device.rotate(formId), OvertakenError);
    server.lies = {};
    assert.equal(server.keys.length, agent === "memory" ? 4 : 3);
  }
});

test("an answer is about the versions and the readers that were shown: with others the page asks again, and no rotation is sent", async () => {
  const { server, formId, next, hide, kims } = await setUp(about);
  hide();
  const opened = await openForm(kims, formId);
  assert.ok(opened.kind === "opened" && opened.list.kind === "checked");
  const form = { ...opened, list: opened.list };
  const lost = await requireConfirmed(kims, form, formId, {}).then(
    () => assert.fail("nobody was asked"),
    (error) => (error instanceof LostKeysError ? error.lost : assert.fail(String(error))),
  );
  assert.deepEqual(await requireConfirmed(kims, form, formId, { lost }), lost);
  const others: readonly LostKeys[] = [
    { ...lost, readerIds: lost.readerIds.slice(1) },
    { ...lost, newer: [], missing: [] },
    { ...lost, newer: [...lost.newer, 9], missing: [...lost.missing, 9] },
  ];
  for (const other of others)
    await assert.rejects(requireConfirmed(kims, form, formId, { lost: other }), LostKeysError);
  const { key, pair } = keyOf(next);
  const [previous = assert.fail()] = form.envelopes;
  const rotate = (answer: LostKeys | undefined) =>
    rotateWithEnvelope(
      kims,
      form.list,
      formId,
      { publicKey: pair.publicKey, keyVersion: next },
      { key, previous, lost: answer },
    );
  await assert.rejects(rotate(others[0]), OvertakenError);
  assert.equal(server.keys.length, 2);
  assert.equal((await rotate(lost)).kind, "read");
});

test("with an honest server nobody is asked once a key that was made with a key file is in the envelope", async () => {
  for (const agent of agents) {
    const { server, formId, heads, adas, list } = await setUp({ ...about, names: "list alone" });
    const { key } = keyOf(3);
    server.keys.push({ version: 3, fingerprint: key.fingerprint });
    const device = await openActor(agent, server, kim ?? assert.fail(), keyOf(4), heads);
    assert.equal(await device.rotate(formId), "lost_keys", "it is in no envelope");
    const opened = await openForm(adas, formId);
    await importAsShown(adas, list, formId, [key], opened);
    assert.equal(await device.rotate(formId), "rotated");
  }
});

// The question recommends to put in the newest key, where it is in a key file.

const namesOf = (ids: readonly string[] = []) =>
  [ada, nia, kim, xu].filter((person) => ids.includes(person?.id ?? "")).map((person) => person?.name);

for (const one of cases) {
  const { shown, hidden, names } = one;
  test(`nobody puts a key in unasked for somebody who was taken out: the newest revision that is shown is ${shown}, ${hidden} hidden, and the key's version is in ${names}`, async () => {
    const { server, formId, next, heads, hide } = await setUp(one);
    hide();
    const kims = openBrowser(server, kim ?? assert.fail(), createHeads(heads));
    const { key } = keyOf(next - 1);
    const { list, envelopes } = await openToImport(kims, formId);
    const importFor = (readers?: readonly ImportedFor[]) =>
      importKeys(kims, list, formId, [key], envelopes, "Vote", readers);
    const [asked = assert.fail(), ...others] = findImportReaders(list, [key], envelopes);
    assert.deepEqual([asked.versions, others], [[next - 1], []]);
    // An envelope of its own is for Kim alone.
    const isContinued = hidden === "the next revisions";
    assert.deepEqual(namesOf(asked.readerIds), isContinued ? ["Ada", "Nia", "Kim", "Xu"] : ["Kim"]);
    const before = toText(server);
    for (const answer of [
      undefined,
      [],
      [{ ...asked, readerIds: asked.readerIds.slice(1) }],
      [{ ...asked, versions: [next] }],
    ])
      await assert.rejects(importFor(answer), OvertakenError);
    assert.equal(toText(server), before, "nothing was sent");
    const [stored] = await importFor([asked]);
    assert.equal(stored?.kind, "read");
    assert.equal(await opens(server, formId, next - 1, xu), isContinued, "who was named reads, and nobody else");
  });

  test(`control: ${shown}, of ${hidden} nothing hidden, and the last version in ${names}: a key that is put in is for those who are named, without the one who was taken out`, async () => {
    const { server, formId, next, heads } = await setUp(one);
    const kims = openBrowser(server, kim ?? assert.fail(), createHeads(heads));
    const { key } = keyOf(next);
    server.keys.push({ version: next, fingerprint: key.fingerprint });
    const { list, envelopes } = await openToImport(kims, formId);
    const asked = findImportReaders(list, [key], envelopes);
    assert.deepEqual(
      asked.map(({ versions, readerIds }) => [versions, namesOf(readerIds)]),
      [[[next], ["Ada", "Nia", "Kim"]]],
    );
    const [stored] = await importKeys(kims, list, formId, [key], envelopes, "Vote", asked);
    assert.equal(stored?.kind, "read");
    assert.deepEqual([await opens(server, formId, next, nia), await opens(server, formId, next, xu)], [true, false]);
  });
}

test("an answer about keys that are put in is about the readers that were shown: with others the page asks again, and nothing is sent", async () => {
  type World = Awaited<ReturnType<typeof setUp>>;
  const changes: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
    "somebody was let in": ({ adas, formId }) => changeReaders(adas, [formId], { add: [xu?.id ?? ""], remove: [] }),
    "somebody was taken out": ({ adas, formId }) => changeReaders(adas, [formId], { add: [], remove: [nia?.id ?? ""] }),
    "somebody left the list": async ({ server: { list } }) =>
      list.push(
        await writeEntry(list.join(""), ada ?? assert.fail(), { change: "remove", member: { id: nia?.id ?? "" } }),
      ),
  };
  for (const [change, make] of Object.entries(changes)) {
    const world = await setUp(about);
    const { server, formId, next, kims } = world;
    const { key } = keyOf(next);
    server.keys.push({ version: next, fingerprint: key.fingerprint });
    const shown = await openToImport(kims, formId);
    const asked = findImportReaders(shown.list, [key], shown.envelopes);
    await make(world);
    const { list, envelopes } = await openToImport(kims, formId);
    const importFor = (readers: readonly ImportedFor[]) =>
      importKeys(kims, list, formId, [key], envelopes, "Vote", readers);
    const before = toText(server);
    await assert.rejects(importFor(asked), OvertakenError, change);
    assert.equal(toText(server), before, change);
    const [stored] = await importFor(findImportReaders(list, [key], envelopes));
    assert.equal(stored?.kind, "read", change);
  }
});

/** Ada's form with version 1, read by Nia, Kim and Xu, and what Kim's device has seen of it. Then Xu is taken out, and Ada rotates. */
async function setUp({ shown, names, hidden }: Case) {
  assert.ok(ada && nia && kim && xu);
  const server = playServer();
  const adas = openBrowser(server, ada);
  await findOrFoundList(adas);
  for (const one of [nia, kim, xu])
    server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(one, "manager") }));
  const list = await loadCheckedList(adas);
  const formId = createId("form");
  const { key, pair } = keyOf(1);
  if (names === "list alone") {
    server.keys.push({ version: 1, fingerprint: key.fingerprint });
    await importKeys(adas, list, formId, [key], [], "Vote");
  } else await createFormWithEnvelope(adas, list, { formId, name: "Vote", publicKey: pair.publicKey }, key);
  const openFresh = async (person: PlayedPerson, heads = createMemoryStore()) => {
    await createHeads(heads).advanceList(organizationId, undefined, list.list.head);
    return openBrowser(server, person, createHeads(heads));
  };
  await changeReaders(adas, [formId], { add: [nia.id, kim.id], remove: [] });
  const isManagers = shown === "a manager's, seen before";
  const writer = isManagers ? await openFresh(nia) : adas;
  await changeReaders(writer, [formId], { add: [xu.id], remove: [] });
  const heads = createMemoryStore();
  const kims = await openFresh(kim, heads);
  if (shown !== "an owner's, to a fresh device") await openForm(kims, formId);
  const { length } = server.envelopes.get(1) ?? [];
  await changeReaders(adas, [formId], { add: [], remove: [xu.id] });
  const version = hidden === "the next envelope" ? 33 : 2;
  const rotateAsAda = async (to: number) => {
    const before = await openForm(adas, formId);
    const [previous = assert.fail()] = before.kind === "opened" ? before.envelopes : [];
    const rotation = { publicKey: keyOf(to).pair.publicKey, keyVersion: to };
    await rotateWithEnvelope(adas, list, formId, rotation, { key: keyOf(to).key, previous });
  };
  await rotateAsAda(version);
  const hide = () => {
    server.envelopes.get(1)?.splice(length);
    server.envelopes.delete(33);
  };
  /** As Xu can, who reads what is shown. */
  const readNewest = async () => {
    const files = server.envelopes.get(1) ?? assert.fail();
    const expected = { list: list.list, formId, firstVersion: 1, revision: files.length };
    const opened = await openEnvelope(files.at(-1) ?? assert.fail(), xu?.key.identity ?? "", expected);
    return opened instanceof RefusalError ? assert.fail(opened.reason) : opened;
  };
  return { server, formId, heads, next: version + 1, hide, list, adas, kims, rotateAsAda, readNewest };
}

/** Whether this person's key opens the newest revision of the envelope in which this version has its place. */
async function opens(server: PlayedServer, formId: FormId, version: number, person?: PlayedPerson) {
  const firstVersion = version < 33 ? 1 : 33;
  const files = server.envelopes.get(firstVersion) ?? [];
  const { list } = await loadCheckedList(openBrowser(server, ada ?? assert.fail()));
  const expected = { list, formId, firstVersion, revision: files.length };
  const opened = await openEnvelope(files.at(-1) ?? assert.fail(), person?.key.identity ?? "", expected);
  return !(opened instanceof RefusalError) && opened.content.keys.some((key) => key.version === version);
}

async function openToImport(context: EnvelopeContext, formId: FormId) {
  const opened = await openForm(context, formId);
  assert.ok(opened.kind === "opened" && opened.list.kind === "checked");
  return { list: opened.list, envelopes: opened.envelopes };
}

const toText = ({ envelopes }: PlayedServer) =>
  JSON.stringify([...envelopes].map(([first, { length }]) => [first, length]));
