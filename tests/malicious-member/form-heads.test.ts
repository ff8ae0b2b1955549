import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  type EnvelopeContent,
  type FormKey,
  importSigningKey,
  type ListHead,
  openEnvelope,
  RefusalError,
} from "@sealpost/envelope";
import { createId, createVersionSeed, encodeBase64Url, type FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { type CheckedList, loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
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
  writeEntry,
} from "../dashboard/played-envelopes.ts";
import { type AgentName, agents, agentsOf, openActor } from "../support/envelope-actors.ts";
import { importAsShown } from "../support/import-keys.ts";

// Key versions 33 to 64 have an envelope of their own, and who has opened that of the versions before knows who may begin it.

let [ada, bo, cy]: readonly PlayedPerson[] = [];
let keys: readonly FormKey[];
let rotated: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  [ada, bo, cy] = await Promise.all([makePerson("Ada"), makePerson("Bo"), makePerson("Cy")]);
  keys = await Promise.all([1, 33].map(async (version) => (await newFormKey(version)).key));
  rotated = await newFormKey(34);
});

for (const agent of agentsOf(0))
  test(`an envelope that a manager has filled with bytes that open for nobody, below another one, is written again by an owner without keys, and new devices read what managers write above it, with the key in ${agent}`, async () => {
    assert.ok(ada && bo && cy);
    const server = playServer();
    const formId = createId("form");
    const store = createMemoryStore();
    const adas = openBrowser(server, ada, createHeads(store));
    await findOrFoundList(adas);
    await add(server, adas, cy, "reader");
    const head = await add(server, adas, bo, "manager");
    server.keys.push({ version: 1, fingerprint: keys[0]?.fingerprint ?? "" });
    await importKeys(adas, await checkedList(adas), formId, keys.slice(0, 1), [], "Vote");
    await changeReaders(adas, [formId], { add: [bo.id, cy.id], remove: [] });
    server.keys.push({ version: 33, fingerprint: rotated.key.fingerprint });
    server.envelopes.set(33, [crypto.getRandomValues(new Uint8Array(4096))]);
    await write(server, formId, { list: head, revision: 1 }, 65);
    const open = async (person: PlayedPerson) => {
      const context = { ...openBrowser(server, person), isOwner: person === ada };
      await context.heads.advanceList(organizationId, undefined, head);
      const opened = await openForm(context, formId);
      assert.ok(opened.kind === "opened");
      const { refused, forReading, envelopes } = opened;
      return [refused.map(({ reason }) => reason), forReading.length, envelopes.length];
    };
    assert.deepEqual(await open(cy), [["malformed", "not_allowed"], 1, 1], "its keys open submissions");

    const bos = createMemoryStore();
    await createHeads(bos).advanceList(organizationId, undefined, head);
    const manager = await openActor(agent, server, bo, rotated, bos);
    assert.equal(await manager.clear(formId, 33), "not_clearable", "managers do not");
    const owner = await openActor(agent, server, ada, rotated, store);
    assert.equal(await owner.clear(formId, 33), "cleared");
    assert.equal(await owner.clear(formId, 33), "not_clearable");
    for (const person of [ada, bo, cy]) assert.deepEqual(await open(person), [[], 0, 3]);
  });

interface Begun {
  /** Bo's role when he begins the envelope, and whether he is still a reader of the form. */
  readonly role: "owner" | "manager";
  readonly reads: boolean;
  /** By the list in which he was an owner. */
  readonly list: "then" | "now";
  /** The number under which the server keeps it, and the one in it. */
  readonly revision: number;
  readonly outcome: "opened" | "not_allowed" | "old_list";
}

const begun: readonly Begun[] = (["owner", "manager"] as const).flatMap((role) =>
  [true, false].flatMap((reads) => {
    const mayBegin = role === "owner" || reads;
    const now: Begun = { role, reads, list: "now", revision: 1, outcome: mayBegin ? "opened" : "not_allowed" };
    const then: Begun = { ...now, list: "then", outcome: "old_list" };
    const refused = [...(mayBegin ? [] : [now]), ...(role === "manager" && !reads ? [then] : [])];
    const others = role === "manager" && reads ? [then] : [];
    return [now, ...others, ...refused.map((one) => ({ ...one, revision: 7 }))];
  }),
);

