import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Change, type FormKey, type HeadStore, RefusalError, sealEnvelope, toLoggedKey } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { describeFirstSights, describeSightKeys, findFirstSights, findHeldKeys } from "@sealpost/sdk/envelopes";
import { createVersionSeed, type KeyLogHead, verifyKeyLog } from "@sealpost/wire";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { findToLookAt, sayIsRight } from "../../packages/dashboard/src/envelopes/look-at.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import {
  newFormKey,
  openBrowser,
  type PlayedPerson,
  toMember,
  toSigner,
  writeEntry,
} from "../dashboard/played-envelopes.ts";
import { type AgentName, agentsOf, openActor, openWriter } from "../support/envelope-actors.ts";
import { openRevision, setUp, type Team, write } from "../support/played-team.ts";
import { sampleKinds } from "../support/sample.ts";

// Mo has put a key of his own into the form's envelope, and was removed. The service lists it. A new device asks a person about his revision: their answer makes
// no key the form's for which nothing else speaks.

const writers = ["an owner", "a manager"] as const;
const logs = {
  none: "the form has no key log",
  lacking: "the key log does not name it",
  owners: "an owner has signed its entry in the key log",
  own: "its writer alone has signed its entry in the key log",
  hidden: "the key log is hidden",
} as const;
const nexts = ["nobody", "somebody who writes", "somebody who writes no longer"] as const;

interface Case {
  readonly writer: (typeof writers)[number];
  readonly log: keyof typeof logs;
  /** Nia, who still writes, has had the key in an older revision. */
  readonly isOlder: boolean;
  /** Who signs the revision after the person's own. */
  readonly next: (typeof nexts)[number];
}

const cases: readonly Case[] = (Object.keys(logs) as (keyof typeof logs)[]).flatMap((log) =>
  [true, false].flatMap((isOlder) =>
    nexts.flatMap((next, index) =>
      (isOlder === (index % 2 === 0) ? writers : writers.toReversed()).map((writer) => ({
        writer,
        log,
        isOlder,
        next,
      })),
    ),
  ),
);

/** Whether something speaks for the key at the first sight. */
function isBacked({ log, isOlder }: Case): boolean {
  return log === "owners" || (isOlder && (log === "none" || log === "own"));
}

let planted: FormKey;
let third: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  const [second, another] = await Promise.all([newFormKey(2), newFormKey(3)]);
  planted = { ...second.key, seed: createVersionSeed() };
  third = another;
});

for (const [index, one] of sampleKinds(cases, ({ log, isOlder, next }) => `${log} ${isOlder} ${next}`).entries())
  for (const agent of agentsOf(index))
    test(`a key of ${one.writer} who was removed, where ${logs[one.log]} and ${one.isOlder ? "an older revision of somebody else" : "no other revision"} has it, and ${one.next} writes next, with the key in ${agent}`, () =>
      answer(one, agent));

