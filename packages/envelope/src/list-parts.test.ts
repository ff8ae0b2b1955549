import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchParts } from "./fetch-parts.ts";
import { followList } from "./follow-list.ts";
import { type VerifiedList, verifyList, verifyNextEntry } from "./list.ts";
import { findFirstNumber, joinParts, splitParts } from "./list-bytes.ts";
import { createListPart } from "./list-part.ts";
import { findListRoom } from "./list-room.ts";
import { entriesMax } from "./list-rules.ts";
import type { NewMember } from "./member.ts";
import { createListEntry } from "./next-entry.ts";
import { RefusalError } from "./refusal.ts";
import { createSeenHeads, type HeadStore } from "./seen-heads.ts";
import { findUnvouched, findUnvouchedInPart, toConfirmed, type Unvouched } from "./standing.ts";
import { createList, type Step } from "./testing/list-maker.ts";
import { expectedOfParts, partVectorFile, tryParts } from "./testing/part-conformance.ts";
import { idOf, organizationId, toMember, toSigner } from "./testing/people.ts";
import { findEdges } from "./vouching.ts";

for (const vector of partVectorFile.vectors)
  test(`${vector.name}: ${vector.outcome}`, async () => {
    assert.deepEqual(await tryParts(verifyList, vector), expectedOfParts(vector));
  });

const partsOf = ({ parts }: { readonly parts: readonly string[] }) =>
  parts.map((name) => new TextEncoder().encode(partVectorFile.texts[name]));
const verified = partVectorFile.vectors.filter(({ outcome, first }) => outcome === "verified" && first === 1);

test("parts in one piece are taken apart where they begin, and nowhere else", () => {
  for (const vector of partVectorFile.vectors.filter(({ parts }) => parts.length > 1)) {
    const parts = partsOf(vector);
    const isEach = parts.slice(1).every((part) => new TextDecoder().decode(part).includes('"change":"begin"'));
    if (isEach && vector.first === 1) assert.deepEqual(splitParts(joinParts(parts)), { first: 1, parts }, vector.name);
  }
  for (const text of ["", "\n", "no list\n", '{"number":7,']) {
    const bytes = new TextEncoder().encode(text);
    assert.deepEqual(splitParts(bytes), { first: 1, parts: [bytes] });
  }
});

test("all parts are fetched, from whichever head a list is followed, and a server that hides one is refused", async () => {
  for (const vector of verified) {
    const parts = partsOf(vector);
    const starts = parts.map(findFirstNumber);
    const find = (entry = 2 ** 31) => parts[starts.findLastIndex((start) => start <= entry)];
    const { organizationId, trust } = vector;
    const follow = (fetchPart: (entry?: number) => Promise<Uint8Array<ArrayBuffer> | undefined>) =>
      followList({
        ...{ organizationId, trust, heads: createSeenHeads(createStore()) },
        ...{ fetchList: () => fetchParts(fetchPart), fetchNames: async () => undefined },
      });
    const followed = await follow(async (entry) => find(entry));
    assert.equal(followed.kind, "checked", vector.name);
    assert.deepEqual(followed.kind === "checked" && followed.list.head, vector.head);
    if (parts.length === 1) continue;
    const hiding = [async (entry?: number) => (entry === undefined ? find() : undefined), async () => find()];
    for (const hide of hiding) {
      const refused = await follow(hide);
      assert.deepEqual(refused.kind === "refused" && refused.reason, "hidden_list", vector.name);
    }
  }
});

test("a part that an owner begins has everybody with their edges, and is refused to others", async () => {
  for (const vector of verified) {
    const parts = partsOf(vector);
    const list = await verifyList({ first: 1, parts }, vector);
    assert.ok(!(list instanceof RefusalError));
    const edges = findEdges(list);
    for (const name of ["owner", "second owner", "manager", "reader"] as const) {
      const signer = await toSigner(name);
      const self = list.members.get(signer.id);
      if (self?.role === "owner" && self.signingKey === (await toMember(name)).signingKey) {
        const { list: next } = await createListPart(list, signer);
        assert.deepEqual([...next.members].sort(), [...list.members].sort(), vector.name);
        for (const [id, own] of findEdges(next))
          if (id !== signer.id) assert.deepEqual(own, edges.get(id), vector.name);
        assert.deepEqual(findListRoom(next), { stage: "open", left: entriesMax - list.members.size });
      } else await assert.rejects(createListPart(list, signer), RefusalError, vector.name);
    }
  }
});

/** An organization with two owners, in which everybody has let somebody in. */
const people: readonly Step[] = [
  { of: "owner", by: "owner" },
  { of: "second owner", by: "owner" },
  { of: "manager", by: "second owner" },
  { of: "reader", by: "manager" },
  { of: "developer", by: "owner" },
  { of: "signing recovery", by: "owner" },
];
const histories: Readonly<Record<string, readonly Step[]>> = {
  "nobody has left": people,
  "a manager has left": [...people, { change: "remove", of: "manager", by: "owner" }],
  "a manager has left, and the founder's key was replaced": [
    ...people,
    { change: "remove", of: "manager", by: "owner" },
    { change: "replace", of: "owner", by: "owner", key: "stranger" },
  ],
  "an owner vouches for what another has changed": [
    ...people,
    { change: "replace", of: "developer", by: "second owner", member: { role: "reader" } },
    { change: "vouch", of: "owner", by: "owner", vouched: ["manager", "second owner"] },
  ],
  "the founder is a manager now": [
    ...people,
    { change: "replace", of: "owner", by: "second owner", member: { role: "manager" } },
  ],
};

