import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Change, generatePersonalKey, sealEnvelope } from "@sealpost/envelope";
import { createVersionSeed } from "@sealpost/wire";
import {
  makePerson,
  newFormKey,
  type PlayedPerson,
  toMember,
  toSigner,
  writeEntry,
} from "../dashboard/played-envelopes.ts";
import { type AgentName, agentsOf, openActor, openWriter } from "../support/envelope-actors.ts";
import { handOver, openRevision, setUp, type Team, write } from "../support/played-team.ts";
import { sampleKinds } from "../support/sample.ts";

// Mo has been taken out of the list, and nobody has written since. The service shows one more revision of his, by the list from before, with the form's own keys
// and one more reader, Rea. She is a member, and nobody who may write has put her there.

const endings: Readonly<Record<string, (mo: PlayedPerson) => Promise<Change>>> = {
  "was removed": async ({ id }) => ({ change: "remove", member: { id } }),
  "is a reader now": async (mo) => ({ change: "replace", member: toMember(mo, "reader") }),
  "has another key now": async (mo) => {
    const key = { ...(await generatePersonalKey()), former: [] };
    return { change: "replace", member: toMember({ ...mo, key }, "manager") };
  },
};
const insertions = ["one revision", "one that is refused, and one that follows it", "two revisions"] as const;
const acts = ["a sweep", "a rotation", "adding another reader", "bringing back"] as const;
const devices = ["has seen the form", "has the heads of one that has", "has opened that revision before"] as const;

interface Case {
  readonly ending: string;
  readonly inserted: (typeof insertions)[number];
  readonly act: (typeof acts)[number];
  readonly device: (typeof devices)[number];
}

const cases: readonly Case[] = Object.keys(endings).flatMap((ending) =>
  insertions.flatMap((inserted) => acts.flatMap((act) => devices.map((device) => ({ ending, inserted, act, device })))),
);

let planted: Awaited<ReturnType<typeof newFormKey>>;
let second: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  [planted, second] = await Promise.all([newFormKey(6), newFormKey(2)]);
});

for (const [index, one] of sampleKinds(cases, ({ inserted, act, device }) => `${inserted} ${act} ${device}`).entries())
  for (const agent of agentsOf(index))
    test(`a reader whom a manager who ${one.ending} brings in by ${one.inserted} reads nothing after ${one.act} by an owner whose device ${one.device}, until somebody says so, with the key in ${agent}`, () =>
      insertAndWrite(one, agent));

async function insertAndWrite({ ending, inserted, act, device }: Case, agent: AgentName): Promise<void> {
  const team = await setUp("without");
  const { server, formId, people, see } = team;
  const { ada, nia, mo, rea, rob } = people;
  const adas = await see();
  const open = (store: typeof adas) => openActor(agent, server, ada, second, store);
  assert.deepEqual((await (await open(adas)).open(formId)).refused, []);

  const readerIds = [ada, nia, mo, rob, rea].map(({ id }) => id);
  const keys = [{ ...planted.key, seed: createVersionSeed() }];
  await write(team, mo, { readerIds, ...(inserted.includes("refused") && { keys }) });
  if (inserted !== "one revision") {
    const { opened } = await openRevision(team, server.envelopes.get(1)?.length ?? 0);
    const ahead = opened.content.keys.map(({ version }) => version).filter((version) => version === 6);
    await write(team, mo, { readerIds, ahead });
  }
  if (act === "bringing back") server.envelopes.get(1)?.push(crypto.getRandomValues(new Uint8Array(300)));
  await change(team, await (endings[ending] ?? assert.fail())(mo));

  const store = device === "has the heads of one that has" ? await handOver(adas, await see(), ada, formId) : adas;
  if (device === "has opened that revision before") await (await open(store)).open(formId);
  const others = device === "has opened that revision before" ? await handOver(store, await see(), ada, formId) : store;
  const actor = await open(others);
  const writer = await openWriter(server, ada, others);
  const named = act === "a rotation" ? (await writer.rotateForm(formId)).leftOut : [];
  if (act === "a sweep") assert.equal(await actor.changeReaders(formId, { add: [], remove: [] }), "changed");
  if (act === "adding another reader")
    assert.equal(await actor.changeReaders(formId, { add: [nia.id], remove: [] }), "changed");
  if (act === "bringing back") assert.equal(await actor.bringBack(formId), "brought");
  if (act === "a rotation") assert.ok(named.some(({ id, reason }) => id === rea.id && reason === "unknown"));

  const isGone = (id: string) => id === mo.id;
  const expected = [ada, nia, rob].map(({ id }) => id).sort();
  assert.deepEqual(
    (await readersOf(team)).filter((id) => !isGone(id)),
    expected,
    "the others read on, and she does not",
  );
  assert.equal(await actor.changeReaders(formId, { add: [rea.id], remove: [] }), "changed");
  assert.ok((await readersOf(team)).includes(rea.id), "once a person has said so she reads");
}

