import assert from "node:assert/strict";
import { test } from "node:test";
import { type VerifiedList, verifyList, verifyNextEntry } from "./list.ts";
import { RefusalError } from "./refusal.ts";
import { expectedOfParts, partVectorFile, tryParts } from "./testing/part-conformance.ts";

for (const vector of partVectorFile.vectors)
  test(`${vector.name}: ${vector.outcome}`, async () => {
    assert.deepEqual(await tryParts(verifyList, vector), expectedOfParts(vector));
  });

test("parts are the same entry by entry as all at once, and members are found as they were in an earlier one", async () => {
  const verified = partVectorFile.vectors.filter(({ outcome, first }) => outcome === "verified" && first === 1);
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