async function listOf(steps: readonly Step[]): Promise<VerifiedList> {
  const founder = { signingKey: (await toMember("owner")).signingKey ?? "" };
  const list = await verifyList(new TextEncoder().encode(await createList(steps)), { organizationId, trust: founder });
  return list instanceof RefusalError ? assert.fail(list.reason) : list;
}

const idsOf = (rows: readonly Unvouched[]) => rows.map(({ member }) => member.id).sort();

for (const [history, steps] of Object.entries(histories))
  for (const name of ["owner", "second owner"] as const)
    test(`before a part is begun by the ${name}, they are asked about each member whom nobody will vouch for on a new device, and about nobody in vain: ${history}`, async () => {
      const list = await listOf(steps);
      const key = name === "owner" && steps.some((step) => step.key === "stranger") ? "stranger" : name;
      const signer = await toSigner(name, key);
      const own = list.members.get(signer.id) ?? assert.fail();
      if (own.role !== "owner") return assert.rejects(createListPart(list, signer), RefusalError);
      const { part, list: whole } = await createListPart(list, signer);
      assert.deepEqual(
        await findUnvouched(whole, { own }),
        await findUnvouched(list, { own }),
        "nobody's standing changes where all parts are",
      );
      const trust = { signingKey: own.signingKey ?? assert.fail() };
      const next = await verifyList(new TextEncoder().encode(part), { organizationId, trust });
      assert.ok(!(next instanceof RefusalError));
      const all = await findUnvouched(list, { own }, [], signer.id);
      assert.deepEqual(idsOf(all), idsOf(await findUnvouched(next, { own })), "as it will be on a new device");
      const { rows, following } = await findUnvouchedInPart(list, { own }, signer.id);
      assert.equal(rows.length + following, all.length);
      if (name === "second owner") assert.ok(idsOf(rows).includes(idOf("owner")), "the part begins with somebody else");
      const members = idsOf(rows);
      if (members.length === 0) return;
      const { entry } = await createListEntry(next, list.organizationId, { change: "vouch", members }, signer);
      const vouched = await verifyNextEntry(next, list.organizationId, new TextEncoder().encode(entry));
      assert.ok(!(vouched instanceof RefusalError));
      assert.deepEqual(await findUnvouched(vouched.list, { own }), [], "their word for these is enough");
      for (const left of members) {
        const known = [...list.members.values()].filter(({ id }) => id !== left && members.includes(id));
        const unvouched = await findUnvouched(next, { own, confirmed: await Promise.all(known.map(toConfirmed)) });
        assert.ok(idsOf(unvouched).includes(left));
      }
    });

test("the recovery key begins a part with an owner whom the list did not have, or had with other keys and another role", async () => {
  const list = await listOf(people);
  const paper = await toSigner("signing recovery");
  const { recipient, signingKey } = await toMember("stranger");
  for (const id of [idOf("stranger"), ...list.members.keys()]) {
    const known = list.members.get(id);
    const signer = await toSigner("stranger");
    const member: NewMember = { id, name: known ? known.name : "Somebody new", role: "owner", recipient, signingKey };
    const begun = createListPart(list, { ...signer, id }, { recovery: { signer: paper, member } });
    if (known?.role === "recovery") {
      await assert.rejects(begun, RefusalError, "the recovery key makes no owner of itself");
      continue;
    }
    const { list: next, names } = await begun;
    assert.deepEqual([...next.members.keys()].sort(), [...new Set([...list.members.keys(), id])].sort());
    assert.equal(next.members.get(id)?.recipient, recipient);
    assert.equal(next.members.get(id)?.role, "owner");
    assert.equal(next.members.get(id)?.name, member.name);
    assert.deepEqual(
      names.map((line) => line.name),
      known ? [] : ["Somebody new"],
    );
  }
  const stranger = await toSigner("stranger");
  const member: NewMember = { id: stranger.id, name: "Eve", role: "owner", recipient, signingKey };
  for (const by of ["manager", "reader", "stranger"] as const)
    await assert.rejects(
      createListPart(list, stranger, { recovery: { signer: await toSigner(by), member } }),
      RefusalError,
      by,
    );
});

/** A store of heads that nobody has written to. */
function createStore(): HeadStore {
  const values = new Map<string, unknown>();
  return {
    isLasting: false,
    find: async (name) => values.get(name),
    async change(name, change) {
      const after = change(values.get(name));
      if (after !== undefined) values.set(name, after);
    },
  };
}

test("parts are the same entry by entry as all at once, and members are found as they were in an earlier one", async () => {
  assert.ok(verified.length > 5);
  for (const vector of verified) {
    const lines = vector.parts.flatMap((name) => partVectorFile.texts[name]?.split("\n").slice(0, -1) ?? []);
    let list: VerifiedList | undefined;
    const earlier: VerifiedList[] = [];
    for (let index = 0; index < lines.length; index += 2) {
      const entry = new TextEncoder().encode(`${lines[index]}\n${lines[index + 1]}\n`);
      const next = await verifyNextEntry(list, vector.organizationId, entry);
      if (next instanceof RefusalError) throw next;
      list = next.list;
      earlier.push(list);
    }
    assert.deepEqual(list?.head, vector.head);
    for (const { head, members } of earlier) assert.deepEqual(list?.membersAt(head), members, vector.name);
  }
});