for (const agent of agentsOf(0))
  test(`a reader whom a manager has brought in before he was removed, on a device that has seen it, reads on and is asked about, with the key in ${agent}`, async () => {
    const team = await setUp("without");
    const { server, formId, people, see } = team;
    const { ada, nia, mo, rea, rob } = people;
    const store = await see();
    const actor = await openActor(agent, server, ada, second, store);
    await actor.open(formId);
    await write(team, mo, { readerIds: [ada, nia, mo, rob, rea].map(({ id }) => id) });
    await actor.open(formId);
    await change(team, { change: "remove", member: { id: mo.id } });
    assert.equal(await actor.rotate(formId), "rotated");
    assert.deepEqual(await readersOf(team), [ada, nia, rob, rea].map(({ id }) => id).sort());
  });

// Whom a former signer has let in, and who may write by now, is a reader of the form head, and so may follow it. What they write then takes the doubt from nobody:
// each lets the next one in, and the last one a reader.

const manners = [
  "plainly",
  "after dropping who let them in",
  "twice, dropping them in between",
  "by two envelopes",
] as const;
const washingDevices = ["opens them at once", "opens each", "hands its heads over in between"] as const;

interface Washing {
  readonly length: number;
  readonly manner: (typeof manners)[number];
  readonly device: (typeof washingDevices)[number];
  readonly act: "a sweep" | "a rotation";
  /** Otherwise an honest manager lets the first of them in: they all read on. */
  readonly isWashed: boolean;
}

const washings: readonly Washing[] = [1, 2, 3].flatMap((length) =>
  manners.flatMap((manner) =>
    washingDevices.flatMap((device) =>
      (["a sweep", "a rotation"] as const).flatMap((act) =>
        [true, false].map((isWashed) => ({ length, manner, device, act, isWashed })),
      ),
    ),
  ),
);

let washers: readonly PlayedPerson[];
let begun: Awaited<ReturnType<typeof newFormKey>>;
let afterBegun: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  washers = await Promise.all(["Wim", "Wan", "Win"].map(makePerson));
  [begun, afterBegun] = await Promise.all([newFormKey(33), newFormKey(34)]);
});

for (const [index, one] of sampleKinds(
  washings,
  ({ length, manner, isWashed }) => `${length} ${manner} ${isWashed}`,
).entries())
  for (const agent of agentsOf(index))
    test(`of ${one.length} managers who let each other in ${one.manner}, and a reader, where ${one.isWashed ? "a former" : "an honest"} signer has let the first one in, ${one.isWashed ? "nobody reads" : "all read"} after ${one.act} by an owner whose device ${one.device}, with the key in ${agent}`, () =>
      wash(one, agent));

