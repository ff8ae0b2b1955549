import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchParts } from "./fetch-parts.ts";
import { followList } from "./follow-list.ts";
import { type VerifiedList, verifyList, verifyNextEntry } from "./list.ts";
import { findFirstNumber, joinParts, splitParts } from "./list-bytes.ts";
import { createListPart } from "./list-part.ts";
import { findListRoom } from "./list-room.ts";
import { entriesMax } from "./list-rules.ts";
import { RefusalError } from "./refusal.ts";
import { createSeenHeads, type HeadStore } from "./seen-heads.ts";
import { expectedOfParts, partVectorFile, tryParts } from "./testing/part-conformance.ts";
import { toMember, toSigner } from "./testing/people.ts";
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