async function answer(one: Case, agent: AgentName): Promise<void> {
  const { log, isOlder, next, writer } = one;
  const team = await setUp(log === "none" ? "without" : "with a key log");
  const { server, formId, people, see } = team;
  const { ada, mo, nia, rob } = people;
  if (writer === "an owner") await add(team, ada, { change: "replace", member: toMember(mo, "owner") });
  const store = await see();
  const signer = { owners: ada, own: mo, none: undefined, lacking: undefined, hidden: undefined }[log];
  const keyLog = signer && (await logPlanted(team, signer));
  const parts = { keys: [planted], ...(keyLog && { keyLog }) };
  if (isOlder) await write(team, nia, parts);
  await write(team, mo, isOlder ? {} : parts);
  await add(team, ada, { change: "remove", member: { id: mo.id } });
  server.keys.push({ version: 2, fingerprint: planted.fingerprint });
  if (log === "hidden") server.lies = { fetchKeyLog: async () => new Uint8Array() };

  const outcome = await sayThatItIsRight(team, agent, store);
  const standing = async () => (await createHeads(store).findEnvelopes(formId)).heads.flatMap(({ keys }) => keys);
  if (log === "hidden") {
    assert.deepEqual([outcome, await standing()], ["unknown_key_log", []]);
    return;
  }
  assert.equal(outcome, "accepted");
  const isProvedHere = async (version: number) => {
    const key = (await standing()).find((one) => one.version === version);
    return key?.isPublished === true && key.isUnproven !== true;
  };
  // A key that the log denies is not the form's either, no matter who has had it.
  assert.deepEqual([await isProvedHere(1), await isProvedHere(2)], [true, isBacked(one)]);

  // It is carried on, and the person's own revision proves nothing.
  const actor = await openActor(agent, server, ada, third, store);
  assert.equal(await actor.changeReaders(formId, { add: [], remove: [rob.id] }), "changed");
  const { opened } = await openRevision(team, server.envelopes.get(1)?.length ?? 0);
  assert.deepEqual(
    opened.content.keys.map(({ version }) => version),
    [1, 2],
  );
  assert.deepEqual([...(await actor.open(formId)).keys.keys()], [1, 2], "submissions open");
  assert.deepEqual([await isProvedHere(1), await isProvedHere(2)], [true, isBacked(one)]);

  const isFormer = next === "somebody who writes no longer";
  if (next !== "nobody") await write(team, nia);
  if (isFormer) await add(team, ada, { change: "remove", member: { id: nia.id } });
  const page = await openForm(openBrowser(server, ada, createHeads(store)), formId);
  assert.ok(page.kind === "opened");
  assert.deepEqual(page.refused, []);
  const isProved = isBacked(one) || (log !== "lacking" && next === "somebody who writes");
  assert.equal(await isProvedHere(2), isProved);
  assert.deepEqual(page.unproved, isProved ? [] : [2]);
  const held = findHeldKeys(page.envelopes).map(({ keyVersion }) => keyVersion);
  assert.deepEqual(held, isProved ? [1, 2] : [1], "nobody signs or pins it");
  // It becomes the form's by no older revision, but an owner may sign for it.
  if (log === "own" && !isProved) {
    await logPlanted(team, ada);
    await openForm(openBrowser(server, ada, createHeads(store)), formId);
    assert.equal(await isProvedHere(2), true);
  }
  assert.equal(await actor.rotate(formId), "rotated");
}

test("a key that was unproven at the first sight is not proved to a device by a revision that its person has written on another one", async () => {
  const team = await setUp("without");
  const { server, formId, people, see } = team;
  const { ada, mo, rob } = people;
  const [store, other] = [await see(), await see()];
  await write(team, mo, { keys: [planted] });
  await add(team, ada, { change: "remove", member: { id: mo.id } });
  server.keys.push({ version: 2, fingerprint: planted.fingerprint });
  for (const [index, one] of [store, other].entries())
    assert.equal(await sayThatItIsRight(team, index === 0 ? "a worker" : "memory", one), "accepted");
  const actor = await openActor("a worker", server, ada, third, store);
  assert.equal(await actor.changeReaders(formId, { add: [], remove: [rob.id] }), "changed");
  const writer = await openWriter(server, ada, other);
  const page = await openForm(openBrowser(server, ada, createHeads(store)), formId);
  const opened = await writer.open(formId);
  assert.ok(opened.kind === "opened" && page.kind === "opened");
  assert.deepEqual([opened.refused, opened.unproved, page.unproved], [[], [2], [2]]);
});