for (const [index, one] of begun.entries())
  for (const agent of agentsOf(index))
    test(`${one.role === "owner" ? "an owner" : "a former owner, now a manager,"} who ${one.reads ? "reads" : "was taken out of"} a form begins an envelope by the list of ${one.list}, at revision ${one.revision}: ${one.outcome}, and it is rotated on, with the key in ${agent}`, () =>
      begin(one, agent));

async function begin({ role, reads, list, revision, outcome }: Begun, agent: AgentName): Promise<void> {
  assert.ok(ada && bo && cy);
  const server = playServer();
  const formId = createId("form");
  const store = createMemoryStore();
  const adas = openBrowser(server, ada, createHeads(store));
  await findOrFoundList(adas);
  await add(server, adas, cy, "reader");
  const then = await add(server, adas, bo, "owner");
  server.keys.push({ version: 1, fingerprint: keys[0]?.fingerprint ?? "" });
  await importKeys(adas, await checkedList(adas), formId, keys.slice(0, 1), [], "Vote");
  await changeReaders(adas, [formId], { add: [bo.id, cy.id], remove: [] });
  if (role === "manager") {
    const changed = { change: "replace", member: toMember(bo, "manager") } as const;
    server.list.push(await writeEntry(server.list.join(""), ada, changed));
  }
  await changeReaders(adas, [formId], { add: [], remove: [bo.id] });
  if (reads) await changeReaders(adas, [formId], { add: [bo.id], remove: [] });
  const cys = { ...openBrowser(server, cy), isOwner: false };
  await cys.heads.advanceList(organizationId, undefined, then);
  for (const context of [adas, cys]) assert.deepEqual(await outcomeOf(context, formId), ["opened"]);

  const now = (await checkedList(adas)).list.head;
  const listHead = list === "now" ? now : role === "manager" ? then : now;
  await write(server, formId, { list: listHead, revision });
  for (const context of [adas, cys]) assert.deepEqual((await outcomeOf(context, formId)).at(-1), outcome);

  // Whichever it is, the form gets a key that Bo does not have unless he reads it; what was sealed to his own key, which nobody else can use, is asked about.
  const owner = await openActor(agent, server, ada, rotated, store);
  const lost: number[] = [];
  if (outcome !== "opened") assert.equal(await owner.rotate(formId), "lost_keys");
  assert.equal(await owner.rotate(formId, ({ missing }) => void lost.push(...missing)), "rotated");
  assert.deepEqual(lost, outcome === "opened" ? [] : [33]);
  for (const context of [adas, cys]) assert.deepEqual(await outcomeOf(context, formId), ["opened", "opened"]);
  const newest = server.envelopes.get(33)?.at(-1) ?? assert.fail();
  const expected = { list: (await checkedList(adas)).list, formId, firstVersion: 33, revision: revision + 1 };
  const his = await openEnvelope(newest, bo.key.identity, expected);
  assert.equal(!(his instanceof RefusalError), outcome === "opened" || reads);
}

test("no rotation loses a key that can be brought back, on a device that has seen the form and not the envelope of its newest versions", async () => {
  assert.ok(ada && bo && cy);
  for (const agent of agents) {
    const server = playServer();
    const formId = createId("form");
    const adas = openBrowser(server, ada);
    await findOrFoundList(adas);
    server.keys.push({ version: 1, fingerprint: keys[0]?.fingerprint ?? "" });
    const list = await checkedList(adas);
    await importKeys(adas, list, formId, keys.slice(0, 1), [], "Vote");
    const device = await openActor(agent, server, ada, rotated);
    assert.deepEqual((await device.open(formId)).refused, []);
    server.keys.push({ version: 33, fingerprint: keys[1]?.fingerprint ?? "" });
    const opening = await openForm(adas, formId);
    await importAsShown(adas, list, formId, keys.slice(1), opening);
    // A manager, with any program.
    server.envelopes.get(33)?.push(await encryptTo([bo.key.recipient], "nobody else's"));
    assert.deepEqual((await device.open(formId)).refused, ["not_a_reader"], agent);
    assert.equal(await device.rotate(formId), "not_a_reader", agent);
    assert.equal(server.keys.length, 2);
    assert.equal(await device.bringBack(formId, 33), "brought", agent);
    assert.equal(await device.rotate(formId), "rotated", agent);
    assert.deepEqual([...(await device.open(formId)).keys.keys()], [1, 33, 34], agent);
  }
});

