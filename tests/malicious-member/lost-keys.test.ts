import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { FormKey } from "@sealpost/envelope";
import { EnvelopeProblemError, UnfinishedSearchError } from "@sealpost/sdk/envelopes";
import { createId } from "@sealpost/wire";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { createFormWithEnvelope, importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { encryptTo } from "../../packages/envelope/src/age-file.ts";
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
import { type AgentName, agents, agentsOf, openActor, openWriter } from "../support/envelope-actors.ts";
import { importAsShown } from "../support/import-keys.ts";
import { sampleKinds } from "../support/sample.ts";

// A manager stores revisions that open for nobody else above the one with the form's keys, as many as they like. No rotation follows them without those keys:
// what was in the envelope is brought back first or, where the service has no revision that opens, a person says that the keys may be lost.

let [ada, mo, nia]: readonly PlayedPerson[] = [];
let keys: readonly FormKey[];
let rotated: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  [ada, mo, nia] = await Promise.all([makePerson("Ada"), makePerson("Mo"), makePerson("Nia")]);
  keys = await Promise.all([1, 33].map(async (version) => (await newFormKey(version)).key));
  rotated = await newFormKey(34);
});

const junk = {
  "bytes of no file": async () => crypto.getRandomValues(new Uint8Array(300)),
  "a file for themself": async () => encryptTo([mo?.key.recipient ?? ""], "nobody else's"),
  "a file for everybody that nobody has signed": async () =>
    encryptTo(
      [ada, mo, nia].map((person) => person?.key.recipient ?? ""),
      "made up",
    ),
} as const satisfies Readonly<Record<string, () => Promise<Uint8Array<ArrayBuffer>>>>;
type Junk = keyof typeof junk;

interface Case {
  readonly what: Junk;
  readonly count: number;
  readonly by: "owner" | "manager";
  /** The device that rotates has opened the form before there was the envelope of version 33, or nothing. */
  readonly device: "has seen the form" | "is fresh";
  /** The service still has the revision with the keys. */
  readonly isKept: boolean;
}

const cases: readonly Case[] = (Object.keys(junk) as Junk[]).flatMap((what) =>
  [1, 60, 70].flatMap((count) =>
    (["owner", "manager"] as const).flatMap((by) =>
      (["has seen the form", "is fresh"] as const).flatMap((device) =>
        [true, false].map((isKept) => ({ what, count, by, device, isKept })),
      ),
    ),
  ),
);

const describeJunk = ({ what, isKept }: Case) => (isKept ? what : `${what}, until the service has nothing else`);
const toKind = ({ count, device, isKept }: Case) => `${count} ${device} ${isKept}`;
for (const [index, one] of sampleKinds(cases, toKind).entries())
  for (const agent of agentsOf(index))
    test(`above the form's keys a manager stores ${one.count} times ${describeJunk(one)}: the ${one.by}, whose device ${one.device}, loses no key unasked, with the key in ${agent}`, () =>
      keep(one, agent));

async function keep({ what, count, by, device, isKept }: Case, agent: AgentName): Promise<void> {
  const { server, formId, people, see } = await setUp();
  const person = by === "owner" ? people.ada : people.nia;
  const seen = await see(person, device);
  await store(server, count, junk[what]);
  if (!isKept) drop(server);
  const actor = await openActor(agent, server, person, rotated, seen);

  const refused = await actor.rotate(formId);
  assert.notEqual(refused, "rotated");
  assert.equal(server.keys.length, 2, "nothing was sent");
  if (isKept) {
    // It may have taken the manager out on purpose, whatever the service shows of it: an owner says so, and can't open it either.
    const isForOwner = by === "manager";
    assert.equal(await actor.bringBack(formId, 33), isForOwner ? "owner_needed" : "brought");
    const adas = await openActor(agent, server, people.ada, rotated, await see(people.ada, device));
    if (isForOwner) assert.equal(await adas.bringBack(formId, 33), "brought");
    assert.equal(await actor.rotate(formId), "rotated");
    assert.deepEqual([...(await actor.open(formId)).keys.keys()], [1, 33, 34]);
    return;
  }
  assert.equal(await actor.bringBack(formId, 33), "nothing");
  assert.equal(refused, "lost_keys");
  const lost: unknown[] = [];
  assert.equal(
    await actor.rotate(formId, ({ envelope, missing }) => void lost.push(envelope?.firstVersion, missing)),
    "rotated",
  );
  assert.deepEqual(lost, [33, [33]], "what is lost was said");
  assert.deepEqual([...(await actor.open(formId)).keys.keys()], [1, 34]);
}