async function wash({ length, manner, device, act, isWashed }: Washing, agent: AgentName): Promise<void> {
  const team = await setUp("without");
  const { server, formId, people, see } = team;
  const { ada, nia, mo, rea, rob } = people;
  const chain = washers.slice(0, length);
  for (const one of chain) await change(team, { change: "add", member: toMember(one, "manager") });
  let store = await see();
  const rotated = manner === "by two envelopes" ? afterBegun : second;
  const open = async () => (await openActor(agent, server, ada, rotated, store)).open(formId);
  assert.deepEqual((await open()).refused, []);

  const honest = [ada, nia, mo, rob];
  const [first = assert.fail()] = chain;
  await write(team, isWashed ? mo : nia, { readerIds: [...honest, first].map(({ id }) => id) });
  if (isWashed) await change(team, { change: "remove", member: { id: mo.id } });
  const staying = isWashed ? [ada, nia, rob] : honest;
  const look = async () => {
    if (device !== "opens them at once") await open();
    if (device === "hands its heads over in between") store = await handOver(store, await see(), ada, formId);
  };
  await look();
  for (const [index, writer] of chain.entries()) {
    const next = chain[index + 1] ?? rea;
    const before = chain.slice(0, index);
    const isDropping = manner === "after dropping who let them in";
    const ids = (others: readonly PlayedPerson[]) => [...staying, writer, ...others].map(({ id }) => id);
    if (isDropping && index > 0) await write(team, writer, { readerIds: ids([]) });
    const reading = isDropping ? [] : before;
    await write(team, writer, { readerIds: ids([...reading, next]) });
    if (manner === "twice, dropping them in between") {
      await look();
      await write(team, writer, { readerIds: ids(reading) });
      await look();
      await write(team, writer, { readerIds: ids([...reading, next]) });
    }
    if (manner === "by two envelopes" && next === rea) await begin(team, writer, ids([...before, rea]));
    await look();
  }

  const writer = await openWriter(server, ada, store);
  const actor = await openActor(agent, server, ada, rotated, store);
  const leftOut = act === "a rotation" ? (await writer.rotateForm(formId)).leftOut.map(({ id }) => id) : [];
  if (act === "a sweep")
    assert.equal(await actor.changeReaders(formId, { add: [], remove: [] }), isWashed ? "changed" : "unchanged");
  const stillThere = manner === "after dropping who let them in" ? chain.slice(-1) : chain;
  const washed = [...stillThere, rea].map(({ id }) => id);
  const expected = [...staying.map(({ id }) => id), ...(isWashed ? [] : washed)].sort();
  for (const firstVersion of act === "a sweep" ? server.envelopes.keys() : [Math.max(...server.envelopes.keys())])
    assert.deepEqual(await readersOf(team, firstVersion), expected);
  if (isWashed && act === "a rotation")
    assert.deepEqual(leftOut.filter((id) => id !== mo.id).sort(), washed.toSorted(), "they are named");
}

for (const [index, device] of ["opens them one by one", "opens them at once"].entries())
  for (const agent of agentsOf(index))
    test(`who was removed from the list reads nothing after a rotation, although a manager whom a former signer has brought in lets them in again, to the list and to the form: a device ${device}, with the key in ${agent}`, async () => {
      const team = await setUp("without");
      const { server, formId, people, see } = team;
      const { ada, nia, mo, rob } = people;
      const wim = washers[0] ?? assert.fail();
      await change(team, { change: "add", member: toMember(wim, "manager") });
      const store = await see();
      const look = async () => (await openActor(agent, server, ada, second, store)).open(formId);
      assert.deepEqual((await look()).refused, []);
      await write(team, mo, { readerIds: [ada, nia, mo, rob, wim].map(({ id }) => id) });
      await change(team, { change: "remove", member: { id: mo.id } });
      await change(team, { change: "remove", member: { id: rob.id } });
      if (device === "opens them one by one") await look();
      const again: Change = { change: "add", member: toMember(rob, "reader") };
      server.list.push(await writeEntry(server.list.join(""), wim, again));
      await write(team, wim, { readerIds: [ada, nia, rob, wim].map(({ id }) => id) });
      if (device === "opens them one by one") await look();
      const { leftOut } = await (await openWriter(server, ada, store)).rotateForm(formId);
      assert.deepEqual(await readersOf(team), [ada.id, nia.id].sort());
      assert.deepEqual(leftOut.map(({ id }) => id).sort(), [rob.id, wim.id].sort(), "they are named");
    });

/** Rotates to the first version of the next envelope. */
async function begin(team: Team, by: PlayedPerson, readerIds: readonly string[]): Promise<void> {
  const { server, formId } = team;
  const { list, opened: earlier } = await openRevision(team, server.envelopes.get(1)?.length ?? 0);
  const keys = [{ ...begun.key, seed: createVersionSeed() }];
  const parts = { list, signer: await toSigner(by), standing: { own: by.key }, formId, readerIds, keys, earlier };
  server.envelopes.set(33, [(await sealEnvelope(parts)).file]);
  server.keys.push({ version: 33, fingerprint: begun.key.fingerprint });
}

async function change({ server, people }: Team, entry: Change): Promise<void> {
  server.list.push(await writeEntry(server.list.join(""), people.ada, entry));
}

async function readersOf(team: Team, firstVersion = 1): Promise<readonly string[]> {
  const { opened } = await openRevision(team, team.server.envelopes.get(firstVersion)?.length ?? 0, firstVersion);
  return opened.content.readers.map(({ id }) => id).toSorted();
}