test("an envelope that was seen stays open, and is written on, after one of lower versions was written alone by a newer list", async () => {
  assert.ok(ada && bo && cy);
  for (const agent of agents) {
    const server = playServer();
    const formId = createId("form");
    const store = createMemoryStore();
    const adas = openBrowser(server, ada, createHeads(store));
    await findOrFoundList(adas);
    await add(server, adas, bo, "owner");
    const list = await checkedList(adas);
    for (const key of keys) {
      server.keys.push({ version: key.version, fingerprint: key.fingerprint });
      const opening = await openForm(adas, formId);
      await importAsShown(adas, list, formId, [key], opening);
    }
    const device = await openActor(agent, server, ada, rotated, store);
    assert.deepEqual((await device.open(formId)).refused, []);
    await add(server, adas, cy, "reader");
    // A manager, with any program; and what an honest person does then.
    server.envelopes.get(1)?.push(await encryptTo([bo.key.recipient], "nobody else's"));
    assert.deepEqual((await device.open(formId)).refused, ["not_a_reader"]);
    assert.equal(await device.bringBack(formId), "brought", agent);
    for (const time of ["at once", "again"]) assert.deepEqual((await device.open(formId)).refused, [], time);
    assert.equal(await device.changeReaders(formId, { add: [cy.id], remove: [] }), "changed", agent);
    assert.equal(await device.rotate(formId), "rotated", agent);
    assert.deepEqual([...(await device.open(formId)).keys.keys()], [1, 33, 34], agent);
  }
});

async function add(
  server: PlayedServer,
  by: EnvelopeContext,
  person: PlayedPerson,
  role: "owner" | "manager" | "reader",
) {
  assert.ok(ada);
  server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(person, role) }));
  return (await checkedList(by)).list.head;
}

/** Another envelope for the same form, as any program can write it, and the server's word that its key is the form's. */
async function write(
  server: PlayedServer,
  formId: FormId,
  { list, revision }: { readonly list: ListHead; readonly revision: number },
  firstVersion = 33,
): Promise<void> {
  assert.ok(ada && bo && cy);
  const [key] = keys.slice(1);
  assert.ok(key);
  const readers = [ada, bo, cy].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const previous = revision === 1 ? null : await hashOf(new Uint8Array(1));
  const content: EnvelopeContent = {
    format: "sealpost-envelope/1",
    ...{ organizationId, formId, formName: "Vote", firstVersion, revision, previous },
    ...{ list, keyLog: null, keys: [{ ...key, version: firstVersion, seed: createVersionSeed() }] },
    readers: await Promise.all(
      readers.map(async ({ id, key: { recipient } }) => ({
        id,
        fingerprint: await hashOf(new TextEncoder().encode(recipient)),
        by: bo?.id ?? "",
      })),
    ),
    ...{ writtenAt: "2026-11-29T08:00:00Z", signedBy: bo.id, extensions: {}, critical: [] },
  };
  const signingKey = await importSigningKey(bo.key.signingSeed);
  const text = await signLine("sealpost-envelope/1", JSON.stringify(content), signingKey);
  const file = await encryptTo(
    readers.map(({ key: { recipient } }) => recipient),
    text,
  );
  server.envelopes.set(
    firstVersion,
    Array.from({ length: revision }, () => file),
  );
  server.keys.push({ version: firstVersion, fingerprint: key.fingerprint });
}

/** The outcome of each envelope, the first one first. */
async function outcomeOf(context: EnvelopeContext, formId: FormId): Promise<readonly string[]> {
  const opening = await openForm(context, formId);
  assert.ok(opening.kind === "opened", opening.kind);
  return [...opening.envelopes.map(() => "opened"), ...opening.refused.map(({ reason }) => reason)];
}

async function checkedList(context: EnvelopeContext): Promise<CheckedList> {
  const list = await loadList(context);
  assert.equal(list.kind, "checked");
  return list as CheckedList; // just asserted
}

async function hashOf(file: Uint8Array<ArrayBuffer>): Promise<string> {
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", file)));
}