test("a revision that came after a person agreed to lose keys is not followed by the rotation", async () => {
  for (const agent of agentsOf(0)) {
    const { server, formId, people, see } = await setUp();
    const seen = await see(people.ada, "has seen the form");
    await store(server, 1, junk["bytes of no file"]);
    drop(server);
    const actor = await openActor(agent, server, people.ada, rotated, seen);
    const after = crypto.getRandomValues(new Uint8Array(300));
    const rotating = actor.rotate(formId, () => void server.envelopes.get(33)?.push(after));
    await assert.rejects(rotating, { status: 412 });
    assert.equal(server.keys.length, 2);
  }
});

test("below junk, what names a key log that was given up comes back on a new device once a person has said so there", async () => {
  assert.ok(ada);
  for (const agent of agents) {
    const server = playServer();
    const adas = openBrowser(server, ada);
    await findOrFoundList(adas);
    const list = await loadCheckedList(adas);
    const formId = createId("form");
    const { key, pair } = await newFormKey(1);
    await createFormWithEnvelope(adas, list, { formId, name: "Vote", publicKey: pair.publicKey }, key);
    server.envelopes.get(1)?.push(await junk["bytes of no file"]());
    server.keyLogs.delete(formId);
    const heads = createMemoryStore();
    await createHeads(heads).advanceList(organizationId, undefined, list.list.head);
    const actor = await openActor(agent, server, ada, await newFormKey(2), heads);
    assert.deepEqual((await actor.open(formId)).refused, ["malformed"]);
    assert.equal(await actor.bringBack(formId), "nothing");
    assert.equal((await createHeads(heads).findNamedKeyLogs(formId)).length, 1, "a person is asked about it");
    await createHeads(heads).forgetKeyLog(formId);
    assert.equal(await actor.bringBack(formId), "brought");
    assert.equal(await actor.rotate(formId), "rotated");
    assert.deepEqual([...(await actor.open(formId)).keys.keys()], [1, 2]);
  }
});

test("a service that lists revisions without end, or in no order, stops nobody for ever", async () => {
  const { server, formId, people, see } = await setUp();
  const seen = await see(people.ada, "has seen the form");
  await store(server, 3, junk["a file for themself"]);
  let asked = 0;
  const lists = {
    "in no order": [(page: number) => [page % 7, 3, 2, 9], "brought back first"],
    "without end": [(page: number) => [1_000_000 - page], "unfinished"],
  } as const;
  for (const [how, [toNumbers, outcome]] of Object.entries(lists)) {
    server.lies = {
      async listRevisions() {
        const revisions = toNumbers(++asked).map((revision) => ({ revision, createdAt: 1, writerId: people.mo.id }));
        return { revisions, next: String(asked) };
      },
    };
    const actor = await openActor("memory", server, people.ada, rotated, seen);
    asked = 0;
    const rotating = actor.rotate(formId);
    if (outcome === "unfinished") await assert.rejects(rotating, UnfinishedSearchError, how);
    else assert.equal(await rotating, "not_a_reader", how);
    assert.ok(asked < 15_000, `asked ${asked} times`);
  }
  assert.equal(server.keys.length, 2);
});

test("a manager rotates as they should, and then stores junk: what they have rotated to is found below it, and not the revision of somebody else before it", async () => {
  for (const agent of agents) {
    const { server, formId, people, see } = await setUp();
    const own = await openActor("a worker", server, people.mo, rotated, await see(people.mo, "is fresh"));
    assert.equal(await own.rotate(formId), "rotated");
    const { length } = server.envelopes.get(33) ?? [];
    server.writers.set(`33 ${length}`, people.mo.id);
    await store(server, 40, junk["bytes of no file"]);
    const fresh = await see(people.ada, "is fresh");
    const actor = await openActor(agent, server, people.ada, await newFormKey(35), fresh);
    assert.notEqual(await actor.rotate(formId), "rotated");
    assert.equal(await actor.bringBack(formId, 33), "brought");
    assert.equal(await actor.rotate(formId), "rotated");
    assert.deepEqual([...(await actor.open(formId)).keys.keys()], [1, 33, 34, 35]);
  }
});

