import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleEvery } from "../../../tests/support/sample.ts";
import { toReader } from "./envelope-checks.ts";
import type { EnvelopeContent } from "./envelope-content.ts";
import { findUnintroduced } from "./introduced.ts";
import { continueKeyLog, toLoggedKey } from "./key-log-entry.ts";
import { findNewestEnvelope } from "./next-revision.ts";
import { EnvelopeMaker, toFormKey } from "./testing/envelope-maker.ts";
import { FormDevice, formId, knownList, lookAt, rotate, type Shown } from "./testing/form-device.ts";
import { createList, headOf, type Step, steps } from "./testing/list-maker.ts";
import { findPersonalKey, idOf, type KeyName, type Person, toMember } from "./testing/people.ts";
import { hashOf } from "./text.ts";

// Somebody who reads a form no longer, or never did, stores revisions of its envelopes, for themself and for a manager who never read it: whatever a device has
// seen, and whatever the service shows of the rest, the next honest rotation and sweep seal for neither, or a person was asked about them.

const former: Person = "second owner";
const friend: Person = "second reader";

const formers = {
  "an owner who was removed": { role: "owner", ending: { change: "remove" } },
  "an owner who is a manager now": { role: "owner", ending: { change: "replace", member: { role: "manager" } } },
  "an owner who is a reader now": { role: "owner", ending: { change: "replace", member: { role: "reader" } } },
  "an owner who has another key now": {
    role: "owner",
    ending: { change: "replace", key: "second owner, second key" as KeyName },
  },
  "an owner who has replaced their own key": {
    role: "owner",
    ending: { change: "replace", by: former, key: "second owner, second key" },
  },
  "a manager who was removed": { role: "manager", ending: { change: "remove" } },
  "a manager who was taken out of the form": { role: "manager" },
  "a manager who never read the form": { role: "manager", isStranger: true },
} satisfies Record<string, Former>;

interface Former {
  readonly role: "owner" | "manager";
  readonly ending?: Partial<Step>;
  readonly isStranger?: true;
}

const sights = [
  "nothing of the form",
  "envelope 1 alone",
  "everything",
  "envelope 33 alone",
  "everything before they were taken out",
] as const;
const lowers = ["opens", "is refused", "is hidden"] as const;
const acts = [
  "the same keys",
  "keys of their own",
  "no key log",
  "an envelope that they begin",
  "the first envelope",
  "a manager who confirms himself",
  "readers in the name of another owner",
] as const;

const base = ["owner", "manager", "reader", "recovery"] as const satisfies readonly Person[];
const maker = new EnvelopeMaker([]);
const made = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

/** Readers by those who put them there. */
type Readers = Partial<Record<Person, Person>>;
const namesOf = (readers: Readers) =>
  Object.keys(readers).sort((one, other) => (idOf(one as Person) < idOf(other as Person) ? -1 : 1)) as Person[]; // its keys

async function write(
  by: Person,
  readers: Readers,
  content: Partial<EnvelopeContent>,
): Promise<Uint8Array<ArrayBuffer>> {
  const name = JSON.stringify([by, readers, content]);
  const make = async () => {
    const named = await Promise.all(
      namesOf(readers).map(async (person) => toReader(await toMember(person), idOf(readers[person] ?? by))),
    );
    return maker.make(name, { readers: namesOf(readers), by, content: { formId, readers: named, ...content } });
  };
  const file = made.get(name) ?? make();
  made.set(name, file);
  return file;
}

async function play({ role, ending, isStranger }: Former) {
  const before: readonly Step[] = [
    ...steps.council,
    { of: former, by: "owner", member: { role } },
    { of: friend, by: "owner", member: { role: "manager" } },
  ];
  const after = ending === undefined ? before : [...before, { of: former, by: "owner" as const, ...ending }];
  const [then, text] = await Promise.all([createList(before), createList(after)]);
  const owner = await findPersonalKey("owner");
  const log = await continueKeyLog(
    new Uint8Array(),
    {
      formId,
      key: await toLoggedKey(formId, toFormKey(1, "small")),
      signers: { owners: [owner.signingKey], managers: [] },
    },
    [owner],
  );
  const keyLog = { number: 1, hash: await hashOf(log.split("\n")[0] ?? "") };
  const all: Readers = Object.fromEntries(
    [...base, ...(isStranger ? [] : [former])].map((person) => [person, "owner"]),
  );
  const left: Readers = Object.fromEntries(base.map((person) => [person, "owner"]));
  const list = await headOf(then);
  const keys = { 1: [toFormKey(1, "small")], 33: [toFormKey(33, "small")] };
  const chain = async (firstVersion: 1 | 33) => {
    const content = { firstVersion, list, keyLog, keys: keys[firstVersion] };
    const first = await write("owner", all, content);
    return [first, await write("owner", left, { ...content, revision: 2, previous: await hashOf(first) })] as const;
  };
  const [ones, more] = [await chain(1), await chain(33)];
  return { known: await knownList(text), now: await headOf(text), old: list, log, keyLog, left, keys, ones, more };
}