for (const [sender, isFound] of [
  ["somebody else", true],
  ["the same sender", false],
] as const)
  test(`below a first sight 64 revisions are looked at, and 32 of one sender whose do not open: the key of an older one by ${sender} is ${isFound ? "proved" : "unproven"}`, async () => {
    const team = await setUp("without");
    const { server, formId, people, see } = team;
    const { ada, mo, nia } = people;
    await write(team, nia, { keys: [planted] });
    const revisions = server.envelopes.get(1) ?? assert.fail();
    const { list, opened: previous } = await openRevision(team, revisions.length);
    if (sender === "somebody else") server.writers.set(`1 ${revisions.length}`, nia.id);
    for (let count = 0; count < 70; count++) revisions.push(crypto.getRandomValues(new Uint8Array(300)));
    const readerIds = previous.content.readers.map(({ id }) => id);
    const after = { revision: revisions.length, hash: "A".repeat(43) };
    const parts = { list, signer: await toSigner(mo), standing: { own: mo.key }, formId, readerIds, keys: [] };
    revisions.push((await sealEnvelope({ ...parts, previous, after })).file);
    await add(team, ada, { change: "remove", member: { id: mo.id } });
    server.keys.push({ version: 2, fingerprint: planted.fingerprint });
    let fetched = 0;
    server.lies = {
      async fetchEnvelope(_form, _version, revision = revisions.length) {
        fetched++;
        const file = revisions[revision - 1];
        return file && { file, revision };
      },
    };
    const page = openBrowser(server, ada, createHeads(await see()));
    const form = await openForm(page, formId);
    const [sight = assert.fail()] = form.kind === "opened" ? findToLookAt(form) : [];
    const { keys, keyLog } = describeSightKeys(sight.envelope);
    assert.deepEqual(
      keys.map(({ version, fingerprint, isUnproven }) => [version, fingerprint, isUnproven]),
      previous.content.keys.map(({ version, fingerprint }) => [version, fingerprint, !isFound]),
    );
    assert.equal(keyLog, "none");
    // The newest one itself, and the others.
    assert.equal(fetched, isFound ? 1 + 32 + 1 : 1 + 64);
  });

test("a person whose credential does not list revisions opens the form, and every key is unproven", async () => {
  const team = await setUp("without");
  const { server, formId, people, see } = team;
  const { ada, mo } = people;
  await write(team, mo);
  await add(team, ada, { change: "remove", member: { id: mo.id } });
  server.lies = {
    listRevisions: () => Promise.reject(new ApiError("No", { status: 403, code: "forbidden" })),
  };
  const form = await openForm(openBrowser(server, ada, createHeads(await see())), formId);
  const [sight = assert.fail()] = form.kind === "opened" ? findToLookAt(form) : [];
  assert.deepEqual(
    describeSightKeys(sight.envelope).keys.map(({ isUnproven }) => isUnproven),
    [true],
  );
});

/** The person says that it is right, as their program has it. */
async function sayThatItIsRight({ server, formId, people }: Team, agent: AgentName, store: HeadStore) {
  const { ada } = people;
  if (agent === "a worker") {
    const page = openBrowser(server, ada, createHeads(store));
    const opened = await openForm(page, formId);
    const [sight = assert.fail()] = opened.kind === "opened" ? findToLookAt(opened) : [];
    return (await sayIsRight(page, formId, sight)).outcome;
  }
  const writer = await openWriter(server, ada, store);
  const opened = await writer.open(formId);
  const [envelope = assert.fail()] = opened.kind === "opened" ? findFirstSights(opened) : [];
  const list = await writer.loadList();
  return writer.acceptFirstSight(formId, { envelope, shown: describeFirstSights(list)(envelope) });
}

/** An entry of the form's key log with the planted key, or one more with the same: its head. */
async function logPlanted({ server, formId }: Team, by: PlayedPerson): Promise<KeyLogHead> {
  const { keyAgent } = openBrowser(server, by);
  const log = new TextEncoder().encode(server.keyLogs.get(formId));
  const verified = await verifyKeyLog(log, { formId });
  assert.ok(typeof verified !== "string");
  const key = await toLoggedKey(formId, planted);
  const signed = await keyAgent.signKeyLogEntry({ formId, log, key, ...toSigners(verified.entry, by) });
  assert.ok(!(signed instanceof RefusalError), by.name);
  return server.api.addKeyLogEntry(formId, signed.entry, verified.head) as Promise<KeyLogHead>;
}

/** An owner names the signers. */
function toSigners({ owners, managers }: { owners: readonly string[]; managers: readonly string[] }, by: PlayedPerson) {
  return owners.includes(by.key.signingKey) ? { signers: { owners, managers } } : {};
}

async function add({ server }: Team, by: PlayedPerson, change: Change): Promise<void> {
  server.list.push(await writeEntry(server.list.join(""), by, change));
}
