import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Change, type FormKey, type HeadStore, RefusalError, toLoggedKey } from "@sealpost/envelope";
import { describeFirstSights, findFirstSights, findHeldKeys } from "@sealpost/sdk/envelopes";
import { createVersionSeed, type KeyLogHead, verifyKeyLog } from "@sealpost/wire";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { findToLookAt, sayIsRight } from "../../packages/dashboard/src/envelopes/look-at.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { newFormKey, openBrowser, type PlayedPerson, toMember, writeEntry } from "../dashboard/played-envelopes.ts";
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
  const isPublished = async (version: number) => (await standing()).find((key) => key.version === version)?.isPublished;
  // What the log denies is not the form's either, whoever has had it.
  assert.deepEqual([await isPublished(1), await isPublished(2)], [true, isBacked(one)]);

  // It is carried on, and the person's own revision proves nothing.
  const actor = await openActor(agent, server, ada, third, store);
  assert.equal(await actor.changeReaders(formId, { add: [], remove: [rob.id] }), "changed");
  const { opened } = await openRevision(team, server.envelopes.get(1)?.length ?? 0);
  assert.deepEqual(
    opened.content.keys.map(({ version }) => version),
    [1, 2],
  );
  assert.deepEqual([...(await actor.open(formId)).keys.keys()], [1, 2], "submissions open");
  assert.deepEqual([await isPublished(1), await isPublished(2)], [true, isBacked(one)]);

  const isFormer = next === "somebody who writes no longer";
  if (next !== "nobody") await write(team, nia);
  if (isFormer) await add(team, ada, { change: "remove", member: { id: nia.id } });
  const page = await openForm(openBrowser(server, ada, createHeads(store)), formId);
  assert.ok(page.kind === "opened");
  assert.deepEqual(page.refused, []);
  const isProved = isBacked(one) || (log !== "lacking" && next === "somebody who writes");
  assert.equal(await isPublished(2), isProved);
  assert.deepEqual(page.unproved, isProved ? [] : [2]);
  const held = findHeldKeys(page.envelopes).map(({ keyVersion }) => keyVersion);
  assert.deepEqual(held, isProved ? [1, 2] : [1], "nobody signs or pins it");
  // It becomes the form's by no older revision, but an owner may sign for it.
  if (log === "own" && !isProved) {
    await logPlanted(team, ada);
    await openForm(openBrowser(server, ada, createHeads(store)), formId);
    assert.equal(await isPublished(2), true);
  }
  assert.equal(await actor.rotate(formId), "rotated");
}

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