type World = Awaited<ReturnType<typeof play>>;
const worlds = new Map<string, Promise<World>>();

/** Revisions that the former writer stores, one after the other, in one envelope. */
async function attack(act: (typeof acts)[number], { old, now, keyLog, left, keys, ones, more }: World) {
  const firstVersion = act === "the first envelope" ? 1 : 33;
  const [first, second] = act === "the first envelope" ? ones : more;
  const own = toFormKey(34, "large");
  const content = {
    firstVersion,
    list: old,
    keyLog,
    keys: keys[firstVersion],
    revision: 3,
    previous: await hashOf(second),
  } as const;
  const mine: Readers = { ...left, [former]: former, [friend]: former };
  const of = (files: readonly Uint8Array<ArrayBuffer>[], published: readonly ReturnType<typeof toFormKey>[] = []) => ({
    firstVersion: content.firstVersion as number,
    before: [first, second] as readonly Uint8Array<ArrayBuffer>[],
    files,
    published,
  });
  if (act === "keys of their own")
    return of([await write(former, mine, { ...content, keys: [...content.keys, own] })], [own]);
  if (act === "no key log") return of([await write(former, mine, { ...content, keyLog: null })]);
  if (act === "readers in the name of another owner" || act === "the first envelope")
    return of([await write(former, { ...mine, [former]: "owner", [friend]: "owner" }, content)]);
  if (act === "an envelope that they begin") {
    const begun = { ...content, firstVersion: 65, revision: 1, previous: null, keys: [toFormKey(65, "large")] };
    const file = await write(former, { ...mine, [former]: "owner", [friend]: "owner" }, begun);
    return { ...of([file], [toFormKey(65, "large")]), firstVersion: 65, before: [] };
  }
  const same = await write(former, mine, content);
  if (act === "the same keys") return of([same]);
  const next = { ...content, list: now, revision: 4, previous: await hashOf(same) };
  return of([same, await write(friend, { ...left, [friend]: friend }, next)]);
}

const cases = Object.entries(formers).flatMap(([who, of]) =>
  sights.flatMap((sight) =>
    lowers.flatMap((lower) => acts.map((act) => [who, of as Former, sight, lower, act] as const)),
  ),
);

