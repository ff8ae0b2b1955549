import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { HeadStore } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { createVersionSeed, type FormId } from "@sealpost/wire";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import {
  newFormKey,
  openBrowser,
  type PlayedPerson,
  type PlayedServer,
  writeEntry,
} from "../dashboard/played-envelopes.ts";
import { type Actor, type AgentName, agentsOf, openActor } from "../support/envelope-actors.ts";
import { handOver, openRevision, setUp, type Team, write } from "../support/played-team.ts";
import { sampleKinds, sampleTurns } from "../support/sample.ts";

// Mo plants a key of his own in a form's envelope, for a version far ahead, and is taken out; Nia rotates. What the service answers when it is asked for the
// form's keys differs from device to device, and from one moment to the next: no answer brings the planted key into a revision of an honest person.

/** How the service answers a device: with the key in question, 403, with no key at all, or with all keys but that one. */
const answers = ["with the key", "403", "with no key", "without the key"] as const;
const devices = ["that device", "another one that has its heads", "a fresh one"] as const;
const acts = ["a rotation", "a sweep", "bringing back", "adding a reader"] as const;
type Answer = (typeof answers)[number];

interface Case {
  readonly first: Answer;
  readonly later: Answer;
  readonly device: (typeof devices)[number];
  readonly act: (typeof acts)[number];
  readonly hasLog: boolean;
}

const cases: readonly Case[] = answers.flatMap((first) =>
  answers.flatMap((later) =>
    devices.flatMap((device) =>
      acts.flatMap((act) => [false, true].map((hasLog) => ({ first, later, device, act, hasLog }))),
    ),
  ),
);

let planted: Awaited<ReturnType<typeof newFormKey>>;
let rotations: readonly Awaited<ReturnType<typeof newFormKey>>[];

before(async () => {
  planted = await newFormKey(6);
  rotations = await Promise.all([2, 3, 7].map(newFormKey));
});

const rotationTo = (version: number) => rotations.find(({ key }) => key.version === version) ?? assert.fail();

const toKind = ({ first: seen, later, device, hasLog }: Case) => `${seen} ${later} ${device} ${hasLog}`;
for (const [index, one] of sampleTurns(rotateActs(cases), toKind).entries())
  for (const agent of agentsOf(index))
    test(`a key that a manager has planted in a form ${one.hasLog ? "with" : "without"} a key log, and a rotation has left out, comes back by no honest person: the service answers a device ${one.first}, later ${one.later}, where ${one.device} has ${one.act}, with the key in ${agent}`, () =>
      bringPlantedBack(one, agent));

/** So that a sample of kinds has every act. */
function rotateActs(some: readonly Case[]): readonly Case[] {
  const kinds = [...Map.groupBy(some, toKind).values()];
  return kinds.flatMap((ofKind, index) => ofKind.map((_, at) => ofKind[(at + index) % ofKind.length] ?? assert.fail()));
}