test("one sender's junk costs 32 tries, and where 512 revisions of many senders do not open, a person says whether all are tried", async () => {
  const { server, formId, people, see } = await setUp();
  await store(server, 400, junk["bytes of no file"]);
  const writer = await openWriter(server, people.ada, await see(people.ada, "is fresh"));
  server.sent.length = 0;
  assert.equal((await writer.findBringable(formId, 33))?.older.head.revision, 1);
  const fetched = () => server.sent.filter((text) => text.startsWith('["fetchEnvelope",')).length;
  assert.ok(fetched() < 40, String(fetched()));

  await store(server, 200, junk["bytes of no file"]);
  for (let revision = 2; revision <= 601; revision++) server.writers.set(`33 ${revision}`, `person ${revision % 30}`);
  const isUnfinished = (error: Error) => error instanceof UnfinishedSearchError && error.tried === 512;
  await assert.rejects(writer.findBringable(formId, 33), isUnfinished);
  await assert.rejects(writer.findClearable(formId, 33), isUnfinished);
  await assert.rejects(writer.rotateForm(formId, { confirmLoss: async () => undefined }), isUnfinished);
  assert.equal((await writer.findBringable(formId, 33, { isThorough: true }))?.older.head.revision, 1);
  await assert.rejects(
    writer.rotateForm(formId, { isThorough: true, confirmLoss: async () => undefined }),
    (error: Error) => error instanceof EnvelopeProblemError && error.problem === "malformed",
  );
  assert.equal(server.keys.length, 2);
});

/** A form whose versions 1 and 33 are in two envelopes, for an owner and two managers, of whom one is dishonest. */
async function setUp() {
  assert.ok(ada && mo && nia);
  const people = { ada, mo, nia };
  const server = playServer();
  const formId = createId("form");
  const adas = openBrowser(server, ada);
  await findOrFoundList(adas);
  for (const one of [mo, nia])
    server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(one, "manager") }));
  server.keys.push({ version: 1, fingerprint: keys[0]?.fingerprint ?? "" });
  const list = await loadCheckedList(adas);
  await importKeys(adas, list, formId, keys.slice(0, 1), [], "Vote");
  await changeReaders(adas, [formId], { add: [mo.id, nia.id], remove: [] });
  const stores = new Map<PlayedPerson, ReturnType<typeof createMemoryStore>>();
  for (const one of [ada, nia]) {
    const heads = createMemoryStore();
    const context = openBrowser(server, one, createHeads(heads));
    await context.heads.advanceList(organizationId, undefined, list.list.head);
    const opened = await openForm(context, formId);
    assert.ok(opened.kind === "opened" && opened.refused.length === 0);
    stores.set(one, heads);
  }
  server.keys.push({ version: 33, fingerprint: keys[1]?.fingerprint ?? "" });
  const opened = await openForm(adas, formId);
  await importAsShown(adas, list, formId, keys.slice(1), opened);
  const see = async (person: PlayedPerson, device: Case["device"]) => {
    const heads = createMemoryStore();
    await createHeads(heads).advanceList(organizationId, undefined, list.list.head);
    return device === "is fresh" ? heads : (stores.get(person) ?? assert.fail());
  };
  return { server, formId, people, see };
}

async function store(server: PlayedServer, count: number, make: () => Promise<Uint8Array<ArrayBuffer>>): Promise<void> {
  const files = server.envelopes.get(33) ?? assert.fail();
  for (let number = 0; number < count; number++) {
    files.push(await make());
    server.writers.set(`33 ${files.length}`, mo?.id ?? "");
  }
}

/** The service does not keep the honest revision any longer: its number stays. */
function drop({ envelopes }: PlayedServer): void {
  // As `fetchEnvelope` has it of one that is gone.
  envelopes.get(33)?.fill(undefined as never, 0, 1);
}