for (const [who, of, sight, lower, act] of sampleEvery(cases, 11)) {
  // Who opens for the first time can be shown what anybody made who had the keys of the lowest one: section 15, "What it does not protect".
  const isLowest = act === "the first envelope" || (act !== "an envelope that they begin" && lower === "is hidden");
  if (isLowest && sight === "nothing of the form") continue;
  if (act === "the first envelope" && lower !== "opens") continue;
  test(`${who} gets nobody sealed for unseen by ${act}, where a device has seen ${sight} and the envelope below ${lower}`, async () => {
    const world = await (worlds.get(who) ?? worlds.set(who, play(of)).get(who) ?? assert.fail());
    const { known, log, keys, left, ones, more } = world;
    const device = new FormDevice("owner", known, log);
    device.published = [...keys[1], ...keys[33]];
    const seen: Record<(typeof sights)[number], Shown | undefined> = {
      "nothing of the form": undefined,
      "envelope 1 alone": { 1: ones.slice(0, 1) },
      everything: { 1: ones, 33: more },
      "envelope 33 alone": { 33: more },
      "everything before they were taken out": { 1: ones.slice(0, 1), 33: more.slice(0, 1) },
    };
    const before = seen[sight];
    if (before !== undefined) assert.deepEqual((await device.look(before)).refused, []);

    const { firstVersion, before: honest, files, published } = await attack(act, world);
    device.published = [...device.published, ...published];
    const junk = new TextEncoder().encode("made up");
    const times = sight === "everything before they were taken out" ? 300 : 1;
    const shown: Record<number, readonly Uint8Array<ArrayBuffer>[]> = { 1: ones, 33: more };
    if (act !== "the first envelope" && lower === "is refused") shown[1] = [...ones, ...Array(times).fill(junk)];
    if (act !== "the first envelope" && lower === "is hidden") delete shown[1];
    for (const index of files.keys()) {
      shown[firstVersion] = [...honest, ...files.slice(0, index + 1)];
      await device.look(shown);
    }
    const first = await device.look(shown);
    await assertAsked(first.envelopes);
    for (const { head } of first.envelopes) assert.notEqual(head.keyLog, null, "the key log was not given up");

    // An owner brings back what is refused, and rotates.
    for (const { firstVersion: refused, reason } of first.refused) {
      const its = shown[refused];
      if (its === undefined || reason === "hidden_envelope" || refused === 65) continue;
      const next = { list: world.now, keyLog: world.keyLog, firstVersion: refused, revision: its.length + 1 };
      const previous = await hashOf(its.at(-1) ?? assert.fail());
      const own = refused === 1 ? keys[1] : keys[33];
      shown[refused] = [...its, await write("owner", left, { ...next, previous, keys: own })];
    }
    await assertAsked((await device.look(shown)).envelopes);

    async function assertAsked(envelopes: (typeof first)["envelopes"]): Promise<void> {
      for (const envelope of envelopes) {
        const newest = envelope === findNewestEnvelope(envelopes);
        const sealed = await rotate(known, envelope, newest ? [toFormKey(envelope.firstVersion + 5, "small")] : []);
        for (const id of [former, friend].map(idOf)) {
          if (!sealed.readers.some((reader) => reader.id === id)) continue;
          assert.ok(findUnintroduced(known, envelope.head).includes(id), `${id} is named before`);
          assert.ok(findUnintroduced(known, sealed).includes(id), `${id} is named from then on`);
        }
      }
    }
  });
}

// Honest people continue: who leaves takes nobody's envelopes along, whatever other devices have missed.

const honest = (person: Person, role: "owner" | "manager" | "reader", by: Person = "owner"): Step => ({
  ...{ of: person, by, member: { role } },
});
const everybody: Readers = {
  owner: "owner",
  "second owner": "owner",
  manager: "owner",
  reader: "owner",
  recovery: "owner",
};
const withFriend: Readers = { ...everybody, [friend]: former };
const stayed = ({ [former]: _, ...readers }: Readers): Readers => readers;
const start = [...steps.council, honest(former, "manager"), honest(friend, "manager")];

async function following(...texts: readonly (readonly Step[])[]) {
  const lists = await Promise.all(texts.map((text) => createList(text)));
  return { heads: await Promise.all(lists.map((text) => headOf(text))), known: await knownList(lists.at(-1) ?? "") };
}

/** The first revision and its successors. */
async function chainOf(
  firstVersion: number,
  revisions: readonly (readonly [Person, Readers, Partial<EnvelopeContent>])[],
) {
  const files: Uint8Array<ArrayBuffer>[] = [];
  for (const [by, readers, content] of revisions) {
    const last = files.at(-1);
    const previous = last === undefined ? null : await hashOf(last);
    files.push(await write(by, readers, { firstVersion, revision: files.length + 1, previous, ...content }));
  }
  return files;
}

const one = [toFormKey(1, "small")];
const two = [...one, toFormKey(2, "large")];