async function bringPlantedBack({ first: seen, later, device, act, hasLog }: Case, agent: AgentName): Promise<void> {
  const team = await setUp(hasLog ? "with a key log" : "without");
  const { server, formId, people, see } = team;
  await write(team, people.mo, { keys: [{ ...planted.key, seed: createVersionSeed() }] });
  const nias = await openActor(agent, server, people.nia, rotationTo(2), await see());
  assert.deepEqual((await nias.open(formId)).refused, []);
  const plantedAt = server.envelopes.get(1)?.length ?? 0;
  const listed = { version: 6, fingerprint: planted.key.fingerprint };

  const adas = await see();
  await answering(server, seen, listed, () => openForm(openBrowser(server, people.ada, createHeads(adas)), formId));
  server.list.push(
    await writeEntry(server.list.join(""), people.ada, { change: "remove", member: { id: people.mo.id } }),
  );
  assert.equal(await nias.rotate(formId), "rotated");

  const store = await toDevice(device, adas, team);
  const adasAgent = () => openActor(agent, server, people.ada, rotationTo(nextOf(server)), store);
  await answering(server, later, listed, async () => work(await adasAgent(), formId, act, people.rea));
  // Whatever it was by then, in the end the service names the planted key, and the person does what they are offered.
  await answering(server, "with the key", listed, async () => {
    const actor = await adasAgent();
    const { refused } = await actor.open(formId);
    if (refused.length > 0) await tolerant(() => actor.bringBack(formId));
    await work(actor, formId, act, people.rea);
  });

  assert.deepEqual(await findRevisionsWith(team, planted.key.fingerprint), [plantedAt]);
  // Nobody is stuck by it: once the service answers honestly, both continue.
  const actor = await adasAgent();
  if ((await actor.open(formId)).refused.length > 0) assert.equal(await actor.bringBack(formId), "brought");
  for (const one of [actor, nias]) {
    const { keys, refused } = await one.open(formId);
    assert.deepEqual([[...keys.keys()], refused], [server.keys.map(({ version }) => version), []]);
  }
  assert.deepEqual(await findRevisionsWith(team, planted.key.fingerprint), [plantedAt]);
}

const honestKind = ({ first: seen, later, device }: Case) => `${seen} ${later} ${device}`;
for (const [index, one] of sampleTurns(rotateActs(cases.filter(({ hasLog }) => !hasLog)), honestKind).entries())
  for (const agent of agentsOf(index))
    test(`a key of the form's own that a colleague has left out, since the service denied it, is brought back or named as missing: the service answers a device ${one.first}, later ${one.later}, where ${one.device} has ${one.act}, with the key in ${agent}`, () =>
      leaveOut(one, agent));

async function leaveOut({ first: seen, later, device, act }: Case, agent: AgentName): Promise<void> {
  const team = await setUp("without");
  const { server, formId, people, see } = team;
  const nias = await openActor(agent, server, people.nia, rotationTo(2), await see());
  assert.equal(await nias.rotate(formId), "rotated");
  const own = server.keys.at(-1) ?? assert.fail();
  server.keys.pop();
  const adas = await see();
  await answering(server, seen, own, () => openForm(openBrowser(server, people.ada, createHeads(adas)), formId));
  const mos = await openActor(agent, server, people.mo, rotationTo(3), await see());
  // As long as the service denies it.
  assert.equal(await mos.changeReaders(formId, { add: [people.rea.id], remove: [] }), "changed");

  const store = await toDevice(device, adas, team);
  const actor = await openActor(agent, server, people.ada, rotationTo(3), store);
  await answering(server, later, own, () => work(actor, formId, act === "a rotation" ? "a sweep" : act, people.rea));
  server.keys.push(own);
  const context = openBrowser(server, people.ada, createHeads(store));
  const opened = await openForm(context, formId);
  assert.ok(opened.kind === "opened");
  const isThere = opened.keys.some(({ keyVersion }) => keyVersion === own.version);
  assert.ok(isThere || opened.missing.includes(own.version), "it is there, or named as missing");
  // And who has seen it as published brings it back, whatever the others have done.
  if ((await nias.open(formId)).refused.length > 0) assert.equal(await nias.bringBack(formId), "brought");
  for (const one of [nias, actor]) {
    if ((await one.open(formId)).refused.length > 0) assert.equal(await one.bringBack(formId), "brought");
    assert.deepEqual(
      [...(await one.open(formId)).keys.keys()],
      server.keys.map(({ version }) => version),
    );
  }
}

const loggedKind = ({ later, device, act }: Case) => `${later} ${device} ${act}`;
const denied = cases.filter(({ first, later, hasLog }) => hasLog && first === "without the key" && later === first);
for (const [index, one] of sampleKinds(denied, loggedKind).entries())
  for (const agent of agentsOf(index))
    test(`a key that the form's key log names is left out by nobody, though the service denies it to a colleague from the first look on, where ${one.device} has ${one.act}, with the key in ${agent}`, () =>
      keepNamed(one, agent));

