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
import { rotateAsShown } from "../support/rotate-as-shown.ts";
import { sampleEvery } from "../support/sample.ts";

// Xu is taken out of a form, and it is rotated. The server shows Kim's device the envelope from before that, and with it the key log and the list of keys, which
// have the new version: without them no page would take Kim's next key. So Kim's device has all that it takes to notice what is hidden.

type Made = Awaited<ReturnType<typeof newFormKey>>;

let [ada, nia, kim, xu]: readonly PlayedPerson[] = [];
const made = new Map<number, Made>();

before(async () => {
  [ada, nia, kim, xu] = await Promise.all(["Ada", "Nia", "Kim", "Xu"].map(makePerson));
  for (const version of [1, 2, 3, 4, 7, 8, 32, 33, 34, 35]) made.set(version, await newFormKey(version));
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

/** Xu, whom the server helps, has put a key of their own into the envelope, for a version that may be above the new one. */
interface Planted {
  readonly version: 2 | 3 | 7 | 32;
  readonly where: "the revision that Kim knows" | "a revision that follows it";
  /** Versions above 1 in the service's list. */
  readonly listed: "the new version alone" | "the planted one alone" | "both";
  readonly log: "a key log" | "no key log";
  readonly device: "a device that has seen the form" | "a fresh device";
}

const planted: readonly Planted[] = ([2, 3, 7, 32] as const).flatMap((version) =>
  (["the revision that Kim knows", "a revision that follows it"] as const).flatMap((where) =>
    (["a device that has seen the form", "a fresh device"] as const).flatMap((device) => [
      ...(["the new version alone", "the planted one alone", "both"] as const)
        .filter((listed) => version !== 2 || listed !== "both")
        .map((listed) => ({ version, where, device, listed, log: "a key log" }) as const),
      // Without a log the service could leave the new version out of its list as well.
      { version, where, device, listed: "the new version alone", log: "no key log" } as const,
    ]),
  ),
);

for (const [index, one] of sampleEvery(planted, 5).entries())
  for (const agent of agentsOf(index)) {
    const { version, where, listed, log, device } = one;
    test(`a planted key hides no newer version: for version ${version}, in ${where}, with ${log}, the list having ${listed}, on ${device}, with the key in ${agent}`, async () => {
      const { server, formId, heads, hide, plant } = await setUp({
        shown: device === "a fresh device" ? "an owner's, to a fresh device" : "an owner's, seen before",
        names: log === "a key log" ? "key log and list" : "list alone",
        hidden: "the next revisions",
        ...(where === "the revision that Kim knows" && { planted: version }),
      });
      hide();
      if (where === "a revision that follows it") await plant(version);
      const { fingerprint } = keyOf(version === 2 ? 4 : version).key;
      if (listed === "the planted one alone" || version === 2) server.keys.splice(1);
      if (listed !== "the new version alone") server.keys.push({ version, fingerprint });
      else if (version === 2) server.keys.push({ version: 2, fingerprint: keyOf(2).key.fingerprint });
      const before = [...server.keys];
      const next = before.reduce((highest, key) => Math.max(highest, key.version), 0) + 1;
      const kims = await openActor(agent, server, kim ?? assert.fail(), keyOf(next), heads);
      const outcome = await kims.rotate(formId);
      assert.deepEqual(server.keys, before, "nothing was sent");
      // A manager's revision without a key that the list has is not the first that a device opens.
      if (device === "a fresh device" && outcome !== "lost_keys") {
        assert.equal(outcome, "key_missing");
        return assert.notEqual(listed, "the planted one alone");
      }
      // The command line stops there, whatever anybody says.
      if (outcome === "other_published_key") return assert.equal(version, 2);
      assert.equal(outcome, "lost_keys");
      const stopped = new Error("Kim does not agree");
      const asked = kims.rotate(formId, ({ newer }) => {
        assert.deepEqual(newer, [2]);
        throw stopped;
      });
      await assert.rejects(asked, stopped);
    });
  }

for (const [index, version] of ([2, 3, 7, 32] as const).entries())
  for (const agent of agentsOf(index))
    test(`control: a key was planted for version ${version}, and nothing is hidden: nobody is asked, with the key in ${agent}`, async () => {
      for (const shown of ["an owner's, seen before", "an owner's, to a fresh device"] as const) {
        const { server, formId, heads, next } = await setUp({ ...about, shown, planted: version });
        const device = await openActor(agent, server, kim ?? assert.fail(), keyOf(next), heads);
        assert.equal(await device.rotate(formId), "rotated", shown);
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

test("an answer is about the versions, the readers, their keys and the revision that were shown: with others the page asks again, and no rotation is sent", async () => {
  const { server, formId, next, hide, kims, plant } = await setUp(about);
  hide();
  const open = async () => {
    const opened = await openForm(kims, formId);
    assert.ok(opened.kind === "opened" && opened.list.kind === "checked");
    return { ...opened, list: opened.list };
  };
  const form = await open();
  const lost = await requireConfirmed(kims, form, formId, {}).then(
    () => assert.fail("nobody was asked"),
    (error) => (error instanceof LostKeysError ? error.lost : assert.fail(String(error))),
  );
  assert.deepEqual(await requireConfirmed(kims, form, formId, { lost }), lost);
  const others: readonly LostKeys[] = [
    { ...lost, readerIds: lost.readerIds.slice(1) },
    { ...lost, recipients: [...lost.recipients].reverse() },
    { ...lost, followed: { ...lost.followed, revision: lost.followed.revision + 1 } },
    { ...lost, followed: { ...lost.followed, hash: "A".repeat(43) } },
    { ...lost, newer: [], missing: [] },
    { ...lost, newer: [...lost.newer, 9], missing: [...lost.missing, 9] },
  ];
  for (const other of others)
    await assert.rejects(requireConfirmed(kims, form, formId, { lost: other }), LostKeysError);
  const { key, pair } = keyOf(next);
  const [previous = assert.fail()] = form.envelopes;
  const rotate = (answer: LostKeys) =>
    rotateWithEnvelope(
      kims,
      form.list,
      formId,
      { publicKey: pair.publicKey, keyVersion: next },
      { key, previous, shown: answer },
    );
  for (const other of others.slice(0, 4)) await assert.rejects(rotate(other), OvertakenError);
  assert.equal(server.keys.length, 2);
  // The same people read the next revision, which Xu has written meanwhile.
  const shown = [...(server.envelopes.get(1) ?? [])];
  await plant(3);
  const later = await open();
  await assert.rejects(requireConfirmed(kims, later, formId, { lost }), ({ lost: again }: LostKeysError) => {
    assert.deepEqual(again.readerIds, lost.readerIds);
    return again.followed.revision === lost.followed.revision + 1;
  });
  assert.equal(shown.length + 1, server.envelopes.get(1)?.length);
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
    assert.deepEqual(namesOf(asked.readerIds), ["Ada", "Nia", "Kim", "Xu"]);
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
    for (const person of [ada, nia, kim, xu])
      assert.equal(await opens(server, formId, next - 1, person), true, "who was named reads");
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
async function setUp({ shown, names, hidden, planted: ahead }: Case & { readonly planted?: Planted["version"] }) {
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
  /** As Xu can, who reads what is shown. */
  const readNewest = async () => {
    const files = server.envelopes.get(1) ?? assert.fail();
    const expected = { list: list.list, formId, firstVersion: 1, revision: files.length };
    const opened = await openEnvelope(files.at(-1) ?? assert.fail(), xu?.key.identity ?? "", expected);
    return opened instanceof RefusalError ? assert.fail(opened.reason) : opened;
  };
  const plant = async (version: number) => {
    assert.ok(xu);
    const parts = { list: list.list, signer: await toSigner(xu), formId, previous: await readNewest() };
    const readerIds = [ada, nia, kim, xu].map((person) => person?.id ?? "");
    // Version 2 is the form's own too.
    const { key: other } = keyOf(version === 2 ? 4 : version);
    const { file } = await sealEnvelope({ ...parts, readerIds, keys: [{ ...other, version }] });
    server.envelopes.get(1)?.push(file);
  };
  if (ahead !== undefined) await plant(ahead);
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
    await rotateAsShown(adas, list, formId, rotation, { key: keyOf(to).key, previous });
  };
  await rotateAsAda(version);
  const hide = () => {
    server.envelopes.get(1)?.splice(length);
    server.envelopes.delete(33);
  };
  return { server, formId, heads, next: version + 1, hide, list, adas, kims, rotateAsAda, plant };
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
