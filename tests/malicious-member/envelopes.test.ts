import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type EnvelopeContent, type FormKey, importSigningKey, openEnvelope, RefusalError } from "@sealpost/envelope";
import { createId, createVersionSeed, encodeBase64Url, type FormId } from "@sealpost/wire";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { type CheckedList, loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
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
import { type Actor, type AgentName, agents, agentsOf, openActor } from "../support/envelope-actors.ts";
import { isEveryWay, isWhole, sampleEvery, sampleKinds } from "../support/sample.ts";

// Row B3 of the findings on 6a710908, shown by brick.test.ts and manager-dashboard.test.ts: one signed revision ended a form for everybody.
// The service keeps whatever a manager signs: it can't open an envelope. Then the owner removes the manager. Each case by a page or by the command line, in
// turn, and in `npm run test:cases` by both.

let [ada, bo, cy]: readonly PlayedPerson[] = [];
let keys: readonly FormKey[];
let rotated: Awaited<ReturnType<typeof newFormKey>>;

before(async () => {
  [ada, bo, cy] = await Promise.all([makePerson("Ada"), makePerson("Bo"), makePerson("Cy")]);
  keys = await Promise.all([1, 2].map(async (version) => (await newFormKey(version)).key));
  rotated = await newFormKey(2);
});

type Members = Partial<Record<keyof EnvelopeContent, unknown>>;
/** `content`: of the honest next revision, in which the case changes something. `readers`: for whom the file is, if not for all whom it names. */
interface HostileRevision {
  readonly change: (content: EnvelopeContent) => Members;
  readonly readers?: (people: Readonly<Record<"ada" | "bo" | "cy", PlayedPerson>>) => readonly PlayedPerson[];
}

const of = (members: Members): HostileRevision => ({ change: () => members });
const otherHash = "A".repeat(43);
const lacking = (person: () => PlayedPerson | undefined): HostileRevision => ({
  change: ({ readers }) => ({ readers: readers.filter(({ id }) => id !== person()?.id) }),
  readers: ({ ada, bo, cy }) => [ada, bo, cy].filter((one) => one !== person()),
});

/** For each member of the content, all that a hostile writer could gain by. A member without a case is red. */
const cases: Readonly<Record<keyof EnvelopeContent, Readonly<Record<string, HostileRevision>>>> = {
  format: { "another format": of({ format: "sealpost-envelope/2" }) },
  organizationId: { "another organization": of({ organizationId: createId("account") }) },
  formId: { "another form": of({ formId: createId("form") }) },
  formName: {
    "another name": of({ formName: "Hotline" }),
    "a name that looks the same": of({ formName: "V\u043Fte" }),
    "no name": of({ formName: "" }),
    "a name that turns the line round": of({ formName: "\u202Eetov" }),
  },
  firstVersion: {
    "the next envelope": of({ firstVersion: 33 }),
    "an envelope in between": of({ firstVersion: 2 }),
  },
  revision: {
    "one more than the next": { change: ({ revision }) => ({ revision: revision + 1 }) },
    "the same again": { change: ({ revision }) => ({ revision: revision - 1 }) },
    "the largest": of({ revision: 2 ** 31 - 1 }),
    "larger than a number can be exact": of({ revision: Number.MAX_SAFE_INTEGER }),
    "a text": of({ revision: "3" }),
  },
  previous: { "another file": of({ previous: otherHash }), "no file": of({ previous: null }) },
  list: {
    "an entry to come": { change: ({ list }) => ({ list: { number: list.number + 1, hash: otherHash } }) },
    "another entry of that number": { change: ({ list }) => ({ list: { number: list.number, hash: otherHash } }) },
  },
  keyLog: {
    "a log that does not exist": of({ keyLog: { number: 1, hash: otherHash } }),
    "the largest number of one": of({ keyLog: { number: 2 ** 31 - 1, hash: otherHash } }),
  },
  keys: {
    "no key": of({ keys: [] }),
    "another key in its place": { change: () => ({ keys: [{ ...keys[1], version: 1 }] }) },
    "another private key by its fingerprint": {
      change: (content) => ({ keys: content.keys.map((key) => ({ ...key, privateKey: keys[1]?.privateKey })) }),
    },
    "a wrong number in the private key": {
      change: (content) => ({
        keys: content.keys.map((key) => ({ ...key, privateKey: { ...key.privateKey, dp: keys[1]?.privateKey.dp } })),
      }),
    },
    "another seed": {
      change: (content) => ({ keys: content.keys.map((key) => ({ ...key, seed: createVersionSeed() })) }),
    },
    "the next version, ahead of its time": { change: (content) => ({ keys: [...content.keys, keys[1]] }) },
    "the last version of the window, ahead of its time": {
      change: (content) => ({ keys: [...content.keys, { ...keys[1], version: 32 }] }),
    },
    "every version of the window": {
      change: (content) => ({
        keys: [
          ...content.keys,
          ...Array.from({ length: 31 }, (_, index) => ({
            ...keys[1],
            version: index + 2,
            seed: createVersionSeed(),
          })),
        ],
      }),
    },
  },
  readers: {
    "without the owner": lacking(() => ada),
    "without the reader": lacking(() => cy),
    "without the writer": lacking(() => bo),
    "the owner by the manager's word": {
      change: ({ readers }) => ({ readers: readers.map((reader) => ({ ...reader, by: bo?.id })) }),
    },
    "another recipient": {
      change: ({ readers }) => ({ readers: readers.map((reader) => ({ ...reader, fingerprint: otherHash })) }),
    },
    "for the manager alone, in the names of all": { ...of({}), readers: ({ bo }) => [bo, bo, bo] },
    "for one more than it names": { ...of({}), readers: ({ ada, bo, cy }) => [ada, bo, cy, bo] },
  },
  writtenAt: { "in the far future": of({ writtenAt: "9999-12-31T23:59:59Z" }), "no time": of({ writtenAt: "soon" }) },
  signedBy: {
    "in the owner's name": { change: () => ({ signedBy: ada?.id }) },
    "by nobody": of({ signedBy: createId("account") }),
  },
  extensions: { "one that is not critical": of({ extensions: { note: "x" } }) },
  critical: { "one that nobody knows": of({ extensions: { note: "x" }, critical: ["note"] }) },
};

/** Who has opened the hostile revision while the manager was still one. */
const seenBy = ["nobody", "the owner and the reader"] as const;
type SeenBy = (typeof seenBy)[number];

const ways = seenBy.flatMap((seen) => agents.map((agent) => ({ seen, agent })));

/** `npm run test:cases` has all four, `.ci/run` one for each who may have seen it, `npm test` one. */
function waysOf(index: number): typeof ways {
  if (isEveryWay) return ways;
  return isWhole
    ? seenBy.flatMap((seen, place) => agentsOf(index + place).map((agent) => ({ seen, agent })))
    : [ways[(index * 3) % ways.length] ?? assert.fail()];
}

const all = Object.entries(cases).flatMap(([member, ofMember]) =>
  Object.entries(ofMember).map(([what, hostile]) => ({ member, what, hostile })),
);

// `npm test` has one case of each member.
for (const [index, { member, what, hostile }] of sampleKinds(all, (one) => one.member).entries())
  for (const { seen, agent } of waysOf(index))
    test(`B3: a manager signs ${member}: ${what}, seen by ${seen}; once he is removed, his colleagues read, change readers and rotate without him, with the key in ${agent}`, () =>
      survive([hostile], seen, agent));

test("B3: a manager signs two hostile revisions after one another, each kind after another: his colleagues read, change readers and rotate without him", async () => {
  const kinds = Object.values(cases).map((ofMember) => Object.values(ofMember)[0] ?? assert.fail());
  const pairs = kinds.map((first, index) => [first, kinds[(index + 5) % kinds.length] ?? assert.fail()]);
  for (const [index, pair] of sampleEvery(pairs, 4).entries())
    for (const agent of agentsOf(index)) await survive(pair, "the owner and the reader", agent);
});

async function survive(revisions: readonly HostileRevision[], seen: SeenBy, agent: AgentName): Promise<void> {
  assert.ok(ada && bo && cy);
  const server = playServer();
  const formId = createId("form");
  const store = createMemoryStore();
  const browser = openBrowser(server, ada, createHeads(store));
  await findOrFoundList(browser);
  for (const [person, role] of [[bo, "manager"] as const, [cy, "reader"] as const])
    server.list.push(await writeEntry(server.list.join(""), ada, { change: "add", member: toMember(person, role) }));
  server.keys.push({ version: 1, fingerprint: keys[0]?.fingerprint ?? "" });
  await importKeys(browser, await loadCheckedList(browser), formId, keys.slice(0, 1), [], "Vote");
  await changeReaders(browser, [formId], { add: [bo.id, cy.id], remove: [] });
  const adas = await openActor(agent, server, ada, rotated, store);
  assert.deepEqual([...(await adas.open(formId)).keys.keys()], [1]);

  const cys = await openActor(agent, server, cy, rotated);
  await createHeads(cys.heads).advanceList(organizationId, undefined, (await loadCheckedList(browser)).list.head);
  if (seen !== "nobody") assert.deepEqual([...(await cys.open(formId)).keys.keys()], [1]);

  for (const hostile of revisions) {
    await write(server, formId, hostile);
    if (seen === "nobody") continue;
    await adas.open(formId);
    await cys.open(formId);
  }

  const removed = { change: "remove", member: { id: bo.id } } as const;
  server.list.push(await writeEntry(server.list.join(""), ada, removed));
  await resume(adas, formId);
  assert.match(await adas.changeReaders(formId, { add: [], remove: [bo.id] }), /changed$/);
  assert.equal(await adas.rotate(formId), "rotated");
  await assertReads(adas, server, formId);

  assert.match(await adas.changeReaders(formId, { add: [cy.id], remove: [] }), /changed$/);
  await assertReads(cys, server, formId);

  const newest = server.envelopes.get(1)?.at(-1) ?? assert.fail();
  const { list } = await checkedList(server);
  const revision = server.envelopes.get(1)?.length ?? 0;
  const his = await openEnvelope(newest, bo.key.identity, { list, formId, firstVersion: 1, revision });
  assert.ok(his instanceof RefusalError, "the manager opens what was written after he was removed");
}

/** The revision that follows, honest but for what the case changes, as any program of a manager's can write it. */
async function write(server: PlayedServer, formId: FormId, { change, readers }: HostileRevision): Promise<void> {
  assert.ok(ada && bo && cy);
  const files = server.envelopes.get(1) ?? assert.fail();
  const { list } = await checkedList(server);
  const honest = server.envelopes.get(1)?.slice(0, 2).at(-1) ?? assert.fail();
  const opened = await openEnvelope(honest, bo.key.identity, { list, formId, firstVersion: 1, revision: 2 });
  if (opened instanceof RefusalError) throw opened;
  const next = {
    ...opened.content,
    revision: files.length + 1,
    previous: await hashOf(files.at(-1) ?? assert.fail()),
    list: list.head,
    signedBy: bo.id,
  };
  const text = await signLine(
    "sealpost-envelope/1",
    JSON.stringify({ ...next, ...change(next) }),
    await importSigningKey(bo.key.signingSeed),
  );
  const recipients = (readers?.({ ada, bo, cy }) ?? [ada, bo, cy]).map(({ key }) => key.recipient);
  files.push(await encryptTo(recipients, text));
}

/** As the page leads an owner: what is refused is followed by what was read before. */
async function resume(actor: Actor, formId: FormId): Promise<void> {
  const { refused } = await actor.open(formId);
  if (refused.length > 0) assert.equal(await actor.bringBack(formId), "brought", `refused (${refused})`);
}

/** Every published version, by the keys that visitors sealed with, and nothing is refused. */
async function assertReads(actor: Actor, server: PlayedServer, formId: FormId): Promise<void> {
  const { keys: held, refused } = await actor.open(formId);
  assert.deepEqual(refused, []);
  assert.equal(server.keys.length, 2);
  for (const { version, fingerprint } of server.keys)
    assert.equal(held.get(version), fingerprint, `version ${version} is not there`);
}

/** By a browser of the owner's that has seen nothing. */
async function checkedList(server: PlayedServer): Promise<CheckedList> {
  return loadCheckedList(openBrowser(server, ada ?? assert.fail()));
}

async function hashOf(file: Uint8Array<ArrayBuffer>): Promise<string> {
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", file)));
}
