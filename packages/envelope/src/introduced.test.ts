import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyList } from "./list.ts";
import { partVectorFile } from "./testing/part-conformance.ts";
import { hashOf } from "./text.ts";
import { findCut } from "./vouching.ts";

test("edges are cut to everybody who has left since, in whichever part, and to nobody who has stayed the same", async () => {
  let [left, stayed] = [0, 0];
  for (const vector of partVectorFile.vectors.filter(({ outcome, first }) => outcome === "verified" && first === 1)) {
    const parts = vector.parts.map((name) => new TextEncoder().encode(partVectorFile.texts[name]));
    const list = await verifyList({ first: 1, parts }, vector);
    assert.ok(!("reason" in list));
    const lines = parts.flatMap((part) => new TextDecoder().decode(part).split("\n").slice(0, -1));
    const contents = lines.filter((_, index) => index % 2 === 0);
    const hashes = await Promise.all(contents.map((content) => hashOf(content)));
    const heads = hashes.map((hash, index) => ({ number: index + 1, hash }));
    const states = heads.map((head) => list.membersAt(head) ?? assert.fail());
    // A part begins with one member, and the others are carried into it one by one.
    const isWhole = contents.map((_, index) => changeOf(contents[index + 1]) !== "carry");
    for (const [index, head] of heads.entries()) {
      const cut = findCut(list, head.number);
      const later = states.filter((_, other) => other >= index && isWhole[other]);
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

function changeOf(line = "{}"): unknown {
  return (JSON.parse(line) as { readonly change?: unknown }).change;
}
