import assert from "node:assert/strict";
import { test } from "node:test";
import { toReader } from "./envelope-checks.ts";
import { findUnintroduced } from "./introduced.ts";
import { knownEntries, verifyList } from "./list.ts";
import { keptReaders } from "./next-revision.ts";
import { sealEnvelope } from "./seal-envelope.ts";
import { findSealable } from "./standing.ts";
import { bytesOf, findList, lists } from "./testing/conformance.ts";
import { EnvelopeMaker, toFormKey } from "./testing/envelope-maker.ts";
import { FormDevice, formId } from "./testing/form-device.ts";
import { findPersonalKey, idOf, type Person, toMember, toSigner } from "./testing/people.ts";
import { hashOf } from "./text.ts";
import { findCut } from "./vouching.ts";

test("edges are cut to everybody who has left since, and to nobody who has stayed the same", async () => {
  let [left, stayed] = [0, 0];
  for (const vector of lists.filter(({ outcome }) => outcome === "verified")) {
    const list = await verifyList(bytesOf(vector), vector);
    assert.ok(!("reason" in list));
    const heads = knownEntries(list).map(({ entry: { number }, hash }) => ({ number, hash }));
    const states = heads.map((head) => list.membersAt(head) ?? assert.fail());
    for (const [index, head] of heads.entries()) {
      const cut = findCut(list, head.number);
      const later = states.slice(index);
      for (const [id, { role, signingKey }] of states[index] ?? []) {
        if (!list.members.has(id)) {
          left += 1;
          assert.ok(cut.has(id), `${vector.name}: ${id} after ${head.number}`);
        }
        const isSame = (members: (typeof later)[number]) =>
          members.get(id)?.role === role && members.get(id)?.signingKey === signingKey;
        if (!later.every(isSame)) continue;
        stayed += 1;
        assert.ok(!cut.has(id), `${vector.name}: ${id} after ${head.number}`);
      }
    }
  }
  assert.ok(left > 5 && stayed > 20, `${left} left, ${stayed} stayed`);
});

test("what a new device of an owner takes on a manager's word becomes proof for nobody, and what others know stays", async () => {
  const list = await findList("a council");
  const maker = new EnvelopeMaker([]);
  const write = async (by: Person, readers: readonly (readonly [Person, Person])[], content = {}) => {
    const named = await Promise.all(readers.map(async ([who, from]) => toReader(await toMember(who), idOf(from))));
    return maker.make("", { by, readers: readers.map(([who]) => who), content: { readers: named, ...content } });
  };
  const deviceOf = (who: Person) => {
    const device = new FormDevice(who, list);
    device.published = [toFormKey(1, "small")];
    return device;
  };
  const first = await write("owner", [
    ["owner", "owner"],
    ["manager", "owner"],
    ["reader", "owner"],
    ["recovery", "owner"],
  ]);
  const old = deviceOf("owner");
  await old.look({ 1: [first] });
  // The manager lets the program in, in the name of the owner, and says of everybody else that they are there by himself.
  const second = await write(
    "manager",
    [
      ["owner", "manager"],
      ["manager", "manager"],
      ["reader", "manager"],
      ["program", "owner"],
      ["recovery", "manager"],
    ],
    { revision: 2, previous: await hashOf(first) },
  );
  const fresh = deviceOf("owner");
  const [opened] = (await fresh.look({ 1: [first, second] })).envelopes;
  assert.ok(opened);
  assert.deepEqual(findUnintroduced(list, opened.head), [idOf("program")]);
  const own = await findPersonalKey("owner");
  const sealable = await findSealable(list, { own });
  const { content, outdated } = opened;
  const readerIds = [...keptReaders({ writerId: idOf("owner"), sealable }, { readers: content.readers, outdated })];
  const signer = await toSigner("owner");
  const third = await sealEnvelope({ list, signer, formId, readerIds, keys: [], previous: opened });
  const named = (id: string) => third.head.readers.find((reader) => reader.id === id);
  assert.deepEqual(named(idOf("program")), { id: idOf("program"), by: null }, "they read on, and are asked about");
  for (const device of [old, deviceOf("owner"), deviceOf("reader")]) {
    const [last] = (await device.look({ 1: [first, second, third.file] })).envelopes;
    assert.equal(last?.head.revision, 3);
    assert.deepEqual(findUnintroduced(list, last.head), [idOf("program")]);
    const known = device === old ? "owner" : "manager";
    assert.equal(last.head.readers.find(({ id }) => id === idOf("reader"))?.by, idOf(known));
  }
});