for (const role of ["owner", "manager"] as const)
  for (const added of ["a reader", "a manager who writes next"] as const)
    test(`after an ${role} has rotated, put in ${added}, and left, who was away opens what others write then, and is asked about whom they put in`, async () => {
      const before = [
        ...steps.council,
        honest(former, role),
        honest(friend, added === "a reader" ? "reader" : "manager"),
      ];
      const { heads, known } = await following(before, [...before, { change: "remove", of: former, by: "owner" }]);
      const [then, now] = heads as [(typeof heads)[0], (typeof heads)[0]]; // one of each
      const files = await chainOf(1, [
        ["owner", everybody, { list: then, keys: one }],
        [former, everybody, { list: then, keys: two }],
        [former, withFriend, { list: then, keys: two }],
        [added === "a reader" ? "manager" : friend, stayed(withFriend), { list: now, keys: two }],
      ]);
      const device = new FormDevice("reader", known);
      device.published = one;
      assert.deepEqual((await device.look({ 1: files.slice(0, 1) })).refused, []);
      device.published = two;
      const followed = await device.look({ 1: files });
      assert.deepEqual(followed.refused, []);
      const [opened] = followed.envelopes;
      assert.deepEqual(opened && [opened.head.revision, findUnintroduced(known, opened.head)], [4, [idOf(friend)]]);
    });

test("envelopes that a sweep has written in part open on every device", async () => {
  const { heads, known } = await following(start);
  const content = { ...(heads[0] && { list: heads[0] }) };
  const ones = await chainOf(1, [["owner", everybody, { ...content, keys: one }]]);
  const more = await chainOf(33, [
    ["owner", everybody, { ...content, keys: [toFormKey(33, "small")] }],
    ["manager", stayed(everybody), { ...content, keys: [toFormKey(33, "small")] }],
  ]);
  for (const seen of [undefined, { 1: ones }, { 1: ones, 33: more.slice(0, 1) }, { 33: more }]) {
    const device = new FormDevice("reader", known);
    device.published = [...one, toFormKey(33, "small")];
    if (seen !== undefined && !(1 in seen)) await handOver(device, { 1: ones, 33: more });
    else if (seen !== undefined) assert.deepEqual((await device.look(seen)).refused, []);
    assert.deepEqual((await device.look({ 1: ones, 33: more })).refused, []);
  }
});

/** Another device has handed over what it has seen of the last envelope. */
async function handOver(device: FormDevice, shown: Shown): Promise<void> {
  const other = new FormDevice("reader", device.list);
  other.published = device.published;
  const newest = findNewestEnvelope((await other.look(shown)).envelopes);
  assert.ok(newest && (await device.heads.advanceEnvelope(undefined, newest.head)));
}

for (const [what, isGone] of [
  ["reads no longer", false],
  ["has left", true],
] as const)
  test(`an envelope whose last writer ${what} opens on a device that was handed the next one alone${isGone ? ", once a person has looked at it" : ""}`, async () => {
    const after: readonly Step[] = isGone ? [...start, { change: "remove", of: former, by: "owner" }] : start;
    const { heads, known } = await following(start, after);
    const [then, now] = heads as [(typeof heads)[0], (typeof heads)[0]]; // one of each
    const ones = await chainOf(1, [
      ["owner", everybody, { list: then, keys: one }],
      [former, everybody, { list: then, keys: one }],
    ]);
    const more = await chainOf(33, [["owner", stayed(everybody), { list: now, keys: [toFormKey(33, "small")] }]]);
    const device = new FormDevice("reader", known);
    device.published = [...one, toFormKey(33, "small")];
    const shown = { 1: ones, 33: more };
    await handOver(device, shown);
    const followed = await (isGone ? lookAt(device, shown) : device.look(shown));
    assert.deepEqual([followed.refused, followed.envelopes.length], [[], 2]);
    const first = followed.envelopes.find(({ firstVersion }) => firstVersion === 1);
    assert.deepEqual(first && findUnintroduced(known, first.head), isGone ? [] : [idOf(former)]);
  });

test("an owner who wrote last, and is a reader from now on, reads the next revision", async () => {
  const before = [...steps.council, honest(former, "owner")];
  const { heads, known } = await following(before, [
    ...before,
    { change: "replace", of: former, by: "owner", member: { role: "reader" } },
  ]);
  const [then] = heads as [(typeof heads)[0]]; // the first
  const device = new FormDevice("owner", known);
  device.published = one;
  const shown = { 1: [await write(former, everybody, { list: then, keys: one })] };
  const [opened] = (await lookAt(device, shown)).envelopes;
  assert.ok(opened);
  assert.equal(opened.isByFormer, true);
  const sealed = await rotate(known, opened, [toFormKey(2, "large")]);
  assert.deepEqual(
    sealed.readers.map(({ id }) => id),
    namesOf(everybody).map(idOf),
  );
});