async function keepNamed({ device, act }: Case, agent: AgentName): Promise<void> {
  const team = await setUp("with a key log");
  const { server, formId, people, see } = team;
  const nias = await openActor(agent, server, people.nia, rotationTo(2), await see());
  assert.equal(await nias.rotate(formId), "rotated");
  const own = server.keys.at(-1) ?? assert.fail();
  const rotated = server.envelopes.get(1)?.length ?? 0;
  const first = await see();
  const hidden = "without the key" as const;
  await answering(server, hidden, own, () => openForm(openBrowser(server, people.ada, createHeads(first)), formId));
  if (act === "bringing back") server.envelopes.get(1)?.push(crypto.getRandomValues(new Uint8Array(300)));
  const actor = await openActor(agent, server, people.ada, rotationTo(3), await toDevice(device, first, team));
  await answering(server, hidden, own, () => work(actor, formId, act, people.rea));
  const revisions = await findRevisionsWith(team, own.fingerprint, act === "bringing back" ? [rotated + 1] : []);
  assert.equal(revisions.at(-1), server.envelopes.get(1)?.length, "the newest one has it");
  if (act !== "a sweep") assert.ok((revisions.at(-1) ?? 0) > rotated, "there is another one");
  for (const one of [nias, actor]) {
    const { keys, refused } = await one.open(formId);
    assert.deepEqual([[...keys.keys()], refused], [server.keys.map(({ version }) => version), []]);
  }
}

/** By what the program offers: what can't be used is brought back first. */
async function work(actor: Actor, formId: FormId, act: Case["act"], reader: PlayedPerson): Promise<void> {
  const acting = {
    "a rotation": () => actor.rotate(formId),
    "a sweep": () => actor.changeReaders(formId, { add: [], remove: [] }),
    "bringing back": () => actor.bringBack(formId),
    "adding a reader": () => actor.changeReaders(formId, { add: [reader.id], remove: [] }),
  }[act];
  await tolerant(acting);
}

/** A refusal of the service's is its answer. */
async function tolerant(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

/** Honest in the end. */
async function answering<Result>(
  server: PlayedServer,
  answer: Answer,
  key: { readonly version: number; readonly fingerprint: string },
  during: () => Promise<Result>,
): Promise<Result> {
  const toListed = (keys: readonly object[]) =>
    keys.map((one) => ({ ...one, createdAt: 1, madeBy: "owner", provedAt: 1 }));
  const fetchKeys = async () => {
    if (answer === "403") throw new ApiError("No", { status: 403, code: "forbidden" });
    const others = server.keys.filter(({ version }) => version !== key.version);
    const byAnswer = { "with the key": [...others, key], "with no key": [], "without the key": others };
    return toListed(byAnswer[answer]) as never;
  };
  server.lies = { fetchKeys };
  try {
    return await during();
  } finally {
    server.lies = {};
  }
}

const nextOf = (server: PlayedServer) => ((server.keys.at(-1)?.version ?? 0) >= 2 ? 3 : 2);

/** `ofFirst`: what the device that has seen the plant remembers. */
async function toDevice(device: Case["device"], ofFirst: HeadStore, { see, formId, people }: Team): Promise<HeadStore> {
  if (device === "that device") return ofFirst;
  return device === "a fresh one" ? see() : handOver(ofFirst, await see(), people.ada, formId);
}

/** Numbers of the revisions that have this key. `junk`: those that do not open. */
async function findRevisionsWith(
  team: Team,
  fingerprint: string,
  junk: readonly number[] = [],
): Promise<readonly number[]> {
  const found: number[] = [];
  for (const index of (team.server.envelopes.get(1) ?? []).keys()) {
    if (junk.includes(index + 1)) continue;
    const { opened } = await openRevision(team, index + 1);
    if (opened.content.keys.some((key) => key.fingerprint === fingerprint)) found.push(index + 1);
  }
  return found;
}
